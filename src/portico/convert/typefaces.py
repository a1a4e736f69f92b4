"""What a font's name and flags say about how it looks."""

import re
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Typeface:
    """A font as far as readers of a page care."""

    name: str
    bold: bool
    italic: bool


# Bits of the font descriptor's flags, ISO 32000-1 table 123.
ITALIC_FLAG = 1 << 6
FORCE_BOLD_FLAG = 1 << 18

BOLD_WEIGHT = 600  # CSS calls 600 semi-bold; text faces are 400 to 500

# Names by which fonts say it themselves; old TeX fonts have no useful flags (CMBX12, CMTI10, CMSL10).
_BOLD = re.compile(
    r"bold|black|heavy|demi|medi\b|cmbx|cmb\d|cmssbx|sfbx|ecbx|ptmb|phvb|[-,]bd?$", re.IGNORECASE
)
_ITALIC = re.compile(r"ital|obli|slant|cmti|cmsl|cmmi|ecti|sfti|ptmri|-it$|[-,](bi|i)$", re.IGNORECASE)
_SUBSET = re.compile(r"^[A-Z]{6}\+")


@lru_cache(maxsize=4096)
def typeface_of(name: str, *, flags: int = 0, weight: int = 0) -> Typeface:
    """The typeface of a font with this name, descriptor flags and weight; unknown ones are 0 or -1."""
    plain = _SUBSET.sub("", name)
    flags = max(flags, 0)
    return Typeface(
        name=plain,
        bold=bool(_BOLD.search(plain)) or bool(flags & FORCE_BOLD_FLAG) or weight >= BOLD_WEIGHT,
        italic=bool(_ITALIC.search(plain)) or bool(flags & ITALIC_FLAG),
    )
