"""Learned data about links: ranks, families, and the paths that led to them."""

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from struct import unpack

from sqlalchemy import Connection, Engine, and_, bindparam, delete, insert, select, update

from portico.store.bulk import execute_many, execute_tuples, prepare_reader, select_in
from portico.store.database import upsert, writing
from portico.store.schema import family, kinship, link, prefix
from portico.types.frontier import FamilyRecord, LearnedRanks, LinkState, Rank, RankedLink
from portico.types.page import Link, Url

MAX_PASSED = 1000
"""Maximum number of links of one family examined at a time, because most of them may not be waiting
anymore."""


@dataclass(frozen=True, slots=True)
class LinkRanks:
    """Implements `portico.crawl.frontier.Ranks`; every query reads a bounded part of an index."""

    engine: Engine

    def unknown(self, urls: Collection[Url]) -> set[Url]:
        with self.engine.connect() as connection:
            return set(urls).difference(row[0] for row in select_in(connection, _URLS, link.c.url, urls))

    def ranks(self, ids: Collection[int]) -> dict[int, Rank]:
        with self.engine.connect() as connection:
            return {
                id_: Rank(odds, _unpacked(families))
                for id_, odds, families in select_in(connection, _RANKS, link.c.id, ids)
            }

    def records(self, families: Collection[int]) -> dict[int, FamilyRecord]:
        with self.engine.connect() as connection:
            return {
                id_: FamilyRecord(observed, foreseen, applied)
                for id_, observed, foreseen, applied in select_in(connection, _RECORDS, family.c.id, families)
            }

    def similar_links(self, families: Collection[int], *, limit: int) -> list[RankedLink]:
        """Waiting links of the family; links found here that no longer wait are removed from it.

        Removing each link from all seven families as soon as it is settled would take a twentieth of a
        crawl's time, and most families are never queried again.
        """
        found: dict[int, RankedLink] = {}
        gone: list[tuple[int, float, int]] = []
        with self.engine.connect() as connection:
            read = prepare_reader(connection, _KIN, ("of_family", "wanted", "passed"))
            for each in families:
                n_waiting, n_passed = 0, 0
                while n_waiting < limit and n_passed < MAX_PASSED:
                    rows = read(each, limit, n_passed)
                    waiting = [row for row in rows if row[5] == LinkState.QUEUED][: limit - n_waiting]
                    found.update((row[0], _ranked(*row[:5])) for row in waiting if row[0] not in found)
                    gone += [(each, row[3], row[0]) for row in rows if row[5] != LinkState.QUEUED]
                    n_waiting, n_passed = n_waiting + len(waiting), n_passed + len(rows)
                    if len(rows) < limit:
                        break
        if gone:
            with writing(self.engine) as connection:
                execute_tuples(connection, _LEAVE, ("of_family", "of_odds", "of_link"), gone)
        return list(found.values())

    def head(self, host: str, *, limit: int) -> list[RankedLink]:
        with self.engine.connect() as connection:
            return [_ranked(*row) for row in connection.execute(_HEAD, {"of_host": host, "wanted": limit})]

    def unranked(self, *, after: int, limit: int) -> list[tuple[int, int, Link]]:
        with self.engine.connect() as connection:
            rows = connection.execute(_UNRANKED, {"after": after, "wanted": limit}).all()
        return [(row.id, row.depth, Link(row.url, row.via, row.anchor, row.context)) for row in rows]

    def adopt(self, links: Sequence[tuple[int, float, Rank]]) -> None:
        with writing(self.engine) as connection:
            rows = [
                {
                    "of_id": id_,
                    "new_priority": priority,
                    "new_odds": rank.odds,
                    "new_families": pack_families(rank.families),
                }
                for id_, priority, rank in links
            ]
            execute_many(connection, _RANK, rows)
            add_kin(connection, [(id_, rank) for id_, _, rank in links])

    def forget(self) -> None:
        with writing(self.engine) as connection:
            ranked = and_(link.c.state == LinkState.QUEUED, link.c.odds.is_not(None))
            connection.execute(update(link).where(ranked).values(priority=0.0, odds=None, families=None))
            connection.execute(delete(kinship))


def pack_families(families: Iterable[int]) -> bytes:
    """Ids of families as stored in a column."""
    return array("q", families).tobytes()


def add_kin(connection: Connection, ranks: Iterable[tuple[int, Rank]]) -> None:
    """Add links to their families."""
    rows = [(each, rank.odds, id_) for id_, rank in ranks for each in rank.families]
    execute_tuples(connection, _ADD_KIN, ("family", "odds", "link"), rows)


def keep_lesson(connection: Connection, lesson: LearnedRanks) -> None:
    """Store updated records, and move links to their new places."""
    records = lesson.records if connection.dialect.name == "sqlite" else _merge_records(connection, lesson)
    upsert(connection, family, _record_rows(records))
    moves = [{"of_id": each.id, "new_priority": each.priority} for each in lesson.moved]
    execute_many(connection, _MOVE, moves)
    keep_prefixes(connection, lesson.prefixes)


