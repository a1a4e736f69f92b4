"""Turns a header with corrected fields into a training example, by locating the correct values in it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from portico.extract.tagger import Tagger, observe_two_passes
from portico.extract.words import Row
from portico.learn.committee import OPENS, Committee
from portico.learn.crf import prepare_sequence
from portico.text.names import fold
from portico.types.domain import FieldRule

_LETTERS = re.compile(r"[^\W_]+")
# Most words between two names in a line that belong to the list of names: "and", "&", a separate comma.
_MOST_BETWEEN = 2


@dataclass(frozen=True, slots=True)
class LabelledHeader:
    """The rows of a header and a label for each word."""

    rows: tuple[Row, ...]
    labels: tuple[str, ...]


def map_fields_to_labels(rules: Sequence[FieldRule]) -> dict[str, str]:
    """Return the label of each field's words; if several rules read a field, the first one decides."""
    found: dict[str, str] = {}
    for rule in rules:
        found.setdefault(rule.field, rule.label)
    return found


def relabel_header(
    rows: tuple[Row, ...], tagger: Tagger, values: Mapping[str, Sequence[str]]
) -> LabelledHeader | None:
    """Return the header labelled by the model, but with the words of the given values labelled as told.

    `values` maps labels to correct values. Other words to which the model gave one of these labels get their
    next most likely label. Returns None if a value is not printed in the header letter by letter, because its
    source is then unknown.
    """
    labels = list(tagger(rows).labels)
    words = [word.text for row in rows for word in row.words]
    places = {label: _places(words, wanted) for label, wanted in values.items()}
    if any(place is None for place in places.values()):
        return None
    found = {idx: label for label, place in places.items() for idx in place or ()}
    next_best = _Others(rows, tagger)
    for idx, label in enumerate(labels):
        if idx in found:
            labels[idx] = found[idx]
        elif label in values:
            labels[idx] = next_best(idx, values)
    return LabelledHeader(rows, tuple(labels))


def _places(words: Sequence[str], values: Sequence[str]) -> set[int] | None:
    """Return the positions of the words of all values and between them, or None if one is missing."""
    # A word may be broken at a line end, so letters are compared and not words.
    letters, owner = _spelled(words)
    found: set[int] = set()
    spans: list[tuple[int, int]] = []
    for value in values:
        wanted = "".join(_LETTERS.findall(fold(value)))
        start = letters.find(wanted) if wanted else -1
        if start < 0:
            return None
        spans.append((owner[start], owner[start + len(wanted) - 1]))
        found |= set(range(spans[-1][0], spans[-1][1] + 1))
    for (_, end), (start, _) in pairwise(sorted(spans)):
        if 0 < start - end - 1 <= _MOST_BETWEEN:
            found |= set(range(end + 1, start))
    return found


def _spelled(words: Sequence[str]) -> tuple[str, list[int]]:
    """Return all letters and digits of the words, and for each the index of its word."""
    letters: list[str] = []
    owner: list[int] = []
    for idx, word in enumerate(words):
        plain = "".join(_LETTERS.findall(fold(word)))
        letters.append(plain)
        owner += [idx] * len(plain)
    return "".join(letters), owner


class _Others:
    """Finds the most likely label of a word outside a given set, averaged over the models."""

    def __init__(self, rows: tuple[Row, ...], tagger: Tagger) -> None:
        self._rows, self._tagger = rows, tagger
        self._chances: list[dict[str, float]] | None = None

    def __call__(self, idx: int, apart_from: Mapping[str, object]) -> str:
        if self._chances is None:
            self._chances = list(_chances(self._tagger.model, observe_header(self._rows, self._tagger)))
        chances = self._chances[idx]
        return max((label for label in chances if label not in apart_from), key=lambda label: chances[label])


def observe_header(rows: Sequence[Row], tagger: Tagger) -> list[list[str]]:
    """Return the features that a tagger's models get for a header."""
    if tagger.read_lines is None:
        return tagger.observe(rows)
    return observe_two_passes(rows, tagger.observe, tagger.read_lines(rows))


def _chances(model: Committee, observations: list[list[str]]) -> Iterator[dict[str, float]]:
    prepared = prepare_sequence(observations)
    opinions = [(member, member.opinion(prepared)) for _, member in model.members]
    for idx in range(len(observations)):
        chances: dict[str, float] = {}
        for member, opinion in opinions:
            for label in member.labels:
                plain = label.removesuffix(OPENS)
                chances[plain] = chances.get(plain, 0.0) + opinion.chance(label, idx)
        yield chances
