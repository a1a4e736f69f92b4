"""Chooses which pairs of mentions to compare: those that share a key and are neighbors under it.

A key is something that two mentions of one paper probably share in spite of errors: a pair of long title
words, the first letters of the title, first author and year, author and page. No single kind of key finds all
pairs (`portico lab matching` prints what each finds); together they do.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from zlib import crc32

from portico.learn.candidate_pairs import Pairs, pair_neighbors
from portico.match.mention import Mention

WINDOW = 5
"""The mentions under a key are sorted by title, and each is paired with this many of those after it.

This limits the work for keys shared by thousands; keys of up to 6 mentions give all pairs. `portico lab
matching` prints the resulting pairs and recall."""

N_LONG = 3
"""The longest title words are combined into keys, in pairs: enough of them that one may be misspelled.

Long words are rare words, and which words are the longest depends on the mention alone: a new paper in the
portal does not change the keys of others."""

SHORTEST_WORD = 3
"""Minimum letters of a word used in a key."""

PREFIX = 12
"""Letters at the beginning of a title used as a key: enough to be rare, few enough to avoid most typos."""

KeyMaker = Callable[[Mention, Sequence[str]], Iterator[str]]
"""Makes keys of a mention and its longest words, the longest first."""


def find_candidate_pairs(mentions: Sequence[Mention], makers: Sequence[KeyMaker] | None = None) -> Pairs:
    """Pairs of positions in `mentions` worth comparing, as rows of two, ascending.

    The mentions should be sorted (by title): neighbors in the sequence are neighbors under a key.
    """
    keys: list[int] = []
    items: list[int] = []
    for position, mention in enumerate(mentions):
        found = make_keys(mention, makers)
        keys += found
        items += [position] * len(found)
    return pair_neighbors(keys, items, window=WINDOW)


def make_keys(mention: Mention, makers: Sequence[KeyMaker] | None = None) -> list[int]:
    """The mention's keys as 32-bit numbers, each once, the same in every run.

    If two keys collide on one number, one more pair is compared, with no other effect.
    """
    words = find_longest_words(mention)
    found: dict[int, None] = {}
    for kind, maker in enumerate(KEYS if makers is None else makers):
        for key in maker(mention, words):
            found[crc32(key.encode("utf-8", "surrogatepass"), kind)] = None
    return [*found]


def find_longest_words(mention: Mention) -> list[str]:
    words = sorted({word for word in (mention.title or mention.raw).split() if len(word) >= SHORTEST_WORD})
    words.sort(key=len, reverse=True)  # a stable sort keeps words of one length in their order
    return words[:N_LONG]


def long_words(_mention: Mention, words: Sequence[str]) -> Iterator[str]:
    yield from map(" ".join, combinations(sorted(words), 2))
    if len(words) == 1:
        yield words[0]


def title_prefix(mention: Mention, _words: Sequence[str]) -> Iterator[str]:
    if len(mention.letters) >= PREFIX // 2:
        yield mention.letters[:PREFIX]


def title_suffix(mention: Mention, _words: Sequence[str]) -> Iterator[str]:
    if len(mention.letters) >= PREFIX:
        yield mention.letters[-PREFIX:]


def author_and_year(mention: Mention, _words: Sequence[str]) -> Iterator[str]:
    """First author with the year and the one after: mentions one year apart share one of the two."""
    if mention.surnames and mention.year is not None:
        yield f"{mention.surnames[0]} {mention.year}"
        yield f"{mention.surnames[0]} {mention.year + 1}"


def author_and_word(mention: Mention, words: Sequence[str]) -> Iterator[str]:
    """Each of the first two authors with the two longest words: still found if the year is missing or the
    order differs.
    """
    yield from map(" ".join, product(mention.surnames[:2], words[:2]))


def author_and_page(mention: Mention, _words: Sequence[str]) -> Iterator[str]:
    """For references without a title, as is usual in physics."""
    if mention.surnames and mention.pages:
        yield f"{mention.surnames[0]} {mention.pages[0]}"


def identifier(mention: Mention, _words: Sequence[str]) -> Iterator[str]:
    yield from sorted(mention.identifiers)


KEYS = (
    long_words,
    title_prefix,
    title_suffix,
    author_and_year,
    author_and_word,
    author_and_page,
    identifier,
)
