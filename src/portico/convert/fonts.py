"""Fonts: style by name and flags, and the meaning of their own character codes."""

import re
from dataclasses import dataclass
from functools import lru_cache

# Plan 9 splits Unicode into fonts of 256 characters, named for the page: LucidaSansUnicode20 has the dashes
# and quotes from U+2000 on. Programs mistake its codes for those of Windows.
_UNICODE_PAGE = re.compile(r"Unicode([0-9A-Fa-f]{2})$")
# These fonts have misleading glyph names: the letter O is called Chi (in all 9 papers about Plan 9 in
# papers/ps_papers).
_MISNAMED = re.compile(r"^Lucida")
_CHI, _LETTER_O = 0x3A7, "O"

# In the text fonts of TeX (OT1), these ASCII codes are dashes and quotes. In its typewriter font they are the
# ASCII characters, and a bitmap font does not say which it is: they are changed only where source code would
# not have them.
_RANGE = re.compile(r"(?<=\d)\{\|?(?=\d)")
_DASH = re.compile(r"(?<=[\w.,)”] )[{|](?= \w)|^\{(?= \w)")
_QUOTED = re.compile(r'(?<![^\s(\[—–])\\(?=\w)([^"\\]*)"')
_OPENED = re.compile(r"(?<![^\s(\[—–])\\(?=[A-Za-z])")
_CLOSED = re.compile(r'(?<=[\w.,;:!?)])"(?!\w)')
_MARKS = frozenset('{|\\"')


@lru_cache(maxsize=4096)
def find_font_codes(font_name: str) -> dict[int, str] | None:
    """The character table for a font with this name, if its codes mean something else than they say."""
    page = _UNICODE_PAGE.search(font_name)
    codes = {_CHI: _LETTER_O} if _MISNAMED.search(font_name) else {}
    if page and (start := int(page[1], 16) << 8):
        for code in range(256):
            # Codes that Windows gives no character stay what they are.
            said = bytes([code]).decode("cp1252", "replace")
            codes[ord(said) if said != "\ufffd" else code] = chr(start + code)
    return codes or None


def restore_dashes_and_quotes(text: str) -> str:
    """Text in TeX's bitmap fonts with its dashes and quotes as printed."""
    if not _MARKS.intersection(text):
        return text
    text = _RANGE.sub("–", text)
    if "}" not in text:
        text = _DASH.sub(lambda match: "—" if match[0] == "|" else "–", text)
    text = _OPENED.sub("“", _QUOTED.sub("“\\1”", text))
    is_string = text.count('"') % 2 == 0
    return text if is_string else _CLOSED.sub("”", text, count=1)


@dataclass(frozen=True, slots=True)
class Typeface:
    """The properties of a font that matter for reading a page."""

    name: str
    bold: bool
    italic: bool


# Bits of the font descriptor's flags, ISO 32000-1 table 123.
ITALIC_FLAG = 1 << 6
FORCE_BOLD_FLAG = 1 << 18

BOLD_WEIGHT = 600  # CSS calls 600 semi-bold; text faces are 400 to 500

# Font names that show the style; old TeX fonts have no useful flags (CMBX12, CMTI10, CMSL10).
_BOLD = re.compile(
    r"bold|black|heavy|demi|medi\b|cmbx|cmb\d|cmssbx|sfbx|ecbx|ptmb|phvb|[-,]bd?$", re.IGNORECASE
)
_ITALIC = re.compile(r"ital|obli|slant|cmti|cmsl|cmmi|ecti|sfti|ptmri|-it$|[-,](bi|i)$", re.IGNORECASE)
_SUBSET = re.compile(r"^[A-Z]{6}\+")


@lru_cache(maxsize=4096)
def read_typeface(name: str, *, flags: int = 0, weight: int = 0) -> Typeface:
    """The typeface of a font with this name, descriptor flags and weight; unknown values are 0 or -1."""
    plain = _SUBSET.sub("", name)
    flags = max(flags, 0)
    return Typeface(
        name=plain,
        bold=bool(_BOLD.search(plain)) or bool(flags & FORCE_BOLD_FLAG) or weight >= BOLD_WEIGHT,
        italic=bool(_ITALIC.search(plain)) or bool(flags & ITALIC_FLAG),
    )
