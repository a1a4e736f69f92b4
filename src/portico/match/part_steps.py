"""Matching in parts: the steps that need one part alone, for whichever process has time for them.

What they take and give are plain values, which `spilling` writes to files and sends to other processes.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from portico.match.blocking import make_keys
from portico.match.clustering import (
    Cluster,
    find_decided_records,
    make_clusters,
    make_singleton,
    read_mention,
)
from portico.match.matcher import find_bare_documents
from portico.match.mention import Roles, pack_mention, unpack_mention
from portico.match.merge import merge_records
from portico.match.scoring import Edge
from portico.spilling import SpilledRow
from portico.types.correction import Verdict
from portico.types.document import DocumentId
from portico.types.record import Entity, EntityId, Record, RecordId

UNNAMED = EntityId("")

StoredRecord = tuple[RecordId, DocumentId, bool, bytes]
"""A record's id and document, whether it represents the document, and the record as stored."""

DocumentRows = tuple[Sequence[SpilledRow], Sequence[SpilledRow], Sequence[DocumentId]]
"""For some documents: records to compare, records with too little data to compare, and documents without an
anchor.

A record to compare consists of its mention's order, id, mention and keys, its name if there are decisions
about it, and the stored record. One with too little data consists of a mention and the stored record."""

PartOfGraph = tuple[Sequence[SpilledRow], Sequence[Edge], Sequence[SpilledRow]]
"""Mentions with their positions and stored records, the edges between them, and records with too little
data."""

PartClusters = Sequence[SpilledRow]
"""For every cluster: the entity, its identity, and its records with position and probability."""


@dataclass(frozen=True, slots=True)
class PartSteps:
    """How parts are read and clustered; records and entities become plain as the caller says."""

    roles: Roles
    verdicts: Sequence[Verdict]
    store_record: Callable[[Record, str], StoredRecord]
    read_stored: Callable[[bytes], Record]
    pack_entity: Callable[[Entity], Any]

    def read(self, records: Iterable[Record]) -> DocumentRows:
        """What these records say; those of one document must come together."""
        named = find_decided_records(self.verdicts)
        compared: list[SpilledRow] = []
        alone: list[SpilledRow] = []
        bare: list[DocumentId] = []
        for _, printed in groupby(records, key=lambda record: record.document):
            together = [*printed]
            bare += find_bare_documents(together, self.roles)
            for record in together:
                mention = read_mention(record, self.roles, named)
                packed, stored = pack_mention(mention), self.store_record(record, self.roles.anchor)
                if mention.comparable:
                    keys = tuple(make_keys(mention))
                    compared.append((*mention.order, record.id, packed, keys, mention.named, stored))
                else:
                    alone.append((packed, stored))
        return compared, alone, bare

    def cluster(self, part: PartOfGraph) -> PartClusters:
        """The clusters of a part that no edge leads out of."""
        rows, edges, alone = part
        named = find_decided_records(self.verdicts)
        positions: dict[RecordId, int | None] = {}
        stored: dict[RecordId, StoredRecord] = {}
        told: list[list[Record]] = []
        for position, found in rows:
            positions |= dict.fromkeys((each[0] for each in found), position)
            stored |= {each[0]: each for each in found}
            told.append([self.read_stored(each[-1]) for each in found])
        mentions = [read_mention(records[0], self.roles, named) for records in told]
        by_mention = dict(zip(mentions, told, strict=True))
        clusters = make_clusters(mentions, by_mention, edges, self.verdicts)
        for mention, each in alone:
            stored[each[0]] = each
            clusters.append(make_singleton(unpack_mention(mention), self.read_stored(each[-1])))
        return [self._pack(found, positions, stored) for found in clusters]

    def _pack(
        self,
        found: Cluster,
        positions: dict[RecordId, int | None],
        stored: dict[RecordId, StoredRecord],
    ) -> SpilledRow:
        told = tuple(
            (
                stored[record.id],
                positions.get(record.id),
                1.0 if record.kind == self.roles.anchor else confidence,
            )
            for record, confidence in zip(found.records, found.confidences, strict=True)
        )
        identity = found.identity
        plain = (identity.key, identity.year, identity.record, identity.held)
        return self.pack_entity(merge_records(UNNAMED, found, self.roles)), plain, told
