"""Progress of a crawl, and whether its budget is used up."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from portico.crawl.options import CrawlOptions
from portico.types.frontier import ChangeRecord, FetchOutcome, FrontierCounts, LinkState, QueuedLink

PROGRESS_EVERY_S = 0.25


@dataclass(frozen=True, slots=True)
class CrawlProgress:
    """The counts of this run, and over all runs the number of queued links and documents found."""

    n_fetched: int = 0
    n_failed: int = 0
    n_skipped: int = 0
    n_bytes: int = 0
    n_queued: int = 0
    n_documents: int = 0  # of the kind the crawl looks for, in all runs
    n_pages: int = 0  # in all runs
    n_checked: int = 0  # revisited pages for which the host gave an answer
    n_changed: int = 0  # of these
    n_let_go: int = 0  # pages that were dropped
    seconds: float = 0.0
    ahead: tuple[QueuedLink, ...] = ()  # the most promising links available

    @property
    def harvest_rate(self) -> float:
        """Documents per page, over all runs."""
        return self.n_documents / self.n_pages if self.n_pages else 0.0


Progress = Callable[[CrawlProgress], None]


class CrawlTally:
    """Counts outcomes as they come; `before` holds the counts of earlier runs."""

    def __init__(self, before: FrontierCounts, options: CrawlOptions, started_at: float) -> None:
        self._before = before
        self._budget = options.budget
        self._target_types = options.target_types
        self._started_at = started_at
        self._reported_at = 0.0
        self._n = dict.fromkeys(LinkState, 0)
        self._n_queued = before.n_queued
        self._n_fetched = 0
        self._n_bytes = 0
        self._n_documents = before.n_documents
        self._n_checked = self._n_changed = self._n_let_go = 0

    def count(self, outcome: FetchOutcome) -> None:
        if outcome.link.revisit is not None:
            self._count_again(outcome, outcome.link.revisit.record)
            return
        self._n[outcome.state] += 1
        obtained = outcome.obtained
        if obtained is not None and obtained.final == outcome.link.url:
            self._n_fetched += 1
            self._n_bytes += len(obtained.body or b"")
            self._n_documents += obtained.media_type in self._target_types or obtained.page_kind != ""

    def queue(self, n_links: int) -> None:
        """Record that the frontier has this many more queued links."""
        self._n_queued += n_links

    def allows(self, n_under_way: int) -> bool:
        """Whether the budget allows another page while this many are being fetched."""
        return self._used_up(n_under_way) is None

    def used_up(self, now: float) -> str | None:
        """The part of the budget that is used up, None if none is."""
        minutes = self._budget.max_minutes
        if minutes is not None and now - self._started_at >= minutes * 60:
            return f"the time is up ({minutes:g} minutes)"
        return self._used_up(0)

    def progress(self, now: float, ahead: Sequence[QueuedLink] = ()) -> CrawlProgress:
        return CrawlProgress(
            n_fetched=self._n_fetched,
            n_failed=self._n[LinkState.FAILED],
            n_skipped=self._n[LinkState.SKIPPED],
            n_bytes=self._n_bytes,
            n_queued=self._n_queued,
            n_documents=self._n_documents,
            n_pages=self._before.n_pages + self._n_fetched,
            n_checked=self._n_checked,
            n_changed=self._n_changed,
            n_let_go=self._n_let_go,
            seconds=now - self._started_at,
            ahead=tuple(ahead),
        )

    def report(self, progress: Progress, now: float, ahead: Callable[[], Sequence[QueuedLink]]) -> None:
        """Report progress, unless the last report was too recent."""
        if now >= self._reported_at + PROGRESS_EVERY_S:
            self._reported_at = now
            progress(self.progress(now, ahead()))

    def _count_again(self, outcome: FetchOutcome, before: ChangeRecord) -> None:
        """Count a revisited page: its bytes and outcome, but not as a new page."""
        self._n_bytes += len(outcome.obtained.body or b"") if outcome.obtained is not None else 0
        if outcome.record is None:
            self._n_let_go += 1
        elif outcome.record == before:
            self._n[LinkState.FAILED] += 1
        else:
            self._n_checked += 1
            self._n_changed += outcome.record.n_changes - before.n_changes

    def _used_up(self, n_under_way: int) -> str | None:
        pages, size = self._budget.max_pages, self._budget.max_bytes
        if pages is not None and self._before.n_pages + self._n_fetched + n_under_way >= pages:
            return f"the budget of {pages:,} pages is used up"
        if size is not None and self._before.n_bytes + self._n_bytes >= size:
            return f"the budget of {size:,} bytes is used up"
        return None
