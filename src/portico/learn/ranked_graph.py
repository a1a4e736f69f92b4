"""A graph that is ranked again after every change, without reading all of it anew.

Kept as bytes: a line with the number of nodes and of edges, the names of the nodes (ascending, one a line),
the edges as pairs of positions, and the scores of every node. The same graph has the same bytes, and the
scores of a graph that was changed are those of the graph it has become, computed from the beginning.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from portico.learn.hits import score_links

N_SCORES = 4
_END, _SCORE = np.dtype("<i4"), np.dtype("<f4")  # as kept: scores of few digits differ in these too


@dataclass(frozen=True, slots=True)
class RankedGraph:
    """Nodes by name, who points to whom, and `N_SCORES` scores of each node: see `hits.score_links`."""

    names: list[str]  # ascending
    ends: np.ndarray  # two columns: positions of source and target, ascending, each pair once
    scores: np.ndarray

    def ranks(self) -> list[tuple[int, float, float, float]]:
        """Of each node in their order: incoming edges, authority, hub and PageRank."""
        return _rows(self.scores)

    def packed(self) -> bytes:
        head = "\n".join((f"{len(self.names)} {len(self.ends)}", *self.names, ""))
        return head.encode() + self.ends.astype(_END).tobytes() + self.scores.astype(_SCORE).tobytes()


def rank_graph(names: Sequence[str], edges: Sequence[tuple[str, str]], *, digits: int) -> RankedGraph:
    """Of nodes that ascend; an edge counts once, and one from a node to itself never."""
    positions = {name: idx for idx, name in enumerate(names)}
    ends = np.empty((len(edges), 2), dtype=np.int64)
    ends[:, 0] = [positions[source] for source, _ in edges]
    ends[:, 1] = [positions[target] for _, target in edges]
    return _ranked(list(names), ends, digits)


def unpack(packed: bytes) -> RankedGraph:
    """What `RankedGraph.packed` wrote; ValueError where it is something else."""
    head, _, rest = packed.partition(b"\n")
    n_nodes, n_edges = map(int, head.split())
    n_bytes = 2 * n_edges * _END.itemsize, N_SCORES * n_nodes * _SCORE.itemsize
    text = len(rest) - sum(n_bytes)
    names = rest[:text].decode().split("\n")[:-1]
    ends = np.frombuffer(rest[text : text + n_bytes[0]], dtype=_END).reshape(-1, 2)
    scores = np.frombuffer(rest[text + n_bytes[0] :], dtype=_SCORE).reshape(-1, N_SCORES)
    if len(names) != n_nodes or len(scores) != n_nodes:
        raise ValueError("these are not the bytes of a ranked graph")
    return RankedGraph(names, ends, scores)


def rank_again(
    graph: RankedGraph,
    gone: Collection[str],
    come: Collection[str],
    edges: Iterable[tuple[str, str]],
    *,
    digits: int,
) -> tuple[RankedGraph, dict[str, tuple[int, float, float, float]]]:
    """The graph after a change, and the ranks of every node that came or ranks otherwise than before.

    Nodes go with all their edges; `edges` are all that begin or end at a node that comes. What changed is
    among both. Nothing here looks at a name that stays: a graph of 100,000 takes a tenth of a second.
    """
    stays = np.ones(len(graph.names), dtype=bool)
    stays[[place for name in gone if (place := _place(graph.names, name)) is not None]] = False
    kept, fresh = [*compress(graph.names, stays.tolist())], sorted(come)
    order = np.arange(len(kept))
    ahead = np.searchsorted([bisect_left(kept, name) for name in fresh], order, side="right")
    moved = np.full(len(graph.names), -1)
    moved[stays] = order + ahead
    names = sorted(kept + fresh)
    old = moved[graph.ends]
    new = [(bisect_left(names, source), bisect_left(names, target)) for source, target in edges]
    ends = np.concatenate((old[(old >= 0).all(axis=1)], np.array(new, dtype=np.int64).reshape(-1, 2)))
    after = _ranked(names, ends, digits)
    before = np.full(after.scores.shape, -1.0)
    before[moved[stays]] = graph.scores[stays]
    changed = np.flatnonzero((before.astype(_SCORE) != after.scores.astype(_SCORE)).any(axis=1))
    ranks = zip(changed.tolist(), _rows(after.scores[changed]), strict=True)
    return after, {names[place]: found for place, found in ranks}


def _place(names: Sequence[str], name: str) -> int | None:
    place = bisect_left(names, name)
    return place if place < len(names) and names[place] == name else None


def _ranked(names: list[str], ends: np.ndarray, digits: int) -> RankedGraph:
    # Sorted by hand: the library's way of finding what is unique takes twenty times as long.
    codes = np.sort(ends[:, 0] * len(names) + ends[:, 1])
    simple = np.column_stack(np.divmod(codes[np.diff(codes, prepend=-1) > 0], max(len(names), 1)))
    simple = np.ascontiguousarray(simple[simple[:, 0] != simple[:, 1]])
    return RankedGraph(names, simple, score_links(simple, len(names), digits=digits))


def _rows(scores: np.ndarray) -> list[tuple[int, float, float, float]]:
    incoming, authorities, hubs, visits = (scores[:, kind].tolist() for kind in range(N_SCORES))
    return list(zip(map(int, incoming), authorities, hubs, visits, strict=True))
