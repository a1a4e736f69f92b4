"""Clusters mentions into papers, with probabilities, given which pairs are likely the same."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from portico.match.compare import may_cite_itself
from portico.match.editions import split_by_form
from portico.match.entity_ids import make_identity
from portico.match.mention import Mention, Roles, parse_own_mention
from portico.match.scoring import Edge, PairScores, to_probability
from portico.match.word_groups import GroupScores
from portico.types.correction import Verdict
from portico.types.document import DocumentId
from portico.types.record import Identity, Record, RecordId

N_SPOKESMEN = 4
"""Mentions that represent a group when it is compared with another; more take longer and change almost
nothing."""

STRONG = 3.0
"""Minimum log odds, a probability of .95, for two held documents to be versions of one paper.

The same title (apart from a typo) and the same authors together reach it; either alone does not."""

Score = Callable[[int, int], float]


@dataclass(frozen=True, slots=True)
class ForcedPairs:
    """Pairs of positions that must be together, and pairs that must not, whatever the scores say."""

    together: tuple[tuple[int, int], ...] = ()
    apart: Mapping[int, frozenset[int]] = field(default_factory=dict)  # in both directions


NO_FORCED_PAIRS = ForcedPairs()


def keep_apart(pairs: Iterable[tuple[int, int]]) -> Mapping[int, frozenset[int]]:
    """For each position in these pairs, the positions that must not be in the same group."""
    others: dict[int, set[int]] = defaultdict(set)
    for one, other in pairs:
        others[one].add(other)
        others[other].add(one)
    return {position: frozenset(found) for position, found in others.items()}


@dataclass(slots=True)
class MentionGroup:
    """Positions of mentions; `spokesmen` are the most informative of them, anchors first."""

    members: list[int]
    spokesmen: list[int]
    anchors: list[int]
    ordered: bool = False  # a person joined its members, so they need not agree


def cluster_mentions(
    edges: Iterable[tuple[float, int, int]],
    importance: Sequence[tuple[float, ...]],
    anchors: frozenset[int],
    score: Score,
    orders: ForcedPairs = NO_FORCED_PAIRS,
) -> list[MentionGroup]:
    """All mentions in groups, ascending by smallest member.

    `edges` are (log odds, one, other), the strongest first; `importance[position]` determines which mentions
    represent a group; `score` gives the log odds of any pair.
    """
    groups = [
        MentionGroup([position], [position], [position] if position in anchors else [])
        for position in range(len(importance))
    ]
    home = list(range(len(importance)))

    def join(small: int, large: int) -> None:
        for position in groups[small].members:
            home[position] = large
        groups[large] = _join(groups[large], groups[small], importance)

    for one, other in orders.together:
        if home[one] != home[other] and not _are_apart(groups[home[one]], groups[home[other]], orders):
            join(home[one], home[other])
            groups[home[one]].ordered = True
    refused: set[tuple[int, int, int, int]] = set()  # two groups and their sizes: who grew may ask again
    for _, one, other in edges:
        if home[one] == home[other]:
            continue
        small, large = sorted((home[one], home[other]), key=lambda idx: (len(groups[idx].members), -idx))
        question = (small, large, len(groups[small].members), len(groups[large].members))
        if question in refused:
            continue
        if _are_apart(groups[small], groups[large], orders) or not _may_join(
            groups[small], groups[large], score
        ):
            refused.add(question)
        else:
            join(small, large)
    found = [groups[idx] for idx in sorted(set(home))]
    for group in found:
        group.members.sort()
    return sorted(found, key=lambda group: group.members[0])


def _are_apart(one: MentionGroup, other: MentionGroup, orders: ForcedPairs) -> bool:
    if not orders.apart:
        return False
    small, large = sorted((one, other), key=lambda group: len(group.members))
    return any(
        not orders.apart[position].isdisjoint(large.members)
        for position in small.members
        if position in orders.apart
    )


def _may_join(one: MentionGroup, other: MentionGroup, score: Score) -> bool:
    if one.anchors and other.anchors:
        return all(score(a, b) >= STRONG for a in one.anchors for b in other.anchors)
    # A paper's own header outweighs what others print about it: references to two editions may
    # contradict each other and still both mean the paper we hold.
    if one.anchors or other.anchors:
        anchors, guests = (one.anchors, other.spokesmen) if one.anchors else (other.anchors, one.spokesmen)
        if _mean(anchors, guests, score) >= STRONG:
            return True
    if one.ordered or other.ordered:
        ordered, guest = (one, other) if one.ordered else (other, one)
        return any(_mean([speaker], guest.spokesmen, score) > 0 for speaker in ordered.spokesmen)
    return _mean(one.spokesmen, other.spokesmen, score) > 0


def _mean(ones: Sequence[int], others: Sequence[int], score: Score) -> float:
    return sum(score(a, b) for a in ones for b in others) / (len(ones) * len(others))


def _join(one: MentionGroup, other: MentionGroup, importance: Sequence[tuple[float, ...]]) -> MentionGroup:
    speakers = sorted(one.spokesmen + other.spokesmen, key=lambda position: (importance[position], -position))
    return MentionGroup(
        members=one.members + other.members,
        spokesmen=speakers[::-1][:N_SPOKESMEN],
        anchors=one.anchors + other.anchors,
        ordered=one.ordered or other.ordered,
    )


@dataclass(frozen=True, slots=True)
class Cluster:
    """Records of one paper, and the probability that each belongs."""

    records: tuple[Record, ...]
    confidences: tuple[float, ...]
    identity: Identity


def find_decided_records(verdicts: Iterable[Verdict]) -> frozenset[RecordId]:
    """The records that a person has decided about."""
    return frozenset(name for verdict in verdicts for name in (verdict.one, verdict.other))


def read_mention(record: Record, roles: Roles, named: frozenset[RecordId]) -> Mention:
    """The record in comparable form; a record that a person has decided about shares its mention with no
    other.
    """
    mention = parse_own_mention(record, roles)
    return replace(mention, named=record.id) if record.id in named else mention


def make_clusters(
    mentions: Sequence[Mention],
    records: Mapping[Mention, Sequence[Record]],
    edges: Sequence[Edge],
    verdicts: Sequence[Verdict],
    known: GroupScores | None = None,
) -> list[Cluster]:
    """The records of these mentions in clusters; with `known`, those of groups that were made by words.

    The mentions must be in the order of `ReferenceLine.order`, and `edges` must be all edges between them,
    the strongest first. No edge and no decision to merge may lead to other mentions: then the clusters are
    the same as among all mentions of the portal.
    """
    score = known or PairScores(mentions, edges)
    told = [records[mention] for mention in mentions]
    importance = [_importance(mention, len(of_it)) for mention, of_it in zip(mentions, told, strict=True)]
    anchors = frozenset(idx for idx, mention in enumerate(mentions) if mention.anchor)
    works = cluster_mentions(edges, importance, anchors, score, _orders(mentions, told, verdicts))
    groups = [
        part for work in works for part in ([work] if known else _parted(work, mentions, told, importance))
    ]
    score.learn(
        (position, other)
        for group in groups
        for position in group.members
        for other in (*group.spokesmen, *group.anchors)
        if other != position
    )
    return [_cluster(group, mentions, told, score) for group in groups]


def make_singleton(mention: Mention, record: Record) -> Cluster:
    """The cluster of a record with too little data to join another."""
    identity = make_identity([(mention, 1)], [record.id], held=bool(mention.anchor))
    return Cluster((record,), (1.0,), identity)


def _orders(
    mentions: Sequence[Mention], told: Sequence[Sequence[Record]], verdicts: Sequence[Verdict]
) -> ForcedPairs:
    """Positions that must be together or apart: a person's decisions, and a paper apart from its own
    references. Decisions about records that no longer exist are ignored.
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
    return ForcedPairs(tuple(together), keep_apart(apart))


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
    work: MentionGroup,
    mentions: Sequence[Mention],
    told: Sequence[Sequence[Record]],
    importance: Sequence[tuple[float, ...]],
) -> list[MentionGroup]:
    """A work that is only cited, and that nobody merged by hand, split into its thesis, report, book and
    article.

    If the portal holds the work, everyone who cites it in any form means the document that is held.
    """
    if work.anchors or work.ordered or len({mentions[idx].form for idx in work.members} - {""}) < 2:
        return [work]
    spoken = [idx for idx in work.members for _ in told[idx]]
    numbers = dict(zip(spoken, split_by_form([mentions[idx] for idx in spoken]), strict=True))
    parts: dict[int, list[int]] = defaultdict(list)
    for idx in work.members:
        parts[numbers[idx]].append(idx)
    return [
        MentionGroup(
            members, sorted(members, key=lambda idx: (importance[idx], -idx))[::-1][:N_SPOKESMEN], []
        )
        for members in parts.values()
    ]


