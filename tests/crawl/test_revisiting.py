"""A portal is kept fresh: what has not changed is not sent again, and nothing is let go at the first 404."""

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from email.utils import formatdate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.crawl.crawling import CrawlSummary, refresh
from portico.crawl.options import Budget, CrawlOptions, FetchOptions, Politeness
from portico.crawl.revisiting import (
    DAY_S,
    GONE_FOR_S,
    estimate_chance_of_change,
    estimate_change_rate,
    find_due_time,
    record_changed,
    record_unchanged,
    start_record,
)
from portico.store.crawl.freshness import Urgent
from portico.store.opening import Store, open_store
from portico.types.frontier import ChangeRecord
from tests.crawl.conftest import Crawl
from tests.crawl.test_crash import PROCESSES
from tests.crawl.web import Reply, Web

HOME, PAPER = "http://a.test/", "http://a.test/paper.pdf"
PDF = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\nnot much of a paper"
TIMEOUT_S = 60.0


@dataclass
class Time:
    """The time of day, as far ahead of the real one as a test says."""

    ahead_s: float = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead_s


def mark_all(store: Store, now: float) -> int:
    def urgent() -> Iterator[Urgent]:
        for page in store.crawl.freshness.pages():
            record = page.record or start_record(page.fetched_at, page.last_modified)
            yield Urgent(page, estimate_chance_of_change(record, now), record)

    return store.crawl.freshness.mark(urgent())


def refreshed(crawled: Crawl, clock: Time, **changes: object) -> CrawlSummary:
    options = replace(crawled.options, **changes)  # type: ignore[arg-type]
    mark_all(crawled.store, clock())
    return refresh(revisits=crawled.store.crawl.revisits, options=options, clock=clock)


def body_of(store: Store, url: str) -> bytes | None:
    row = store.documents.pages.get(url)
    return store.blobs.get(row.body) if row is not None and row.body is not None else None


@pytest.mark.parametrize(
    ("headers", "condition"),
    [
        ({"ETag": '"one"'}, "if-none-match"),
        ({"Last-Modified": formatdate(1e9, usegmt=True)}, "if-modified-since"),
    ],
)
def test_what_has_not_changed_is_not_sent_again(
    web: Web, crawled: Crawl, headers: dict[str, str], condition: str
) -> None:
    web.link(HOME, "paper.pdf")
    web.add(PAPER, PDF, media_type="application/pdf", headers=headers)
    crawled(HOME)
    web.requests.clear()
    summary = refreshed(crawled, Time(DAY_S))
    assert (summary.done.n_checked, summary.done.n_changed) == (2, 0)
    by_url = {request.url: request for request in web.requests}
    assert by_url[PAPER].status == 304
    assert condition in by_url[PAPER].conditions
    assert not by_url[HOME].conditions, "its host gave nothing to ask by"
    assert body_of(crawled.store, PAPER) == PDF
    assert crawled.store.crawl.revisits.counts(()).n_queued == 0


def test_a_changed_page_is_kept_anew_and_its_new_links_are_followed(web: Web, crawled: Crawl) -> None:
    web.add(HOME, '<a href="old">old</a>', headers={"ETag": '"one"'})
    web.add(HOME, '<a href="old">old</a> <a href="paper.pdf">new</a>', headers={"ETag": '"two"'})
    web.link("http://a.test/old")
    web.add(PAPER, PDF, media_type="application/pdf")
    crawled(HOME)
    old = crawled.store.documents.pages.get(HOME)
    summary = refreshed(crawled, Time(DAY_S))
    assert (summary.done.n_checked, summary.done.n_changed) == (2, 1)
    kept = crawled.store.documents.pages.get(HOME)
    assert kept is not None
    assert old is not None
    assert old.body is not None
    assert kept.etag == '"two"'
    assert not crawled.store.blobs.has(old.body), "the body nobody has any more is still kept"
    assert crawled.state(PAPER) == ("queued", None)
    crawled(HOME)
    assert body_of(crawled.store, PAPER) == PDF


def test_a_page_is_let_go_when_it_is_found_gone_twice_a_day_apart(web: Web, crawled: Crawl) -> None:
    web.link(HOME, "paper.pdf")
    web.add(PAPER, PDF, media_type="application/pdf")
    web.add(PAPER, status=410)
    crawled(HOME)
    clock = Time(DAY_S)
    refreshed(crawled, clock)
    assert body_of(crawled.store, PAPER) == PDF
    clock.ahead_s += GONE_FOR_S / 2
    refreshed(crawled, clock)
    assert body_of(crawled.store, PAPER) == PDF, "twice, but not long enough apart"
    assert crawled.store.crawl.freshness.counts().n_gone == 1
    clock.ahead_s += GONE_FOR_S
    summary = refreshed(crawled, clock)
    assert summary.done.n_let_go == 1
    assert crawled.store.documents.pages.get(PAPER) is None
    assert crawled.state(PAPER) == ("failed", "has been removed (410)")
    assert list(crawled.store.blobs.names()) == [crawled.store.documents.pages.get(HOME).body]  # type: ignore[union-attr]


