"""Matches all records within a memory budget, with the same result as `matcher`.

Records are sorted in files by what they say. Candidate pairs are found key range by key range and compared
some hundred thousand at a time. What is one paper is decided within connected parts of the graph of likely
pairs (see `incremental`): so the parts are clustered one after the other, and of all of them together only
numbers are in memory: the likely pairs, who is connected to whom, and the ids.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from portico.learn.partitioned_pairs import KeyedItems, ScoredEdges, renumber_pairs
from portico.match.blocking import WINDOW, make_keys
from portico.match.clustering import (
    Cluster,
    find_decided_records,
    make_clusters,
    make_singleton,
    read_mention,
)
from portico.match.entity_ids import ID_LENGTH, IdAssigner, make_bare_identity
from portico.match.matcher import find_bare_documents
from portico.match.mention import PAPERS, Roles, pack_mention, unpack_mention
from portico.match.merge import make_bare_entity, merge_records
from portico.match.scoring import Edge, find_likely_edges
from portico.spilling import RowFile, RowShelf, SpilledRow, sort_rows
from portico.types.correction import Verdict
from portico.types.document import DocumentId
from portico.types.record import Entity, EntityId, Identity, Record, RecordId

_UNNAMED = EntityId("")


@dataclass(frozen=True, slots=True)
class SpillSpace:
    """Where what does not fit into memory is kept meanwhile, how much fits, and how values become plain."""

    folder: Path
    records_at_once: int
    pack: Callable[[object], Any]
    unpack_record: Callable[[Any], Record]
    unpack_entity: Callable[[Any], Entity]


class PartedMatching:
    """All records matched; what came of it is read from files, as often as wanted."""

    def __init__(
        self,
        records: Iterable[Record],
        space: SpillSpace,
        roles: Roles = PAPERS,
        verdicts: Sequence[Verdict] = (),
    ) -> None:
        """The records of one document must come together."""
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
        self._read(records, mentions)
        self._compare(mentions)
        mentions.close()
        self._cluster()
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
        """Not ranked, in any order."""
        for number, (entity, _, _) in enumerate(self._clusters):
            yield replace(self._space.unpack_entity(entity), id=self._name(number))

    def identities(self) -> Iterator[tuple[EntityId, Identity]]:
        for number, (_, identity, _) in enumerate(self._clusters):
            yield self._name(number), Identity(*identity)

    def records(self) -> Iterator[tuple[Record, int | None, EntityId, float]]:
        """Every record with the position of its mention, its entity, and how probable that is."""
        for number, (_, _, told) in enumerate(self._clusters):
            for packed, position, confidence in told:
                yield self._space.unpack_record(packed), position, self._name(number), confidence

    def _read(self, records: Iterable[Record], mentions: RowShelf) -> None:
        rows = sort_rows(
            self._spill(records), self._space.folder, at_once=max(self._space.records_at_once, 1)
        )
        for position, ((place, digest), same) in enumerate(groupby(rows, key=itemgetter(0, 1))):
            told = [*same]
            mention = unpack_mention(told[0][3])
            mentions.add(told[0][3])
            self._keys.add(make_keys(mention), position)
            self._n_records.append(len(told))
            if mention.named:
                self._decided[mention.named] = position
            self._told.add((place, digest, [row[4] for row in told]))

    def _spill(self, records: Iterable[Record]) -> Iterator[SpilledRow]:
        named = find_decided_records(self._verdicts)
        for _, printed in groupby(records, key=lambda record: record.document):
            together = [*printed]
            self._bare += find_bare_documents(together, self._roles)
            for record in together:
                mention = read_mention(record, self._roles, named)
                packed = self._space.pack(replace(record, contexts=()))
                if mention.comparable:
                    yield *mention.order, record.id, pack_mention(mention), packed
                else:
                    self._alone.add((pack_mention(mention), packed))

    def _compare(self, mentions: RowShelf) -> None:
        for pairs in self._keys.pairs(window=WINDOW):
            positions, places = renumber_pairs(pairs)
            here = [unpack_mention(row) for row in mentions.read(positions)]
            for odds, one, other in find_likely_edges(here, places):
                self._edges.add(odds, positions[one], positions[other])

    def _cluster(self) -> None:
        places = self._decided
        joined = [
            (places[verdict.one], places[verdict.other])
            for verdict in self._verdicts
            if verdict.same and verdict.one in places and verdict.other in places
        ]
        divided = self._edges.divide(self._n_records, joined, at_once=self._space.records_at_once)
        files = [RowFile(self._space.folder / f"part-{number}") for number in range(divided.n_parts)]
        for position, ((_, _, told), part) in enumerate(zip(self._told, divided.parts(), strict=True)):
            files[part].add((position, told))
        for number, file in enumerate(files):
            self._cluster_part([*file], divided.edges_of(number))
            file.remove()
        for mention, packed in self._alone:
            found = make_singleton(unpack_mention(mention), self._space.unpack_record(packed))
            self._keep(found, {})
        for document in self._bare:
            entity = make_bare_entity(_UNNAMED, document, self._roles)
            self._add(entity, make_bare_identity(document), ())

    def _cluster_part(self, rows: Sequence[SpilledRow], edges: Sequence[Edge]) -> None:
        places = {position: place for place, (position, _) in enumerate(rows)}
        named = find_decided_records(self._verdicts)
        told = [[self._space.unpack_record(packed) for packed in records] for _, records in rows]
        mentions = [read_mention(records[0], self._roles, named) for records in told]
        here = [(odds, places[one], places[other]) for odds, one, other in edges]
        positions = {
            record.id: position
            for (position, _), records in zip(rows, told, strict=True)
            for record in records
        }
        by_mention = dict(zip(mentions, told, strict=True))
        for found in make_clusters(mentions, by_mention, here, self._verdicts):
            self._keep(found, positions)

    def _keep(self, found: Cluster, positions: Mapping[RecordId, int]) -> None:
        told = tuple(
            (
                self._space.pack(record),
                positions.get(record.id),
                1.0 if record.kind == self._roles.anchor else confidence,
            )
            for record, confidence in zip(found.records, found.confidences, strict=True)
        )
        self._add(merge_records(_UNNAMED, found, self._roles), found.identity, told)

    def _add(self, entity: Entity, identity: Identity, told: tuple[Any, ...]) -> None:
        plain = (identity.key, identity.year, identity.record, identity.held)
        self._clusters.add((self._space.pack(entity), plain, told))

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
