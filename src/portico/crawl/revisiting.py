"""Keeps a portal fresh: how likely a page has changed, when to fetch it again, what the response means."""

import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC
from email.utils import parsedate_to_datetime
from hashlib import sha256

from portico.crawl.responses import NOT_TO_BE_INDEXED
from portico.types.frontier import ChangeRecord, FetchOutcome, LinkState, QueuedLink, Revisit

DAY_S = 86_400.0

# Gamma prior of the rate of change. Its mode is one change in four months, which Cho and Garcia-Molina (The
# Evolution of the Web and Implications for an Incremental Crawler, 2000) found for the average page; with a
# shape of two it has the weight of one observed change.
PRIOR_SHAPE = 2.0
PRIOR_QUIET_S = 120 * DAY_S

LEAST_INTERVAL_S = DAY_S
"""Minimum time between two visits of a page by builds, however often it changes."""

GONE_FOR_S = DAY_S
"""A page is dropped when it was missing twice, at least this far apart, so that a site that is being rebuilt
keeps its papers."""

NOT_MODIFIED = 304
GONE_STATUSES: Mapping[int, str] = {404: "does not exist any more (404)", 410: "has been removed (410)"}

_MOST_RATE = 1.0 / 60.0  # changes per second: no page is assumed to change more than once a minute


def start_record(fetched_at: float, last_modified: str | None) -> ChangeRecord:
    """The record after the first fetch: if the host dates the page, one change and the time without
    change since.
    """
    record = ChangeRecord(fetched_at, fetched_at)
    changed_at = _moment(last_modified)
    if changed_at is None or changed_at > fetched_at:
        return record
    return replace(record, n_dated=1, quiet_s=fetched_at - changed_at)


def record_unchanged(record: ChangeRecord, at: float) -> ChangeRecord:
    """The record of an unchanged page: no change in all the time since the last visit."""
    quiet_s = record.quiet_s + max(0.0, at - record.checked_at)
    return replace(record, checked_at=at, n_visits=record.n_visits + 1, quiet_s=quiet_s, gone_since=None)


def record_changed(record: ChangeRecord, at: float, last_modified: str | None) -> ChangeRecord:
    """The record of a changed page: dated by its host, or at some time since the last visit."""
    visited = replace(
        record,
        checked_at=at,
        n_visits=record.n_visits + 1,
        n_changes=record.n_changes + 1,
        gone_since=None,
    )
    changed_at = _moment(last_modified)
    if changed_at is not None and record.checked_at < changed_at <= at:
        return replace(visited, n_dated=record.n_dated + 1, quiet_s=record.quiet_s + at - changed_at)
    since_s = max(0.0, at - record.checked_at)
    return replace(visited, n_undated=record.n_undated + 1, undated_s=record.undated_s + since_s)


def estimate_change_rate(record: ChangeRecord) -> float:
    """The most probable number of changes per second, given the visits.

    Changes are independent of each other (a Poisson process). A dated change with the time without change
    after it has the likelihood r·exp(-r·quiet), quiet time alone exp(-r·quiet), an undated change 1 -
    exp(-r·interval); undated ones count with the mean of their intervals, as in Cho and Garcia-Molina's
    estimator for regular visits. The logarithm of all this is concave in r, so its slope has one root.
    """
    n_certain = record.n_dated + PRIOR_SHAPE - 1.0
    quiet_s = record.quiet_s + PRIOR_QUIET_S
    if record.n_undated == 0 or record.undated_s < 1.0:  # visits within a second of each other tell nothing
        return min(n_certain / quiet_s, _MOST_RATE)
    interval_s = record.undated_s / record.n_undated

    def slope(rate: float) -> float:
        return n_certain / rate - quiet_s + record.undated_s / math.expm1(min(rate * interval_s, 700.0))

    low, high = n_certain / quiet_s, _MOST_RATE  # undated changes can only raise the rate
    if slope(high) >= 0:
        return high
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    return low


def estimate_chance_of_change(record: ChangeRecord, now: float) -> float:
    """The probability that the page has changed by now."""
    return -math.expm1(-estimate_change_rate(record) * max(0.0, now - record.checked_at))


def find_due_time(record: ChangeRecord, longest_s: float) -> float:
    """When the page is as likely changed as not; at least a day and at most `longest_s` from the last
    visit.
    """
    even_s = math.log(2.0) / estimate_change_rate(record)
    return record.checked_at + max(LEAST_INTERVAL_S, min(even_s, longest_s))


def interpret_bodyless_answer(link: QueuedLink, status: int, at: float) -> FetchOutcome | None:
    """The outcome if a revisited page is unchanged or gone; None for any other response."""
    if link.revisit is None:
        return None
    record = link.revisit.record
    if status == NOT_MODIFIED:
        return FetchOutcome(link, LinkState.DONE, at, record=record_unchanged(record, at))
    if status not in GONE_STATUSES:
        return None
    since = at if record.gone_since is None else record.gone_since
    if at - since >= GONE_FOR_S:
        return FetchOutcome(link, LinkState.FAILED, at, reason=GONE_STATUSES[status], kind="FetchError")
    return FetchOutcome(link, LinkState.DONE, at, record=replace(record, gone_since=since))


def judge_revisit(outcome: FetchOutcome) -> FetchOutcome:
    """The outcome of a revisit, with the update of the page's record.

    If a host does not answer, or its robots.txt now forbids the request, the stored page is kept.
    """
    revisit = outcome.link.revisit
    if revisit is None or outcome.record is not None or outcome.reason in _LETTING_GO:
        return outcome
    if outcome.obtained is None:
        return replace(outcome, state=LinkState.DONE, reason=None, record=revisit.record)
    if is_same(outcome, revisit):
        record = record_unchanged(revisit.record, outcome.at)
        return replace(outcome, offers=(), view=None, record=record)
    record = record_changed(revisit.record, outcome.at, outcome.obtained.last_modified)
    return replace(outcome, record=record)


def is_same(outcome: FetchOutcome, revisit: Revisit) -> bool:
    """Whether the received body is the stored one."""
    body = outcome.obtained.body if outcome.obtained is not None else None
    return body is not None and sha256(body).hexdigest() == revisit.body


_LETTING_GO = frozenset({*GONE_STATUSES.values(), NOT_TO_BE_INDEXED})


def _moment(http_date: str | None) -> float | None:
    """Seconds since the epoch; None for anything but a date."""
    if not http_date:
        return None
    try:
        moment = parsedate_to_datetime(http_date)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
