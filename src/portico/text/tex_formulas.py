r"""Converts TeX formulas to one line of plain text: `x_1^2 \leq \sqrt{n}` is x₁² ≤ √n."""

import re
import unicodedata

ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "H": "\u030b", "v": "\u030c", "u": "\u0306", "c": "\u0327", "k": "\u0328", "r": "\u030a", "d": "\u0323",
    "b": "\u0331",
}  # fmt: skip
"""The diacritic that each command puts on the letter after it."""

MATH_ACCENTS = {
    "hat": "\u0302", "widehat": "\u0302", "tilde": "\u0303", "widetilde": "\u0303", "bar": "\u0304",
    "overline": "\u0305", "underline": "\u0332", "vec": "\u20d7", "dot": "\u0307", "ddot": "\u0308",
    "check": "\u030c", "breve": "\u0306", "acute": "\u0301", "grave": "\u0300",
}  # fmt: skip
"""The same in formulas."""

LETTERS = {
    "i": "ı", "j": "ȷ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ",
    "OE": "Œ", "aa": "å", "AA": "Å", "S": "§", "copyright": "©", "dag": "†", "ddag": "‡", "pounds": "£",
    "ldots": "…", "dots": "…", "TeX": "TeX", "LaTeX": "LaTeX", "BibTeX": "BibTeX", "textregistered": "®",
    "texttrademark": "™", "textendash": "–", "textemdash": "—", "textquoteleft": "‘", "textquoteright": "’",
    "textquotedblleft": "“", "textquotedblright": "”", "textbackslash": "\\", "textasciitilde": "~",
    "textless": "<", "textgreater": ">", "textbar": "|", "textdegree": "°", "euro": "€",
}  # fmt: skip
"""Characters that commands print in running text."""

_GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ",
    "eta": "η", "theta": "θ", "vartheta": "ϑ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν",
    "xi": "ξ", "pi": "π", "varpi": "ϖ", "rho": "ρ", "varrho": "ϱ", "sigma": "σ", "varsigma": "ς", "tau": "τ",
    "upsilon": "υ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ",
    "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Upsilon": "Υ",
    "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip

_PLAIN = {
    "ell": "ℓ", "infty": "∞", "partial": "∂", "nabla": "∇", "forall": "∀", "exists": "∃", "emptyset": "∅",
    "varnothing": "∅", "hbar": "ħ", "Re": "ℜ", "Im": "ℑ", "aleph": "ℵ", "prime": "′", "circ": "∘",
    "bullet": "•", "star": "⋆", "ast": "∗", "cdot": "·", "sum": "∑", "prod": "∏", "int": "∫", "bigcup": "⋃",
    "bigcap": "⋂", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "langle": "⟨", "rangle": "⟩",
    "ldots": "…", "dots": "…", "cdots": "⋯", "dotsc": "…", "neg": "¬", "lnot": "¬", "top": "⊤", "bot": "⊥",
    "angle": "∠", "triangle": "△", "square": "□", "Box": "□", "diamond": "⋄", "Diamond": "◇", "degree": "°",
    "dagger": "†", "ddagger": "‡", "lbrace": "{", "rbrace": "}", "lbrack": "[", "rbrack": "]", "vert": "|",
    "lvert": "|", "rvert": "|", "Vert": "‖", "lVert": "‖", "rVert": "‖", "colon": ":", "backslash": "\\",
    "imath": "ı", "jmath": "ȷ", "sharp": "♯", "flat": "♭", "natural": "♮", "checkmark": "✓",
    # Not part of TeX, but nearly every author who uses them means these.
    "eps": "ε", "R": "ℝ", "N": "ℕ", "Z": "ℤ", "Q": "ℚ", "C": "ℂ", "RR": "ℝ", "NN": "ℕ", "ZZ": "ℤ",
    "QQ": "ℚ", "CC": "ℂ", "reals": "ℝ",
}  # fmt: skip

