"""Labels many sequences at once with several CRFs, looking up each feature only once.

crfsuite looks up every feature for every model and every sequence separately, which is most of the cost of
labeling many short sequences. Here each feature is looked up once, and the rest is matrix algebra.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, repeat
from typing import TypeAlias

import numpy as np
from scipy import sparse

from portico.errors import SetupError
from portico.learn.chain_crf import Cube
from portico.learn.counts import Table

# The file opens with its kind, says how many labels and features it has, and where each of its lists begins.
_HEADER = struct.Struct("<4s 16x 2I 3I")
_KIND = b"lCRF"
# A list of names opens with its kind and size and says where each name is; a name has its number and length.
_NAMES, _NAME = struct.Struct("<16x 2I"), struct.Struct("<2I")
# The list of weights opens with its kind, its size and how many they are.
_WEIGHTS = struct.Struct("<8x I")
_WEIGHT = np.dtype([("kind", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])
_OF_FEATURE, _OF_MOVE = 0, 1


@dataclass(frozen=True, slots=True, eq=False)
class CrfWeights:
    """The weights of a model: of features for labels, and of transitions between labels."""

    labels: tuple[str, ...]
    features: tuple[str, ...]
    seen: Table  # one row per feature, one column per label
    moves: Table  # one row per label before, one column per label after


def read_weights(body: bytes) -> CrfWeights:
    """The weights in a model file; SetupError if it is truncated or something else."""
    try:
        kind, n_labels, n_features, weights_at, labels_at, features_at = _HEADER.unpack_from(body)
        if kind != _KIND:
            raise ValueError(f"it opens with {kind!r}")
        labels, features = _names(body, labels_at), _names(body, features_at)
        (n_weights,) = _WEIGHTS.unpack_from(body, weights_at)
        weights = np.frombuffer(body, _WEIGHT, n_weights, weights_at + _WEIGHTS.size)
        seen = _table(weights[weights["kind"] == _OF_FEATURE], (n_features, n_labels))
        moves = _table(weights[weights["kind"] == _OF_MOVE], (n_labels, n_labels))
    except (struct.error, ValueError, IndexError) as error:
        raise SetupError(f"not a trained model: {error}; train it again or reinstall Portico") from error
    return CrfWeights(labels, features, seen, moves)


def _names(body: bytes, start: int) -> tuple[str, ...]:
    """Names in the order of their numbers."""
    n_places, places_at = _NAMES.unpack_from(body, start)
    names = []
    for place in struct.unpack_from(f"<{n_places}I", body, start + places_at):
        if place:  # the list has room to spare
            _, length = _NAME.unpack_from(body, start + place)
            begin = start + place + _NAME.size
            names.append(body[begin : begin + length - 1].decode())  # a zero ends it
    return tuple(names)


def _table(weights: "np.ndarray[tuple[int], np.dtype[np.void]]", shape: tuple[int, int]) -> Table:
    table = np.zeros(shape)
    table[weights["source"], weights["target"]] = weights["weight"]
    return table


Steps: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"
"""Numbers by step, sequence and label: a step is a position in all sequences that are long enough."""

Numbers: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.int64]]"

# Positions processed at a time, including the padding of shorter sequences: this limits the memory.
GROUP_POSITIONS = 8192


@dataclass(frozen=True, slots=True, eq=False)
class CrfSolution:
    """The result of one model for a sequence."""

    labels: tuple[str, ...]
    chances: Table  # one row per position, one column per label of the model


class CrfBatch:
    """Trained models, applied to the same sequences."""

    def __init__(self, models: Sequence[CrfWeights]) -> None:
        self._models = models
        features = chain.from_iterable(model.features for model in models)
        self._row_of = {text: idx for idx, text in enumerate(dict.fromkeys(features))}
        # Features that no model knows have the last row: they say nothing.
        self._seen = np.zeros((len(self._row_of) + 1, sum(len(model.labels) for model in models)))
        for model, columns in zip(models, self._columns(), strict=True):
            self._seen[[self._row_of[text] for text in model.features], columns] = model.seen

    def solve(self, sequences: Sequence[Sequence[Sequence[str]]]) -> list[tuple[CrfSolution, ...]]:
        """For each non-empty sequence, the result of each model."""
        solved: dict[int, tuple[CrfSolution, ...]] = {}
        for group in _groups([len(one) for one in sequences]):
            scores = self._scores([seen for idx in group for seen in sequences[idx]])
            layout = _Layout([len(sequences[idx]) for idx in group])
            said = [
                _solutions(model, layout, scores[:, columns])
                for model, columns in zip(self._models, self._columns(), strict=True)
            ]
            solved.update(zip(group, zip(*said, strict=True), strict=True))
        return [solved[idx] for idx in range(len(sequences))]

    def _columns(self) -> list[slice]:
        """For each model, the columns of its labels among those of all models."""
        stops = accumulate(len(model.labels) for model in self._models)
        return [
            slice(stop - len(model.labels), stop) for model, stop in zip(self._models, stops, strict=True)
        ]

    def _scores(self, observations: Sequence[Sequence[str]]) -> Table:
        """One row per position, one column per label of each model."""
        ends = np.fromiter(accumulate(map(len, observations), initial=0), np.int64)
        found = map(self._row_of.get, chain.from_iterable(observations), repeat(len(self._row_of)))
        rows = np.fromiter(found, np.int64, int(ends[-1]))
        shape = (len(observations), len(self._seen))
        return np.asarray(sparse.csr_array((np.ones(len(rows)), rows, ends), shape=shape) @ self._seen)


class _Layout:
    """Where each position of the sequences (longest first) is stored, by step and sequence."""

    def __init__(self, lengths: Sequence[int]) -> None:
        self.shape = (lengths[0], len(lengths))
        self.stops = list(accumulate(lengths))
        self.owner: Numbers = np.repeat(np.arange(len(lengths)), lengths)
        self.step: Numbers = np.concatenate([np.arange(length) for length in lengths])
        self.from_end: Numbers = np.asarray(lengths)[self.owner] - 1 - self.step
        # The sequences that have a step are the first ones.
        self.n_active = [int((np.asarray(lengths) > step).sum()) for step in range(lengths[0])]


def _groups(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The numbers of the sequences, the longest first, in groups of limited size."""
    group: list[int] = []
    for idx in sorted(range(len(lengths)), key=lambda idx: -lengths[idx]):
        if group and lengths[group[0]] * (len(group) + 1) > GROUP_POSITIONS:
            yield group
            group = []
        group.append(idx)
    if group:
        yield group


