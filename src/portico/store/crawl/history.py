"""The history of a crawl: paths to a URL, what it led to, and every response."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, Select, select

from portico.store.documents.pages import WEB, is_sought
from portico.store.schema import entity, entity_document, link, page
from portico.types.frontier import LinkState
from portico.types.page import BodyHash, Url
from portico.types.record import EntityId

MAX_STEPS = 200
"""Maximum number of steps traced back to a seed; paths of real crawls have under forty."""

_AT_ONCE = 1000  # responses read at a time: a portal may have millions
NEIGHBORS = 40  # known names before and after, in alphabetical order, searched for a misspelled one


@dataclass(frozen=True, slots=True)
class LinkRow:
    """One link in the frontier; `via` is the page it was found on."""

    url: Url
    state: LinkState
    depth: int
    priority: float
    via: Url | None
    anchor: str
    context: str
    reason: str | None
    attempts: int
    odds: float | None  # the prediction of the spider's model, as log odds


@dataclass(frozen=True, slots=True)
class Gain:
    """What a page led to: links first found on it, on the pages they led to, and so on."""

    n_links: int = 0
    n_targets: int = 0
    n_links_below: int = 0
    n_targets_below: int = 0


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """One stored response: a body, or the target of a redirect, with the headers that were kept."""

    url: Url
    origin: Url  # the target of a redirect, otherwise the URL itself
    status: int
    fetched_at: float  # seconds since the epoch
    body: BodyHash | None
    media_type: str
    etag: str | None
    last_modified: str | None
    depth: int
    via: Url | None  # the page it was found on


@dataclass(frozen=True, slots=True)
class CrawlHistory:
    """Reads the frontier and its responses for people and archives; the crawl itself never uses it."""

    engine: Engine

    def link(self, url: str) -> LinkRow | None:
        with self.engine.connect() as connection:
            row = connection.execute(_LINKS.where(link.c.url == url)).first()
        return LinkRow(**row._mapping) if row else None

    def path(self, url: str) -> tuple[LinkRow, ...]:
        """The link and the pages that led to it, the seed first."""
        steps: list[LinkRow] = []
        seen: set[str] = set()
        at: str | None = url
        while at is not None and at not in seen and len(steps) < MAX_STEPS:
            seen.add(at)
            row = self.link(at)
            steps += [row] if row is not None else []
            at = row.via if row is not None else None
        return tuple(reversed(steps))

    def led_to(self, url: str, target_types: Collection[str]) -> Gain:
        """What came of links first found on this page, directly and further below."""
        is_target = is_sought(target_types).label("is_target")
        followed = link.join(page, page.c.source == link.c.url)
        query = select(link.c.url, link.c.via, is_target).select_from(followed)
        below: dict[str, list[tuple[str, bool]]] = defaultdict(list)
        with self.engine.connect() as connection:
            for row in connection.execute(query.where(link.c.via.is_not(None))):
                below[row.via].append((row.url, row.is_target))
        direct = [hit for _, hit in below[url]]
        hits = _hits_below(url, below)
        return Gain(len(direct), sum(direct), len(hits), sum(hits))

    def body(self, source: str) -> BodyHash | None:
        """The body from a URL or a file."""
        with self.engine.connect() as connection:
            return connection.scalar(select(page.c.body).where(page.c.source == source))

    def entity_of(self, body: BodyHash) -> EntityId | None:
        """The paper of which a document is a copy."""
        with self.engine.connect() as connection:
            return connection.scalar(
                select(entity_document.c.entity).where(entity_document.c.document == body)
            )

    def neighbors(self, name: str) -> tuple[str, ...]:
        """URLs, files and ids of papers next to this name in alphabetical order."""
        columns = (link.c.url, page.c.source, entity.c.id)
        with self.engine.connect() as connection:
            found = [
                value
                for column in columns
                for query in (
                    select(column).where(column >= name).order_by(column).limit(NEIGHBORS),
                    select(column).where(column < name).order_by(column.desc()).limit(NEIGHBORS),
                )
                for value in connection.scalars(query)
            ]
        return tuple(dict.fromkeys(found))

    def titled(self, words: str, *, limit: int) -> tuple[tuple[EntityId, str], ...]:
        """Papers with these words in their titles."""
        query = (
            select(entity.c.id, entity.c.title)
            .where(entity.c.title.icontains(words, autoescape=True))
            .order_by(entity.c.held.desc(), entity.c.n_citations.desc(), entity.c.id)
            .limit(limit)
        )
        with self.engine.connect() as connection:
            return tuple((EntityId(row.id), row.title) for row in connection.execute(query))

    def answers(self) -> Iterator[KeptAnswer]:
        """Every response from the web, in order of URL, a thousand rows in memory at a time."""
        last = ""
        while rows := self._answers_after(last):
            yield from rows
            last = rows[-1].url

    def _answers_after(self, url: str) -> list[KeptAnswer]:
        query = _ANSWERS.where(page.c.source > url).limit(_AT_ONCE)
        with self.engine.connect() as connection:
            return [KeptAnswer(*row) for row in connection.execute(query)]


_LINKS: Select[Any] = select(
    link.c.url,
    link.c.state,
    link.c.depth,
    link.c.priority,
    link.c.via,
    link.c.anchor,
    link.c.context,
    link.c.reason,
    link.c.attempts,
    link.c.odds,
)


def _hits_below(url: str, below: Mapping[str, Sequence[tuple[str, bool]]]) -> list[bool]:
    """For every URL found by way of this one, whether it is a target."""
    hits: list[bool] = []
    seen, waiting = {url}, [url]
    while waiting:
        for child, is_target in below.get(waiting.pop(), ()):
            if child not in seen:
                seen.add(child)
                waiting.append(child)
                hits.append(is_target)
    return hits


_ANSWERS: Select[Any] = (
    select(
        page.c.source,
        page.c.origin,
        page.c.status,
        page.c.fetched_at,
        page.c.body,
        page.c.media_type,
        page.c.etag,
        page.c.last_modified,
        page.c.depth,
        link.c.via,
    )
    .select_from(page.outerjoin(link, link.c.url == page.c.source))
    .where(page.c.kind == WEB)
    .order_by(page.c.source)
)
