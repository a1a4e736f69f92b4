"""The crawler's frontier in the store: every URL ever seen, and its outcome."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from sqlalchemy import BigInteger, Connection, Engine, and_, bindparam, cast, delete, func, select, update

from portico.store.bulk import execute_many, prepare_reader, select_in
from portico.store.crawl.freshness import keep_records
from portico.store.crawl.link_ranks import keep_lesson
from portico.store.crawl.offered_links import take_offers
from portico.store.database import chunks, upsert, writing
from portico.store.documents.blobs import Blobs
from portico.store.documents.pages import WEB, is_sought
from portico.store.schema import failure, host, link, meta, page
from portico.types.frontier import (
    NOTHING_LEARNED,
    FetchOutcome,
    FrontierChange,
    FrontierCounts,
    HostNote,
    LearnedRanks,
    LinkState,
    Obtained,
    Offer,
    QueuedLink,
)
from portico.types.page import BodyHash, Url
from portico.types.stages import StageName

_TEXT = "text/"
_RULES = "crawl.rules"
_SEVERAL = 300  # HTTP statuses from here to 399 are redirects


@dataclass(frozen=True, slots=True)
class SqlFrontier:
    """Implements `portico.crawl.frontier.Frontier`; bodies are stored before the rows that name them."""

    engine: Engine
    blobs: Blobs

    def offer(self, offers: Sequence[Offer]) -> FrontierChange:
        if not offers:
            return FrontierChange()
        with writing(self.engine) as connection:
            taken = take_offers(connection, offers)
            self._note_hosts(connection, taken.hosts)
        return taken

    def commit(
        self,
        outcomes: Sequence[FetchOutcome],
        asked: Mapping[str, float],
        lesson: LearnedRanks = NOTHING_LEARNED,
    ) -> FrontierChange:
        bodies = self._put(outcomes)
        with writing(self.engine) as connection:
            upsert(connection, host, [{"name": name, "asked_at": at} for name, at in asked.items()])
            upsert(connection, page, _page_rows(outcomes, bodies))
            settled = _settle(connection, outcomes)
            _note_failures(connection, outcomes)
            taken = take_offers(connection, [offer for outcome in outcomes for offer in outcome.offers])
            keep_lesson(connection, lesson)
            keep_records(connection, outcomes)
            self._note_hosts(connection, settled.hosts | taken.hosts | lesson.hosts)
        return FrontierChange(settled.hosts | taken.hosts | lesson.hosts, settled.n_queued + taken.n_queued)

    def waiting_hosts(self) -> list[str]:
        names: list[str] = []
        with self.engine.connect() as connection:
            # One seek a host: a plain DISTINCT would read the entry of every queued link.
            while (name := connection.scalar(_NEXT_HOST, {"after": names[-1] if names else ""})) is not None:
                names.append(name)
        return names

    def next(self, host: str, *, limit: int, excluding: Collection[int] = ()) -> list[QueuedLink]:
        wanted = limit + len(excluding)
        with self.engine.connect() as connection:
            self._note_look(connection, host)
            best = connection.execute(_BEST_PRIORITIES, {"of_host": host, "wanted": wanted}).one()
            if best.first is None:
                return []
            # The index runs by rising priority but also by rising depth and id: links of the last
            # priority that is wanted may be many, and are cut off by depth and id.
            ids: list[int] = []
            if best.first > best.last:
                ids += [
                    row[0] for row in prepare_reader(connection, _ABOVE, ("of_host", "last"))(host, best.last)
                ]
            level = prepare_reader(connection, _LEVEL, ("of_host", "last", "wanted"))
            ids += [row[0] for row in level(host, best.last, wanted - len(ids))]
            chosen = [id_ for id_ in ids if id_ not in excluding][:limit]
            rows = {row[0]: row for row in select_in(connection, _QUEUED, link.c.id, chosen)}
        found = (rows[id_] for id_ in chosen)
        return [
            QueuedLink(id_, url, host, depth, chain, kept is not None, priority)
            for id_, url, depth, chain, priority, kept in found
        ]

    def kept(self, url: Url) -> Obtained | None:
        with self.engine.connect() as connection:
            row = connection.execute(_KEPT, {"of_url": url}).first()
        if row is None:
            return None
        body = self.blobs.get(BodyHash(row.body)) if row.body is not None else None
        return Obtained(Url(row.origin), row.status, row.media_type, body, row.etag, row.last_modified)

    def host(self, name: str) -> HostNote:
        with self.engine.connect() as connection:
            row = connection.execute(_HOST, {"of_name": name}).first()
        return HostNote(**row._mapping) if row is not None else HostNote(name)

    def note_robots(self, note: HostNote) -> None:
        with writing(self.engine) as connection:
            upsert(connection, host, [asdict(note)])

    def standing(self, url: Url) -> tuple[LinkState, str | None] | None:
        with self.engine.connect() as connection:
            row = connection.execute(select(link.c.state, link.c.reason).where(link.c.url == url)).first()
        return (LinkState(row.state), row.reason) if row is not None else None

    def redirects(self, url: Url, *, limit: int) -> list[Url]:
        steps: list[Url] = []
        with self.engine.connect() as connection:
            at: Url | None = url
            while at is not None and len(steps) < limit:
                at = connection.scalar(_REDIRECT, {"of_url": at})
                steps += [at] if at is not None else []
        return steps

    def n_redirects_before(self, url: Url, *, limit: int) -> int:
        n_steps = 0
        with self.engine.connect() as connection:
            at: Url | None = url
            while n_steps < limit:
                at = connection.scalar(_REDIRECTED_FROM, {"of_url": at})
                if at is None:
                    break
                n_steps += 1
        return n_steps

    def counts(self, document_types: Collection[str]) -> FrontierCounts:
        states = select(link.c.state, func.count().label("n")).group_by(link.c.state)
        is_web = and_(page.c.kind == WEB, page.c.status < _SEVERAL)
        n_bytes_of_all = cast(func.coalesce(func.sum(page.c.n_bytes), 0), BigInteger)  # else a Decimal
        pages = select(func.count(), n_bytes_of_all).where(is_web)
        documents = select(func.count()).where(is_web, is_sought(document_types))
        with self.engine.connect() as connection:
            by_state = {row.state: row.n for row in connection.execute(states)}
            n_pages, n_bytes = connection.execute(pages).one()
            n_documents = connection.scalar(documents) or 0
        return FrontierCounts(
            n_queued=by_state.get(LinkState.QUEUED, 0),
            n_done=by_state.get(LinkState.DONE, 0),
            n_failed=by_state.get(LinkState.FAILED, 0),
            n_skipped=by_state.get(LinkState.SKIPPED, 0),
            n_pages=n_pages,
            n_documents=n_documents,
            n_bytes=n_bytes,
        )

    def reconsider(self, rules: str) -> bool:
        with self.engine.connect() as connection:
            if connection.scalar(select(meta.c.value).where(meta.c.key == _RULES)) == rules:
                return False
        with writing(self.engine) as connection:
            upsert(connection, meta, [{"key": _RULES, "value": rules}])
            skipped = update(link).where(link.c.state == LinkState.SKIPPED)
            found = connection.execute(skipped.values(state=LinkState.QUEUED, reason=None))
        return found.rowcount > 0

    def forget(self, urls: Iterable[str]) -> None:
        """Fetch these again, as if they had never been fetched: their bodies were lost."""
        with writing(self.engine) as connection:
            for chunk in chunks(urls):
                connection.execute(delete(page).where(page.c.source.in_(chunk)))
                connection.execute(update(link).where(link.c.url.in_(chunk)).values(state=LinkState.QUEUED))

    def follow_anew(self) -> None:
        """Process every page again: stored pages only for their links; lost ones are fetched."""
        with writing(self.engine) as connection:
            done = update(link).where(link.c.state == LinkState.DONE)
            connection.execute(done.values(state=LinkState.QUEUED))

    def requeue_failed(self, urls: Collection[Url] | None = None) -> int:
        """Retry what could not be fetched: everything, or these URLs only."""
        failed = update(link).where(link.c.state == LinkState.FAILED)
        reasons = delete(failure).where(failure.c.stage == StageName.CRAWL)
        if urls is not None:
            failed, reasons = failed.where(link.c.url.in_(urls)), reasons.where(failure.c.subject.in_(urls))
        with writing(self.engine) as connection:
            found = connection.execute(failed.values(state=LinkState.QUEUED, reason=None))
            connection.execute(reasons)
        return found.rowcount

    def _note_hosts(self, connection: Connection, hosts: Collection[str]) -> None:
        """Record that these hosts have more to fetch; a crawler that is alone keeps that in memory."""

    def _note_look(self, connection: Connection, host: str) -> None:
        """Record that the links of this host are about to be read; only needed if the frontier is shared."""

    def _put(self, outcomes: Sequence[FetchOutcome]) -> dict[Url, BodyHash]:
        """Store these bodies, pages together and documents separately; returns their names by URL."""
        found = [(each.link.url, each.obtained) for each in outcomes if each.obtained and each.obtained.body]
        pages = {url: got.body or b"" for url, got in found if got.media_type.startswith(_TEXT)}
        documents = {url: got.body or b"" for url, got in found if url not in pages}
        names = [*self.blobs.put_pages(pages.values()), *self.blobs.put_documents([*documents.values()])]
        return dict(zip((*pages, *documents), names, strict=True))


_queued_here = and_(link.c.state == LinkState.QUEUED, link.c.host == bindparam("of_host"))
_with_page = link.outerjoin(page, page.c.source == link.c.url)
_QUEUED = select(
    link.c.id, link.c.url, link.c.depth, link.c.chain, link.c.priority, page.c.source.label("kept")
).select_from(_with_page)

_NEXT_HOST = select(func.min(link.c.host)).where(
    link.c.state == LinkState.QUEUED, link.c.host > bindparam("after")
)
_wanted = (
    select(link.c.priority)
    .where(_queued_here)
    .order_by(link.c.priority.desc())
    .limit(bindparam("wanted"))
    .subquery()
)
_BEST_PRIORITIES = select(
    func.max(_wanted.c.priority).label("first"), func.min(_wanted.c.priority).label("last")
)
_ABOVE = (
    select(link.c.id)
    .where(_queued_here, link.c.priority > bindparam("last"))
    .order_by(link.c.priority.desc(), link.c.depth, link.c.id)
)
_LEVEL = (
    select(link.c.id)
    .where(_queued_here, link.c.priority == bindparam("last"))
    .order_by(link.c.depth, link.c.id)
    .limit(bindparam("wanted"))
)
_KEPT = select(page).where(page.c.source == bindparam("of_url"))
_HOST = select(host).where(host.c.name == bindparam("of_name"))
_REDIRECT = select(page.c.origin).where(
    page.c.source == bindparam("of_url"), page.c.kind == WEB, page.c.status >= _SEVERAL
)
_REDIRECTED_FROM = (
    select(link.c.via)
    .join(page, page.c.source == link.c.via)
    .where(link.c.url == bindparam("of_url"), page.c.origin == link.c.url, page.c.status >= _SEVERAL)
)
_TAKEN = select(link.c.id, link.c.depth, link.c.chain)
_SETTLE = (
    update(link)
    .where(link.c.id == bindparam("of_id"))
    .values(state=bindparam("new_state"), reason=bindparam("new_reason"), attempts=bindparam("new_attempts"))
)
_DEEPEN_PAGE = update(page).where(page.c.source == bindparam("of_url")).values(depth=bindparam("new_depth"))


def _page_rows(
    outcomes: Sequence[FetchOutcome], bodies: Mapping[Url, BodyHash]
) -> Iterable[dict[str, object]]:
    for outcome in outcomes:
        obtained = outcome.obtained
        if obtained is not None:
            yield {
                "source": outcome.link.url,
                "kind": WEB,
                "origin": obtained.final,
                "body": bodies.get(outcome.link.url),
                "media_type": obtained.media_type,
                "n_bytes": len(obtained.body or b""),
                "status": obtained.status,
                "etag": obtained.etag,
                "last_modified": obtained.last_modified,
                "page_kind": obtained.page_kind,
                "depth": outcome.link.depth,
                "fetched_at": outcome.at,
            }


def _settle(connection: Connection, outcomes: Sequence[FetchOutcome]) -> FrontierChange:
    """Write the links' new states; a link that became nearer meanwhile must be visited again."""
    taken = {outcome.link.id: outcome.link for outcome in outcomes}
    rows = select_in(connection, _TAKEN, link.c.id, taken)
    nearer = {row.id for row in rows if row.depth < taken[row.id].depth or row.chain < taken[row.id].chain}
    changes = [
        {
            "of_id": outcome.link.id,
            "new_state": LinkState.QUEUED if outcome.link.id in nearer else outcome.state,
            "new_reason": outcome.reason,
            "new_attempts": outcome.attempts,
        }
        for outcome in outcomes
    ]
    execute_many(connection, _SETTLE, changes)
    reread = [
        {"of_url": outcome.link.url, "new_depth": outcome.link.depth}
        for outcome in outcomes
        if outcome.link.kept
    ]
    execute_many(connection, _DEEPEN_PAGE, reread)
    woken = frozenset(outcome.link.host for outcome in outcomes if outcome.link.id in nearer)
    return FrontierChange(woken, len(nearer) - len(outcomes))


def _note_failures(connection: Connection, outcomes: Sequence[FetchOutcome]) -> None:
    rows = [
        {
            "stage": StageName.CRAWL,
            "subject": outcome.link.url,
            "source": outcome.link.url,
            "kind": outcome.kind,
            "reason": outcome.reason or "",
            "detail": outcome.detail,
            "passing": outcome.retryable,
            "attempts": outcome.attempts,
            "at": outcome.at,
        }
        for outcome in outcomes
        if outcome.state is LinkState.FAILED
    ]
    upsert(connection, failure, rows)
