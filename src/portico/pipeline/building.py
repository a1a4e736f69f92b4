"""The order of the stages, and what one run of them does."""

import shlex
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from portico.engine.local import LocalEngine
from portico.errors import NotAPaper
from portico.pipeline.authoring import author_stage
from portico.pipeline.classifying import classify_stage
from portico.pipeline.converting import convert_stage
from portico.pipeline.crawling import crawl_stage
from portico.pipeline.extracting import extract_stage
from portico.pipeline.folders import read_stage
from portico.pipeline.indexing import index_stage
from portico.pipeline.kinds import kinds_of, things_in_words
from portico.pipeline.listing import list_stage
from portico.pipeline.matching import match_stage
from portico.pipeline.picturing import picture_stage
from portico.pipeline.placing import place_stage
from portico.pipeline.portal import Portal, open_for_building
from portico.pipeline.progress import StageReport, Watcher, counted
from portico.pipeline.recognizing import recognize_stage
from portico.pipeline.refreshing import refresh_stage
from portico.pipeline.run import Run, Wish
from portico.pipeline.setting_up import ensure_folder_portal
from portico.pipeline.topic_ranking import topic_rank_stage
from portico.store.documents.results import RunRow
from portico.types.stages import StageName


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage, and the commands that run it beside `build`, which runs all."""

    name: StageName
    run: Callable[[Portal, Run], StageReport]
    commands: tuple[StageName, ...]
    papers_only: bool = False  # about citations, authors and first pages: declared kinds have none of them


STAGES = (
    Stage(StageName.REFRESH, refresh_stage, (StageName.CRAWL,)),
    Stage(StageName.CRAWL, crawl_stage, (StageName.CRAWL,)),
    Stage(StageName.READ, read_stage, (StageName.CRAWL,)),
    Stage(StageName.RECOGNIZE, recognize_stage, (StageName.CONVERT,)),
    Stage(StageName.CONVERT, convert_stage, (StageName.CONVERT,)),
    Stage(StageName.LIST, list_stage, (StageName.EXTRACT,)),
    Stage(StageName.EXTRACT, extract_stage, (StageName.EXTRACT,)),
    Stage(StageName.CLASSIFY, classify_stage, (StageName.CLASSIFY,)),
    Stage(StageName.MATCH, match_stage, (StageName.MATCH,)),
    Stage(StageName.PLACE, place_stage, (StageName.CLASSIFY, StageName.MATCH), papers_only=True),
    Stage(StageName.RANKS, topic_rank_stage, (StageName.MATCH,), papers_only=True),
    Stage(StageName.AUTHORS, author_stage, (StageName.MATCH,), papers_only=True),
    Stage(StageName.INDEX, index_stage, (StageName.INDEX,)),
    Stage(StageName.PICTURE, picture_stage, (StageName.INDEX,), papers_only=True),
)
"""The pipeline in its order. Each stage asks the store what is due, so any of them can be run alone."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run did."""

    portal: Path
    reports: tuple[StageReport, ...]
    n_papers: int
    n_cited: int
    n_others: int  # read, and found to be no papers
    n_failures: int
    seconds: float
    things: tuple[str, ...] = ()  # "12 organisations", of a domain that declares its kinds

    @property
    def fruitless(self) -> bool:
        """Nothing came in at all: no seed could be fetched, no file could be read."""
        return any(report.fruitless for report in self.reports)

    def lines(self) -> Iterator[str]:
        worked = [report for report in self.reports if report.worked]
        for report in worked:
            yield f"{report.stage:<9}{report.words()}"
        for report in self.reports:
            if report.note:
                yield f"{report.stage}: {report.note}"
        if not worked and not any(report.note for report in self.reports):
            yield f"Nothing to do: everything is up to date ({self.seconds:.1f} s)."
        found = f"{counted(self.n_papers, 'paper')}, {self.n_cited} more known from citations"
        yield (
            f"{', '.join(self.things) or found};"
            f" {self.n_others} other {'pages' if self.things else 'documents'},"
            f" {counted(self.n_failures, 'failure')}."
        )
        portal = shlex.quote(str(self.portal))
        if worked and self.n_papers:
            yield f"Look at it: portico serve {portal}"
        if self.n_failures:
            yield f"What failed and why: portico status {portal}"


def build_portal(path: Path, wish: Wish, watcher: Watcher) -> Summary:
    """Brings the portal at `path` up to date; a folder of papers becomes one first."""
    started = time.time()
    ensure_folder_portal(path)
    with open_for_building(path) as portal:
        return build(portal, wish, watcher, path=path, started=started)


def build(portal: Portal, wish: Wish, watcher: Watcher, *, path: Path, started: float) -> Summary:
    """Runs the stages on an opened portal."""
    engine = LocalEngine(wish.workers or portal.settings.engine.workers)
    run = Run(engine, watcher, time.time, forget=wish.forget, refresh=wish.refresh)
    portal.store.blobs.sweep()
    asked = [stage for stage in STAGES if not wish.stages or {*stage.commands} & {*wish.stages}]
    if wish.retry:
        _forget_failures(portal, asked)
    kinds = kinds_of(portal)
    reports = tuple(_run(stage, portal, run) for stage in asked if not (kinds and stage.papers_only))
    counts = portal.store.catalog.counts()
    groups = portal.store.documents.failures.groups()
    return Summary(
        portal=path,
        reports=reports,
        n_papers=counts.n_held,
        n_cited=counts.n_cited_only,
        n_others=sum(group.n_sources for group in groups if group.kind == NotAPaper.__name__),
        n_failures=sum(group.n_sources for group in groups if group.kind != NotAPaper.__name__),
        seconds=time.time() - started,
        things=things_in_words(kinds, portal.store.catalog.things.counts()),
    )


def _run(stage: Stage, portal: Portal, run: Run) -> StageReport:
    started = run.clock()
    report = stage.run(portal, run)
    if report.worked:
        portal.store.documents.runs.add(
            RunRow(report.stage, started, run.clock() - started, report.n_done, report.n_failed)
        )
    return report


def _forget_failures(portal: Portal, stages: Iterable[Stage]) -> None:
    """What failed is due again, as if it had never been tried."""
    store, names = portal.store, {stage.name for stage in stages}
    subjects: dict[str, list[str]] = defaultdict(list)
    for row in store.documents.failures.all():
        subjects[row.stage].append(row.subject)
    if StageName.CRAWL in names:
        store.crawl.frontier.requeue_failed()
        store.documents.pages.remove(subjects[StageName.READ])
    for name in names & {StageName.CONVERT, StageName.EXTRACT}:
        store.documents.results.drop(name, subjects[name])