# Printed with space on both sides.
_BETWEEN = {
    "leq": "≤", "le": "≤", "leqslant": "≤", "geq": "≥", "ge": "≥", "geqslant": "≥", "neq": "≠", "ne": "≠",
    "ll": "≪", "gg": "≫", "approx": "≈", "sim": "∼", "simeq": "≃", "cong": "≅", "equiv": "≡",
    "propto": "∝", "in": "∈", "notin": "∉", "ni": "∋", "subset": "⊂", "supset": "⊃", "subseteq": "⊆",
    "supseteq": "⊇", "subsetneq": "⊊", "sqsubseteq": "⊑", "models": "⊨", "vdash": "⊢", "mid": "|",
    "parallel": "∥", "perp": "⊥", "prec": "≺", "succ": "≻", "preceq": "⪯", "succeq": "⪰", "cup": "∪",
    "cap": "∩", "sqcup": "⊔", "sqcap": "⊓", "setminus": "∖", "wedge": "∧", "land": "∧", "vee": "∨",
    "lor": "∨", "oplus": "⊕", "ominus": "⊖", "otimes": "⊗", "odot": "⊙", "uplus": "⊎", "times": "×",
    "div": "÷", "pm": "±", "mp": "∓", "to": "→", "rightarrow": "→", "leftarrow": "←", "gets": "←",
    "leftrightarrow": "↔", "longrightarrow": "⟶", "longleftarrow": "⟵", "Rightarrow": "⇒",
    "Leftarrow": "⇐", "Leftrightarrow": "⇔", "Longrightarrow": "⟹", "implies": "⟹", "iff": "⟺",
    "mapsto": "↦", "hookrightarrow": "↪", "uparrow": "↑", "downarrow": "↓", "bmod": "mod", "mod": "mod",
    "triangleq": "≜", "lesssim": "≲", "gtrsim": "≳", "rightleftharpoons": "⇌", "bowtie": "⋈",
}  # fmt: skip

SYMBOLS = _GREEK | _PLAIN | {name: f" {symbol} " for name, symbol in _BETWEEN.items()}
"""Characters that commands print in formulas; relations and operators include the spaces around them."""

FUNCTIONS = frozenset(
    {"arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim", "exp",
     "gcd", "hom", "inf", "ker", "lg", "lim", "liminf", "limsup", "ln", "log", "max", "min", "poly",
     "polylog", "Pr", "sec", "sin", "sinh", "sup", "tan", "tanh"}
)  # fmt: skip
"""Names that are printed upright in formulas."""

DOUBLE_STRUCK = {"C": "ℂ", "H": "ℍ", "N": "ℕ", "P": "ℙ", "Q": "ℚ", "R": "ℝ", "Z": "ℤ"}
"""Blackboard letters that are in every typeface."""

RAISED = dict(zip("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", strict=True))
LOWERED = dict(zip("0123456789+-=()aeoxijkmnprstuv", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓᵢⱼₖₘₙₚᵣₛₜᵤᵥ", strict=True))
"""Characters with a subscript or superscript form."""


# Maximum nesting of groups and arguments that a reader can still follow; deeper formulas stay TeX.
_DEEPEST = 16
# Maximum characters of a numerator or denominator that is readable next to a slash.
_LONGEST_PART = 24


def read_formula(inside: str) -> str | None:
    """A formula (the text between the dollars) as plain text; None if it does not fit on one line."""
    return _Formula(_TOKEN.findall(inside)).whole()


def read_script(sign: str, inside: str) -> str:
    """An exponent (`^`) or index (`_`) in plain text."""
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
_SIZED = frozenset({"left", "right", "middle"})  # a dot after them is not a bracket
_SPACES = frozenset({"quad", "qquad", "space", "enspace", "thinspace"})
_WRAPPERS = frozenset(
    {"mathcal", "mathbf", "mathrm", "mathit", "mathsf", "mathtt", "mathfrak", "mathscr", "boldsymbol", "bm",
     "text", "textrm", "textit", "textbf", "textsf", "texttt", "textsc", "textnormal", "mbox", "hbox", "emph",
     "ensuremath", "operatorname", "mathop", "mathbin", "mathrel", "mathord"}
)  # fmt: skip

# Our own marks around a function's name, where a space may be needed, and around a fraction, where
# parentheses may be, depending on their neighbors.
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
    """One pass over the parts of a formula; each method continues where the previous one stopped."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens, self._at, self._depth = tokens, 0, 0

    def whole(self) -> str | None:
        said = self._until_brace()
        return None if said is None or self._at < len(self._tokens) else _settled(said) or None

    def _next(self) -> str:
        """The next part; empty at the end."""
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
        """The argument of a command or script: a group, or just the next part."""
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
    """One letter or symbol with a mark on it."""
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
