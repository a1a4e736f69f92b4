"""The order of the stages, and what one build does."""

import os
import shlex
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from portico.config.settings import LOCAL_ENGINE, FolderSource
from portico.engine.local import LocalEngine
from portico.engine.work import Engine
from portico.errors import ConfigError
from portico.pipeline.authoring import run_authors
from portico.pipeline.documents.converting import run_convert
from portico.pipeline.documents.extracting import run_extract
from portico.pipeline.documents.listing import run_list
from portico.pipeline.documents.picturing import run_picture
from portico.pipeline.enrichment.enriching import run_enrich
from portico.pipeline.indexing import run_index
from portico.pipeline.opening import ensure_folder_portal, open_for_building, open_for_crawling
from portico.pipeline.portal import Portal
from portico.pipeline.progress import BuildRequest, Progress, StageReport, count_things
from portico.pipeline.runners import BuildRun
from portico.pipeline.sources.crawling import list_submitted_papers, list_web_sources, run_crawl
from portico.pipeline.sources.folders import run_read
from portico.pipeline.sources.recognizing import run_recognize
from portico.pipeline.sources.refreshing import run_refresh
from portico.pipeline.topics.classifying import run_classify
from portico.pipeline.topics.placing import run_place
from portico.pipeline.topics.topic_ranking import run_ranks
from portico.pipeline.up_to_date import Surroundings, leave_note, look_around
from portico.store.documents.results import RunRow
from portico.store.opening import Store, is_on_server, parse_store_url
from portico.store.seals import SealKeeper
from portico.types.page_fate import count_fates, describe_fates
from portico.types.stages import StageName


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage, and the commands that run it besides `build`, which runs all stages."""

    name: StageName
    run: Callable[[Portal, BuildRun], StageReport]
    commands: tuple[StageName, ...]


def _run_match(portal: Portal, run: BuildRun) -> StageReport:
    return portal.collection.match(portal, run)


STAGES = (
    Stage(StageName.REFRESH, run_refresh, (StageName.CRAWL,)),
    Stage(StageName.CRAWL, run_crawl, (StageName.CRAWL,)),
    Stage(StageName.READ, run_read, (StageName.CRAWL,)),
    Stage(StageName.RECOGNIZE, run_recognize, (StageName.CONVERT,)),
    Stage(StageName.CONVERT, run_convert, (StageName.CONVERT,)),
    Stage(StageName.LIST, run_list, (StageName.EXTRACT,)),
    Stage(StageName.EXTRACT, run_extract, (StageName.EXTRACT,)),
    Stage(StageName.ENRICH, run_enrich, ()),  # only `build` sends requests to catalogs
    Stage(StageName.CLASSIFY, run_classify, (StageName.CLASSIFY,)),
    Stage(StageName.MATCH, _run_match, (StageName.MATCH,)),
    Stage(StageName.PLACE, run_place, (StageName.CLASSIFY, StageName.MATCH)),
    Stage(StageName.RANKS, run_ranks, (StageName.MATCH,)),
    Stage(StageName.AUTHORS, run_authors, (StageName.MATCH,)),
    Stage(StageName.INDEX, run_index, (StageName.INDEX,)),
    Stage(StageName.PICTURE, run_picture, (StageName.INDEX,)),
)
"""The stages in order. Each asks the store for its pending work, so any of them can be run alone."""


@dataclass(frozen=True, slots=True)
class BuildSummary:
    """The results of a build."""

    portal: Path
    reports: tuple[StageReport, ...]
    n_held: int
    held: str  # the same in words: "118 papers, 132 more known from citations"
    n_others: int  # read, but not what the portal collects
    others: str  # what these are called
    n_failures: int
    seconds: float
    damage: str = ""  # found before and not repaired
    pages: str = ""  # outcomes of all fetched pages, in portals of web pages

    @property
    def nothing_found(self) -> bool:
        """Whether no input was obtained at all: no seed could be fetched, no file could be read."""
        return any(report.nothing_found for report in self.reports)

    def lines(self) -> Iterator[str]:
        worked = [report for report in self.reports if report.worked]
        for report in worked:
            yield f"{report.stage:<9}{report.words()}"
        for report in self.reports:
            if report.note:
                yield f"{report.stage}: {report.note}"
        if self.damage:
            yield f"The portal is damaged: {self.damage}. Run `portico verify --repair`, then build again."
        if not worked and not self.damage and not any(report.note for report in self.reports):
            yield f"Nothing to do: everything is up to date ({self.seconds:.1f} s)."
        yield (
            f"{self.held}; {self.n_others} {self.others} set aside,"
            f" {count_things(self.n_failures, 'failure')}."
        )
        if self.pages:
            yield f"{self.pages}."
        portal = shlex.quote(str(self.portal))
        if worked and self.n_held:
            yield f"Look at it: portico serve {portal}"
        if self.n_failures:
            yield f"What failed and why: portico status {portal}"


def build_portal(path: Path, request: BuildRequest, progress: Progress) -> BuildSummary:
    """Brings the portal at `path` up to date; creates the portal of a folder of papers first."""
    started = time.time()
    ensure_folder_portal(path)
    crawls_only = request.stages == (StageName.CRAWL,) and not (request.retry or request.refresh)
    with (open_for_crawling if crawls_only else open_for_building)(path) as portal:
        return build(portal, request, progress, path=path, started=started)


def build(
    portal: Portal, request: BuildRequest, progress: Progress, *, path: Path, started: float
) -> BuildSummary:
    """Runs the stages on an opened portal."""
    portal.store.blobs.sweep()
    asked = [stage for stage in STAGES if not request.stages or {*stage.commands} & {*request.stages}]
    if request.retry:
        _forget_failures(portal, asked)
    collection = portal.collection
    around = _look_around(portal, asked)
    with _open_engine(portal, request, asked) as engine:
        run = BuildRun(
            engine,
            progress,
            time.time,
            forget=request.forget,
            refresh=request.refresh,
            confirm=request.confirm,
            keep_seals=SealKeeper(portal.store.engine, time.monotonic),
        )
        reports = tuple(
            _run_stage(stage, portal, run) for stage in asked if stage.name not in collection.left_out
        )
    counts = portal.store.documents.failures.counts()
    summary = BuildSummary(
        portal=path,
        reports=reports,
        n_held=portal.store.catalog.counts().n_held,
        held=collection.count_in_words(portal.store),
        n_others=sum(each.n_set_aside for each in counts.values()),
        others=collection.others,
        n_failures=sum(each.n_failed for each in counts.values()),
        seconds=time.time() - started,
        damage=portal.places.read_damage(),
        pages=describe_fates(count_fates(collection.tell_pages(portal))),
    )
    if around is not None and not summary.damage and _is_complete(portal, reports):
        said = tuple(replace(summary, reports=()).lines())[1:]  # without the time it took
        leave_note(portal.places, portal.store.meta, around, said)
    return summary


def _look_around(portal: Portal, asked: Iterable[Stage]) -> Surroundings | None:
    """What the build depends on; None if something may be due afterwards without any change of it."""
    store, settings = portal.store, portal.settings
    if is_on_server(settings.store.url) or settings.blobs.url or settings.enrich.sources:
        return None
    is_web = bool(list_web_sources(portal) or list_submitted_papers(portal))
    if is_web and settings.spider.refresh_days:
        return None
    folders = [os.path.expanduser(each.folder) for each in settings.sources if isinstance(each, FolderSource)]
    left = {stage.name for stage in STAGES} - {stage.name for stage in asked}
    has_sources = bool(folders or is_web or portal.places.uploads.is_dir())
    if left - _FIRST or (left and (has_sources or _has_old_sources(store))):
        return None
    trees = [settings.topics.file] if settings.topics.file else []
    return look_around(portal.places, str(parse_store_url(settings.store.url).database), trees, folders)


_FIRST = frozenset({StageName.REFRESH, StageName.CRAWL, StageName.READ, StageName.ENRICH})
"""Stages that have nothing to do in a portal that never had a source or asked a catalog."""


def _has_old_sources(store: Store) -> bool:
    """Whether files of folders, or answers of catalogs, may have to be removed."""
    return bool(store.documents.pages.origins() or store.documents.results.keys(StageName.ENRICH))


def _is_complete(portal: Portal, reports: Iterable[StageReport]) -> bool:
    """Whether the next build would have nothing to do, and no more to say than this one."""
    crawl = portal.store.crawl
    if crawl.frontier.counts(()).n_queued or crawl.revisits.counts(()).n_queued:
        return False
    return all(
        report.is_finished
        and not report.nothing_found
        and not (
            report.note and (report.stage in _FIRST or not report.worked)
        )  # notes on sources are repeated
        for report in reports
    )


@contextmanager
def _open_engine(portal: Portal, request: BuildRequest, asked: Iterable[Stage]) -> Iterator[Engine]:
    """Opens the engine named in portal.toml; reports an unreachable cluster before a long crawl."""
    settings = portal.settings.engine
    if settings.kind == LOCAL_ENGINE:
        yield LocalEngine(request.workers or settings.workers)
        return
    try:
        # Imported here: Dask takes a second to load, and is not installed where only one machine builds.
        from portico.engine.dask import DaskEngine
    except ImportError as error:
        raise ConfigError(
            f'{portal.places.settings}: [engine] kind = "{settings.kind}" needs what is not installed '
            f"({error}). Install it with `pip install 'portico[cluster]'`."
        ) from error
    is_address = "://" in settings.scheduler
    engine = DaskEngine(settings.scheduler if is_address else str(portal.places.folder / settings.scheduler))
    if any(stage.commands != (StageName.CRAWL,) for stage in asked):
        engine.connect()
    with closing(engine):
        yield engine


def _run_stage(stage: Stage, portal: Portal, run: BuildRun) -> StageReport:
    started = run.clock()
    report = stage.run(portal, run)
    run.keep_seals()
    if report.worked:
        portal.store.documents.runs.add(
            RunRow(
                report.stage,
                started,
                run.clock() - started,
                report.n_done + report.n_set_aside,
                report.n_failed,
            )
        )
    return report


def _forget_failures(portal: Portal, stages: Iterable[Stage]) -> None:
    """Makes failed items due again, as if they had never been tried."""
    store, names = portal.store, {stage.name for stage in stages}
    subjects: dict[str, list[str]] = defaultdict(list)
    for row in store.documents.failures.all():
        subjects[row.stage].append(row.subject)
    if StageName.CRAWL in names:
        store.crawl.frontier.requeue_failed()
        store.documents.pages.remove(subjects[StageName.READ])
    for name in names & {StageName.CONVERT, StageName.EXTRACT, StageName.ENRICH}:
        store.documents.results.drop(name, subjects[name])
