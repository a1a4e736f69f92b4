"""Splits text into words normalized for comparison: lower case, without plural endings."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

# Share of letters that two words must have in common, in order: the value `difflib` recommends for close
# matches. With it "dealy" finds "delay_s", and "speed" finds none of our keys.
LIKENESS = 0.6


def find_nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like this one, if any is like it at all; the first of equals."""
    best, best_likeness = None, LIKENESS
    for candidate in known:
        likeness = SequenceMatcher(None, word.casefold(), candidate.casefold()).ratio()
        if likeness > best_likeness:
            best, best_likeness = candidate, likeness
    return best


# A hyphen after a letter at a line end, with a lower-case letter at the start of the next line.
_CUT = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\n(?=[^\W\d_])")


def dehyphenate(text: str) -> str:
    """The lines joined into one: words hyphenated at a line end are joined without the hyphen, other line
    ends become spaces.

    A capital letter after the hyphen means a name or a compound ("Baum-\\nWelch", "K-\\nMeans"): the hyphen
    stays. Whether "semi-\\nMarkov" was hyphenated or is spelled that way cannot be known; hyphenation is far
    more common.
    """
    joined = _CUT.sub(lambda match: "-" if match.string[match.end()].isupper() else "", text)
    return " ".join(joined.split())


# English words that say nothing about the subject of a paper, such as "paper".
_STOP_LIST = """
a about above after again against all also although always among an and another any are as at be because
become been before being below between both but by can cannot could did do does doing done down during
each either et etc even ever every few for from further given gives had has have having he hence her
here him his how however if in indeed into is it its itself just less like made make makes making many
may might more most much must neither no nor not now of off often on once one only onto or other others
our out over own paper papers per perhaps quite rather same several shall she should show shown shows
since so some such than that the their them then there therefore these they this those through thus to
too toward towards two under until up upon us use used useful uses using various very via was we well
were what when where whether which while who whom whose why will with within without would yet you your
"""
STOP_WORDS = frozenset(_STOP_LIST.split())


def split_words(text: str) -> list[str]:
    """All words except stop words, in order, without plural endings."""
    return [word for word in stem_all(split_tokens(text)) if word]


def split_tokens(text: str) -> list[str]:
    """The text in lower case, split at everything that is neither letter nor digit; "c++" stays whole."""
    return spaced(text).split()


def spaced(text: str) -> str:
    """The text in lower case, with a space for everything that is neither letter nor digit; "c++" stays
    whole.
    """
    return text.casefold().translate(_SEPARATORS)


def stem(token: str) -> str:
    """The form in which a token is compared; empty for a stop word."""
    return _STEMS[token]


def stem_all(tokens: Iterable[str]) -> list[str]:
    """The forms of many tokens: twice as fast as asking for one after the other."""
    return [*map(_STEMS.__getitem__, tokens)]


_MOST_STEMS = 200_000  # twice the words in 45,000 abstracts; most words of a text are repeated


class _Stems(dict[str, str]):
    """The forms of the tokens that were asked for; begun anew when they are too many."""

    def __missing__(self, token: str) -> str:
        if len(self) >= _MOST_STEMS:
            self.clear()
        word = token
        if token[-1] in "+#" and token not in _NAMES_WITH_SIGNS:
            word = token.rstrip("+#")
        found = self[token] = "" if word in STOP_WORDS else make_singular(word)
        return found


_STEMS = _Stems()


def make_singular(word: str) -> str:
    """The word without an English plural ending: "queries" and "query" become one word."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or word[-1] != "s" or word[-2] in "sui":
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1]


_IRREGULAR = {
    "analyses": "analysis", "appendices": "appendix", "automata": "automaton", "axes": "axis",
    "caches": "cache", "children": "child", "criteria": "criterion", "databases": "database",
    "hypotheses": "hypothesis", "indices": "index", "lenses": "lens", "matrices": "matrix", "men": "man",
    "phenomena": "phenomenon", "polyhedra": "polyhedron", "series": "series", "simplices": "simplex",
    "spectra": "spectrum", "syntheses": "synthesis", "theses": "thesis", "vertices": "vertex",
    "women": "woman",
}  # fmt: skip
_NAMES_WITH_SIGNS = frozenset({"c++", "c#", "f#"})


class _Separators(dict[int, int]):
    """A translation table that turns every separator into a space: four times as fast as a regular
    expression.
    """

    def __missing__(self, code: int) -> int:
        keep = chr(code).isalnum() or chr(code) in "+#"
        self[code] = code if keep else ord(" ")
        return self[code]


_SEPARATORS = _Separators()


def make_printable(text: str) -> str:
    """Text that is safe to print in a terminal: control characters are escaped."""
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() or each == "\n" else each.encode("unicode_escape").decode()
        for each in text
    )
