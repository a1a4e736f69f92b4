"""Matches all records within a memory budget, with the same result as `matcher`.

Records are sorted in files by their content. Candidate pairs are found one key range after the other and
compared some hundred thousand at a time. Clusters are decided within connected components of the graph of
likely pairs (see `incremental`), so components are clustered one after the other. Only numbers are kept in
memory for the whole collection: the likely pairs, the components, and the ids.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from portico.learn.partitioned_pairs import DividedEdges, KeyedItems, ScoredEdges, renumber_pairs
from portico.match.blocking import WINDOW
from portico.match.entity_ids import ID_LENGTH, IdAssigner, make_bare_identity
from portico.match.mention import PAPERS, Roles, unpack_mention
from portico.match.merge import make_bare_entity
from portico.match.part_steps import UNNAMED, DocumentRows, PartClusters, PartOfGraph, StoredRecord
from portico.match.scoring import Edge, find_likely_edges
from portico.spilling import RowFile, RowShelf, SpilledRow, sort_rows
from portico.types.correction import Verdict
from portico.types.document import DocumentId
from portico.types.record import Entity, EntityId, Identity

PART_RECORDS = 5_000
"""Minimum number of records clustered together, if memory allows; workers are given one part at a time."""


@dataclass(frozen=True, slots=True)
class SpillSpace:
    """The folder for what does not fit into memory, the memory budget, and how to serialize values."""

    folder: Path
    records_at_once: int
    pack_entity: Callable[[Entity], Any]
    unpack_entity: Callable[[Any], Entity]

    @property
    def records_a_part(self) -> int:
        return max(1, min(self.records_at_once, PART_RECORDS))


class PartedMatching:
    """All records matched; results are read from files, as often as needed."""

    def __init__(
        self,
        documents: Iterable[DocumentRows],
        cluster: Callable[[Iterator[PartOfGraph]], Iterator[PartClusters]],
        space: SpillSpace,
        roles: Roles = PAPERS,
        verdicts: Sequence[Verdict] = (),
    ) -> None:
        """The records of one document must be consecutive."""
        self._space, self._roles, self._verdicts = space, roles, verdicts
        self._told = RowFile(space.folder / "told")  # by position: order, and its records
        self._alone = RowFile(space.folder / "alone")
        self._clusters = RowFile(space.folder / "clusters")
        self._keys = KeyedItems(space.folder)
        self._edges = ScoredEdges()
        self._n_records = array("I")  # of every mention, by position
        self._names = bytearray()  # of every cluster, by number
        self._decided: dict[str, int] = {}  # where mentions stand that somebody decided about
        self._bare: list[DocumentId] = []
        mentions = RowShelf(space.folder / "mentions")
        self._read(documents, mentions)
        self._compare(mentions)
        mentions.close()
        for found in cluster(self._divide()):
            for row in found:
                self._clusters.add(row)
        self._add_bare()
        self._assign_names()

    @property
    def n_mentions(self) -> int:
        return len(self._n_records)

    @property
    def n_entities(self) -> int:
        return len(self._names) // ID_LENGTH

    def orders(self) -> Iterator[tuple[str, int]]:
        """The order of every mention, ascending."""
        return ((place, digest) for place, digest, _ in self._told)

    def keys(self) -> Iterator[tuple[int, int]]:
        """Keys and positions of mentions, ascending."""
        return self._keys.rows()

    def edges(self) -> Iterator[Edge]:
        """Likely pairs, by position."""
        return self._edges.rows()

    def entities(self) -> Iterator[Entity]:
        """Without ranks, in any order."""
        for number, (entity, _, _) in enumerate(self._clusters):
            yield replace(self._space.unpack_entity(entity), id=self._name(number))

    def identities(self) -> Iterator[tuple[EntityId, Identity]]:
        for number, (_, identity, _) in enumerate(self._clusters):
            yield self._name(number), Identity(*identity)

    def records(self) -> Iterator[tuple[StoredRecord, int | None, EntityId, float]]:
        """Every record with the position of its mention, its entity, and the probability that it belongs."""
        for number, (_, _, told) in enumerate(self._clusters):
            for stored, position, confidence in told:
                yield stored, position, self._name(number), confidence

    def _read(self, documents: Iterable[DocumentRows], mentions: RowShelf) -> None:
        at_once = max(self._space.records_at_once, 1)
        rows = sort_rows(self._spill(documents), self._space.folder, at_once=at_once)
        for position, ((place, digest), same) in enumerate(groupby(rows, key=itemgetter(0, 1))):
            told = [*same]
            _, _, _, mention, keys, name, _ = told[0]
            mentions.add(mention)
            self._keys.add(keys, position)
            self._n_records.append(len(told))
            if name:
                self._decided[name] = position
            self._told.add((place, digest, [row[-1] for row in told]))

    def _spill(self, documents: Iterable[DocumentRows]) -> Iterator[SpilledRow]:
        for compared, alone, bare in documents:
            self._bare += bare
            for row in alone:
                self._alone.add(row)
            yield from compared

    def _compare(self, mentions: RowShelf) -> None:
        for pairs in self._keys.pairs(window=WINDOW):
            positions, places = renumber_pairs(pairs)
            here = [unpack_mention(row) for row in mentions.read(positions)]
            for odds, one, other in find_likely_edges(here, places):
                self._edges.add(odds, positions[one], positions[other])

    def _divide(self) -> Iterator[PartOfGraph]:
        places = self._decided
        joined = [
            (places[verdict.one], places[verdict.other])
            for verdict in self._verdicts
            if verdict.same and verdict.one in places and verdict.other in places
        ]
        divided = self._edges.divide(self._n_records, joined, at_once=self._space.records_a_part)
        files = [RowFile(self._space.folder / f"part-{number}") for number in range(divided.n_parts)]
        for position, ((_, _, told), part) in enumerate(zip(self._told, divided.parts(), strict=True)):
            files[part].add((position, told))
        yield from self._read_parts(files, divided)
        alone: list[SpilledRow] = []
        for row in self._alone:
            alone.append(row)
            if len(alone) == self._space.records_a_part:
                yield (), (), alone
                alone = []
        if alone:
            yield (), (), alone

    def _read_parts(self, files: Sequence[RowFile], divided: DividedEdges) -> Iterator[PartOfGraph]:
        for number, file in enumerate(files):
            rows = [*file]
            places = {position: place for place, (position, _) in enumerate(rows)}
            edges = divided.edges_of(number)
            yield rows, [(odds, places[one], places[other]) for odds, one, other in edges], ()
            file.remove()

    def _add_bare(self) -> None:
        for document in self._bare:
            entity = make_bare_entity(UNNAMED, document, self._roles)
            identity = make_bare_identity(document)
            plain = (identity.key, identity.year, identity.record, identity.held)
            self._clusters.add((self._space.pack_entity(entity), plain, ()))

    def _assign_names(self) -> None:
        rows = (
            (identity[0], *Identity(*identity).rank, number, identity)
            for number, (_, identity, _) in enumerate(self._clusters)
        )
        assigner = IdAssigner()
        for *_, number, identity in sort_rows(rows, self._space.folder, at_once=self._space.records_at_once):
            name = assigner.assign(Identity(*identity)).encode()
            if len(self._names) < ID_LENGTH * (number + 1):
                self._names.extend(bytes(ID_LENGTH * (number + 1) - len(self._names)))
            self._names[ID_LENGTH * number : ID_LENGTH * (number + 1)] = name

    def _name(self, number: int) -> EntityId:
        return EntityId(self._names[ID_LENGTH * number : ID_LENGTH * (number + 1)].decode())
