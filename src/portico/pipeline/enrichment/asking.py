"""Queries catalogs politely: one request at a time, within the rate limits of each."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from portico.crawl.fetching.fetcher import HostAnswer, HttpClient
from portico.crawl.responses import parse_retry_after
from portico.errors import FetchError
from portico.pipeline.enrichment.catalogs import CatalogService
from portico.types.frontier import ChangeRecord, Revisit
from portico.types.page import BodyHash, Url

MOST_BYTES = 5_000_000
"""Maximum size of a response; the longest real ones have some hundred kilobytes."""
TRIES = 3
LONGEST_WAIT_S = 60.0
"""A catalog that asks for a longer pause gets no more requests until the next build."""
MOST_FAILURES = 5
"""Consecutive failed requests after which a catalog gets no more requests until the next build."""

_FAULTS = (429, 500, 502, 503, 504)


class CatalogPaused(Exception):
    """A catalog refuses further requests for now."""


@dataclass(slots=True)
class CatalogClient:
    """A client of one catalog, with its rate limit."""

    catalog: CatalogService
    http: HttpClient
    base_url: str
    contact: str
    delay_s: float
    say: Callable[[str], None]
    _n_failed: int = 0
    _is_first: bool = field(default=True)

    async def ask(self, path: str, etag: str) -> HostAnswer:
        """Send a request; returns 2xx, 304 (unchanged) and 404 responses, raises FetchError for others."""
        fault = FetchError("was not asked")
        for attempt in range(TRIES):
            if not self._is_first:
                await asyncio.sleep(self.delay_s * 2**attempt)
            self._is_first = False
            try:
                answer = await self.http.get(
                    Url(self.base_url + path), max_bytes=MOST_BYTES, known=_make_revisit(etag)
                )
            except FetchError as error:
                fault = error
                continue
            if answer.status not in _FAULTS:
                self._n_failed = 0
                return self._accept(answer)
            fault = FetchError(f"{self.catalog.name} answered {answer.status}", retryable=True)
            await self._wait(answer)
        self._n_failed += 1
        if self._n_failed >= MOST_FAILURES:
            raise CatalogPaused(f"{self.catalog.name} does not answer ({fault})")
        raise fault

    def _accept(self, answer: HostAnswer) -> HostAnswer:
        if 200 <= answer.status < 300 or answer.status in (304, 404):
            return answer
        raise FetchError(f"{self.catalog.name} answered {answer.status}")

    async def _wait(self, answer: HostAnswer) -> None:
        wait_s = parse_retry_after(answer.retry_after, datetime.now(UTC)) or 0.0
        if wait_s > LONGEST_WAIT_S:
            raise CatalogPaused(f"{self.catalog.name} asks to come back in {wait_s:.0f} s")
        if wait_s:
            self.say(f"{self.catalog.name} asks to wait {wait_s:.0f} s")
            await asyncio.sleep(wait_s)


def _make_revisit(etag: str) -> Revisit | None:
    return Revisit(BodyHash(""), etag, None, ChangeRecord(0.0, 0.0)) if etag else None


def hide_contact(path: str) -> str:
    """Remove the builder's email address from a path, so that it can be shown."""
    return re.sub(r"[?&](mailto|email)=[^&]*", "", path)