def test_a_page_that_comes_back_is_as_if_it_had_never_been_gone(web: Web, crawled: Crawl) -> None:
    for status in (200, 404, 200, 404):
        web.add(HOME, "here", status=status)
    crawled(HOME)
    clock = Time()
    for _ in range(3):
        clock.ahead_s += 2 * DAY_S
        refreshed(crawled, clock)
    assert body_of(crawled.store, HOME) == b"here"


@pytest.mark.parametrize(
    "reply", [Reply(status=503), Reply(dropped=True), Reply(status=403), Reply(status=301)]
)
def test_a_host_that_says_nothing_of_use_takes_nothing_away(web: Web, crawled: Crawl, reply: Reply) -> None:
    web.add(HOME, "here")
    web.replies[HOME].append(reply)
    crawled(HOME)
    summary = refreshed(crawled, Time(DAY_S))
    assert (summary.done.n_checked, summary.done.n_failed) == (0, 1)
    assert body_of(crawled.store, HOME) == b"here"
    assert crawled.state(HOME) == ("done", None)
    assert not crawled.failures()


def test_robots_rules_that_became_stricter_are_obeyed(web: Web, crawled: Crawl) -> None:
    web.add("http://a.test/robots.txt", "", media_type="text/plain")
    web.add("http://a.test/robots.txt", "User-agent: *\nDisallow: /", media_type="text/plain")
    web.add(HOME, "here")
    crawled(HOME)
    web.requests.clear()
    refreshed(crawled, Time(2 * DAY_S))
    assert [request.path for request in web.requests] == ["/robots.txt"]
    assert body_of(crawled.store, HOME) == b"here"


def test_a_moved_page_is_found_at_its_new_address(web: Web, crawled: Crawl) -> None:
    web.link(HOME, "paper.pdf")
    web.add(PAPER, PDF, media_type="application/pdf")
    web.add(PAPER, status=301, headers={"Location": "/papers/1.pdf"})
    web.add("http://a.test/papers/1.pdf", PDF, media_type="application/pdf")
    crawled(HOME)
    refreshed(crawled, Time(DAY_S))
    crawled(HOME)
    assert body_of(crawled.store, "http://a.test/papers/1.pdf") == PDF


def test_the_most_likely_changed_come_first(web: Web, crawled: Crawl) -> None:
    web.link(HOME, "old", "young")
    now = time.time()
    web.add("http://a.test/old", "o", headers={"Last-Modified": formatdate(now - 900 * DAY_S, usegmt=True)})
    web.add("http://a.test/young", "y", headers={"Last-Modified": formatdate(now - DAY_S, usegmt=True)})
    crawled(HOME)
    web.requests.clear()
    refreshed(crawled, Time(DAY_S))
    assert web.fetched() == ["http://a.test/young", HOME, "http://a.test/old"]


def test_a_limit_on_pages_is_about_new_ones(web: Web, crawled: Crawl) -> None:
    web.add(HOME, "here")
    crawled(HOME)
    summary = refreshed(crawled, Time(DAY_S), budget=Budget(max_pages=1, max_bytes=1))
    assert summary.done.n_checked == 1


def test_the_delay_is_kept(web: Web, crawled: Crawl) -> None:
    web.link(HOME, "b", "c")
    web.link("http://a.test/b")
    web.link("http://a.test/c")
    crawled(HOME)
    web.requests.clear()
    refreshed(crawled, Time(DAY_S), politeness=Politeness(delay_s=0.05))
    ends = [request.ended for request in web.requests]
    starts = [request.started for request in web.requests]
    assert all(start - end >= 0.045 for end, start in zip(ends, starts[1:], strict=False))


N_PAGES = 60


def _page(url: str) -> Reply | None:
    path = url.removeprefix(HOME)
    if not (path or "0").isdecimal() or int(path or 0) > N_PAGES:
        return None
    links = [f'<a href="/{number}">{number}</a>' for number in range(N_PAGES)] if not path else []
    headers = {"ETag": f'"{path}"'}
    return Reply("".join(links).encode() + path.encode(), headers=headers, takes_s=0.002)


