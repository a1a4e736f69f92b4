"""Codes of fonts that call their characters by other names than the rest of the world does."""

import re
from functools import lru_cache

# Plan 9 cuts Unicode into fonts of 256 characters, named for the page: LucidaSansUnicode20 has the dashes and
# quotes of U+2000 on. Programs take its codes for those of Windows.
_UNICODE_PAGE = re.compile(r"Unicode([0-9A-Fa-f]{2})$")
# The makers of these fonts named their glyphs to mislead: the letter O is called Chi (in all 9 papers of Plan
# 9 in papers/ps_papers).
_MISNAMED = re.compile(r"^Lucida")
_CHI, _LETTER_O = 0x3A7, "O"

# In the text fonts of TeX (OT1) these codes of ASCII are dashes and quotes. In its typewriter font they are
# themselves, and a bitmap font does not say which it is: they are changed only where no code has them.
_RANGE = re.compile(r"(?<=\d)\{\|?(?=\d)")
_DASH = re.compile(r"(?<=[\w.,)”] )[{|](?= \w)|^\{(?= \w)")
_QUOTED = re.compile(r'(?<![^\s(\[—–])\\(?=\w)([^"\\]*)"')
_OPENED = re.compile(r"(?<![^\s(\[—–])\\(?=[A-Za-z])")
_CLOSED = re.compile(r'(?<=[\w.,;:!?)])"(?!\w)')
_MARKS = frozenset('{|\\"')


@lru_cache(maxsize=4096)
def codes_of(font_name: str) -> dict[int, str] | None:
    """How the characters of a font with this name are to be read, where not as they say."""
    page = _UNICODE_PAGE.search(font_name)
    codes = {_CHI: _LETTER_O} if _MISNAMED.search(font_name) else {}
    if page and (start := int(page[1], 16) << 8):
        for code in range(256):
            # Codes that Windows gives no character stay what they are.
            said = bytes([code]).decode("cp1252", "replace")
            codes[ord(said) if said != "\ufffd" else code] = chr(start + code)
    return codes or None


def with_dashes_and_quotes(text: str) -> str:
    """Text of TeX's bitmap fonts with the dashes and quotes that were printed."""
    if not _MARKS.intersection(text):
        return text
    text = _RANGE.sub("–", text)
    if "}" not in text:
        text = _DASH.sub(lambda match: "—" if match[0] == "|" else "–", text)
    text = _OPENED.sub("“", _QUOTED.sub("“\\1”", text))
    is_string = text.count('"') % 2 == 0
    return text if is_string else _CLOSED.sub("”", text, count=1)
