"""Labels words with a trained model: rows in, labelled rows with probabilities out."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from portico.extract.features import Observer
from portico.extract.lines import LineAnswer, LineReader, observe_line_context
from portico.extract.words import Row, Word
from portico.learn.committee import Committee
from portico.learn.crf import Tagging


@dataclass(frozen=True, slots=True)
class Segment:
    """Adjacent words with the same label, grouped by line, with a probability for each word."""

    label: str
    lines: tuple[tuple[Word, ...], ...]
    probabilities: tuple[float, ...]
    first_row: int

    @property
    def words(self) -> tuple[Word, ...]:
        return tuple(word for line in self.lines for word in line)


@dataclass(frozen=True, slots=True)
class Tagged:
    """Rows of words, with the most likely label of each word and its probability."""

    rows: tuple[Row, ...]
    labels: tuple[str, ...]
    probabilities: tuple[float, ...]
    runner_up: "Tagged | None" = None  # the second-best labeling, if any

    def segments(self) -> tuple[Segment, ...]:
        """Group adjacent words that have the same label."""
        segments = []
        words = [(row_idx, word) for row_idx, row in enumerate(self.rows) for word in row.words]
        start = 0
        for label, group in groupby(self.labels):
            stop = start + len(list(group))
            lines = tuple(
                tuple([word for _, word in line]) for _, line in groupby(words[start:stop], key=itemgetter(0))
            )
            segments.append(Segment(label, lines, self.probabilities[start:stop], words[start][0]))
            start = stop
        return tuple(segments)

    def row_labels(self) -> tuple[tuple[str, float], ...]:
        """Return for each row its most probable label and that label's share of the row."""
        found = []
        position = 0
        for row in self.rows:
            shares: dict[str, float] = defaultdict(float)
            for _ in row.words:
                shares[self.labels[position]] += self.probabilities[position]
                position += 1
            label = max(shares, key=lambda name: shares[name])
            found.append((label, shares[label] / len(row.words)))
        return tuple(found)

    def first_word(self, row_idx: int) -> int:
        """Return the position of a row's first word among all words."""
        return sum(len(row.words) for row in self.rows[:row_idx])


@dataclass(frozen=True, slots=True)
class Tagger:
    """Models that vote, the features they were trained on, and the first pass they build on."""

    model: Committee
    observe: Observer
    read_lines: LineReader | None = None

    def __call__(self, rows: Sequence[Row]) -> Tagged:
        """Label the words of rows, none of which may be empty."""
        return _tagged(rows, self.model.ranked(self._observations(rows)))

    def each(self, passages: Sequence[Sequence[Row]]) -> list[Tagged]:
        """Label many passages; faster than one at a time."""
        ranked = self.model.ranked_each([self._observations(rows) for rows in passages])
        return list(map(_tagged, passages, ranked))

    @property
    def digest(self) -> str:
        """An identifier that changes when one of the models changes."""
        return self.model.digest + (self.read_lines.model.digest if self.read_lines else "")

    def _observations(self, rows: Sequence[Row]) -> list[list[str]]:
        if self.read_lines is None:
            return self.observe(rows)
        return observe_two_passes(rows, self.observe, self.read_lines(rows))


def _tagged(rows: Sequence[Row], ranked: Sequence[Tagging]) -> Tagged:
    """Return the best labeling together with the second best."""
    others = [Tagged(tuple(rows), one.labels, one.probabilities) for one in ranked[1:2]]
    return Tagged(tuple(rows), ranked[0].labels, ranked[0].probabilities, others[0] if others else None)


def observe_two_passes(rows: Sequence[Row], observe: Observer, said: Sequence[LineAnswer]) -> list[list[str]]:
    """Return the features of each word, and those of the first pass's label of its line."""
    seen = [observe.see(word.text) for row in rows for word in row.words]
    return [
        features + told
        for features, told in zip(observe(rows), observe_line_context(rows, said, seen), strict=True)
    ]
