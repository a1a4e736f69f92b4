"""Normalizes characters: splits ligatures, composes accents, drops control characters."""

import re
import unicodedata
from collections.abc import Sequence

LINE_END_HYPHEN = "\ufffe"  # how pdfium represents a hyphen at a line end
_LIGATURES = {
    0xFB00: "ff",
    0xFB01: "fi",
    0xFB02: "fl",
    0xFB03: "ffi",
    0xFB04: "ffl",
    0xFB05: "st",
    0xFB06: "st",
}
# The old TeX text encoding (OT1, of Knuth's Computer Modern), left as control codes by fonts that do not name
# their characters: ligatures, accents, letters.
_TEX_CODES = {
    0x0B: "ff",
    0x0C: "fi",
    0x0D: "fl",
    0x0E: "ffi",
    0x0F: "ffl",
    0x10: "ı",
    0x11: "ȷ",
    0x12: "ˋ",
    0x13: "´",
    0x14: "ˇ",
    0x15: "˘",
    0x16: "¯",
    0x17: "˚",
    0x18: "¸",
    0x19: "ß",
    0x1A: "æ",
    0x1B: "œ",
    0x1C: "ø",
    0x1D: "Æ",
    0x1E: "Œ",
    0x1F: "Ø",
    0x7F: "¨",
}
# The later TeX text encoding (T1, of the European Computer Modern fonts), where it differs.
_CORK_CODES = str.maketrans(
    {
        0x0D: "‚",
        0x0E: "‹",
        0x0F: "›",
        0x10: "“",
        0x11: "”",
        0x12: "„",
        0x13: "«",
        0x14: "»",
        0x15: "–",
        0x16: "—",
        0x19: "ı",
        0x1A: "ȷ",
        0x1B: "ﬀ",
        0x1C: "ﬁ",
        0x1D: "ﬂ",
        0x1E: "ﬃ",
        0x1F: "ﬄ",
        0x7F: "-",
    }
)
# Ligatures inside words in either encoding. The codes of the later are letters in the older, œ, ø, Æ and Œ,
# which only a language with æ has inside many words.
_CORK_LIGATURE = re.compile("(?<=[a-z])[\x1b-\x1e](?=[a-z])")
_OLD_LIGATURE = re.compile("(?<=[a-z])[\x0b-\x0e](?=[a-z])")
_OLD_AE = "\x1a"
# Number of ligatures of the later encoding from which a page is assumed to use it: one line of English has
# about one.
CORK_LIGATURES = 3
# Ghostscript assumes a wrong encoding of dvips' bitmap fonts, so that a c becomes a carriage return (seen in
# 12 of 50 PostScript files and in 5 of 62 PDFs of 1999 to 2007).
_BITMAP_CODES = str.maketrans({"\r": "c", "℄": "]", "\x08": "@", "Æ": "ﬃ"})
_SPACES = dict.fromkeys([0x09, 0x0A, 0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " ")
_CONTROLS = dict.fromkeys(
    [
        *range(0x09),
        *range(0x10, 0x20),
        *range(0x7F, 0xA0),
        0xAD,
        *range(0x200B, 0x2010),
        0x2060,
        0xFEFF,
        0xFFFF,
    ]
)
_PLAIN = str.maketrans({**_SPACES, **_CONTROLS, **_LIGATURES, **_TEX_CODES, LINE_END_HYPHEN: "-"})

# Spacing accents that TeX and old fonts draw as separate glyphs, and the combining accents for them. ASCII `
# ^ ~ and ' are left out, because they are also quotes and operators.
_ABOVE = dict(
    zip("´ˋˆ˜¨ˇ˘¯˙˚˝", "\u0301\u0300\u0302\u0303\u0308\u030c\u0306\u0304\u0307\u030a\u030b", strict=True)
)
# How many characters an accent may be from its letter in the file, how far apart, in widths of the letter,
# their middles may be, and how much higher, in heights of the letter, the accent may be drawn.
ACCENT_REACH, ACCENT_SHIFT, ACCENT_RISE = 80, 0.25, 0.6
_TYPED_ABOVE = {"`": "\u0300", "^": "\u0302", "~": "\u0303"}
OVERPRINTED = frozenset(_ABOVE) | frozenset(_TYPED_ABOVE)
"""Characters that are accents if they are drawn over a letter."""
_BELOW = dict(zip("¸˛", "\u0327\u0328", strict=True))
_DOTLESS = {"ı": "i", "ȷ": "j"}
_ACCENT_FIRST = re.compile(f"([{''.join(_ABOVE)}]) ?([^\\W\\d_])")
_ACCENT_AFTER = re.compile(f"([^\\W\\d_])([{''.join(_BELOW)}])")
_ACUTE_BEHIND = re.compile("([aeiouAEIOU])´(?=[b-df-hj-np-tv-xz])")
_POLISH = re.compile("[łŁżŻęą]")
_ACCENT_LAST = re.compile(f"[^\\W\\d_][{''.join(_ABOVE)}](?=[\\s.,;:)\\]-]|$)")
_ACCENT_BEHIND = re.compile(f"([^\\W\\d_])([{''.join(_ABOVE)}])")
_ACCENT_LEFT = re.compile(f"([^\\W\\d_])([{''.join(_ABOVE)}])(?: (?=[a-z]))?")
_UNMAPPED = re.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\ue000-\\uf8ff\\ufffd\\uffff]")
_ACCENTS = frozenset(_ABOVE) | frozenset(_BELOW)


