"""What a model file of crfsuite holds: labels, features, and the weights between them, as arrays."""

import struct
from dataclasses import dataclass

import numpy as np

from portico.errors import SetupError
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
    """The weights of a model: of features for labels, and of moves from label to label."""

    labels: tuple[str, ...]
    features: tuple[str, ...]
    seen: Table  # one row a feature, one column a label
    moves: Table  # one row the label before, one column the label behind


def read_weights(body: bytes) -> CrfWeights:
    """The weights in a model file; SetupError where it is cut short or something else."""
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
