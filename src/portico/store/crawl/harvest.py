"""The harvest curve of a crawl, request by request, beside that of breadth-first search."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import Engine, delete, func, insert, literal, select, union_all

from portico.store.database import writing
from portico.store.documents.pages import WEB, is_sought
from portico.store.schema import failure, harvest, page, revisit
from portico.types.page import BodyHash, Url
from portico.types.stages import StageName

OURS = "crawl"
BREADTH_FIRST = "breadth-first"

_CRAWL = StageName.CRAWL  # the stage whose failures count as requests too


@dataclass(frozen=True, slots=True)
class HarvestPoint:
    """This many targets were found after this many requests."""

    n_requests: int
    n_targets: int


@dataclass(frozen=True, slots=True)
class Harvest:
    """Two curves over the same requests: in our order, and breadth-first. Both begin at zero."""

    ours: tuple[HarvestPoint, ...]
    breadth_first: tuple[HarvestPoint, ...]

    @property
    def n_requests(self) -> int:
        return self.ours[-1].n_requests if self.ours else 0

    @property
    def n_targets(self) -> int:
        return self.ours[-1].n_targets if self.ours else 0


def count_requests_until(curve: Sequence[HarvestPoint], share: float) -> int | None:
    """Requests until a share of all targets is found, interpolated between the points of the curve."""
    wanted = share * curve[-1].n_targets if curve else 0.0
    if wanted <= 0:
        return None
    before = HarvestPoint(0, 0)
    for point in curve:
        if point.n_targets >= wanted:
            gained = (wanted - before.n_targets) / (point.n_targets - before.n_targets)
            return round(before.n_requests + gained * (point.n_requests - before.n_requests))
        before = point
    return None


@dataclass(frozen=True, slots=True)
class CrawlRequest:
    """One requested URL, and what it returned: nothing if it failed."""

    url: Url
    origin: Url  # the target of a redirect, otherwise the URL itself
    media_type: str
    body: BodyHash | None
    is_target: bool


@dataclass(frozen=True, slots=True)
class Harvests:
    """The harvest as last measured, and the requests it is measured from."""

    engine: Engine

    def requests(self, target_types: Collection[str]) -> list[CrawlRequest]:
        """Every requested URL, in the order of the responses."""
        # A page that was asked for again keeps the place it had.
        first_at = func.coalesce(revisit.c.first_at, page.c.fetched_at).label("fetched_at")
        sought = is_sought(target_types).label("is_sought")
        fetched = select(
            page.c.source, page.c.origin, page.c.media_type, page.c.body, first_at, sought
        ).select_from(page.outerjoin(revisit, revisit.c.source == page.c.source))
        failed = select(
            failure.c.subject, failure.c.subject, literal(""), literal(None), failure.c.at, literal(False)
        ).where(failure.c.stage == _CRAWL)
        both = union_all(fetched.where(page.c.kind == WEB), failed).subquery()
        order = (both.c.fetched_at, both.c.source)
        with self.engine.connect() as connection:
            return [
                CrawlRequest(row.source, row.origin, row.media_type, row.body, bool(row.is_sought))
                for row in connection.execute(select(both).order_by(*order))
            ]

    def put(self, found: Harvest) -> None:
        """Store this harvest instead of the last one."""
        curves = ((OURS, found.ours), (BREADTH_FIRST, found.breadth_first))
        rows = [
            {"policy": policy, "n_requests": point.n_requests, "n_targets": point.n_targets}
            for policy, points in curves
            for point in points
        ]
        with writing(self.engine) as connection:
            connection.execute(delete(harvest))
            if rows:
                connection.execute(insert(harvest), rows)

    def get(self) -> Harvest | None:
        """None if no crawl has been measured."""
        query = select(harvest.c.n_requests, harvest.c.n_targets).order_by(harvest.c.n_requests)
        with self.engine.connect() as connection:
            curves = [
                tuple(
                    HarvestPoint(row.n_requests, round(row.n_targets))
                    for row in connection.execute(query.where(harvest.c.policy == policy))
                )
                for policy in (OURS, BREADTH_FIRST)
            ]
        return Harvest(*curves) if curves[0] else None
