"""Stage 1 for an existing portal: revisits pages, those most likely to have changed first."""

from collections.abc import Iterator

from portico.crawl.crawling import CrawlSummary, refresh
from portico.crawl.revisiting import DAY_S, estimate_chance_of_change, find_due_time, start_record
from portico.crawl.tally import CrawlProgress
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageProgress, StageReport, count_things
from portico.pipeline.runners import BuildRun
from portico.pipeline.sources.crawling import (
    defer_link_order,
    list_submitted_papers,
    list_web_sources,
    make_crawl_options,
)
from portico.store.crawl.freshness import Urgent
from portico.types.stages import StageName

STAGE = StageName.REFRESH


def run_refresh(portal: Portal, run: BuildRun) -> StageReport:
    """Resume the last refresh, or else revisit all pages or those that are due."""
    sources, papers = list_web_sources(portal), list_submitted_papers(portal)
    if not sources and not papers:
        return StageReport(STAGE)
    store = portal.store
    if not store.crawl.revisits.counts(()).n_queued and (run.refresh or portal.settings.spider.refresh_days):
        store.crawl.freshness.mark(_list_urgent(portal, run))
    n_waiting = store.crawl.revisits.counts(()).n_queued
    if not n_waiting:
        return StageReport(STAGE)
    with run.progress.stage(STAGE, n_waiting) as meter:
        summary = refresh(
            revisits=store.crawl.revisits,
            options=make_crawl_options(portal.settings, sources, papers),
            guide=defer_link_order(portal),
            progress=_RefreshMeter(meter),
            clock=run.clock,
        )
    return _make_report(summary)


def _list_urgent(portal: Portal, run: BuildRun) -> Iterator[Urgent]:
    """Yield the pages to revisit: all with --refresh, otherwise those that are due."""
    now = run.clock()
    longest_s = portal.settings.spider.refresh_days * DAY_S
    for page in portal.store.crawl.freshness.pages():
        record = page.record or start_record(page.fetched_at, page.last_modified)
        if run.refresh or find_due_time(record, longest_s) <= now:
            yield Urgent(page, estimate_chance_of_change(record, now), record)


class _RefreshMeter:
    """Shows the running totals of a refresh as progress."""

    def __init__(self, meter: StageProgress) -> None:
        self._meter = meter
        self._n_done = self._n_failed = 0

    def __call__(self, now: CrawlProgress) -> None:
        n_done = now.n_checked + now.n_let_go
        self._meter.status(f"{now.n_changed} changed, {now.n_bytes / 1e6:.1f} MB")
        self._meter.advance(n_done - self._n_done, n_failed=now.n_failed - self._n_failed)
        self._n_done, self._n_failed = n_done, now.n_failed


def _make_report(summary: CrawlSummary) -> StageReport:
    done = summary.done
    notes = [f"{count_things(done.n_checked, 'page')} checked again, {done.n_changed} had changed"]
    if done.n_failed:
        notes.append(f"of {done.n_failed} could not be checked and stay as they are")
    if summary.stopped_by:
        notes.append(f"stopped early, {summary.stopped_by}; {done.n_queued} are still waiting")
    return StageReport(
        STAGE,
        n_done=done.n_checked,
        n_failed=done.n_failed,
        n_dropped=done.n_let_go,
        seconds=done.seconds,
        note="; ".join(notes),
    )
