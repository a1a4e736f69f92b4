r"""Converts TeX in titles and abstracts to plain text: `Erd\H{o}s` is Erdős, `$O(n\log n)$` is O(n log n).

Catalogs such as arXiv keep what authors typed. What can be written well without TeX is; commands that are
not known, formulas that need two dimensions, and dollars that are money stay as they were. The time grows
with the length of the text, whatever is in it.
"""

import re
import unicodedata
from collections.abc import Callable

from portico.text.tex_formulas import ACCENTS, FUNCTIONS, LETTERS, SYMBOLS, read_formula, read_script


def make_readable(text: str) -> str:
    """The text with TeX replaced by plain text where possible."""
    return _Reading().read(text) if _SIGN.search(text) else text


# Where TeX may begin: searched first, since most text is plain.
_SIGN = re.compile(r"[\\${}`~^_]|--|''")

# A dollar sign opens a formula if a character follows it, and closes one if a character precedes it and no
# digit follows: "$5 and $6" is money. Pandoc has the same rule.
_TOKEN = re.compile(
    r"""
      \$\$(?P<display>(?:[^$\\]|\\.)++)\$\$
    | \$(?=\S)(?P<inline>(?:[^$\\]|\\.)++)(?<=\S)\$(?!\d)
    | \$(?P<commanded>(?=[^$\\]*+\\[A-Za-z])(?:[^$\\]|\\.)++)\$
    | \$\s?(?P<letter>[A-Za-z])\s?\$
    | \\\((?P<round>[^\\]*+(?:\\[^()\[\]][^\\]*+)*+)\\\)
    | \\\[(?P<square>[^\\]*+(?:\\[^()\[\]][^\\]*+)*+)\\\]
    | (?P<apostrophe>(?<=[^\W\d_])\\'(?=(?:s|t|d|m|re|ll|ve)\b))
    | \\(?P<sign>['"`^~=.])(?:\{(?P<in_braces>\\[ij]|[^\W\d_])\}
                             |(?P<bare>\\[ij](?:\s(?=[^\W\d_])|(?!\w))|[^\W\d_]))
    | \\(?P<above>[Hvuckrdb])(?:\{(?P<under>\\[ij]|[^\W\d_])\}|\s(?P<next>[^\W\d_]))
    | \\(?:emph|text(?:it|bf|tt|sc|rm|sf|sl|up|md|normal)?|mbox|underline|url
      |it|bf|em|sc|tt|sf|rm)\s?(?P<wrapped>\{)
    | \{\s*\\(?:em|it|bf|tt|sc|rm|sf|sl|cal|itshape|bfseries|scshape|ttfamily)(?![A-Za-z])\s*(?P<switched>)
    | \\(?:cite[pt]?|citep|citet)\s?\{(?P<cited>[^{}\\$]*+)\}
    | \\(?P<word>[A-Za-z]+)(?P<behind>\{\}|\s(?=[^\W\d_])|)
    | \\(?P<escaped>[&%$\#_{} ])
    | (?P<nothing>\\[/@!-])
    | (?P<space>\\[,;:]|\\\\(?=\s|$)|(?<=[^\W\d_][.,]|[^\W\d_]{2})~(?=[\w$\\(]))
    | (?P<attached>(?<=[\w)\]])[\^_])\{(?P<raised>[^{}$]*+)\}
    | \{(?P<kept>(?=[^{}]*[A-Z])[^\W_]++)\}
    | (?P<dash>(?<!-)---(?!-)|(?<=[^\s-])--(?=[^\s-])|(?<=\s)--(?=\s))
    | (?P<opening>``)
    | (?P<closing>'')
    | (?P<brace>[{}])
    """,
    re.VERBOSE,
)


