"""The whole of matching: records in, entities and citations out, the same for any order of records."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from portico.match.blocking import candidate_pairs
from portico.match.cluster import Group, Orders, Score, cluster
from portico.match.decide import probability
from portico.match.graph import rank
from portico.match.identity import Identity, entity_ids, identity_of
from portico.match.mention import PAPERS, Mention, Roles, mention_of
from portico.match.merge import bare_entity, merge
from portico.match.score import PairScores, likely_edges
from portico.types.document import DocumentId
from portico.types.record import Citation, Entity, EntityId, Record, RecordId
from portico.types.verdict import Verdict


def match(
    records: Iterable[Record], roles: Roles = PAPERS, verdicts: Sequence[Verdict] = ()
) -> tuple[tuple[Entity, ...], tuple[Citation, ...]]:
    """Entities ascending by id, and exactly one citation for every record that is no anchor.

    A document without an anchor record still gets an entity, since its references need a citing
    end. A record of which nothing is known is an entity of its own: it joins no other. What
    `verdicts` say of two records holds, whatever the records say.
    """
    everything = sorted(records, key=lambda record: record.id)
    clusters = group_records(everything, roles, verdicts)
    bare = sorted(
        {record.document for record in everything}
        - {record.document for record in everything if record.kind == roles.anchor}
    )
    names = entity_ids(
        [found.identity for found in clusters]
        + [Identity(f"document {document}", None, RecordId(document), True) for document in bare]
    )
    entities = [merge(name, found.records, roles) for name, found in zip(names, clusters, strict=False)]
    entities += [
        bare_entity(name, document, roles)
        for name, document in zip(names[len(clusters) :], bare, strict=True)
    ]
    citations = _citations(clusters, names, _homes(entities), roles)
    ranked = rank(sorted(entities, key=lambda entity: entity.id), citations)
    return ranked, citations


@dataclass(frozen=True, slots=True)
class Cluster:
    """Records that speak of one paper, and how probable that is for each."""

    records: tuple[Record, ...]
    confidences: tuple[float, ...]
    identity: Identity


def group_records(
    records: Sequence[Record], roles: Roles = PAPERS, verdicts: Sequence[Verdict] = ()
) -> list[Cluster]:
    """The records in clusters, one a paper; `records` must be sorted by id."""
    named = {name for verdict in verdicts for name in (verdict.one, verdict.other)}
    told: dict[Mention, list[Record]] = defaultdict(list)
    alone: list[tuple[Mention, Record]] = []
    for record in records:
        mention = mention_of(record, roles)
        if record.id in named:  # it must not share a mention with records that say the same
            mention = replace(mention, named=record.id)
        if mention.identifiable or mention.named:
            told[mention].append(record)
        else:
            alone.append((mention, record))
    mentions = sorted(told, key=_sort_key)
    clusters = [_cluster(group, mentions, told, score) for group, score in _groups(mentions, told, verdicts)]
    return clusters + [_singleton(mention, record) for mention, record in alone]


def _groups(
    mentions: Sequence[Mention], told: dict[Mention, list[Record]], verdicts: Sequence[Verdict]
) -> Iterable[tuple[Group, Score]]:
    edges = likely_edges(mentions, candidate_pairs(mentions))
    score = PairScores(mentions, edges)
    importance = [_importance(mention, len(told[mention])) for mention in mentions]
    anchors = frozenset(idx for idx, mention in enumerate(mentions) if mention.anchor)
    for group in cluster(edges, importance, anchors, score, _orders(mentions, verdicts)):
        yield group, score


def _orders(mentions: Sequence[Mention], verdicts: Sequence[Verdict]) -> Orders:
    """The verdicts in terms of positions; those on records that are no longer there say nothing."""
    place = {mention.named: idx for idx, mention in enumerate(mentions) if mention.named}
    pairs = [
        (place[verdict.one], place[verdict.other], verdict.same)
        for verdict in verdicts
        if verdict.one in place and verdict.other in place
    ]
    apart = [(one, other) for one, other, same in pairs if not same]
    return Orders(
        tuple(sorted((one, other) for one, other, same in pairs if same)),
        frozenset(apart + [(other, one) for one, other in apart]),
    )


def _cluster(
    group: Group, mentions: Sequence[Mention], told: dict[Mention, list[Record]], score: Score
) -> Cluster:
    pairs = sorted(
        (
            (record, _confidence(position, group, score))
            for position in group.members
            for record in told[mentions[position]]
        ),
        key=lambda pair: pair[0].id,
    )
    identity = identity_of(
        [(mentions[position], len(told[mentions[position]])) for position in group.members],
        [record.id for record, _ in pairs],
        held=bool(group.anchors),
    )
    return Cluster(
        tuple(record for record, _ in pairs), tuple(confidence for _, confidence in pairs), identity
    )


def _singleton(mention: Mention, record: Record) -> Cluster:
    identity = identity_of([(mention, 1)], [record.id], held=bool(mention.anchor))
    return Cluster((record,), (1.0,), identity)


def _confidence(position: int, group: Group, score: Score) -> float:
    """How probable it is that the mention belongs: by the paper's own header, or by the company."""
    others = [score(position, other) for other in group.spokesmen if other != position]
    evidence = [sum(others) / len(others)] if others else []
    evidence += [score(position, anchor) for anchor in group.anchors if anchor != position]
    return round(probability(max(evidence)), 6) if evidence else 1.0


def _importance(mention: Mention, n_records: int) -> tuple[float, ...]:
    """Anchors speak first, then what many records say alike, then what says most."""
    return float(bool(mention.anchor)), float(n_records), float(mention.n_filled)


def _sort_key(mention: Mention) -> tuple[object, ...]:
    """A total order in which likely pairs stand near each other."""
    return (
        mention.title or mention.raw,
        mention.surnames,
        mention.year or 0,
        mention.venue,
        mention.anchor,
        mention.people,
        mention.volume,
        mention.pages,
        sorted(mention.identifiers),
        mention.raw,
        mention.form,
        mention.report,
        mention.named,
    )


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
