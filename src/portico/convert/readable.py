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
    unmapped: float  # share of the glyphs that no font names
    is_language: bool  # enough words are known, or the letters are such as a language has

    @property
    def is_scan(self) -> bool:
        return self.n_words < max(MIN_WORDS, MIN_WORDS_PER_PAGE * self.n_pages)

    @property
    def is_gibberish(self) -> bool:
        return not self.is_language


def measure(text: str, *, n_pages: int, unmapped: float) -> Readability:
    """Measures a text layer; `unmapped` is the share of its glyphs that no font names."""
    words = words_in(text)
    known = _share(sum(map(known_words().__contains__, words)), len(words))
    # Of most texts the words are known, and nobody needs to count their letters.
    is_language = known >= MIN_KNOWN or (unmapped <= MAX_UNMAPPED and _has_letters_of_language(words, text))
    return Readability(len(words), n_pages, known, unmapped, is_language)


def _has_letters_of_language(words: list[str], text: str) -> bool:
    letters = Counter("".join(words))  # a few dozen, however long the text
    latin = Counter({letter: n for letter, n in letters.items() if ord(letter) <= _LATIN_LAST})
    n_letters, n_latin = letters.total(), latin.total()
    if _share(n_letters, sum(map(len, text.split()))) < MIN_LETTERS:
        return False
    vowels = _share(sum(n for letter, n in latin.items() if _base(letter) in _VOWELS), n_latin)
    return n_latin < n_letters / 2 or MIN_VOWELS <= vowels <= MAX_VOWELS


def _base(letter: str) -> str:
    """The letter without its accents."""
    return letter if letter.isascii() else unicodedata.normalize("NFD", letter)[0]


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
