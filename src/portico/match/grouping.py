"""Which records are one paper, once it is known which mentions are alike: clusters with probabilities."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from portico.match.cluster import N_SPOKESMEN, Group, Orders, Score, cluster, keep_apart
from portico.match.compare import may_cite_itself
from portico.match.decide import probability
from portico.match.editions import part_by_form
from portico.match.identity import identity_of
from portico.match.mention import Mention, Roles, own_mention
from portico.match.score import Edge, PairScores
from portico.types.document import DocumentId
from portico.types.identity import Identity
from portico.types.record import Record, RecordId
from portico.types.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Cluster:
    """Records that speak of one paper, and how probable that is for each."""

    records: tuple[Record, ...]
    confidences: tuple[float, ...]
    identity: Identity


def named_by(verdicts: Iterable[Verdict]) -> frozenset[RecordId]:
    """The records about which something was decided by hand."""
    return frozenset(name for verdict in verdicts for name in (verdict.one, verdict.other))


def told_by(record: Record, roles: Roles, named: frozenset[RecordId]) -> Mention:
    """The record as it is compared; one that was decided about shares its mention with no other."""
    mention = own_mention(record, roles)
    return replace(mention, named=record.id) if record.id in named else mention


def clusters_of(
    mentions: Sequence[Mention],
    records: Mapping[Mention, Sequence[Record]],
    edges: Sequence[Edge],
    verdicts: Sequence[Verdict],
) -> list[Cluster]:
    """The records of these mentions in clusters.

    The mentions must stand in `Mention.order`, and `edges` must be all there are between them, the
    strongest first. No edge and no verdict that joins may lead out of them: then the clusters are
    those they would be among all mentions of the portal.
    """
    score = PairScores(mentions, edges)
    told = [records[mention] for mention in mentions]
    importance = [_importance(mention, len(of_it)) for mention, of_it in zip(mentions, told, strict=True)]
    anchors = frozenset(idx for idx, mention in enumerate(mentions) if mention.anchor)
    works = cluster(edges, importance, anchors, score, _orders(mentions, told, verdicts))
    groups = [part for work in works for part in _parted(work, mentions, told, importance)]
    score.learn(
        (position, other)
        for group in groups
        for position in group.members
        for other in (*group.spokesmen, *group.anchors)
        if other != position
    )
    return [_cluster(group, mentions, told, score) for group in groups]


def singleton(mention: Mention, record: Record) -> Cluster:
    """The cluster of a record that says too little to join another."""
    identity = identity_of([(mention, 1)], [record.id], held=bool(mention.anchor))
    return Cluster((record,), (1.0,), identity)


def _orders(
    mentions: Sequence[Mention], told: Sequence[Sequence[Record]], verdicts: Sequence[Verdict]
) -> Orders:
    """What must be together or apart, in terms of positions: what was decided by hand, and no paper with its
    own references. Verdicts on records that are no longer there say nothing.
    """
    place = {mention.named: idx for idx, mention in enumerate(mentions) if mention.named}
    pairs = [
        (place[verdict.one], place[verdict.other], verdict.same)
        for verdict in verdicts
        if verdict.one in place and verdict.other in place
    ]
    together = sorted((one, other) for one, other, same in pairs if same)
    apart = {(one, other) for one, other, same in pairs if not same}
    joined = {position for pair in together for position in pair}
    apart |= {pair for pair in _own_references(mentions, told) if joined.isdisjoint(pair)}
    return Orders(tuple(together), keep_apart(apart))


def _own_references(
    mentions: Sequence[Mention], told: Sequence[Sequence[Record]]
) -> Iterator[tuple[int, int]]:
    """Every header with each reference of its own document that must mean another paper."""
    headers = [idx for idx, mention in enumerate(mentions) if mention.anchor]
    if not headers:
        return
    printed: dict[DocumentId, list[int]] = defaultdict(list)
    for idx, (mention, records) in enumerate(zip(mentions, told, strict=True)):
        if not mention.anchor:
            for record in records:
                printed[record.document].append(idx)
    for header in headers:
        for reference in printed.get(told[header][0].document, ()):
            if not may_cite_itself(mentions[header], mentions[reference]):
                yield header, reference


def _parted(
    work: Group,
    mentions: Sequence[Mention],
    told: Sequence[Sequence[Record]],
    importance: Sequence[tuple[float, ...]],
) -> list[Group]:
    """A work that nobody holds and nobody put together by hand: its thesis, report, book and article apart.

    Where we hold it, all who cite it in any form want the document that is there.
    """
    if work.anchors or work.ordered or len({mentions[idx].form for idx in work.members} - {""}) < 2:
        return [work]
    spoken = [idx for idx in work.members for _ in told[idx]]
    numbers = dict(zip(spoken, part_by_form([mentions[idx] for idx in spoken]), strict=True))
    parts: dict[int, list[int]] = defaultdict(list)
    for idx in work.members:
        parts[numbers[idx]].append(idx)
    return [
        Group(members, sorted(members, key=lambda idx: (importance[idx], -idx))[::-1][:N_SPOKESMEN], [])
        for members in parts.values()
    ]


def _cluster(
    group: Group, mentions: Sequence[Mention], told: Sequence[Sequence[Record]], score: Score
) -> Cluster:
    if len(group.members) == len(told[group.members[0]]) == 1:  # as are three of four
        return singleton(mentions[group.members[0]], told[group.members[0]][0])
    pairs: list[tuple[Record, float]] = []
    for position in group.members:
        confidence = _confidence(position, group, score)
        pairs += [(record, confidence) for record in told[position]]
    pairs.sort(key=lambda pair: pair[0].id)
    identity = identity_of(
        [(mentions[position], len(told[position])) for position in group.members],
        [record.id for record, _ in pairs],
        held=bool(group.anchors),
    )
    return Cluster(
        tuple([record for record, _ in pairs]), tuple([confidence for _, confidence in pairs]), identity
    )


def _confidence(position: int, group: Group, score: Score) -> float:
    """How probable it is that the mention belongs: by the paper's own header, or by the company."""
    others = [score(position, other) for other in group.spokesmen if other != position]
    evidence = [sum(others) / len(others)] if others else []
    evidence += [score(position, anchor) for anchor in group.anchors if anchor != position]
    return round(probability(max(evidence)), 6) if evidence else 1.0


def _importance(mention: Mention, n_records: int) -> tuple[float, ...]:
    """Anchors speak first, then what many records say alike, then what says most."""
    return float(bool(mention.anchor)), float(n_records), float(mention.n_filled)
