"""An entity as its table keeps it: encoded, with its ranks beside it, which change far more often."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from portico.store.bulk import execute_many
from portico.store.codec import decode, digest, encode
from portico.store.dialect import chunks
from portico.store.schema import entity
from portico.types.record import Entity, EntityId

Ranks = tuple[int, float, float, float]
"""Citations, authority, hub and PageRank."""

RANKS = (entity.c.n_citations, entity.c.authority, entity.c.hub, entity.c.pagerank)
"""The columns of `Ranks`, in that order."""

STORED = (entity.c.value, *RANKS)
"""The columns that `entity_from` reads, in that order."""

_UNRANKED: Ranks = (0, 0.0, 0.0, 0.0)
_YEAR = re.compile(r"\d{4}")
_DATE = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d))?")


def entity_from(row: Any) -> Entity:
    """The entity of a row of `STORED`. Whatever ranks were encoded with it are out of date."""
    value, *ranks = row
    return with_ranks(decode(Entity, value), (ranks[0], ranks[1], ranks[2], ranks[3]))


def entities_by_id(connection: Connection, ids: Iterable[EntityId]) -> dict[EntityId, Entity]:
    """Those of these entities that there are."""
    found: dict[EntityId, Entity] = {}
    for chunk in chunks(ids):
        rows = connection.execute(select(*STORED).where(entity.c.id.in_(chunk)))
        found |= {each.id: each for each in map(entity_from, rows)}
    return found


def entity_row(each: Entity) -> dict[str, object]:
    """An entity as the table keeps it; `digest` tells what is encoded, so a rank alone does not change it."""
    value = encode(with_ranks(each, _UNRANKED))
    return {
        "id": each.id,
        "kind": each.kind,
        "held": bool(each.documents),
        "title": each.value("title") or "",
        "year": _year(each),
        "published": published_on(each),
        **dict(zip((column.name for column in RANKS), ranks_of(each), strict=True)),
        "value": value,
        "digest": digest(value),
    }


def published_on(each: Entity) -> int | None:
    """19990704, or 19990000 where only the year is known: to put papers of one year in order."""
    year = _year(each)
    return None if year is None else 10_000 * year + _day(each, year)


def _year(each: Entity) -> int | None:
    found = _YEAR.search(each.value("year") or "")
    return int(found.group()) if found else None


def _day(each: Entity, year: int) -> int:
    """Month and day as 704, of the latest date of that year; a paper may also say when it was received."""
    dates = (_DATE.fullmatch(field.value) for field in each.all("published"))
    days = (100 * int(date[2]) + int(date[3] or 0) for date in dates if date and int(date[1]) == year)
    return max(days, default=0)


def ranks_of(each: Entity) -> Ranks:
    return each.n_citations, each.authority, each.hub, each.pagerank


def with_ranks(each: Entity, ranks: Ranks) -> Entity:
    n_citations, authority, hub, pagerank = ranks
    return replace(each, n_citations=n_citations, authority=authority, hub=hub, pagerank=pagerank)


def write_ranks(connection: Connection, ranks: Mapping[EntityId, Ranks]) -> None:
    """Make these the ranks of these entities, and touch nothing else of them."""
    names = tuple(f"new_{column.name}" for column in RANKS)
    for chunk in chunks(ranks.items()):
        rows = [{"of_id": name, **dict(zip(names, found, strict=True))} for name, found in chunk]
        execute_many(connection, _RERANK, rows)


_RERANK = (
    update(entity)
    .where(entity.c.id == bindparam("of_id"))
    .values({column: bindparam(f"new_{column.name}") for column in RANKS})
)
