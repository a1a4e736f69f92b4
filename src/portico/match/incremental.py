"""Updates matching after a change, with the same result as matching everything again.

Clusters are decided within connected components of the graph of likely pairs, so it is enough to keep that
graph exact. A new mention is paired with its neighbors under each of its keys, and displaces pairs at the
edge of the window; removing a mention brings others within the window. The components that contain these
pairs are clustered again, and the others stay as they are. The result is the set of entities changed by this,
with the ids that a full matching would give them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from portico.learn.candidate_pairs import to_pairs
from portico.match.blocking import WINDOW, make_keys
from portico.match.clustering import (
    Cluster,
    find_decided_records,
    make_clusters,
    make_singleton,
    read_mention,
)
from portico.match.entity_ids import assign_entity_ids, make_bare_identity
from portico.match.mention import Mention, Roles
from portico.match.merge import make_bare_entity, merge_records
from portico.match.scoring import find_likely_edges
from portico.types.correction import Verdict
from portico.types.document import DocumentId
from portico.types.record import Entity, EntityId, Identity, Record, RecordId

Pair = tuple[int, int]


class ComparisonMemory(Protocol):
    """What is kept from the last matching; numbers of mentions ascend in their `order`."""

    def number(self, order: tuple[str, int]) -> int | None:
        """The number of the mention in this place of the order; None if there is none."""
        ...

    def gap(self, order: tuple[str, int]) -> int | None:
        """A free number for a mention to be inserted; None if there is no room."""
        ...

    def near(self, key: int, mention: int, n: int) -> tuple[list[int], list[int]]:
        """Up to `n` mentions before and after this one under the key, the nearest first."""
        ...

    def n_between(self, key: int, one: int, other: int) -> int: ...

    def records(self, mentions: Iterable[int]) -> dict[int, list[Record]]:
        """The records of each, ascending by id."""
        ...

    def samples(self, mentions: Iterable[int]) -> dict[int, Record]:
        """The first record of each mention, which represents all of them."""
        ...

    def mentions_of(self, records: Iterable[RecordId]) -> dict[RecordId, int]:
        """The mention of each of these records that has one."""
        ...

    def edges(self, mentions: Iterable[int]) -> list[tuple[float, int, int]]:
        """Likely pairs with an end among these, smaller number first."""
        ...

    def add_mention(self, number: int, order: tuple[str, int], keys: Sequence[int]) -> None: ...

    def remove_mention(self, number: int, keys: Sequence[int]) -> None:
        """Remove the mention and all likely pairs with it."""
        ...

    def add_records(self, records: Sequence[tuple[Record, int | None]], *, anchor: str) -> None: ...

    def remove_records(self, records: Iterable[RecordId]) -> None: ...

    def add_edges(self, edges: Iterable[tuple[float, int, int]]) -> None: ...

    def remove_edges(self, pairs: Iterable[Pair]) -> None: ...


@dataclass(frozen=True, slots=True)
class RecordChanges:
    """Records removed and added; a changed record is both."""

    gone: tuple[RecordId, ...] = ()
    come: tuple[Record, ...] = ()
    decided: tuple[RecordId, ...] = ()  # records for which manual decisions have changed


class StartOver(Exception):
    """Raised if a change cannot be applied: everything must be matched and numbered again."""


def recluster_changes(
    memory: ComparisonMemory, change: RecordChanges, verdicts: Sequence[Verdict], roles: Roles
) -> list[Cluster]:
    """All clusters that may have changed, complete; updates the memory."""
    work = _Work(memory, roles, find_decided_records(verdicts))
    work.remove(change.gone)
    alone = work.add(change.come)
    work.settle_pairs()
    work.touched |= set(memory.mentions_of(_joined_to(change, verdicts)).values())
    members = work.connected(verdicts)
    return work.clusters(members, verdicts) + alone


def _joined_to(change: RecordChanges, verdicts: Sequence[Verdict]) -> set[RecordId]:
    """Records whose decisions changed, or whose decisions concern an added or removed record."""
    moved = {*change.gone, *(record.id for record in change.come)}
    pairs = ((verdict.one, verdict.other) for verdict in verdicts)
    return {*change.decided, *(name for pair in pairs if moved.intersection(pair) for name in pair)}


@dataclass(slots=True)
class _Work:
    memory: ComparisonMemory
    roles: Roles
    named: frozenset[RecordId]
    touched: set[int] = field(default_factory=set)
    added: set[int] = field(default_factory=set)
    pushed_apart: set[Pair] = field(default_factory=set)  # pairs that may no longer be candidates
    come_near: set[Pair] = field(default_factory=set)  # pairs that may have become candidates
    known: dict[int, Mention] = field(default_factory=dict)
    keys: dict[int, list[int]] = field(default_factory=dict)  # of mentions whose keys have been looked up

    def remove(self, gone: Sequence[RecordId]) -> None:
        numbers = self.memory.mentions_of(gone)
        self._load(set(numbers.values()))
        self.memory.remove_records(gone)
        left = self.memory.samples(set(numbers.values()))
        for number in sorted(set(numbers.values())):
            mention = self.known.pop(number)
            if number in left:
                self.touched.add(number)
                continue
            self.touched |= {end for _, *ends in self.memory.edges([number]) for end in ends}
            self.memory.remove_mention(number, make_keys(mention))
            for key in make_keys(mention):
                self.come_near |= self._astride(key, number)
            self.touched.discard(number)

    def add(self, come: Sequence[Record]) -> list[Cluster]:
        """Add the records; returns the clusters of those with too little data to be compared."""
        alone: list[Cluster] = []
        homes: list[tuple[Record, int | None]] = []
        for record in come:
            mention = read_mention(record, self.roles, self.named)
            if mention.comparable:
                homes.append((record, self._place(mention)))
            else:
                homes.append((record, None))
                alone.append(make_singleton(mention, record))
        self.memory.add_records(homes, anchor=self.roles.anchor)
        return alone

    def settle_pairs(self) -> None:
        """Update the likely pairs in memory to those that a full comparison would find."""
        fresh = {pair for number in self.added for pair in self._pairs_of(number)}
        kept = {
            (one, other): odds
            for odds, one, other in self.memory.edges({end for pair in self.pushed_apart for end in pair})
        }
        suspects = self.pushed_apart & kept.keys()
        self._load({end for pair in suspects | self.come_near | fresh for end in pair})
        lost = {pair for pair in suspects if not self._are_candidates(pair)}
        fresh |= {pair for pair in self.come_near if self._are_candidates(pair)}
        self.memory.remove_edges(lost)
        edges = self._likely(fresh)
        self.memory.add_edges(edges)
        self.touched |= {end for pair in lost for end in pair}
        self.touched |= {end for _, *ends in edges for end in ends}

    def connected(self, verdicts: Sequence[Verdict]) -> list[int]:
        """All mentions connected to an affected one by likely pairs or decisions, ascending."""
        places = self.memory.mentions_of(self.named)
        joined: dict[int, set[int]] = {}
        for verdict in verdicts:
            if verdict.same and verdict.one in places and verdict.other in places:
                one, other = places[verdict.one], places[verdict.other]
                joined.setdefault(one, set()).add(other)
                joined.setdefault(other, set()).add(one)
        found: set[int] = set()
        border = set(self.touched)
        while border:
            found |= border
            reached = {end for _, *ends in self.memory.edges(border) for end in ends}
            reached |= {end for number in border for end in joined.get(number, ())}
            border = reached - found
        return sorted(found)

    def clusters(self, members: Sequence[int], verdicts: Sequence[Verdict]) -> list[Cluster]:
        records = self.memory.records(members)
        for number in members:
            if number not in self.known:
                self.known[number] = read_mention(records[number][0], self.roles, self.named)
        mentions = [self.known[number] for number in members]
        positions = {number: idx for idx, number in enumerate(members)}
        edges = sorted(
            ((odds, positions[one], positions[other]) for odds, one, other in self.memory.edges(members)),
            key=lambda edge: (-edge[0], edge[1], edge[2]),
        )
        told = {mention: records[number] for mention, number in zip(mentions, members, strict=True)}
        return make_clusters(mentions, told, edges, verdicts)

    def _place(self, mention: Mention) -> int:
        number = self.memory.number(mention.order)
        if number is None:
            number = self.memory.gap(mention.order)
            if number is None:
                raise StartOver
            keys = make_keys(mention)
            for key in keys:
                self.pushed_apart |= self._astride(key, number)
            self.memory.add_mention(number, mention.order, keys)
            self.added.add(number)
            self.known[number] = mention
        self.touched.add(number)
        return number

    def _astride(self, key: int, number: int) -> set[Pair]:
        """Pairs on both sides of this place that are within the window without it, and outside with it."""
        before, behind = self.memory.near(key, number, WINDOW)
        return {
            (one, behind[WINDOW - 1 - idx])
            for idx, one in enumerate(before)
            if WINDOW - 1 - idx < len(behind)
        }

    def _pairs_of(self, number: int) -> Iterable[Pair]:
        for key in self._keys(number):
            before, behind = self.memory.near(key, number, WINDOW)
            yield from ((other, number) for other in before)
            yield from ((number, other) for other in behind)

    def _are_candidates(self, pair: Pair) -> bool:
        if not all(end in self.known for end in pair):
            return False  # one of them is gone by now
        shared = set(self._keys(pair[0])).intersection(self._keys(pair[1]))
        return any(self.memory.n_between(key, *pair) < WINDOW for key in shared)

    def _keys(self, number: int) -> list[int]:
        if number not in self.keys:
            self.keys[number] = make_keys(self.known[number])
        return self.keys[number]

    def _load(self, numbers: Iterable[int]) -> None:
        missing = {number for number in numbers if number not in self.known}
        for number, record in self.memory.samples(missing).items():
            self.known[number] = read_mention(record, self.roles, self.named)

    def _likely(self, pairs: Iterable[Pair]) -> list[tuple[float, int, int]]:
        ordered = sorted(pairs)
        numbers = sorted({end for pair in ordered for end in pair})
        positions = {number: idx for idx, number in enumerate(numbers)}
        rows = to_pairs([(positions[one], positions[other]) for one, other in ordered])
        edges = find_likely_edges([self.known[number] for number in numbers], rows)
        return [(odds, numbers[one], numbers[other]) for odds, one, other in edges]


class MatchMemory(ComparisonMemory, Protocol):
    """What is kept from the last matching, names included."""

    def homes(self, records: Iterable[RecordId]) -> set[EntityId]:
        """The entities to which these records belong."""
        ...

    def identities(self, entities: Iterable[EntityId]) -> dict[EntityId, Identity]: ...

    def namesakes(self, keys: Iterable[str]) -> dict[EntityId, Identity]:
        """All entities whose identity has one of these keys."""
        ...

    def entity(self, name: EntityId) -> Entity | None: ...

    def bare(self, documents: Iterable[DocumentId]) -> list[DocumentId]:
        """Those of the documents that have records but no anchor."""
        ...

    def taken(self, names: Iterable[EntityId]) -> set[EntityId]:
        """Those of the ids that are in use."""
        ...


@dataclass(frozen=True, slots=True)
class MatchPatch:
    """What replaces the entities that a change affected."""

    before: frozenset[EntityId]  # all of them are removed, unless they are in `entities`
    entities: tuple[Entity, ...]  # not ranked
    identities: dict[EntityId, Identity]
    confidences: dict[RecordId, float]  # of the records of these entities, if they may have changed


def patch_matching(
    ledger: MatchMemory, change: RecordChanges, verdicts: Sequence[Verdict], roles: Roles
) -> MatchPatch:
    """Match what the change affects, and update the memory.

    Raises `StartOver` if only a full matching will do; the memory is then invalid.
    """
    documents = {DocumentId(name.split("#")[0]) for name in (*change.gone, *(r.id for r in change.come))}
    before = ledger.homes(change.gone)
    before |= set(ledger.namesakes(make_bare_identity(document).key for document in documents))
    clusters = recluster_changes(ledger, change, verdicts, roles)
    before |= ledger.homes(record.id for found in clusters for record in found.records)
    return _named(ledger, clusters, sorted(ledger.bare(documents)), before, roles)


def _named(
    ledger: MatchMemory,
    clusters: Sequence[Cluster],
    bare: Sequence[DocumentId],
    before: set[EntityId],
    roles: Roles,
) -> MatchPatch:
    fresh = [found.identity for found in clusters] + [make_bare_identity(document) for document in bare]
    keys = {each.key for each in (*fresh, *ledger.identities(before).values())}
    others = {name: each for name, each in ledger.namesakes(keys).items() if name not in before}
    names = assign_entity_ids([*fresh, *others.values()])
    if ledger.taken(names) - before - others.keys():
        raise StartOver  # another title has the same id by chance; who keeps it is decided among all
    entities = [merge_records(name, found, roles) for name, found in zip(names, clusters, strict=False)]
    entities += [
        make_bare_entity(name, document, roles)
        for name, document in zip(names[len(clusters) :], bare, strict=False)
    ]
    renamed = [
        (old, new) for old, new in zip(others, names[len(fresh) :], strict=True) if old != new
    ]  # who shares title and author with something that came or went
    entities += [_under(ledger, old, new) for old, new in renamed]
    identities = dict(zip(names, [*fresh, *others.values()], strict=True))
    return MatchPatch(
        before=frozenset(before | {old for old, _ in renamed}),
        entities=tuple(entities),
        identities={each.id: identities[each.id] for each in entities},
        confidences={
            record.id: confidence
            for found in clusters
            for record, confidence in zip(found.records, found.confidences, strict=True)
        },
    )


def _under(ledger: MatchMemory, old: EntityId, new: EntityId) -> Entity:
    entity = ledger.entity(old)
    if entity is None:
        raise StartOver  # it was taken out by hand
    return replace(entity, id=new)
