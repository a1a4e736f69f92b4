"""Is this text what the page shows, or the gibberish of fonts that do not name their characters?"""

import unicodedata
from collections import Counter
from dataclasses import dataclass

from portico.convert.lexicon import known_words, words_in

# Share of the words that are known. Over 190 real files (tests/convert/test_real_files.py reads them again):
# gibberish 0.06 to 0.30, text in English, German and Portuguese 0.49 to 0.96.
MIN_KNOWN = 0.40
# Languages that the lexicon does not know still look like language: letters, a third or more of them vowels,
# and glyphs that are named. (European languages have 36 to 48 % vowels.)
MIN_LETTERS = 0.80
MIN_VOWELS, MAX_VOWELS = 0.30, 0.55
MAX_UNMAPPED = 0.10
# With fewer words nothing can be measured: a page of pictures with a stamp on it.
MIN_WORDS = 20
# A page of text has hundreds of words; pages with fewer than this on average are pictures with captions.
MIN_WORDS_PER_PAGE = 3.0

_VOWELS = frozenset("aeiouy")
_LATIN_LAST = 0x24F


@dataclass(frozen=True, slots=True)
class Readability:
    """What was measured of a text layer."""

    n_words: int
    n_pages: int
    known: float  # share of the words that are in the lexicon
    letters: float  # share of the visible characters that are letters
    vowels: float  # share of the Latin letters that are vowels
    foreign: float  # share of the letters that belong to other scripts than the Latin
    unmapped: float  # share of the glyphs that no font names

    @property
    def is_scan(self) -> bool:
        return self.n_words < max(MIN_WORDS, MIN_WORDS_PER_PAGE * self.n_pages)

    @property
    def is_gibberish(self) -> bool:
        return self.known < MIN_KNOWN and not self._looks_like_language

    @property
    def _looks_like_language(self) -> bool:
        if self.unmapped > MAX_UNMAPPED or self.letters < MIN_LETTERS:
            return False
        return self.foreign > 0.5 or MIN_VOWELS <= self.vowels <= MAX_VOWELS


def measure(text: str, *, n_pages: int, unmapped: float) -> Readability:
    """Measures a text layer; `unmapped` is the share of its glyphs that no font names."""
    words = words_in(text)
    known = known_words()
    n_visible = sum(map(len, text.split()))
    letters = Counter("".join(words))  # a few dozen, however long the text
    latin = Counter({letter: n for letter, n in letters.items() if ord(letter) <= _LATIN_LAST})
    n_letters, n_latin = letters.total(), latin.total()
    return Readability(
        n_words=len(words),
        n_pages=n_pages,
        known=_share(sum(map(known.__contains__, words)), len(words)),
        letters=_share(n_letters, n_visible),
        vowels=_share(sum(n for letter, n in latin.items() if _base(letter) in _VOWELS), n_latin),
        foreign=_share(n_letters - n_latin, n_letters),
        unmapped=unmapped,
    )


def _base(letter: str) -> str:
    """The letter without its accents."""
    return letter if letter.isascii() else unicodedata.normalize("NFD", letter)[0]


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