def _options(proxy: str) -> CrawlOptions:
    return CrawlOptions(fetch=FetchOptions(proxy=proxy), politeness=Politeness(delay_s=0.0))


def _refresh(folder: Path, proxy: str) -> None:
    store = open_store("sqlite:///portico.db", folder)
    refresh(revisits=store.crawl.revisits, options=_options(proxy))
    store.close()


def test_killed_in_the_middle_it_goes_on_where_it_was(web: Web, crawled: Crawl, tmp_path: Path) -> None:
    web.makers.append(_page)
    crawled(HOME)
    web.requests.clear()
    assert mark_all(crawled.store, time.time()) == N_PAGES + 1
    process = PROCESSES.Process(target=_refresh, args=(tmp_path, web.address))
    web.makers.insert(0, lambda url: Reply(takes_s=TIMEOUT_S) if len(web.requests) > N_PAGES // 2 else None)
    process.start()
    deadline = time.monotonic() + TIMEOUT_S
    while len(web.requests) <= N_PAGES // 2 and time.monotonic() < deadline:
        time.sleep(0.005)
    # One more is under way and never answered; results are written a moment later.
    while crawled.store.crawl.revisits.counts(()).n_queued > N_PAGES // 2 + 1 and time.monotonic() < deadline:
        time.sleep(0.005)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    web.makers.pop(0)
    n_left = crawled.store.crawl.revisits.counts(()).n_queued
    assert 0 < n_left <= N_PAGES // 2 + 1
    web.requests.clear()
    _refresh(tmp_path, web.address)
    assert len(web.fetched()) == n_left, "what was answered and kept is asked for no more"
    assert crawled.store.crawl.revisits.counts(()).n_queued == 0
    assert crawled.store.crawl.freshness.counts().n_visits == N_PAGES + 1


NEVER_ASKED = ChangeRecord(0.0, 0.0)


def test_the_rate_is_that_of_the_changes_seen() -> None:
    """Every ten days, a page that changes once in twenty is found changed 1 - exp(-1/2) of the time."""
    record, n_visits = NEVER_ASKED, 2000
    n_changed = round(n_visits * 0.3935)
    for number in range(1, n_visits + 1):
        at = number * 10 * DAY_S
        record = record_changed(record, at, None) if number <= n_changed else record_unchanged(record, at)
    assert estimate_change_rate(record) * 20 * DAY_S == pytest.approx(1.0, rel=0.02)


def test_dated_changes_tell_the_rate_even_where_visits_are_rare() -> None:
    """Visited once in a hundred days, the last change is dated five days before each time."""
    record = NEVER_ASKED
    for number in range(1, 301):
        at = number * 100 * DAY_S
        record = record_changed(record, at, formatdate(at - 5 * DAY_S, usegmt=True))
    assert estimate_change_rate(record) * 5 * DAY_S == pytest.approx(1.0, rel=0.1)


records = st.builds(
    ChangeRecord,
    first_at=st.just(0.0),
    checked_at=st.floats(0.0, 1e10),
    n_dated=st.integers(0, 1000),
    quiet_s=st.floats(0.0, 1e10),
    n_undated=st.integers(0, 1000),
    undated_s=st.floats(0.0, 1e10),
)


@given(record=records, later_s=st.floats(0.0, 1e10))
def test_chances_are_probabilities_and_pages_become_due(record: ChangeRecord, later_s: float) -> None:
    assert 0.0 < estimate_change_rate(record) <= 1.0 / 60.0
    assert 0.0 <= estimate_chance_of_change(record, record.checked_at + later_s) <= 1.0
    assert (
        DAY_S * (1 - 1e-6) <= find_due_time(record, 30 * DAY_S) - record.checked_at <= 30 * DAY_S * (1 + 1e-6)
    )


@given(record=records)
def test_a_change_makes_the_next_likelier_and_quiet_less(record: ChangeRecord) -> None:
    usual_s = record.undated_s / record.n_undated if record.n_undated else DAY_S
    at = record.checked_at + usual_s
    assert estimate_change_rate(record_changed(record, at, None)) >= estimate_change_rate(record) * (1 - 1e-6)
    assert estimate_change_rate(record_unchanged(record, at)) <= estimate_change_rate(record) * (1 + 1e-6)


@pytest.mark.parametrize(
    "date", [None, "", "yesterday", "Mon, 99 Xyz 2026 99:99:99 GMT", "Tue, 01 Jan 2999 00:00:00 GMT"]
)
def test_what_is_no_date_of_the_past_dates_nothing(date: str | None) -> None:
    assert start_record(1e9, date) == ChangeRecord(1e9, 1e9)
