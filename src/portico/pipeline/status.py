"""The status of a portal: what is done, what failed and why, how fast it was."""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, astuple
from datetime import UTC, datetime
from typing import Any

from portico.pipeline.portal import Portal
from portico.pipeline.sources.folders import describe_unread
from portico.pipeline.topics.tree_choice import describe_choice
from portico.store.crawl.harvest import Harvest, count_requests_until
from portico.store.documents.failures import SET_ASIDE, FailureCounts, FailureGroup, FailureRow
from portico.store.meta import read_tree_choice, read_unread_kinds
from portico.types.page_fate import Fate, count_fates
from portico.types.stages import StageName

Status = dict[str, Any]

_MOST = 0.75  # share of the documents at which crawls are compared
_SHOWN_REASONS = 3  # per outcome of pages
_SHOWN_GROUPS = 12  # a screen's worth; --json has every failure


def read_status(portal: Portal) -> Status:
    """The data of `portico status --json`, a public format; `failures` has one object per source."""
    store = portal.store
    runs = {stage: asdict(row) for stage, row in store.documents.runs.last().items()}
    return {
        "portal": portal.settings.portal.title,
        "folder": str(portal.places.folder),
        **portal.collection.count(store),
        "classified": store.catalog.counts().n_assigned,
        "topic_tree": _topic_tree(portal),
        "sources": asdict(store.documents.pages.counts()),
        "unread_kinds": read_unread_kinds(store.meta),
        "pages": _count_pages(portal),
        "queued_links": store.crawl.frontier.counts(()).n_queued,
        "freshness": asdict(store.crawl.freshness.counts()),
        "harvest": _describe_harvest(store.crawl.harvests.get()),
        "stages": _count_stages(portal),
        "last_runs": runs,
        "failures": [_describe_failure(portal, row) for row in store.documents.failures.all()],
    }


def _count_stages(portal: Portal) -> Status:
    """The progress of each one-item stage, with its failures and what it set aside."""
    documents = portal.store.documents
    standing = documents.failures.counts()
    return {
        stage: asdict(found) | asdict(standing.get(stage, FailureCounts()))
        for stage, found in sorted(documents.results.counts().items())
    }


def _topic_tree(portal: Portal) -> Status | None:
    """The topic tree in use, and why; None before one is chosen."""
    choice = read_tree_choice(portal.store.meta)
    return {"name": choice.name, "reason": choice.reason} if choice else None


def _describe_harvest(found: Harvest | None) -> Status | None:
    """How soon the crawl found its targets; None if nothing was crawled."""
    if found is None:
        return None
    return {
        "requests": found.n_requests,
        "targets": found.n_targets,
        "requests_at_75": count_requests_until(found.ours, _MOST),
        "breadth_first_at_75": count_requests_until(found.breadth_first, _MOST),
        "curve": [astuple(point) for point in found.ours],
        "breadth_first_curve": [astuple(point) for point in found.breadth_first],
    }


def _format_harvest(found: Status | None) -> Iterator[str]:
    if found is None or not found["targets"]:
        return
    soon, later = found["requests_at_75"], found["breadth_first_at_75"]
    compared = f"; breadth-first after {later}" if later is not None else ""
    yield (
        f"  {found['targets']} documents in {found['requests']} requests"
        f" ({found['targets'] / found['requests']:.2f} a request),"
        f" three quarters of them after {soon}{compared}"
    )


def _format_freshness(found: Status) -> Iterator[str]:
    if found["n_visits"] or found["n_waiting"]:
        yield (
            f"  pages asked for again {found['n_visits']} times, {found['n_changes']} had changed;"
            f" {found['n_gone']} found gone once, {found['n_waiting']} wait to be asked for"
        )


def _count_pages(portal: Portal) -> Status:
    counts = count_fates(portal.collection.tell_pages(portal))
    return {str(fate): dict(reasons) for fate, reasons in counts.items()}


def _format_fates(pages: Status) -> Iterator[str]:
    """Describe the outcomes of all fetched pages, each counted once, with the reasons."""
    for fate, reasons in pages.items():
        yield f"  {sum(reasons.values()):>7} pages {'are ' if fate != Fate.FAILED else ''}{fate}"
        counted: Counter[str] = Counter(reasons)
        for reason, n_pages in counted.most_common(_SHOWN_REASONS):
            if reason:
                yield f"          {n_pages} × {reason}"


