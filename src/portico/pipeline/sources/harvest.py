"""Replays a finished crawl to compute what breadth-first search would have found, and when."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence

from portico.crawl import media_types
from portico.crawl.links import find_links, view_page
from portico.store.crawl.harvest import CrawlRequest, Harvest, HarvestPoint
from portico.store.documents.blobs import Blobs
from portico.text.markup import decode
from portico.types.page import Link, PageLink, PageView, Url

MAX_POINTS = 200
"""Maximum number of points kept of a curve: more than a screen can show."""

MAX_REPLAYED = 50_000
"""Maximum number of requests whose pages are read again for a replay, which takes about a millisecond per
page."""


class MappedWeb:
    """Pages of a crawl by URL, read from the store on demand."""

    def __init__(self, requests: Sequence[CrawlRequest], blobs: Blobs) -> None:
        self._requests = {request.url: request for request in requests}
        self._blobs = blobs

    def look(self, url: Url) -> PageView | None:
        """Return a page with its links and their contexts; None if there is no such page."""
        return self._opened(url, view_page)

    def links(self, url: Url) -> tuple[Url, ...]:
        """Return the targets of a page's links."""
        page = self._opened(url, _read_links)
        return tuple(sighting.link.target for sighting in page.sightings) if page is not None else ()

    def _opened(self, url: Url, reader: Callable[[str, Url], PageView]) -> PageView | None:
        request = self._requests.get(url)
        if request is None:
            return None
        if request.origin != url:
            return PageView(url, sightings=(PageLink(Link(request.origin, url)),))
        if request.body is None or not request.media_type.startswith(media_types.HTML):
            return None
        return reader(decode(self._blobs.get(request.body), request.media_type), url)


def measure_harvest(requests: Sequence[CrawlRequest], seeds: Iterable[Url], web: MappedWeb) -> Harvest:
    """Compute the harvest curve of these requests, and that of breadth-first search from the seeds."""
    targets = {request.url for request in requests if request.is_target}
    ours = [request.url for request in requests]
    replayed = replay_breadth_first(ours, seeds, web.links) if len(ours) <= MAX_REPLAYED else []
    return Harvest(_make_curve(ours, targets), _make_curve(replayed, targets))


def replay_breadth_first(
    known: Sequence[Url], seeds: Iterable[Url], links: Callable[[Url], Iterable[Url]]
) -> list[Url]:
    """Sort the known URLs in breadth-first order; unreachable ones come last."""
    waiting = dict.fromkeys(known)
    queue = deque(url for url in dict.fromkeys(seeds) if url in waiting)
    for url in queue:
        del waiting[url]
    order: list[Url] = []
    while queue:
        url = queue.popleft()
        order.append(url)
        for target in links(url):
            if target in waiting:
                del waiting[target]
                queue.append(target)
    return [*order, *waiting]


def _make_curve(order: Sequence[Url], targets: set[Url]) -> tuple[HarvestPoint, ...]:
    step = max(1, -(-len(order) // MAX_POINTS))
    points: list[HarvestPoint] = []
    n_targets = 0
    for n_requests, url in enumerate(order, start=1):
        n_targets += url in targets
        if n_requests % step == 0 or n_requests == len(order):
            points.append(HarvestPoint(n_requests, n_targets))
    return tuple(points)


def _read_links(html: str, url: Url) -> PageView:
    return PageView(url, sightings=tuple(PageLink(link) for link in find_links(html, url)))
