"""Records of declared kinds become things: who is who by what the kind says, and what is part of what.

Records are grouped by their identifying values, the fullest first, and a group takes in only what agrees
with all of it: "J. Smith" joins John or Jane Smith of the same site, but where there are both, neither.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from portico.match.alike import Told, agree, told_by
from portico.match.best_values import thing
from portico.match.identity import digest_letters
from portico.types.belonging import Belonging
from portico.types.document import DocumentId
from portico.types.domain import SITE, Kind
from portico.types.record import Entity, EntityId, Record, RecordId
from portico.types.verdict import Verdict

Sites = Mapping[DocumentId, str]
"""The host each document was found at."""


@dataclass(frozen=True, slots=True)
class Gathering:
    """What came of the records: things ascending by id, and what is part of what, by part."""

    entities: tuple[Entity, ...]
    belongings: tuple[Belonging, ...]


def gather(
    records: Iterable[Record], kinds: Sequence[Kind], sites: Sites, verdicts: Sequence[Verdict] = ()
) -> Gathering:
    """The things that the records of these kinds speak of, the same for any order of records.

    A kind that is told apart by its site alone has a thing for every site that something is part of, even
    where no record speaks of it.
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
    return Gathering(
        tuple(sorted(entities, key=lambda entity: entity.id)),
        tuple(sorted(belongings, key=lambda belonging: belonging.part)),
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """A thing, and the sites its records were read from."""

    entity: Entity
    sites: tuple[str, ...]  # the one with most of its records first


@dataclass(slots=True)
class _Group:
    """Tellings of one thing."""

    members: list[Told]
    records: list[Record]
    ordered: bool = False  # somebody joined them by hand, so that they need not agree

    def takes(self, told: Told) -> bool:
        wanted = any if self.ordered else all
        return wanted(agree(told, member) for member in self.members)


@dataclass(slots=True)
class _Groups:
    """The groups so far, found by what their members have in common with others."""

    apart: frozenset[tuple[RecordId, RecordId]]
    all: list[_Group] = field(default_factory=list)
    by_block: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))

    def add(self, told: Told, records: Sequence[Record]) -> None:
        """Into the group that tells the same, or the one that takes it; where several do, into its own."""
        near = self.by_block[told.block]
        homes = [idx for idx in near if self.all[idx].takes(told) and not self._parted(idx, records)]
        same = [idx for idx in homes if any(each.key == told.key for each in self.all[idx].members)]
        if same or len(homes) == 1:
            self._put((same or homes)[0], told, records)
        else:
            self.all.append(_Group([], []))
            self._put(len(self.all) - 1, told, records)

    def join(self, told: Sequence[tuple[Told, Sequence[Record]]]) -> None:
        """These are one, whatever they say."""
        self.all.append(_Group([], [], ordered=True))
        for each, records in told:
            self._put(len(self.all) - 1, each, records)

    def _put(self, idx: int, told: Told, records: Sequence[Record]) -> None:
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
    told: dict[Told, list[Record]] = defaultdict(list)
    for record in records:
        site = sites.get(record.document, "")
        told[told_by(record, kind, site, named=record.id in named)].append(record)
    groups = _grouped(told, verdicts)
    taken: set[str] = set()
    for group in sorted(groups, key=lambda group: (_fullest(group).key, group.records[0].id)):
        ordered = sorted(group.records, key=lambda record: record.id)
        hosts = Counter(sites[record.document] for record in ordered if record.document in sites)
        where = tuple(sorted(hosts, key=lambda host: (-hosts[host], host)))
        name = _name(f"{kind.name} {_fullest(group).key}", ordered[0].id, taken)
        yield _Found(thing(name, ordered, kind, where[:1]), where)


def _grouped(told: Mapping[Told, list[Record]], verdicts: Sequence[Verdict]) -> list[_Group]:
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


def _joined(told: Mapping[Told, list[Record]], verdicts: Sequence[Verdict]) -> list[list[Told]]:
    """Tellings that verdicts put together, each in one list only, in an order that is always the same."""
    home = {record.id: each for each, records in told.items() for record in records}
    lists: dict[Told, list[Told]] = {}
    for verdict in sorted(verdicts, key=lambda verdict: (verdict.one, verdict.other)):
        one, other = home.get(verdict.one), home.get(verdict.other)
        if not verdict.same or one is None or other is None:
            continue
        together = lists.get(one, [one])
        together += [each for each in lists.get(other, [other]) if each not in together]
        lists.update(dict.fromkeys(together, together))
    return [list(unique) for unique in {id(each): each for each in lists.values()}.values()]


def _order(told: Told, n_records: int) -> tuple[int, int, str, str]:
    """What says most comes first, then what many records say, then any order that is always the same."""
    return -told.fullness, -n_records, told.key, told.record or ""


def _fullest(group: _Group) -> Told:
    return min(group.members, key=lambda told: (-told.fullness, told.key))


def _name(key: str, record: RecordId, taken: set[str]) -> EntityId:
    """The id that is made of what the thing is called; who shares that is told apart by its first record."""
    name = next(found for text in (key, f"{key} {record}") if (found := digest_letters(text)) not in taken)
    taken.add(name)
    return EntityId(name)


def _silent(parts: Sequence[_Found], known: Sequence[_Found], kind: Kind) -> Iterator[_Found]:
    """Things of sites that have parts but no record that speaks of the whole."""
    spoken = {site for each in known for site in each.sites}
    pages: dict[str, set[DocumentId]] = defaultdict(set)
    for each in parts:
        for site in each.sites[:1]:
            pages[site] |= {*each.entity.documents}
    for site in sorted(pages.keys() - spoken):
        name = _name(f"{kind.name} {Told(site, ()).key}", RecordId(site), set())
        yield _Found(thing(name, (), kind, (site,), sorted(pages[site])), (site,))


def _belongings(parts: Sequence[_Found], wholes: Sequence[_Found]) -> Iterator[Belonging]:
    """Each part with the whole that most of its pages speak of, else with the one of its site."""
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
            yield Belonging(each.entity.id, min(near, key=lambda name: (-near[name], name)))