def _describe_failure(portal: Portal, row: FailureRow) -> Status:
    return {
        "source": portal.located(row.source),
        "stage": row.stage,
        "reason": row.reason,
        "kind": row.kind,
        "set_aside": row.kind == SET_ASIDE,
        "may_pass": row.passing,
        "attempts": row.attempts,
        "detail": row.detail,
    }


def describe_status(portal: Portal, typed: str = "") -> Iterator[str]:
    """Describe the status for the terminal; commands name the portal as the person `typed` it."""
    status = read_status(portal)
    sources = status["sources"]
    yield f"{status['portal']} ({status['folder']})"
    yield f"  {portal.collection.describe_counts(status)}"
    yield (
        f"  from {sources['n_web']} web pages, {sources['n_files']} files and {sources['n_records']} records;"
        f" {status['queued_links']} links wait to be fetched"
    )
    if status["unread_kinds"]:
        yield f"  {describe_unread(Counter(status['unread_kinds']))}"
    yield from _format_fates(status["pages"])
    if status["topic_tree"]:
        yield f"  {status['classified']} placed in {describe_choice(portal)}"
    yield from _format_harvest(status["harvest"])
    yield from _format_freshness(status["freshness"])
    yield ""
    yield f"  {'stage':<10}{'done':>8}{'set aside':>11}{'failed':>8}   last run"
    yield from _format_stages(status)
    yield from _format_failures(portal, shlex.quote(typed or str(portal.places.folder)))


_UNSHOWN = (StageName.RECOGNIZE, StageName.RANKS, StageName.AUTHORS, StageName.PICTURE)


def _format_stages(status: Status) -> Iterator[str]:
    for stage in (stage for stage in StageName if stage not in _UNSHOWN):
        counts = status["stages"].get(stage, {})
        run = status["last_runs"].get(stage)
        if not counts and not run:
            continue
        done = counts.get("n_done", run["n_done"] if run else 0)
        failed = counts.get("n_failed", run["n_failed"] if run else 0)
        aside = counts.get("n_set_aside", 0)
        yield f"  {stage:<10}{done:>8}{aside or '':>11}{failed:>8}   {_format_speed(run)}"


def _format_speed(run: Status | None) -> str:
    if run is None:
        return ""
    when = datetime.fromtimestamp(run["started_at"], UTC).astimezone()
    items = run["n_done"] + run["n_failed"]
    rate = f", {items / run['seconds']:.1f}/s" if run["seconds"] > 0 else ""
    return f"{when:%Y-%m-%d %H:%M}, {items} in {run['seconds']:.1f} s{rate}"


def _format_failures(portal: Portal, named: str) -> Iterator[str]:
    groups = portal.store.documents.failures.groups()
    failed = [group for group in groups if not group.is_set_aside]
    aside = [group for group in groups if group.is_set_aside]
    yield ""
    if not failed:
        yield "  Nothing failed."
    else:
        yield f"  What failed ({sum(group.n_failed for group in failed)}):"
        yield from _format_groups(portal, failed)
        yield f"  Why one of them failed: portico explain SOURCE {named}"
        yield f"  When the cause is fixed: portico build {named} --retry"
    if aside:
        yield ""
        n_aside = sum(group.n_failed for group in aside)
        yield f"  Set aside ({n_aside}): read, and not what this portal collects"
        yield from _format_groups(portal, aside)
        yield f"  To keep one anyway: portico keep SOURCE {named}"


def _format_groups(portal: Portal, groups: Sequence[FailureGroup]) -> Iterator[str]:
    for group in groups[:_SHOWN_GROUPS]:
        copies = {0: "", 1: " (and 1 copy)"}.get(group.n_copies, f" (and {group.n_copies} copies)")
        yield f"  {group.n_failed:>5} × {group.stage}: {group.reason}{copies}"
        examples = ", ".join(portal.located(source) for source in group.examples)
        yield f"          {examples}{' …' if group.n_failed + group.n_copies > len(group.examples) else ''}"
    if len(groups) > _SHOWN_GROUPS:
        yield f"        and {len(groups) - _SHOWN_GROUPS} other reasons: portico status --json has them all"