class _Reading:
    """One pass over a text; a construct that is never closed is left as it was."""

    def __init__(self) -> None:
        self._said: list[str] = []
        self._open: list[
            tuple[int, str]
        ] = []  # groups: where in `said` they began, and how they were written
        self._quoting: list[int] = []  # where quotations began

    def read(self, text: str) -> str:
        end = at = 0
        while sign := _SIGN.search(text, at):
            found = _TOKEN.match(text, sign.start())
            if found is None:
                at = sign.end()
                continue
            self._said += (text[end : found.start()], "")
            self._said[-1] = self._token(found)
            end = at = found.end()
        for place, written in (*self._open, *((place, "``") for place in self._quoting)):
            self._said[place] = written
        return "".join(self._said) + text[end:]

    def _token(self, found: re.Match[str]) -> str:
        kind = found.lastgroup or ""
        if kind in ("wrapped", "switched"):
            self._open.append((len(self._said) - 1, found[0]))
            return ""
        if kind == "brace":
            return self._brace(found[0])
        if kind == "opening":
            self._quoting.append(len(self._said) - 1)
            return "“"
        if kind == "closing" and self._quoting:
            self._quoting.pop()
            return "”"
        said = _MEANINGS[kind](found)
        return found[0] if said is None else said

    def _brace(self, brace: str) -> str:
        if brace == "{":
            self._open.append((len(self._said) - 1, "{"))
            return "{"
        if not self._open:
            return "}"
        place, written = self._open.pop()
        if written == "{" and _is_letter(self._said[place + 1 : place + 2 + _A_LETTER]):
            self._said[place] = written = ""
        return "}" if written == "{" else ""


def _is_letter(inside: list[str]) -> bool:
    r"""Whether the braces only held an accent and its letter together: `G{\"o}del`."""
    letter = "".join(inside) if len(inside) <= _A_LETTER else ""
    return len(letter) == 1 and letter.isalpha() and not letter.isascii()


# Parts between the braces of an accented letter: nothing, the letter, nothing, and the position of the brace.
_A_LETTER = 4


_FORMULAS = ("display", "inline", "commanded", "letter", "round", "square")


def _formula(found: re.Match[str]) -> str | None:
    inside = next(group for group in found.group(*_FORMULAS) if group is not None)
    if _PROSE.search(inside) and "\\" not in inside:
        return None
    return read_formula(inside)


# Two consecutive words are not a formula: "costs $5 per day or 10$ …".
_PROSE = re.compile(r"[A-Za-z]{3}\s+[A-Za-z]{3}|^\d[\d.,]*\s+[a-z]")


def _accented(found: re.Match[str]) -> str | None:
    accent = ACCENTS[found["sign"] or found["above"]]
    letter = (found["in_braces"] or found["bare"] or found["under"] or found["next"]).strip("\\ ")
    composed = unicodedata.normalize("NFC", letter + accent)
    return composed if len(composed) == 1 else None


def _word(found: re.Match[str]) -> str | None:
    word, behind = found["word"], found["behind"].strip("{}")
    letter = LETTERS.get(word)
    if letter is not None:
        return letter if letter.isalpha() and len(letter) == 1 else letter + behind  # \ss e is ße
    said = read_formula(f"\\{word}") if word in SYMBOLS or word in FUNCTIONS else None
    return None if said is None else said + behind


def _raised(found: re.Match[str]) -> str | None:
    inside = read_formula(found["raised"])
    return None if inside is None else read_script(found["attached"], inside)


_MEANINGS: dict[str, Callable[[re.Match[str]], str | None]] = {
    **dict.fromkeys(_FORMULAS, _formula),
    "apostrophe": lambda found: "'",
    "in_braces": _accented,
    "bare": _accented,
    "under": _accented,
    "next": _accented,
    "behind": _word,
    "cited": lambda found: f"[{found['cited']}]",
    "escaped": lambda found: found["escaped"],
    "nothing": lambda found: "",
    "space": lambda found: " ",
    "raised": _raised,
    "kept": lambda found: found["kept"],
    "closing": lambda found: None,
    "dash": lambda found: "–" if len(found[0]) == 2 else "—",
}
