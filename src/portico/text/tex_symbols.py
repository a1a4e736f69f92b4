"""What commands of TeX print: letters, accents, symbols, and the names of functions."""

ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "H": "\u030b", "v": "\u030c", "u": "\u0306", "c": "\u0327", "k": "\u0328", "r": "\u030a", "d": "\u0323",
    "b": "\u0331",
}  # fmt: skip
"""The mark that a command puts on the letter behind it."""

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
"""What stands in running text."""

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
    # Not of TeX, but nearly every author who has them means these.
    "eps": "ε", "R": "ℝ", "N": "ℕ", "Z": "ℤ", "Q": "ℚ", "C": "ℂ", "RR": "ℝ", "NN": "ℕ", "ZZ": "ℤ",
    "QQ": "ℚ", "CC": "ℂ", "reals": "ℝ",
}  # fmt: skip

# Set with space on both sides.
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
"""What stands in formulas; relations and operators bring their space along."""

FUNCTIONS = frozenset(
    {"arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim", "exp",
     "gcd", "hom", "inf", "ker", "lg", "lim", "liminf", "limsup", "ln", "log", "max", "min", "poly",
     "polylog", "Pr", "sec", "sin", "sinh", "sup", "tan", "tanh"}
)  # fmt: skip
"""Names that stand upright in formulas."""

DOUBLE_STRUCK = {"C": "ℂ", "H": "ℍ", "N": "ℕ", "P": "ℙ", "Q": "ℚ", "R": "ℝ", "Z": "ℤ"}
"""Blackboard letters that every typeface has."""

RAISED = dict(zip("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", strict=True))
LOWERED = dict(zip("0123456789+-=()aeoxijkmnprstuv", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓᵢⱼₖₘₙₚᵣₛₜᵤᵥ", strict=True))
"""Characters that exist above and below the line."""
