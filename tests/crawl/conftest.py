"""A recording web, an empty store, and a crawl of the one into the other."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from portico.crawl.crawling import CrawlSummary, crawl
from portico.crawl.options import CrawlOptions, FetchOptions, Politeness
from portico.store.opening import Store, open_store
from tests.crawl.web import Web


@pytest.fixture
def web() -> Iterator[Web]:
    with Web() as running:
        yield running


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store("sqlite:///portico.db", tmp_path, create=True)
    yield opened
    opened.close()


@pytest.fixture
def options(web: Web) -> CrawlOptions:
    """Through the recording web, in a hurry."""
    return CrawlOptions(
        fetch=FetchOptions(proxy=web.address, timeout_s=5.0, user_agent="portico-test (+http://tests.test/)"),
        politeness=Politeness(delay_s=0.0, backoff_s=0.01),
    )


@dataclass(frozen=True)
class Crawl:
    """Crawls the web into the store, and reads what came of it."""

    store: Store
    options: CrawlOptions

    def __call__(self, *seeds: str, **changes: object) -> CrawlSummary:
        options = replace(self.options, **changes)  # type: ignore[arg-type]
        return crawl(seeds, frontier=self.store.crawl.frontier, options=options)

    def state(self, url: str) -> tuple[str, str | None] | None:
        return self.store.crawl.frontier.standing(url)  # type: ignore[arg-type]

    def failures(self) -> dict[str, str]:
        return {row.source: row.reason for row in self.store.documents.failures.all()}


@pytest.fixture
def crawled(store: Store, options: CrawlOptions) -> Crawl:
    return Crawl(store, options)


Crawled = Callable[..., CrawlSummary]