def to_plain_text(text: str) -> str:
    """The text with ligatures written out and control characters gone; accents are left alone."""
    return text if text.isascii() and text.isprintable() else text.translate(_PLAIN)


def uses_bitmap_codes(text: str) -> bool:
    """Whether carriage returns occur where any text of this length would have the letter c."""
    n_returns = text.count("\r")
    return n_returns >= 3 and n_returns > 2 * text.count("c")


def from_bitmap_codes(text: str) -> str:
    return text.translate(_BITMAP_CODES)


def uses_cork_codes(text: str) -> bool:
    """Whether the characters that the fonts do not name are those of TeX's T1 (Cork) encoding."""
    if "\x1c" not in text or _OLD_AE in text:
        return False
    n_cork = len(_CORK_LIGATURE.findall(text))
    return n_cork >= CORK_LIGATURES and n_cork > 2 * len(_OLD_LIGATURE.findall(text))


def from_cork_codes(text: str) -> str:
    return text.translate(_CORK_CODES)


def recombine(text: str) -> str:
    """The text with separate accents combined with their letters, if such a letter exists: ´e becomes é.

    Most are drawn before their letter; at the end of a word they are drawn after it: Socie´te´.
    """
    if text.isascii() or not _ACCENTS.intersection(text):
        return text
    if _ACCENT_LAST.search(text):
        text = _ACCENT_BEHIND.sub(lambda match: _composed(match[1], _ABOVE[match[2]]) or match[0], text)
    # Far more words have an acute over a vowel than over a consonant, save in Polish.
    if not _POLISH.search(text):
        text = _ACUTE_BEHIND.sub(lambda match: _composed(match[1], _ABOVE["´"]) or match[0], text)
    text = _ACCENT_FIRST.sub(lambda match: _composed(match[2], _ABOVE[match[1]]) or match[0], text)
    # Few letters bear a breve or a ring: one that the next letter cannot have is of the letter before.
    text = _ACCENT_LEFT.sub(lambda match: _composed(match[1], _ABOVE[match[2]]) or match[0], text)
    return _ACCENT_AFTER.sub(lambda match: _composed(match[1], _BELOW[match[2]]) or match[0], text)


def compose_overprints(
    text: str, lefts: Sequence[float], rights: Sequence[float], heights: Sequence[tuple[float, float]]
) -> tuple[list[str], set[int]]:
    """The characters, accents combined with the letters they are drawn over, and the places of these accents.

    `heights` are the lower and upper edges of the characters. A file may have an accent far from its letter.
    """
    letters, gone = list(text), set[int]()
    if not OVERPRINTED.intersection(text):
        return letters, gone
    for place in [place for place, character in enumerate(text) if character in OVERPRINTED]:
        middle, (low, _) = lefts[place] + rights[place], heights[place]
        over = _ABOVE.get(text[place]) or _TYPED_ABOVE[text[place]]
        for other in range(max(0, place - ACCENT_REACH), min(len(text), place + ACCENT_REACH)):
            bottom, top = heights[other]
            apart = abs(middle - lefts[other] - rights[other])
            if (
                text[other].isalpha()
                and apart <= 2 * ACCENT_SHIFT * (rights[other] - lefts[other])
                and abs(low - bottom) < ACCENT_RISE * (top - bottom)
                and (composed := _composed(letters[other], over))
            ):
                letters[other] = composed
                gone.add(place)
                break
    return letters, gone


def count_unmapped(text: str) -> int:
    """The number of characters without meaning: control codes, private use, replacement characters."""
    return len(_UNMAPPED.findall(text))


def _composed(letter: str, accent: str) -> str:
    composed = unicodedata.normalize("NFC", _DOTLESS.get(letter, letter) + accent)
    return composed if len(composed) == 1 else ""
