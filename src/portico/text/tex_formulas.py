r"""Formulas of TeX on one line: `x_1^2 \leq \sqrt{n}` is x₁² ≤ √n."""

import re
import unicodedata

from portico.text.tex_symbols import DOUBLE_STRUCK, FUNCTIONS, LOWERED, MATH_ACCENTS, RAISED, SYMBOLS

# Parts within parts (a group, an argument) that a reader can still follow; what goes deeper stays TeX.
_DEEPEST = 16
# Characters of a numerator or denominator that can still be read beside a stroke.
_LONGEST_PART = 24


def read_formula(inside: str) -> str | None:
    """What stands between the dollars, as plain text; None where that cannot be said well on a line."""
    return _Formula(_TOKEN.findall(inside)).whole()


def read_script(sign: str, inside: str) -> str:
    """An exponent (`^`) or index (`_`) behind what it belongs to."""
    inside = _PRINTED_ALONE.get(inside, inside) if sign == "^" else inside
    table = RAISED if sign == "^" else LOWERED
    if sign == "^" and inside in _MARKS:
        return inside
    is_word = len(inside) > 1 and inside.isalpha()
    if not is_word and all(char in table for char in inside):
        return "".join(table[char] for char in inside)
    if len(inside) == 1 or (sign == "_" and inside.isalnum()) or _NEEDS_NO_BRACKETS.fullmatch(inside):
        return sign + inside
    return f"{sign}({inside})"


_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)
_NEEDS_NO_BRACKETS = re.compile(r"[\d.]+|\([^()]*\)")
_SIMPLE = re.compile(r"[^\W_]+")
_MARKS = frozenset("*′″°†‡")
_PRINTED_ALONE = {"∘": "°", "∗": "*", "⋆": "*", "′′": "″"}

_ESCAPED = {name: name for name in "{}$%_#&"} | {
    ",": " ",
    ";": " ",
    ":": " ",
    " ": " ",
    "!": "",
    "/": "",
    "|": "‖",
}
_SILENT = frozenset(
    {"left", "right", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "middle", "limits",
     "nolimits", "displaystyle", "textstyle", "scriptstyle", "cal", "bf", "rm", "it", "em", "sf", "tt", "sc",
     "mathstrut", "ds"}
)  # fmt: skip
_SIZED = frozenset({"left", "right", "middle"})  # a dot behind them is no bracket at all
_SPACES = frozenset({"quad", "qquad", "space", "enspace", "thinspace"})
_WRAPPERS = frozenset(
    {"mathcal", "mathbf", "mathrm", "mathit", "mathsf", "mathtt", "mathfrak", "mathscr", "boldsymbol", "bm",
     "text", "textrm", "textit", "textbf", "textsf", "texttt", "textsc", "textnormal", "mbox", "hbox", "emph",
     "ensuremath", "operatorname", "mathop", "mathbin", "mathrel", "mathord"}
)  # fmt: skip

# Marks of our own around a function's name, where a space may be needed, and around a fraction, where
# brackets may be: that depends on what comes to stand beside them.
_BEFORE, _AFTER, _OPEN, _CLOSE = "\x02", "\x03", "\x04", "\x05"
_NEEDS_SPACE_BEFORE = re.compile(rf"(?<=[\w)\]}}|]){_BEFORE}")
_NEEDS_SPACE_AFTER = re.compile(
    rf"{_AFTER}(?=[\w√∑∏{_OPEN}])(?![{''.join([*RAISED.values(), *LOWERED.values()])}_])"
)
_FREE_FRACTION = re.compile(rf"(?<![\w)]){_OPEN}([^{_OPEN}{_CLOSE}]*){_CLOSE}(?![\w(^])")
_SETTLED = str.maketrans({_BEFORE: None, _AFTER: None, _OPEN: "(", _CLOSE: ")"})


