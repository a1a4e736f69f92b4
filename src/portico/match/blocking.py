"""Which pairs of mentions are worth comparing: those that share a key, near each other under it.

A key is something two mentions of one paper are likely to share in spite of slips: a pair of rare
title words, the first letters of the title, first author and year, author and page. No single kind
of key finds all pairs (`portico.lab.measure_matching` measures what each finds); together they do.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product

from portico.learn.neighbors import neighbor_pairs
from portico.match.mention import Mention

WINDOW = 12
"""Places: under a key the mentions stand sorted by title, and each meets this many of the next.

It bounds the work where a key is shared by thousands; keys of up to 13 mentions give all pairs."""

N_RARE = 3
"""Rarest title words that make keys in pairs: enough that one may be misspelled."""

PREFIX = 12
"""Letters of the title that make a key: long enough to be rare, short enough to dodge most typos."""

Key = tuple[str | int, ...]
KeyMaker = Callable[[Mention, Sequence[str]], Iterator[Key]]
"""Makes keys of a mention and its rare words: the rarest first, each used by some other mention."""


def candidate_pairs(
    mentions: Sequence[Mention], makers: Sequence[KeyMaker] | None = None
) -> list[tuple[int, int]]:
    """Pairs of positions in `mentions` worth comparing, ascending.

    The mentions should be sorted (by title): neighbors in the sequence are neighbors under a key.
    """
    counts = Counter(word for mention in mentions for word in _words(mention))
    numbers: dict[Key, int] = {}
    keys: list[int] = []
    items: list[int] = []
    for position, mention in enumerate(mentions):
        rare = _rarest(mention, counts)
        for kind, maker in enumerate(KEYS if makers is None else makers):
            for key in maker(mention, rare):
                keys.append(numbers.setdefault((kind, *key), len(numbers)))
                items.append(position)
    return neighbor_pairs(keys, items, window=WINDOW)


def rare_words(_mention: Mention, rare: Sequence[str]) -> Iterator[Key]:
    yield from combinations(sorted(rare), 2)
    if len(rare) == 1:
        yield (rare[0],)


def title_prefix(mention: Mention, _rare: Sequence[str]) -> Iterator[Key]:
    if len(mention.letters) >= PREFIX // 2:
        yield (mention.letters[:PREFIX],)


def title_suffix(mention: Mention, _rare: Sequence[str]) -> Iterator[Key]:
    if len(mention.letters) >= PREFIX:
        yield (mention.letters[-PREFIX:],)


def author_and_year(mention: Mention, _rare: Sequence[str]) -> Iterator[Key]:
    """First author with the year and the one after: mentions one year apart share one of the two."""
    if mention.surnames and mention.year is not None:
        yield mention.surnames[0], mention.year
        yield mention.surnames[0], mention.year + 1


def author_and_word(mention: Mention, rare: Sequence[str]) -> Iterator[Key]:
    """Each of the first two authors with the two rarest words: survives a lost year or order."""
    yield from product(mention.surnames[:2], rare[:2])


def author_and_page(mention: Mention, _rare: Sequence[str]) -> Iterator[Key]:
    """For references without a title, as physicists print them."""
    if mention.surnames and mention.pages:
        yield mention.surnames[0], mention.pages[0]


def identifier(mention: Mention, _rare: Sequence[str]) -> Iterator[Key]:
    for name in sorted(mention.identifiers):
        yield (name,)


KEYS = (
    rare_words,
    title_prefix,
    title_suffix,
    author_and_year,
    author_and_word,
    author_and_page,
    identifier,
)


def _words(mention: Mention) -> set[str]:
    return {word for word in (mention.title or mention.raw).split() if len(word) > 2}


def _rarest(mention: Mention, counts: Counter[str]) -> list[str]:
    """The rarest words that somebody else uses too: a word nobody shares is likely a typo."""
    shared = [(counts[word], word) for word in _words(mention) if counts[word] > 1]
    return [word for _, word in sorted(shared)[:N_RARE]]
