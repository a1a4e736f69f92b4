"""The entities that a change made anew, with the ids that a full matching would give them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from portico.match.grouping import Cluster
from portico.match.identity import bare_identity, entity_ids
from portico.match.mention import Roles
from portico.match.merge import bare_entity, merge
from portico.match.relink import Change, Memory, StartOver, relink
from portico.types.document import DocumentId
from portico.types.identity import Identity
from portico.types.record import Entity, EntityId, RecordId
from portico.types.verdict import Verdict


class Ledger(Memory, Protocol):
    """What is kept of the last matching, names included."""

    def homes(self, records: Iterable[RecordId]) -> set[EntityId]:
        """The entities that these records were put to."""
        ...

    def identities(self, entities: Iterable[EntityId]) -> dict[EntityId, Identity]: ...

    def namesakes(self, keys: Iterable[str]) -> dict[EntityId, Identity]:
        """All entities whose identity has one of these keys."""
        ...

    def entity(self, name: EntityId) -> Entity | None: ...

    def bare(self, documents: Iterable[DocumentId]) -> list[DocumentId]:
        """Those of the documents that have records but none that speaks for them."""
        ...

    def taken(self, names: Iterable[EntityId]) -> set[EntityId]:
        """Those of the names that some entity has."""
        ...


@dataclass(frozen=True, slots=True)
class Patch:
    """What takes the place of the entities that a change touched."""

    before: frozenset[EntityId]  # all of them go, unless they are among the following
    entities: tuple[Entity, ...]  # not ranked
    identities: dict[EntityId, Identity]
    confidences: dict[RecordId, float]  # of the records of these entities, where they may have changed


def patch(ledger: Ledger, change: Change, verdicts: Sequence[Verdict], roles: Roles) -> Patch:
    """Matches what the change touched, and brings the memory up to date.

    Raises `StartOver` where only a full matching will do; the memory is then of no use.
    """
    documents = {DocumentId(name.split("#")[0]) for name in (*change.gone, *(r.id for r in change.come))}
    before = ledger.homes(change.gone)
    before |= set(ledger.namesakes(bare_identity(document).key for document in documents))
    clusters = relink(ledger, change, verdicts, roles)
    before |= ledger.homes(record.id for found in clusters for record in found.records)
    return _named(ledger, clusters, sorted(ledger.bare(documents)), before, roles)


def _named(
    ledger: Ledger,
    clusters: Sequence[Cluster],
    bare: Sequence[DocumentId],
    before: set[EntityId],
    roles: Roles,
) -> Patch:
    fresh = [found.identity for found in clusters] + [bare_identity(document) for document in bare]
    keys = {each.key for each in (*fresh, *ledger.identities(before).values())}
    others = {name: each for name, each in ledger.namesakes(keys).items() if name not in before}
    names = entity_ids([*fresh, *others.values()])
    if ledger.taken(names) - before - others.keys():
        raise StartOver  # another title has the same id by chance; who keeps it is decided among all
    entities = [merge(name, found, roles) for name, found in zip(names, clusters, strict=False)]
    entities += [
        bare_entity(name, document, roles)
        for name, document in zip(names[len(clusters) :], bare, strict=False)
    ]
    renamed = [
        (old, new) for old, new in zip(others, names[len(fresh) :], strict=True) if old != new
    ]  # who shares title and author with something that came or went
    entities += [_under(ledger, old, new) for old, new in renamed]
    identities = dict(zip(names, [*fresh, *others.values()], strict=True))
    return Patch(
        before=frozenset(before | {old for old, _ in renamed}),
        entities=tuple(entities),
        identities={each.id: identities[each.id] for each in entities},
        confidences={
            record.id: confidence
            for found in clusters
            for record, confidence in zip(found.records, found.confidences, strict=True)
        },
    )


def _under(ledger: Ledger, old: EntityId, new: EntityId) -> Entity:
    entity = ledger.entity(old)
    if entity is None:
        raise StartOver  # it was taken out by hand
    return replace(entity, id=new)
