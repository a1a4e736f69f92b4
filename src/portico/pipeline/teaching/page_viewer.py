"""Fetches single pages while teaching, politely, and shows them without scripts or styles."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from hashlib import sha256

from portico.crawl import media_types
from portico.crawl.options import CrawlOptions, Scope
from portico.crawl.page_outline import outline_page, outline_text
from portico.crawl.single_url import fetch_page, find_kept_page
from portico.errors import FetchError, PortalBusy
from portico.pipeline.portal import Portal
from portico.pipeline.sources.crawling import make_crawl_options
from portico.pipeline.sources.recognizing import load_recognizer
from portico.text.markup import decode
from portico.types.frontier import Obtained
from portico.types.outline import Outline, ShownPage
from portico.types.page import BodyHash, PageView, Url

# Somebody is waiting for the page, so the timeout is shorter than in a crawl; they can click again.
PATIENCE_S = 20.0


ViewPage = Callable[[Url], ShownPage]
"""Fetches a page of any site; raises FetchError with a plain explanation if it cannot."""


Hold = Callable[[], AbstractContextManager[None]]
"""Keeps builds from starting for a moment; raises PortalBusy if one is running."""


def make_page_viewer(portal: Portal, hold: Hold = nullcontext) -> ViewPage:
    """Make a function that shows a page of any site, from the store if it was fetched before.

    It raises FetchError if the page cannot be shown. `hold` locks a portal not locked anyway, so that no page
    is fetched while a build sends requests to the same hosts.
    """
    return PageViewer(portal, make_viewing_options(portal), hold)


def make_viewing_options(portal: Portal) -> CrawlOptions:
    """The options of portal.toml, except that any site may be viewed and nothing is retried."""
    options = make_crawl_options(portal.settings, [])
    timeout_s = min(options.fetch.timeout_s, PATIENCE_S)
    return replace(
        options,
        scope=Scope(),
        max_depth=None,
        recognize=load_recognizer(portal),  # so that builds know the kinds of pages fetched here
        fetch=replace(options.fetch, timeout_s=timeout_s, connect_timeout_s=timeout_s / 2),
        politeness=replace(options.politeness, max_attempts=1),
    )


@dataclass(frozen=True, slots=True)
class PageViewer:
    """Fetches one page at a time for all users, so that they never overload a host together."""

    portal: Portal
    options: CrawlOptions
    hold: Hold = nullcontext
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, url: Url) -> ShownPage:
        frontier = self.portal.store.crawl.frontier
        with self._turn:
            got = find_kept_page(url, frontier, self.options)
            if got is None:
                try:
                    with self.hold():
                        got = fetch_page(url, frontier=frontier, options=self.options)
                except PortalBusy as error:
                    raise FetchError(f"it was not fetched yet, and {error}", retryable=True) from error
        return show_answer(got)


def show_answer(got: Obtained) -> ShownPage:
    """Convert a response to what the spider and a person see; if it is not a page, only its type."""
    body = got.body or b""
    name = BodyHash(sha256(body).hexdigest()) if body else None
    view, pieces = PageView(got.final), Outline(got.final)
    if got.media_type.startswith(media_types.HTML):
        view, pieces = outline_page(decode(body, got.media_type), got.final)
    elif got.media_type.startswith(media_types.TEXT):
        view, pieces = outline_text(decode(body, got.media_type), got.final)
    return ShownPage(view, pieces, got.media_type, name, len(body))