def _cluster(
    group: MentionGroup, mentions: Sequence[Mention], told: Sequence[Sequence[Record]], score: Score
) -> Cluster:
    if len(group.members) == len(told[group.members[0]]) == 1:  # as are three of four
        return make_singleton(mentions[group.members[0]], told[group.members[0]][0])
    pairs: list[tuple[Record, float]] = []
    for position in group.members:
        confidence = _confidence(position, group, score)
        pairs += [(record, confidence) for record in told[position]]
    pairs.sort(key=lambda pair: pair[0].id)
    identity = make_identity(
        [(mentions[position], len(told[position])) for position in group.members],
        [record.id for record, _ in pairs],
        held=bool(group.anchors),
    )
    return Cluster(
        tuple([record for record, _ in pairs]), tuple([confidence for _, confidence in pairs]), identity
    )


def _confidence(position: int, group: MentionGroup, score: Score) -> float:
    """The probability that the mention belongs, judged by the paper's own header or by the rest of the
    group.
    """
    others = [score(position, other) for other in group.spokesmen if other != position]
    evidence = [sum(others) / len(others)] if others else []
    evidence += [score(position, anchor) for anchor in group.anchors if anchor != position]
    return round(to_probability(max(evidence)), 6) if evidence else 1.0


def _importance(mention: Mention, n_records: int) -> tuple[float, ...]:
    """Anchors come first, then what most records agree on, then the mentions with most data."""
    return float(bool(mention.anchor)), float(n_records), float(mention.n_filled)
