"""Authors: their papers, co-authors and name forms."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, Engine, Select, delete, func, select

from portico.store.bulk import select_in
from portico.store.catalog.entities import ORDERS, TIES, list_entities
from portico.store.database import apply_changes, chunks, remove_rows, upsert, writing
from portico.store.schema import author, author_alias, authorship, entity
from portico.text.names import parse_name
from portico.types.record import Author, AuthorId, Entity, EntityId

LAST_LETTER = "\U0010fffd"
"""Sorts after every letter, so a prefix with it appended is an upper bound of everything that begins with the
prefix."""


@dataclass(frozen=True, slots=True)
class ListedAuthor:
    """An author in a list, with the id of their page."""

    id: AuthorId
    name: str
    n_papers: int  # in the portal; in a list of co-authors: written together


@dataclass(frozen=True, slots=True)
class Byline:
    """One name on a paper, as printed, and the author it belongs to."""

    printed: str
    author: AuthorId


class NameOnPaper(NamedTuple):
    """A name on a paper and the author it belongs to."""

    paper: EntityId
    position: int
    author: AuthorId
    printed: str


@dataclass(frozen=True, slots=True)
class AuthorCard:
    """What the portal knows about a person."""

    id: AuthorId
    name: str  # the most complete printed form
    variants: tuple[tuple[str, int], ...]  # all printed forms of the name, the most frequent first
    n_papers: int
    first_year: int | None
    last_year: int | None


@dataclass(frozen=True, slots=True)
class Authors:
    """The authors of the portal. Replaced as a whole after matching; only changed rows are written."""

    engine: Engine

    def replace(self, authors: Sequence[Author]) -> int:
        """Make these the authors; a removed id redirects to the author who now has most of its papers."""
        signed = sorted(
            (found.paper, found.position, each.id, found.name)
            for each in authors
            for found in each.signatures
        )
        names = ("entity", "position", "author", "printed")
        rows = (dict(zip(names, row, strict=True)) for row in signed)
        with writing(self.engine) as connection:
            before = _places(connection)
            apply_changes(connection, author_alias, _aliases(connection, authors, before))
            changes = apply_changes(
                connection, author, map(_author_row, sorted(authors, key=lambda each: each.id))
            )
            apply_changes(connection, authorship, rows)
        return changes.n_written + changes.n_removed

    def list_names(self, surnames: Collection[str]) -> list[NameOnPaper]:
        """Every name on a paper that has one of these surnames (keys of `parse_name`)."""
        columns = (authorship.c.entity, authorship.c.position, authorship.c.author, authorship.c.printed)
        query = select(*columns).join(author, author.c.id == authorship.c.author)
        with self.engine.connect() as connection:
            rows = select_in(connection, query, author.c.surname, surnames)
            return [NameOnPaper(EntityId(row[0]), row[1], AuthorId(row[2]), row[3]) for row in rows]

    def amend(self, authors: Sequence[Author], before: Sequence[NameOnPaper]) -> frozenset[EntityId] | None:
        """Replace the authors of these names; returns the papers whose authors changed.

        None, and nothing is changed, if another author already has the id of a new one.
        """
        old = {row.author for row in before}
        new = {each.id for each in authors}
        signed = {
            (found.paper, found.position, each.id, found.name)
            for each in authors
            for found in each.signatures
        }
        known = {(row.paper, row.position, row.author, row.printed) for row in before}
        with writing(self.engine) as connection:
            if any(select_in(connection, select(author.c.id), author.c.id, new - old)):
                return None
            places: dict[tuple[str, int], AuthorId] = {(row[0], row[1]): row.author for row in before}
            redirects = _aliases(connection, authors, places, among=old | new)
            for chunk in chunks(old | new):
                connection.execute(delete(author_alias).where(author_alias.c.author.in_(chunk)))
                connection.execute(delete(author_alias).where(author_alias.c.old.in_(chunk)))
            upsert(connection, author_alias, redirects)
            remove_rows(connection, author, ((name,) for name in old - new))
            remove_rows(connection, authorship, ((row[0], row[1]) for row in known - signed))
            upsert(connection, author, map(_author_row, authors))
            names = ("entity", "position", "author", "printed")
            upsert(connection, authorship, (dict(zip(names, row, strict=True)) for row in signed - known))
        return frozenset(row[0] for row in known ^ signed)

    def places(self) -> dict[tuple[str, int], AuthorId]:
        """The author of each name on a paper, by paper and position."""
        with self.engine.connect() as connection:
            return _places(connection)

    def by_name(self) -> dict[tuple[EntityId, str], AuthorId]:
        """The author of each name on a paper, by paper and name as printed."""
        columns = (authorship.c.entity, authorship.c.printed, authorship.c.author)
        with self.engine.connect() as connection:
            rows = connection.execute(select(*columns)).all()
        return {(EntityId(paper), printed): AuthorId(name) for paper, printed, name in rows}

    def card(self, name: str) -> AuthorCard | None:
        """The author with this id, or the one it redirects to."""
        with self.engine.connect() as connection:
            became = connection.scalar(select(author_alias.c.author).where(author_alias.c.old == name))
            row = connection.execute(select(author).where(author.c.id == (became or name))).one_or_none()
            if row is None:
                return None
            printed = connection.scalars(select(authorship.c.printed).where(authorship.c.author == row.id))
            variants = Counter(printed)
        ordered = sorted(variants.items(), key=lambda variant: (-variant[1], variant[0]))
        return AuthorCard(
            AuthorId(row.id), row.name, tuple(ordered), row.n_papers, row.first_year, row.last_year
        )

    def papers(
        self, name: AuthorId, *, order: str = "citations", limit: int = 20, offset: int = 0
    ) -> tuple[Entity, ...]:
        query = (
            select(entity.c.id)
            .join(authorship, authorship.c.entity == entity.c.id)
            .where(authorship.c.author == name)
            .order_by(ORDERS[order], *TIES)
        )
        return list_entities(self.engine, query.limit(limit).offset(offset))

    def coauthors(self, name: AuthorId, *, limit: int = 20) -> tuple[ListedAuthor, ...]:
        """Co-authors of this author, those with most common papers first."""
        mine, theirs = authorship.alias("mine"), authorship.alias("theirs")
        together = func.count(theirs.c.entity.distinct())
        query = (
            select(author.c.id, author.c.name, together)
            .join(theirs, theirs.c.author == author.c.id)
            .join(mine, mine.c.entity == theirs.c.entity)
            .where(mine.c.author == name, theirs.c.author != name)
            .group_by(author.c.id, author.c.name)
            .order_by(together.desc(), author.c.name, author.c.id)
        )
        return self._people(query.limit(limit))

    def years(self, name: AuthorId) -> tuple[tuple[int, int], ...]:
        """How many papers of each year the author has, years ascending."""
        query = (
            select(entity.c.year, func.count())
            .join(authorship, authorship.c.entity == entity.c.id)
            .where(authorship.c.author == name, entity.c.year.is_not(None))
            .group_by(entity.c.year)
            .order_by(entity.c.year)
        )
        with self.engine.connect() as connection:
            return tuple((year, count) for year, count in connection.execute(query))

    def of_papers(self, papers: Iterable[EntityId]) -> dict[EntityId, tuple[Byline, ...]]:
        """The names on each of these papers, in order; a paper that is not held has none."""
        found: dict[EntityId, list[Byline]] = {}
        with self.engine.connect() as connection:
            for paper, _, person, printed in sorted(
                select_in(connection, _BYLINES, authorship.c.entity, list(papers))
            ):
                found.setdefault(EntityId(paper), []).append(Byline(printed, AuthorId(person)))
        return {paper: tuple(bylines) for paper, bylines in found.items()}

    def paper_ids(self, name: AuthorId) -> tuple[EntityId, ...]:
        """All papers of an author, in order of id."""
        query = select(authorship.c.entity).where(authorship.c.author == name).distinct()
        with self.engine.connect() as connection:
            return tuple(EntityId(paper) for paper in connection.scalars(query.order_by(authorship.c.entity)))

    def called(self, printed: str, *, limit: int = 20) -> tuple[ListedAuthor, ...]:
        """People with exactly this printed name on one of their papers, those with most papers first."""
        so = authorship.alias("so")
        query = (
            select(author.c.id, author.c.name, author.c.n_papers)
            .where(
                author.c.surname == parse_name(printed).key,
                author.c.id.in_(select(so.c.author).where(so.c.printed == printed)),
            )
            .order_by(author.c.n_papers.desc(), author.c.name, author.c.id)
        )
        return self._people(query.limit(limit))

    def of_name(self, printed: str, *, limit: int = 20) -> tuple[ListedAuthor, ...]:
        """People with this surname, those with most papers first: for a name shared by several."""
        query = (
            select(author.c.id, author.c.name, author.c.n_papers)
            .where(author.c.surname == parse_name(printed).key)
            .order_by(author.c.n_papers.desc(), author.c.name, author.c.id)
        )
        return self._people(query.limit(limit))

    def begin_with(self, surname: str, *, limit: int) -> tuple[ListedAuthor, ...]:
        """People whose surname key (see `parse_name`) has this prefix, those with most papers first."""
        if not surname:
            return ()
        query = (
            select(author.c.id, author.c.name, author.c.n_papers)
            .where(author.c.surname >= surname, author.c.surname < surname + LAST_LETTER)
            .order_by(author.c.n_papers.desc(), author.c.name, author.c.id)
        )
        return self._people(query.limit(limit))

    def _people(self, query: Select[str, str, int]) -> tuple[ListedAuthor, ...]:
        with self.engine.connect() as connection:
            rows = connection.execute(query).all()
        return tuple(ListedAuthor(AuthorId(name), full, count) for name, full, count in rows)


_BYLINES = select(authorship.c.entity, authorship.c.position, authorship.c.author, authorship.c.printed)


def _places(connection: Connection) -> dict[tuple[str, int], AuthorId]:
    columns = (authorship.c.entity, authorship.c.position, authorship.c.author)
    rows = connection.execute(select(*columns)).all()
    return {(paper, position): AuthorId(name) for paper, position, name in rows}


def _aliases(
    connection: Connection,
    authors: Sequence[Author],
    before: dict[tuple[str, int], AuthorId],
    among: Collection[AuthorId] | None = None,
) -> list[dict[str, object]]:
    """Redirects updated to their final targets, so that no redirect leads to another.

    All redirects, or those from or to `among` these authors.
    """
    after = {each.id for each in authors}
    heirs: dict[AuthorId, Counter[AuthorId]] = {}
    for each in authors:
        for signature in each.signatures:
            old = before.get((signature.paper, signature.position))
            if old is not None and old not in after:
                heirs.setdefault(old, Counter())[each.id] += 1
    moved: dict[str, AuthorId] = {
        old: min(counts, key=lambda name: (-counts[name], name)) for old, counts in heirs.items()
    }
    rows = connection.execute(select(author_alias.c.old, author_alias.c.author)).all()
    known = {row.old: row.author for row in rows if among is None or {row.old, row.author} & {*among}}
    followed = {old: moved.get(target, target) for old, target in known.items()} | moved
    return [
        {"old": old, "author": target}
        for old, target in sorted(followed.items())
        if target in after and old not in after
    ]


def _author_row(each: Author) -> dict[str, object]:
    years = [signature.year for signature in each.signatures if signature.year is not None]
    return {
        "id": each.id,
        "name": each.name,
        "surname": parse_name(each.name).key,
        "n_papers": len({signature.paper for signature in each.signatures}),
        "first_year": min(years, default=None),
        "last_year": max(years, default=None),
    }
