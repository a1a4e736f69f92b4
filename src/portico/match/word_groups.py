"""The papers' own method: a citation joins the group of its best word-level match.

After McCallum, Nigam, Rennie and Seymore (2000), section 2, and the simple baseline of Giles,
Bollacker and Lawrence (1998): count the words two citations share, words of telling fields for
more, relate that to the lengths of both, and join the group of the best match if it is good
enough; else start a new group. `matcher` is what portals use unless they ask for this one.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from portico.match.mention import PAPERS, Roles, fold_words
from portico.match.scoring import CERTAIN, Edge
from portico.types.record import Record

# The papers say only that words of "high-content fields (e.g. authors, titles)" count.
TITLE_WEIGHT = 2.0
PEOPLE_WEIGHT = 2.0
OTHER_WEIGHT = 0.5

THRESHOLD = 0.62
"""Weighted share of common words (0 to 1) from which two mentions match.

Chosen for the best F1 on the training pairs of DBLP-Scholar, never on the data it is measured on; `portico
lab matching` prints what it would be by other sets."""


class WordGroups:
    """Groups that grow one citation at a time; who came earlier never moves."""

    def __init__(self, threshold: float = THRESHOLD) -> None:
        self._threshold = threshold
        self._known = _Known()
        self._group_of: list[int] = []
        self.n_groups = 0

    def add(self, words: Mapping[str, float]) -> int:
        """The number of the group that the citation with these weighted words now belongs to."""
        best, similarity = self._known.best_match(words)
        self._known.add(words)
        return self.join(best, similarity)

    def join(self, best: int | None, similarity: float) -> int:
        """As `add`, where the best match of the citation among those added so far is known."""
        if best is not None and similarity >= self._threshold:
            group = self._group_of[best]
        else:
            group = self.n_groups
            self.n_groups += 1
        self._group_of.append(group)
        return group


def group_by_words(
    citations: Sequence[Mapping[str, float]], thresholds: Sequence[float] = (THRESHOLD,)
) -> list[list[int]]:
    """For each threshold the group number of every citation.

    Longest first, as Giles did, so that order does not matter. Which match is best depends on no threshold.
    """
    order = sorted(
        range(len(citations)), key=lambda idx: (-sum(citations[idx].values()), sorted(citations[idx]))
    )
    known = _Known()
    several = [WordGroups(threshold) for threshold in thresholds]
    found = [[0] * len(citations) for _ in thresholds]
    for idx in order:
        best, similarity = known.best_match(citations[idx])
        known.add(citations[idx])
        for groups, numbers in zip(several, found, strict=True):
            numbers[idx] = groups.join(best, similarity)
    return found


class GroupScores:
    """Log odds of pairs of mentions as the groups have it: certain, whether the same or not."""

    def __init__(self, group_of: Sequence[int]) -> None:
        self._group_of = group_of

    def learn(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Nothing is left to compute."""

    def __call__(self, one: int, other: int) -> float:
        return CERTAIN if self._group_of[one] == self._group_of[other] else -CERTAIN


def join_neighbors(group_of: Sequence[int]) -> list[Edge]:
    """A likely pair for each two neighbors of a group, by position."""
    last: dict[int, int] = {}
    edges = []
    for position, group in enumerate(group_of):
        if group in last:
            edges.append((CERTAIN, last[group], position))
        last[group] = position
    return edges


class _Known:
    """Citations by number, as they came, and which of them have a word."""

    def __init__(self) -> None:
        self._lengths: list[float] = []  # weighted length of every citation so far
        self._having: dict[str, list[tuple[int, float]]] = defaultdict(list)

    def add(self, words: Mapping[str, float]) -> None:
        for word, weight in words.items():
            self._having[word].append((len(self._lengths), weight))
        self._lengths.append(sum(words.values()))

    def best_match(self, words: Mapping[str, float]) -> tuple[int | None, float]:
        """The number of the most similar, and how similar it is."""
        length = sum(words.values())
        shared: dict[int, float] = defaultdict(float)
        for word, weight in words.items():
            for position, other in self._having[word]:
                shared[position] += weight + other
        best: int | None = None
        highest = 0.0
        for position, weight in shared.items():
            similarity = weight / (length + self._lengths[position])
            if similarity > highest or (similarity == highest and best is not None and position < best):
                best, highest = position, similarity
        return best, highest


def word_similarity(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Weight of the shared words on both sides over the weight of all words: 0 to 1."""
    total = sum(one.values()) + sum(other.values())
    return sum(one[word] + other[word] for word in one.keys() & other.keys()) / total if total else 0.0


def weighted_words(record: Record, roles: Roles = PAPERS) -> dict[str, float]:
    """The record's words, each with the weight of the most telling field it stands in."""
    words = dict.fromkeys(fold_words(record.raw).split(), OTHER_WEIGHT)
    _raise(words, (field.value for name in roles.people for field in record.all(name)), PEOPLE_WEIGHT)
    _raise(words, (field.value for name in roles.title for field in record.all(name)), TITLE_WEIGHT)
    return words


def _raise(words: dict[str, float], texts: Iterable[str], weight: float) -> None:
    for text in texts:
        for word in fold_words(text).split():
            words[word] = max(weight, words.get(word, 0.0))