def _solutions(model: CrfWeights, layout: _Layout, scores: Table) -> Iterator[CrfSolution]:
    local = np.zeros((*layout.shape, len(model.labels)))
    local[layout.step, layout.owner] = scores
    best = _likeliest(local, model.moves, layout.n_active)[layout.step, layout.owner].tolist()
    chances = _chances(local, model.moves, layout)
    names = [model.labels[idx] for idx in best]
    for start, stop in zip([0, *layout.stops], layout.stops, strict=False):
        yield CrfSolution(tuple(names[start:stop]), chances[start:stop])


def _likeliest(local: Steps, moves: Table, n_active: Sequence[int]) -> Numbers:
    """By step and sequence, the number of the most likely label (Viterbi)."""
    scores = local.copy()
    for step in range(1, len(local)):
        n = n_active[step]
        scores[step, :n] += (scores[step - 1, :n, :, np.newaxis] + moves).max(axis=1)
    best = np.zeros(local.shape[:2], dtype=np.int64)
    n_behind = 0  # sequences that go on behind the step
    for step in range(len(local) - 1, -1, -1):
        scores[step, :n_behind] += moves.T[best[step + 1, :n_behind]] if n_behind else 0.0
        n_behind = n_active[step]
        best[step, :n_behind] = scores[step, :n_behind].argmax(axis=1)
    return best


def _chances(local: Steps, moves: Table, layout: _Layout) -> Table:
    """One row per position: forward times backward weights, computed together."""
    weights = np.exp(local - local.max(axis=2, keepdims=True))
    both = np.stack([weights, np.zeros_like(weights)], axis=1)
    both[layout.from_end, 1, layout.owner] = weights[layout.step, layout.owner]
    onward: Cube = np.exp(np.stack([moves, moves.T]))
    arrived = np.ones_like(both)
    here = both[0]
    for step in range(1, len(local)):
        n = layout.n_active[step]
        arrived[step, :, :n] = here[:, :n] @ onward
        here = arrived[step, :, :n] * both[step, :, :n]
        here /= here.sum(axis=2, keepdims=True)
    before = arrived[layout.step, 0, layout.owner] * weights[layout.step, layout.owner]
    chances = before * arrived[layout.from_end, 1, layout.owner]
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))
