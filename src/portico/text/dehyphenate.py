"""Words that a line end has cut in two, joined again."""

import re

# A hyphen after a letter at a line end, and a small letter at the start of the next line.
_CUT = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\n(?=[^\W\d_])")


def dehyphenate(text: str) -> str:
    """One line of the lines: cut words joined without their hyphen, all other line ends made spaces.

    A capital after the hyphen is a name or a compound ("Baum-\\nWelch", "K-\\nMeans"): its hyphen stays.
    Whether "semi-\\nMarkov" was cut or is spelled so cannot be known; the cut is far commoner.
    """
    joined = _CUT.sub(lambda match: "-" if match.string[match.end()].isupper() else "", text)
    return " ".join(joined.split())
