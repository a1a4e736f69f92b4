"""Matches all records: records in, entities and citations out, independent of their order."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from portico.match.blocking import find_candidate_pairs
from portico.match.clustering import (
    Cluster,
    find_decided_records,
    make_clusters,
    make_singleton,
    read_mention,
)
from portico.match.entity_ids import assign_entity_ids, make_bare_identity
from portico.match.graph import rank_entities
from portico.match.mention import PAPERS, Mention, Roles
from portico.match.merge import make_bare_entity, merge_records
from portico.match.scoring import Edge, find_likely_edges
from portico.match.word_groups import GroupScores, group_by_words, join_neighbors, weighted_words
from portico.types.correction import Verdict
from portico.types.document import DocumentId
from portico.types.garbage_collection import without_collecting
from portico.types.record import Citation, Entity, EntityId, Identity, Record


@without_collecting()
def group_records(
    records: Sequence[Record], roles: Roles = PAPERS, verdicts: Sequence[Verdict] = ()
) -> list[Cluster]:
    """The records in clusters, one per paper; `records` must be sorted by id."""
    return compare_all(records, roles, verdicts).clusters(verdicts)


@dataclass(frozen=True, slots=True)
class ComparedRecords:
    """The comparable form of all records, and the pairs that are alike."""

    mentions: list[Mention]  # in their order
    records: dict[Mention, list[Record]]
    alone: list[tuple[Mention, Record]]  # records with too little data to be compared
    edges: list[Edge]  # by positions of mentions, the strongest first
    groups: GroupScores | None = None  # if compared by words

    def clusters(self, verdicts: Sequence[Verdict] = ()) -> list[Cluster]:
        together = make_clusters(self.mentions, self.records, self.edges, verdicts, self.groups)
        return together + [make_singleton(mention, record) for mention, record in self.alone]


@without_collecting()
def compare_all(
    records: Iterable[Record],
    roles: Roles = PAPERS,
    verdicts: Sequence[Verdict] = (),
    *,
    by_words: bool = False,
) -> ComparedRecords:
    """Compares all records; with `by_words`, by the papers' method."""
    named = find_decided_records(verdicts)
    told: dict[Mention, list[Record]] = defaultdict(list)
    alone: list[tuple[Mention, Record]] = []
    for record in records:
        mention = read_mention(record, roles, named)
        if mention.comparable:
            told[mention].append(record)
        else:
            alone.append((mention, record))
    mentions = sorted(told, key=lambda mention: mention.order)
    if by_words:
        group_of = group_by_words([weighted_words(told[mention][0], roles) for mention in mentions])[0]
        return ComparedRecords(mentions, told, alone, join_neighbors(group_of), GroupScores(group_of))
    return ComparedRecords(mentions, told, alone, find_likely_edges(mentions, find_candidate_pairs(mentions)))


@dataclass(frozen=True, slots=True)
class Matching:
    """The result: entities ascending by id, citations by record, and the identities that ids were made
    of.
    """

    entities: tuple[Entity, ...]
    citations: tuple[Citation, ...]
    identities: dict[EntityId, Identity]


@without_collecting()
def make_entities(records: Sequence[Record], clusters: Sequence[Cluster], roles: Roles = PAPERS) -> Matching:
    """The ranked entities of the clusters and of documents without an anchor, and the citations.

    Every record that is no anchor yields exactly one citation. A document without an anchor record still gets
    an entity, because its references need a citing end.
    """
    bare = find_bare_documents(records, roles)
    identities = [found.identity for found in clusters] + [make_bare_identity(document) for document in bare]
    names = assign_entity_ids(identities)
    entities = [merge_records(name, found, roles) for name, found in zip(names, clusters, strict=False)]
    entities += [
        make_bare_entity(name, document, roles)
        for name, document in zip(names[len(clusters) :], bare, strict=True)
    ]
    citations = _citations(clusters, names, _homes(entities), roles)
    ranked = rank_entities(sorted(entities, key=lambda entity: entity.id), citations)
    return Matching(ranked, citations, dict(zip(names, identities, strict=True)))


def find_bare_documents(records: Iterable[Record], roles: Roles) -> list[DocumentId]:
    """Documents that have records but no anchor, ascending."""
    anchored: dict[DocumentId, bool] = {}
    for record in records:
        anchored[record.document] = anchored.get(record.document, False) or record.kind == roles.anchor
    return sorted(document for document, has_anchor in anchored.items() if not has_anchor)


def _homes(entities: Iterable[Entity]) -> dict[DocumentId, EntityId]:
    return {document: entity.id for entity in entities for document in entity.documents}


def _citations(
    clusters: Sequence[Cluster], names: Sequence[EntityId], homes: dict[DocumentId, EntityId], roles: Roles
) -> tuple[Citation, ...]:
    found = [
        Citation(homes[record.document], name, record.id, confidence)
        for cluster_, name in zip(clusters, names, strict=False)
        for record, confidence in zip(cluster_.records, cluster_.confidences, strict=True)
        if record.kind != roles.anchor
    ]
    return tuple(sorted(found, key=lambda citation: citation.record))
