"""Merges records of declared kinds into things, and determines which things are part of others.

Records are grouped by their identifying values, the most complete first. A record joins a group only if it
agrees with all of it: "J. Smith" joins John or Jane Smith of the same site, but neither if there are both.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from portico.match.comparing_things import (
    ComparableRecord,
    agree,
    get_field_form,
    make_comparable,
    parse_person,
    read_comparable,
    spell_value,
)
from portico.match.entity_ids import digest_letters
from portico.text.names import are_same_person
from portico.types.correction import Verdict
from portico.types.document import DocumentId, Span
from portico.types.domain import SITE, Form, Kind
from portico.types.record import Entity, EntityId, Field, PartOf, Record, RecordId

MOST_VALUES = 6
"""Maximum number of values kept of a field that may have several; further ones are less frequent."""

_NOWHERE = Span(0, 0)  # a site is not a passage of a document


@dataclass(slots=True)
class _Value:
    """One value, in all its spellings, and every place where it was read."""

    readings: list[tuple[Field, Record]] = field(default_factory=list)

    @property
    def support(self) -> float:
        """The sum over documents of the most certain reading in each: agreement of a whole site outweighs
        one page.
        """
        surest: dict[DocumentId, float] = {}
        for read, record in self.readings:
            surest[record.document] = max(read.confidence, surest.get(record.document, 0.0))
        return round(sum(surest.values()), 6)

    def best(self) -> tuple[Field, Record]:
        """The most certain reading of the most frequent spelling; of equals the plain and short, then the
        first.
        """
        spellings: dict[str, float] = defaultdict(float)
        for read, _ in self.readings:
            spellings[read.value] += read.confidence
        return min(
            self.readings,
            key=lambda pair: (
                -round(spellings[pair[0].value], 6), "," in pair[0].value, len(pair[0].value),
                -pair[0].confidence, pair[1].id, pair[0].span,
            ),
        )  # fmt: skip


def merge_thing(
    name: EntityId,
    records: Sequence[Record],
    kind: Kind,
    sites: Iterable[str] = (),
    documents: Sequence[DocumentId] = (),
) -> Entity:
    """The thing described by these records of a kind; `origins` names the record of every field, in order.

    A thing without any record has only its site, and the documents through which it is known.
    """
    kept = [pair for name_ in _names(records, kind) for pair in _kept(name_, records, kind)]
    places = [Field(SITE, site, _NOWHERE, 1.0) for site in sites]
    chosen = choose_thing_record(records).id if records else RecordId(f"{documents[0]}#{kind.name}")
    return Entity(
        id=name,
        kind=kind.name,
        records=tuple(record.id for record in records),
        documents=tuple(documents) or tuple(sorted({record.document for record in records})),
        fields=(*(read for read, _ in kept), *places),
        chosen=chosen,
        origins=tuple((read.name, record.id) for read, record in kept),
    )


def choose_thing_record(records: Sequence[Record]) -> Record:
    """The most complete and certain record."""
    return min(records, key=lambda record: (-_completeness(record), record.id))


def _names(records: Sequence[Record], kind: Kind) -> list[str]:
    """Fields in the order in which the kind declares them, then any others in order of appearance."""
    declared = dict.fromkeys(rule.field for rule in kind.rules)
    return list(declared | dict.fromkeys(read.name for record in records for read in record.fields))


def _kept(name: str, records: Sequence[Record], kind: Kind) -> list[tuple[Field, Record]]:
    """The values that the thing has for this field, the best supported first."""
    form = get_field_form(kind, name)
    values: dict[str, _Value] = defaultdict(_Value)
    for record in records:
        for read in record.all(name):
            values[spell_value(make_comparable(read.value, form)) or read.value].readings.append(
                (read, record)
            )
    ordered = sorted(values, key=lambda key: (_rank(key, values[key], form), key))
    kept: list[str] = []
    for key in ordered[:1] if _is_one(name, kind) else ordered:
        if not any(_says(better, key, values, form) for better in kept):
            kept.append(key)
    return [values[key].best() for key in kept[:MOST_VALUES]]


def _rank(key: str, value: _Value, form: Form) -> tuple[float, float]:
    """Of names the fullest is best; of everything else the value read most often and with most certainty."""
    if form is Form.NAME:
        return -float(len(key)), -value.support
    return -value.support, -float(len(key))


def _is_one(name: str, kind: Kind) -> bool:
    """Whether a thing has only one such value: identifying values, its heading, and fields that occur
    once per record.
    """
    heads = kind.display is not None and kind.display.title == name
    return heads or name in kind.identity or any(rule.once for rule in kind.rules if rule.field == name)


def _says(better: str, key: str, values: Mapping[str, _Value], form: Form) -> bool:
    """Whether a better value includes this one, as "Managing Director" includes "Director"."""
    if form is Form.NAME:
        one, other = (parse_person(values[each].readings[0][0].value) for each in (better, key))
        return are_same_person(one, other)
    return f" {key} " in f" {better} "


def _completeness(record: Record) -> float:
    best: dict[str, float] = {}
    for read in record.fields:
        best[read.name] = max(read.confidence, best.get(read.name, 0.0))
    return round(sum(best.values()), 6)


Sites = Mapping[DocumentId, str]
"""The host on which each document was found."""


@dataclass(frozen=True, slots=True)
class MergedThings:
    """The result: things ascending by id, and which thing each part belongs to."""

    entities: tuple[Entity, ...]
    belongings: tuple[PartOf, ...]


def merge_things(
    records: Iterable[Record], kinds: Sequence[Kind], sites: Sites, verdicts: Sequence[Verdict] = ()
) -> MergedThings:
    """The things described by the records of these kinds; the order of the records does not matter.

    A kind identified by its site alone has a thing for every site that something is part of, even if no
    record describes it.
    """
    by_kind: dict[str, list[Record]] = defaultdict(list)
    for record in sorted(records, key=lambda record: record.id):
        by_kind[record.kind].append(record)
    found: dict[str, list[_Found]] = {
        kind.name: [*_things(by_kind[kind.name], kind, sites, verdicts)] for kind in kinds
    }
    for kind in kinds:
        whole = next((other for other in kinds if other.name == kind.parent), None)
        if whole is not None and whole.identity == (SITE,):
            found[whole.name] += _silent(found[kind.name], found[whole.name], whole)
    belongings = [
        belonging
        for kind in kinds
        if kind.parent in found
        for belonging in _belongings(found[kind.name], found[kind.parent])
    ]
    entities = [each.entity for things in found.values() for each in things]
    return MergedThings(
        tuple(sorted(entities, key=lambda entity: entity.id)),
        tuple(sorted(belongings, key=lambda belonging: belonging.part)),
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """A thing, and the sites its records were read from."""

    entity: Entity
    sites: tuple[str, ...]  # the one with the most records first


@dataclass(slots=True)
class _Group:
    """Records of one thing."""

    members: list[ComparableRecord]
    records: list[Record]
    ordered: bool = False  # a person joined them, so they need not agree

    def takes(self, told: ComparableRecord) -> bool:
        wanted = any if self.ordered else all
        return wanted(agree(told, member) for member in self.members)


@dataclass(slots=True)
class _Groups:
    """The groups so far, indexed by what their members share with others."""

    apart: frozenset[tuple[RecordId, RecordId]]
    all: list[_Group] = field(default_factory=list)
    by_block: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))

    def add(self, told: ComparableRecord, records: Sequence[Record]) -> None:
        """Add to the group with the same values, or the one that accepts it; if several do, to a group of
        its own.
        """
        near = self.by_block[told.block]
        homes = [idx for idx in near if self.all[idx].takes(told) and not self._parted(idx, records)]
        same = [idx for idx in homes if any(each.key == told.key for each in self.all[idx].members)]
        if same or len(homes) == 1:
            self._put((same or homes)[0], told, records)
        else:
            self.all.append(_Group([], []))
            self._put(len(self.all) - 1, told, records)

    def join(self, told: Sequence[tuple[ComparableRecord, Sequence[Record]]]) -> None:
        """Put these in one group, whatever they contain."""
        self.all.append(_Group([], [], ordered=True))
        for each, records in told:
            self._put(len(self.all) - 1, each, records)

    def _put(self, idx: int, told: ComparableRecord, records: Sequence[Record]) -> None:
        self.all[idx].members.append(told)
        self.all[idx].records += records
        if idx not in self.by_block[told.block]:
            self.by_block[told.block].append(idx)

    def _parted(self, idx: int, records: Sequence[Record]) -> bool:
        return bool(self.apart) and any(
            (one.id, other.id) in self.apart for one in records for other in self.all[idx].records
        )


def _things(
    records: Sequence[Record], kind: Kind, sites: Sites, verdicts: Sequence[Verdict]
) -> Iterator[_Found]:
    named = {name for verdict in verdicts for name in (verdict.one, verdict.other)}
    told: dict[ComparableRecord, list[Record]] = defaultdict(list)
    for record in records:
        site = sites.get(record.document, "")
        told[read_comparable(record, kind, site, named=record.id in named)].append(record)
    groups = _grouped(told, verdicts)
    taken: set[str] = set()
    for group in sorted(groups, key=lambda group: (_fullest(group).key, group.records[0].id)):
        ordered = sorted(group.records, key=lambda record: record.id)
        hosts = Counter(sites[record.document] for record in ordered if record.document in sites)
        where = tuple(sorted(hosts, key=lambda host: (-hosts[host], host)))
        name = _name(f"{kind.name} {_fullest(group).key}", ordered[0].id, taken)
        yield _Found(merge_thing(name, ordered, kind, where[:1]), where)


def _grouped(told: Mapping[ComparableRecord, list[Record]], verdicts: Sequence[Verdict]) -> list[_Group]:
    apart = [(verdict.one, verdict.other) for verdict in verdicts if not verdict.same]
    groups = _Groups(frozenset([*apart, *((other, one) for one, other in apart)]))
    joined = _joined(told, verdicts)
    for together in joined:
        groups.join([(each, told[each]) for each in together])
    by_hand = {each for together in joined for each in together}
    rest = [each for each in told if each not in by_hand]
    for each in sorted(rest, key=lambda each: _order(each, len(told[each]))):
        groups.add(each, told[each])
    return groups.all


def _joined(
    told: Mapping[ComparableRecord, list[Record]], verdicts: Sequence[Verdict]
) -> list[list[ComparableRecord]]:
    """Records that decisions merge, each in one list only, in a fixed order."""
    home = {record.id: each for each, records in told.items() for record in records}
    lists: dict[ComparableRecord, list[ComparableRecord]] = {}
    for verdict in sorted(verdicts, key=lambda verdict: (verdict.one, verdict.other)):
        one, other = home.get(verdict.one), home.get(verdict.other)
        if not verdict.same or one is None or other is None:
            continue
        together = lists.get(one, [one])
        together += [each for each in lists.get(other, [other]) if each not in together]
        lists.update(dict.fromkeys(together, together))
    return [list(unique) for unique in {id(each): each for each in lists.values()}.values()]


def _order(told: ComparableRecord, n_records: int) -> tuple[int, int, str, str]:
    """The most complete first, then the most frequent, then a fixed order."""
    return -told.fullness, -n_records, told.key, told.record or ""


def _fullest(group: _Group) -> ComparableRecord:
    return min(group.members, key=lambda told: (-told.fullness, told.key))


def _name(key: str, record: RecordId, taken: set[str]) -> EntityId:
    """The id derived from what the thing is called; equal names are distinguished by their first record."""
    name = next(found for text in (key, f"{key} {record}") if (found := digest_letters(text)) not in taken)
    taken.add(name)
    return EntityId(name)


def _silent(parts: Sequence[_Found], known: Sequence[_Found], kind: Kind) -> Iterator[_Found]:
    """Things for sites that have parts but no record of the whole."""
    spoken = {site for each in known for site in each.sites}
    pages: dict[str, set[DocumentId]] = defaultdict(set)
    for each in parts:
        for site in each.sites[:1]:
            pages[site] |= {*each.entity.documents}
    for site in sorted(pages.keys() - spoken):
        name = _name(f"{kind.name} {ComparableRecord(site, ()).key}", RecordId(site), set())
        yield _Found(merge_thing(name, (), kind, (site,), sorted(pages[site])), (site,))


def _belongings(parts: Sequence[_Found], wholes: Sequence[_Found]) -> Iterator[PartOf]:
    """Each part with the whole that most of its pages mention, else with that of its site."""
    by_page: dict[DocumentId, list[EntityId]] = defaultdict(list)
    by_site: dict[str, list[EntityId]] = defaultdict(list)
    for each in wholes:
        for document in each.entity.documents:
            by_page[document].append(each.entity.id)
        for site in each.sites[:1]:
            by_site[site].append(each.entity.id)
    for each in parts:
        near = Counter(name for document in each.entity.documents for name in by_page[document])
        near = near or Counter(name for site in each.sites[:1] for name in by_site[site])
        if near:
            yield PartOf(each.entity.id, min(near, key=lambda name: (-near[name], name)))
