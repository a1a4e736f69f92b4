"""What the builder sees: one function a page, the store's answers in, what the template shows out."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from portico.serve.desk import Desk, Model
from portico.serve.harvest_chart import HarvestChart, harvest_chart
from portico.serve.naming import PAPERS
from portico.store.doubts import Doubt, Doubts
from portico.store.failures import FailureGroup
from portico.store.query_log import Asked
from portico.store.runs import RunRow
from portico.types.correction import Correction, Standing, Wrong
from portico.types.frontier import FrontierCounts
from portico.types.record import RecordId

MOST_DOUBTS = 100
MOST_SEARCHES = 50
_NOT_PAPERS = "NotAPaper"  # read, understood, and no paper: nothing to try again
_UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))

_ABOUT = {
    Wrong.FIELD: "a field",
    Wrong.TOPIC: "the topic",
    Wrong.SAME: "the same paper twice",
    Wrong.DIFFERENT: "two papers in one",
    Wrong.NOT_A_PAPER: "not a paper",
}


@dataclass(frozen=True, slots=True)
class StageLine:
    """How far a stage has come, and when it last ran."""

    name: str
    n_done: int
    n_failed: int
    seconds: float
    last: str


@dataclass(frozen=True, slots=True)
class OverviewPage:
    """The portal's state at a glance."""

    n_proposed: int
    n_submitted: int
    n_failed: int
    crawl: FrontierCounts
    chart: HarvestChart | None
    stages: tuple[StageLine, ...]
    storage: tuple[tuple[str, str], ...]
    models: tuple[Model, ...]


@dataclass(frozen=True, slots=True)
class CorrectionLine:
    """One correction as the builder reads it."""

    id: int
    paper: str
    about: str
    wrong: str
    field: str
    before: str
    value: str
    note: str
    who: str
    when: str
    url: str
    can_edit: bool


@dataclass(frozen=True, slots=True)
class DoubtLine:
    """One thing to look at."""

    url: str
    title: str
    about: str
    value: str
    percent: int


@dataclass(frozen=True, slots=True)
class SearchesPage:
    """What people look for, and what they look for in vain."""

    asked: tuple[Asked, ...]
    in_vain: tuple[Asked, ...]


def overview(desk: Desk) -> OverviewPage:
    store = desk.store
    runs = store.runs.last()
    stages = tuple(
        StageLine(stage, found.n_done, found.n_failed, found.seconds, _last(runs, stage))
        for stage, found in sorted(store.results.counts().items())
    )
    return OverviewPage(
        n_proposed=len(store.corrections.standing(Standing.PROPOSED)),
        n_submitted=len(store.submissions.standing(Standing.PROPOSED)),
        n_failed=sum(group.n_sources for group in failures(desk)),
        crawl=store.frontier.counts(()),
        chart=harvest_chart(store.harvests.get()),
        stages=stages,
        storage=tuple((name, in_bytes(size)) for name, size in _sizes(desk.folder)),
        models=desk.models,
    )


def corrections(desk: Desk, standing: Standing) -> tuple[CorrectionLine, ...]:
    found = desk.store.corrections.standing(standing)
    papers = desk.store.view.entities(each.proposal.entity for each in found)
    titles = {name: desk.naming.title(paper) for name, paper in papers.items()}
    return tuple(_correction_line(desk, each, titles.get(each.proposal.entity, "")) for each in found)


def doubts(desk: Desk) -> tuple[DoubtLine, ...]:
    if desk.naming is PAPERS:
        found = Doubts(desk.store.engine).first(limit=MOST_DOUBTS)
        return tuple(_doubt_line(desk, each, each.title) for each in found)
    found = Doubts(desk.store.engine, None).first(limit=MOST_DOUBTS)
    things = desk.store.view.entities(each.entity for each in found)
    return tuple(
        _doubt_line(desk, each, desk.naming.title(things[each.entity]))
        for each in found
        if each.entity in things
    )


def failures(desk: Desk) -> tuple[FailureGroup, ...]:
    """Failures by reason; documents that are no papers did not fail."""
    return tuple(group for group in desk.store.failures.groups() if group.kind != _NOT_PAPERS)


def searches(desk: Desk) -> SearchesPage:
    log = desk.store.query_log
    return SearchesPage(log.most_asked(limit=MOST_SEARCHES), log.in_vain(limit=MOST_SEARCHES))


def day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")


def in_bytes(size: int) -> str:
    unit, name = next(((unit, name) for unit, name in _UNITS if size >= unit), (1.0, "bytes"))
    return f"{size / unit:,.1f} {name}" if unit > 1 else f"{size} {name}"


def _last(runs: dict[str, RunRow], stage: str) -> str:
    return day(runs[stage].started_at) if stage in runs else ""


def _sizes(folder: Path) -> Iterator[tuple[str, int]]:
    database = sum(path.stat().st_size for path in folder.glob("portico.db*"))
    yield "Database", database
    for name, words in (("blobs", "Pages and documents"), ("index", "Search index"), ("models", "Models")):
        yield words, _size(folder / name)


def _size(folder: Path) -> int:
    """Bytes of all files below; those that vanish meanwhile do not count."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(parent, name)).st_size
            except OSError:
                continue
    return total


def _correction_line(desk: Desk, each: Correction, paper: str) -> CorrectionLine:
    said = each.proposal
    about = _ABOUT[said.wrong].replace(PAPERS.one, desk.naming.one)
    return CorrectionLine(
        id=each.id,
        paper=paper,
        about=said.field if said.wrong is Wrong.FIELD else about,
        wrong=said.wrong,
        field=said.field,
        before=said.before,
        value=said.value if said.wrong in (Wrong.FIELD, Wrong.TOPIC) else "",
        note=said.note,
        who=said.who,
        when=day(each.decided_at or said.at),
        url=desk.naming.url(said.entity),
        can_edit=said.wrong is Wrong.FIELD,
    )


def _doubt_line(desk: Desk, each: Doubt, title: str) -> DoubtLine:
    value = each.value
    if each.about == "citation":
        record = desk.store.view.record(RecordId(value))
        value = record.raw if record else value
    return DoubtLine(
        url=f"{desk.naming.url(each.entity)}/wrong",
        title=title or each.entity,
        about=each.about,
        value=value,
        percent=round(100 * each.confidence),
    )
