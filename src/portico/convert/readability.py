"""Decides whether a text layer is readable language or the gibberish of fonts without character names.

`python -m portico.convert.readability POOL.jsonl.xz` counts the words of all titles and abstracts of POOL
(one JSON object per line) and writes the most frequent to `words.txt` beside this module.
"""

import json
import lzma
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

WORDS_FILE = Path(__file__).with_name("words.txt")
# 15,000 words cover 97 % of the running words of 45,000 titles and abstracts in computer science, in a file
# under 150 kB.
N_WORDS = 15_000

# Function words of the other languages of European journals. Written by hand: they make up 35 to 50 % of any
# running text.
FUNCTION_WORDS = {
    "german": (
        "aber alle als also am an auch auf aus bei beim bis da damit dann das dass dem den denn der des "
        "die diese dieser dieses doch durch ein eine einem einen einer eines er es für gegen haben hat "
        "hier ich ihr ihre im in ist ja jedoch kann können man mehr mit nach nicht noch nur ob oder ohne "
        "sein seine sich sie sind so soll sondern über um und uns unter vom von vor war waren was wenn "
        "werden wie wir wird wurde wurden zu zum zur zwischen"
    ),
    "french": (
        "à au aux avec ce ces cette comme dans de des deux donc du elle en entre est et être il ils la le "
        "les leur mais même ne nous on ont ou où par pas plus pour qu que qui sa sans se ses si son sont "
        "sur un une vous"
    ),
    "spanish": (
        "al como con cual cuando de del desde donde el ella en entre es esta este fue ha han hasta la las "
        "lo los más muy no o para pero por porque que se ser si sin sobre son su sus también un una y"
    ),
    "italian": (
        "a al alla anche che chi come con da dal dalla degli dei del della delle di e è essere gli ha "
        "hanno i il in la le lo ma nel nella non o per più quale questa questo se si sono su sul tra un "
        "una"
    ),
    "portuguese": (
        "a à ao aos as com como da das de do dos e é em entre essa este foi mais mas na não nas no nos o "
        "os ou para pela pelo por que se sem ser seu são sua também um uma"
    ),
    "dutch": (
        "aan als bij dan dat de deze die dit door een en er het hij in is kan maar meer met naar niet nog "
        "of om onder ook op over te tot uit van voor was wat werd wordt worden ze zich zij zijn"
    ),
}

_WORD = re.compile(r"[^\W\d_]{2,}")


def find_words(text: str) -> list[str]:
    """Runs of at least two letters, in lower case."""
    return _WORD.findall(text.lower())


@lru_cache(maxsize=1)
def load_known_words() -> frozenset[str]:
    """The shipped words and the function words of all languages."""
    shipped = WORDS_FILE.read_text(encoding="utf-8").split()
    return frozenset(shipped).union(*(find_words(words) for words in FUNCTION_WORDS.values()))


def find_commonest_words(texts: Iterable[str]) -> list[str]:
    """The N_WORDS most frequent words of the texts, in alphabetical order."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(find_words(text))
    by_count = sorted(counts, key=lambda word: (-counts[word], word))
    return sorted(by_count[:N_WORDS])


def main(arguments: list[str]) -> None:
    (pool,) = arguments
    with lzma.open(pool, "rt", encoding="utf-8") as lines:
        texts = (" ".join((entry["title"], entry["abstract"])) for entry in map(json.loads, lines))
        words = find_commonest_words(texts)
    WORDS_FILE.write_text("\n".join(words) + "\n", encoding="utf-8")


# Minimum share of known words. In 190 real files (tests/convert/test_real_files.py checks them): gibberish
# 0.06 to 0.30, text in English, German and Portuguese 0.49 to 0.96.
MIN_KNOWN = 0.40
# Text in unknown languages still looks like language: letters, a third or more of them vowels, and glyphs
# with names. (European languages have 36 to 48 % vowels.)
MIN_LETTERS = 0.80
MIN_VOWELS, MAX_VOWELS = 0.30, 0.55
MAX_UNMAPPED = 0.10
# With fewer words, nothing can be measured: a page of pictures with a stamp on it.
MIN_WORDS = 20
# A page of text has hundreds of words; pages with fewer than this on average are pictures with captions.
MIN_WORDS_PER_PAGE = 3.0

_VOWELS = frozenset("aeiouy")
_LATIN_LAST = 0x24F


@dataclass(frozen=True, slots=True)
class Readability:
    """The measurements of a text layer."""

    n_words: int
    n_pages: int
    known: float  # share of the words that are in the lexicon
    unmapped: float  # share of the glyphs that no font names
    is_language: bool  # whether enough words are known, or the letters look like a language

    @property
    def is_scan(self) -> bool:
        return self.n_words < max(MIN_WORDS, MIN_WORDS_PER_PAGE * self.n_pages)

    @property
    def is_gibberish(self) -> bool:
        return not self.is_language


def measure_readability(text: str, *, n_pages: int, unmapped: float) -> Readability:
    """Measure a text layer; `unmapped` is the share of its glyphs that no font names."""
    words = find_words(text)
    known = _share(sum(map(load_known_words().__contains__, words)), len(words))
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


if __name__ == "__main__":
    main(sys.argv[1:])
