"""Index entries of things of declared kinds: their own values, and those of what they are part of."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from portico.index.writer import fingerprint_entry as entry_fingerprint
from portico.match.comparing_things import parse_person
from portico.pipeline.runners import fingerprint
from portico.store.opening import Store
from portico.text.words import split_tokens
from portico.types.declared_display import heading, kind_named, searched_fields
from portico.types.document import DocumentId
from portico.types.domain import SITE, Form, Kind
from portico.types.record import Entity, EntityId
from portico.types.search import Entry, SearchedField

_AT_ONCE = 500  # entities whose pages are looked up in one query

Places = Mapping[DocumentId, tuple[float, tuple[str, ...]]]
"""The most probable topic of each document, and how probable it is."""

Values = dict[str, tuple[str, ...]]

MOST_PARTS = 2_000
"""Maximum number of parts updated together with their whole; the next build updates the rest."""


@dataclass(frozen=True, slots=True)
class ThingEntries:
    """Index entries of things. They contain no long texts, so the digest is made from the entry itself."""

    store: Store
    kinds: Sequence[Kind]
    places: Places
    names: Collection[EntityId] | None = None  # None for all

    @classmethod
    def of_all(cls, store: Store, kinds: Sequence[Kind]) -> Self:
        places: dict[DocumentId, tuple[float, tuple[str, ...]]] = {}
        for assignment in store.catalog.topics.assignments():  # the most probable first
            places.setdefault(assignment.document, (assignment.probability, assignment.path))
        return cls(store, kinds, places)

    @classmethod
    def of(cls, store: Store, kinds: Sequence[Kind], names: Collection[EntityId]) -> Self:
        """Entries of these things and of their parts, which can be found by the name of their whole."""
        wanted = {
            *names,
            *(part for name in names for part in store.catalog.things.parts(name, limit=MOST_PARTS)),
        }
        known = store.view.entities.many(wanted)
        places = store.contributions.corrections.places(
            [name for each in known.values() for name in each.documents]
        )
        return cls(store, kinds, places, known.keys())

    @property
    def declared(self) -> Sequence[SearchedField]:
        return searched_fields(self.kinds)

    def digests(self) -> dict[EntityId, str]:
        return {entry.entity: digest for entry, digest in self.all()}

    def all(self) -> Iterator[tuple[Entry, str]]:
        # Other declared fields need another index, so every entry counts as new.
        fields = repr(self.declared)
        for entry in thing_entries(self.store, self.kinds, self.places, self.names):
            yield entry, fingerprint(fields, entry_fingerprint(entry))

    def entries(self, wanted: Iterable[EntityId]) -> Iterator[Entry]:
        return thing_entries(self.store, self.kinds, self.places, frozenset(wanted))


def thing_entries(
    store: Store, kinds: Sequence[Kind], places: Places, wanted: Collection[EntityId] | None = None
) -> Iterator[Entry]:
    """Entries of all things, or of the wanted ones, in order of id."""
    writer = _Writer(store, kinds, places)
    batch: list[Entity] = []
    for entity in store.catalog.entities.all():
        if wanted is None or entity.id in wanted:
            batch.append(entity)
        if len(batch) == _AT_ONCE:
            yield from writer.entries(batch)
            batch = []
    yield from writer.entries(batch)


@dataclass(slots=True)
class _Writer:
    store: Store
    kinds: Sequence[Kind]
    places: Places
    wholes: Mapping[EntityId, EntityId] = field(init=False)
    known: dict[EntityId, tuple[str, Values]] = field(init=False)  # of things that have parts
    spelled: Mapping[str, Mapping[str, str]] = field(init=False)

    def __post_init__(self) -> None:
        self.wholes = {each.part: each.whole for each in self.store.catalog.things.belongings()}
        parents = frozenset(self.wholes.values())
        spellings: dict[str, Counter[str]] = defaultdict(Counter)
        self.known = {}
        for entity in self.store.catalog.entities.all():
            values = self._own(entity)
            for name, found in values.items():
                spellings[name].update(found)
            if entity.id in parents:
                self.known[entity.id] = heading(entity, kind_named(self.kinds, entity.kind)), values
        self.spelled = {name: _commonest(counts) for name, counts in spellings.items()}

    def entries(self, entities: Sequence[Entity]) -> Iterator[Entry]:
        found_at = self.store.view.found_at(entities)
        for entity in entities:
            yield self._entry(entity, found_at.get(entity.id, 0.0))

    def _entry(self, entity: Entity, found_at: float) -> Entry:
        kind = kind_named(self.kinds, entity.kind)
        values = self._inherited(entity, kind) | self._own(entity)
        places = [self.places[document] for document in entity.documents if document in self.places]
        topic = min(places, key=lambda place: (-place[0], place[1]), default=(0.0, ()))[1]
        title = heading(entity, kind)
        return Entry(
            entity=entity.id,
            title=title,
            abstract="\n".join(read.value for read in entity.fields if read.name not in values),
            topics=(topic,) if topic else (),
            kind=entity.kind,
            values=tuple((name, self._spelled(name, found)) for name, found in values.items()),
            sorted_by=_sorted_by(title, entity, kind),
            found_at=found_at,
        )

    def _own(self, entity: Entity) -> Values:
        """The values of the fields by which a thing can be searched."""
        kind = kind_named(self.kinds, entity.kind)
        names = [declared.name for declared in searched_fields([kind])] if kind else [SITE]
        values = {name: tuple(read.value for read in entity.all(name)) for name in names}
        return {name: found for name, found in values.items() if found}

    def _inherited(self, entity: Entity, kind: Kind | None) -> Values:
        """What a part inherits from its whole: its name, and the best value of each field that parts lack.

        Only the best, because people who work for an organization with branches in six towns need not work in
        all of them.
        """
        whole = self.known.get(self.wholes.get(entity.id, EntityId("")))
        if whole is None or kind is None:
            return {}
        title, values = whole
        own = {shown.field for shown in kind.display.fields} if kind.display else set()
        lent = {name: found[:1] for name, found in values.items() if name not in own}
        return lent | {kind.parent: (title,)}

    def _spelled(self, name: str, values: tuple[str, ...]) -> tuple[str, ...]:
        """The most frequent spelling of each value, so that "TREASURER" and "Treasurer" count as one."""
        return tuple(self.spelled.get(name, {}).get(_folded(value), value) for value in values)


def _commonest(counts: Counter[str]) -> dict[str, str]:
    spelled: dict[str, str] = {}
    for value, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0].isupper(), item[0])):
        spelled.setdefault(_folded(value), value.strip("()[]{} .,;:-–|") or value)
    return spelled


def _folded(value: str) -> str:
    return " ".join(split_tokens(value)) or value


def _sorted_by(title: str, entity: Entity, kind: Kind | None) -> str:
    """The sort key of a thing: surname first for people, otherwise empty."""
    shown = kind.display.shown(kind.display.title) if kind is not None and kind.display is not None else None
    if shown is None or shown.form is not Form.NAME or shown.field == SITE:
        return ""
    name = parse_person(title)
    return f"{name.surname} {' '.join(name.given)}"