def _settled(said: str) -> str:
    said = _NEEDS_SPACE_AFTER.sub(" ", _NEEDS_SPACE_BEFORE.sub(" ", said))
    return " ".join(_FREE_FRACTION.sub(r"\1", said).translate(_SETTLED).split())


class _Formula:
    """One walk over the parts of a formula; each method reads on from where the one before stopped."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens, self._at, self._depth = tokens, 0, 0

    def whole(self) -> str | None:
        said = self._until_brace()
        return None if said is None or self._at < len(self._tokens) else _settled(said) or None

    def _next(self) -> str:
        """The next part; nothing at the end."""
        token = self._tokens[self._at] if self._at < len(self._tokens) else ""
        self._at += 1
        return token

    def _until_brace(self) -> str | None:
        said: list[str] = []
        while self._at < len(self._tokens) and self._tokens[self._at] != "}":
            part = self._part()
            if part is None:
                return None
            said.append(part)
        return "".join(said)

    def _part(self) -> str | None:
        self._depth += 1
        said = self._written(self._next()) if self._depth <= _DEEPEST else None
        self._depth -= 1
        if said is None:
            self._at = len(self._tokens)  # nothing that follows could save it
        return said

    def _written(self, sign: str) -> str | None:
        if sign == "{":
            said = self._until_brace()
            return said if self._next() == "}" else None
        if sign in ("^", "_"):
            inside = self._argument()
            return None if inside is None else read_script(sign, _settled(inside))
        if sign.startswith("\\"):
            return self._command(sign[1:])
        if sign in ("", "}", "&"):
            return None
        return {"'": "′", "~": " "}.get(sign, sign)

    def _argument(self) -> str | None:
        """What a command or a script takes: a group, or the next part alone."""
        while self._at < len(self._tokens) and self._tokens[self._at].isspace():
            self._at += 1
        return self._part()

    def _command(self, name: str) -> str | None:
        if name in SYMBOLS:
            return SYMBOLS[name]
        if name in FUNCTIONS:
            return f"{_BEFORE}{name}{_AFTER}"
        if name in _ESCAPED:
            return _ESCAPED[name]
        if name in _SPACES:
            return " "
        if name in _SILENT:
            return self._silent(name)
        return self._with_argument(name)

    def _silent(self, name: str) -> str:
        if name in _SIZED and self._at < len(self._tokens) and self._tokens[self._at] == ".":
            self._at += 1
        return ""

    def _with_argument(self, name: str) -> str | None:
        if name in _WRAPPERS:
            return self._argument()
        if name == "mathbb":
            letters = self._argument()
            return DOUBLE_STRUCK.get(letters, letters) if letters else None
        if name in MATH_ACCENTS:
            return _marked(self._argument(), MATH_ACCENTS[name])
        if name == "not":
            return _marked(self._argument(), "\u0338")
        if name == "sqrt":
            return _root(self._argument())
        if name in ("frac", "dfrac", "tfrac"):
            return _fraction(self._argument(), self._argument())
        if name == "pmod":
            modulus = self._argument()
            return None if modulus is None else f" (mod {modulus})"
        return None


def _marked(letter: str | None, mark: str) -> str | None:
    """One letter or sign with a mark on it."""
    bare = (letter or "").strip()
    return unicodedata.normalize("NFC", bare + mark) if len(bare) == 1 else None


def _root(inside: str | None) -> str | None:
    if inside is None or inside == "[":  # of another degree
        return None
    return f"√{inside}" if _SIMPLE.fullmatch(inside) else f"√({inside})"


def _fraction(above: str | None, below: str | None) -> str | None:
    if not above or not below:
        return None
    if any(_OPEN in part or "/" in part or len(part) > _LONGEST_PART for part in (above, below)):
        return None
    parts = (part if _SIMPLE.fullmatch(part) else f"({part})" for part in (above, below))
    return f"{_OPEN}{'/'.join(parts)}{_CLOSE}"
