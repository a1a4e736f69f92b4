"""Label words with a trained model: rows in, labelled segments with probabilities out."""

from collections.abc import Sequence
from dataclasses import dataclass

from portico.extract.features import Observer
from portico.extract.words import Row, Word
from portico.learn.crf import Crf


@dataclass(frozen=True, slots=True)
class Segment:
    """Neighboring words with one label, kept apart by line; a probability for each word."""

    label: str
    lines: tuple[tuple[Word, ...], ...]
    probabilities: tuple[float, ...]
    first_row: int

    @property
    def words(self) -> tuple[Word, ...]:
        return tuple(word for line in self.lines for word in line)


@dataclass(frozen=True, slots=True)
class Tagger:
    """A model and the eyes it was trained with."""

    model: Crf
    observe: Observer

    def __call__(self, rows: Sequence[Row]) -> tuple[Segment, ...]:
        tagging = self.model.tag(self.observe(rows))
        return segments_of(rows, tagging.labels, tagging.probabilities)


def segments_of(
    rows: Sequence[Row], labels: Sequence[str], probabilities: Sequence[float]
) -> tuple[Segment, ...]:
    """Group neighboring words that have the same label."""
    groups: list[tuple[str, list[list[Word]], list[float], int]] = []
    position = 0
    for row_idx, row in enumerate(rows):
        for idx, word in enumerate(row.words):
            label, probability = labels[position], probabilities[position]
            position += 1
            if not groups or groups[-1][0] != label:
                groups.append((label, [[]], [], row_idx))
            elif idx == 0:
                groups[-1][1].append([])
            groups[-1][1][-1].append(word)
            groups[-1][2].append(probability)
    return tuple(
        Segment(label, tuple(tuple(line) for line in lines), tuple(chances), row_idx)
        for label, lines, chances, row_idx in groups
    )