def _merge_records(connection: Connection, lesson: LearnedRanks) -> dict[int, FamilyRecord]:
    """What was learned, added to what other crawlers have learned since the records were read."""
    rows = select_in(connection, _RECORDS, family.c.id, lesson.records)
    current = {id_: FamilyRecord(*record) for id_, *record in rows}
    nothing = FamilyRecord()
    merged: dict[int, FamilyRecord] = {}
    for id_, new in lesson.records.items():
        read, now = lesson.read.get(id_, nothing), current.get(id_, nothing)
        merged[id_] = new if now == read else _add(now, new, read)
    return merged


def _add(now: FamilyRecord, new: FamilyRecord, read: FamilyRecord) -> FamilyRecord:
    observed, foreseen = new.observed - read.observed, new.foreseen - read.foreseen
    return FamilyRecord(now.observed + observed, now.foreseen + foreseen, new.applied)


_URLS = select(link.c.url)
_RANKS = select(link.c.id, link.c.odds, link.c.families).where(link.c.odds.is_not(None))
_RECORDS = select(family.c.id, family.c.observed, family.c.foreseen, family.c.applied)
_ADD_KIN = insert(kinship)
_waiting = select(link.c.id, link.c.host, link.c.priority, link.c.odds, link.c.families)
_KIN = (
    _waiting.add_columns(link.c.state)
    .join(kinship, kinship.c.link == link.c.id)
    .where(kinship.c.family == bindparam("of_family"))
    .order_by(kinship.c.odds.desc(), kinship.c.link.desc())
    .limit(bindparam("wanted"))
    .offset(bindparam("passed"))
)
_HEAD = (
    _waiting.where(
        link.c.state == LinkState.QUEUED, link.c.host == bindparam("of_host"), link.c.odds.is_not(None)
    )
    .order_by(link.c.priority.desc())
    .limit(bindparam("wanted"))
)
_UNRANKED = (
    select(link.c.id, link.c.depth, link.c.url, link.c.via, link.c.anchor, link.c.context)
    .where(
        link.c.id > bindparam("after"),
        link.c.state == LinkState.QUEUED,
        link.c.odds.is_(None),
        link.c.via.is_not(None),
    )
    .order_by(link.c.id)
    .limit(bindparam("wanted"))
)
_RANK = (
    update(link)
    .where(link.c.id == bindparam("of_id"))
    .values(
        priority=bindparam("new_priority"), odds=bindparam("new_odds"), families=bindparam("new_families")
    )
)
_MOVE = (
    update(link)
    .where(link.c.id == bindparam("of_id"), link.c.state == LinkState.QUEUED)
    .values(priority=bindparam("new_priority"))
)
_LEAVE = delete(kinship).where(
    kinship.c.family == bindparam("of_family"),
    kinship.c.odds == bindparam("of_odds"),
    kinship.c.link == bindparam("of_link"),
)


def _record_rows(records: Mapping[int, FamilyRecord]) -> Iterable[dict[str, object]]:
    for id_, record in records.items():
        yield {
            "id": id_,
            "observed": record.observed,
            "foreseen": record.foreseen,
            "applied": record.applied,
        }


def _ranked(id_: int, host: str, priority: float, odds: float, families: bytes) -> RankedLink:
    return RankedLink(id_, host, priority, Rank(odds, _unpacked(families)))


def _unpacked(families: bytes) -> tuple[int, ...]:
    return unpack(f"={len(families) // 8}q", families)


@dataclass(frozen=True, slots=True)
class LinkPrefixes:
    """Implements `portico.crawl.frontier.Prefixes`."""

    engine: Engine

    def of(self, urls: Collection[Url]) -> dict[Url, tuple[float, ...]]:
        with self.engine.connect() as connection:
            return {
                url: _unpack_chances(chances)
                for url, chances in select_in(connection, _PREFIXES, prefix.c.url, urls)
            }

    def promised(self, urls: Collection[Url]) -> dict[Url, tuple[int, str, float]]:
        with self.engine.connect() as connection:
            rows = list(select_in(connection, _PROMISES, link.c.url, urls))
        return {url: (id_, host, priority) for url, id_, host, priority in rows}

    def forget(self) -> None:
        """Forget all prefixes, because another model uses other labels."""
        with writing(self.engine) as connection:
            connection.execute(delete(prefix))


def keep_prefixes(connection: Connection, prefixes: Mapping[Url, tuple[float, ...]]) -> None:
    """Write how links were reached, in the caller's transaction."""
    rows = [{"url": url, "chances": array("d", chances).tobytes()} for url, chances in prefixes.items()]
    upsert(connection, prefix, rows)


_PREFIXES = select(prefix.c.url, prefix.c.chances)
_PROMISES = select(link.c.url, link.c.id, link.c.host, link.c.priority).where(
    link.c.state == LinkState.QUEUED
)


def _unpack_chances(chances: bytes) -> tuple[float, ...]:
    numbers = array("d")
    numbers.frombytes(chances)
    return tuple(numbers)
