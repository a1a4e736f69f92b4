"""Prepares the data of each of the builder's pages."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from starlette.exceptions import HTTPException

from portico.serve.charts import HarvestChart, draw_harvest_chart
from portico.serve.contributions.forms import Form
from portico.serve.contributions.writable_portal import Model, WritablePortal
from portico.serve.links import check_outside_url
from portico.store.contributions.visitors import LoggedQuery
from portico.store.documents.failures import SET_ASIDE, FailureCounts, FailureGroup
from portico.store.documents.results import RunRow
from portico.store.meta import keep_source, read_kept_sources, read_suggested
from portico.store.opening import Store
from portico.types.correction import Correction, CorrectionKind, ProposalStatus
from portico.types.frontier import FrontierCounts
from portico.types.page_fate import Fate, PageFate
from portico.types.stages import StageName

MOST_SEARCHES = 50
MOST_LEFT_OUT = 500
MOST_FATES = 100
# For model cards: emphasis such as "**What it is.**", and the end of the first sentence.
_EMPHASIS, _SENTENCE_END = re.compile(r"\*\*[^*]*\*\*\s*|`"), re.compile(r"(?<=[^\d]\.)\s|:\s")
_UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))

_VALUED = (CorrectionKind.FIELD, CorrectionKind.TOPIC)
_ABOUT = {
    CorrectionKind.FIELD: "a field",
    CorrectionKind.TOPIC: "the topic",
    CorrectionKind.SAME: "the same paper twice",
    CorrectionKind.DIFFERENT: "two papers in one",
    CorrectionKind.NOT_A_PAPER: "not a paper",
}


@dataclass(frozen=True, slots=True)
class StageLine:
    """A stage's progress, if it counts its items one by one, and the last run in which it did something."""

    name: str
    n_done: int
    standing: FailureCounts
    last: RunRow | None
    when: str


@dataclass(frozen=True, slots=True)
class ModelLine:
    """A model and its purpose in one sentence."""

    model: Model
    purpose: str


@dataclass(frozen=True, slots=True)
class NextStep:
    """Something the builder can do next, with the page or command to do it."""

    words: str
    url: str  # "" if it is done with a command
    command: str = ""


@dataclass(frozen=True, slots=True)
class OverviewPage:
    """What to do next, and the portal's state at a glance."""

    steps: tuple[NextStep, ...]
    n_proposed: int
    n_submitted: int
    n_failed: int
    crawl: FrontierCounts
    chart: HarvestChart | None
    stages: tuple[StageLine, ...]
    storage: tuple[tuple[str, str], ...]
    models: tuple[ModelLine, ...]


@dataclass(frozen=True, slots=True)
class CorrectionLine:
    """One correction as shown to the builder."""

    id: int
    paper: str
    about: str
    wrong: str
    field: str
    before: str
    is_confirmed: bool  # the value is unchanged; a person confirmed it
    value: str
    note: str
    who: str
    when: str
    url: str
    can_edit: bool


@dataclass(frozen=True, slots=True)
class FailureLine:
    """A group of failures with the same reason; examples that are on the web have links."""

    group: FailureGroup
    examples: tuple[tuple[str, str | None], ...]
    remedy: str
    can_leave: bool  # whether the URLs can be left out of later crawls


@dataclass(frozen=True, slots=True)
class FateLine:
    """A group of fetched pages with the same outcome; examples have their URLs and reasons."""

    fate: str
    n_pages: int
    examples: tuple[tuple[str, str | None, str], ...]


@dataclass(frozen=True, slots=True)
class LeftOutLine:
    """A document that was classified as not a paper, and whether the builder keeps it anyway."""

    source: str
    url: str | None
    reason: str
    is_kept: bool


@dataclass(frozen=True, slots=True)
class SearchesPage:
    """What people search for, and which of their searches find nothing."""

    asked: tuple[LoggedQuery, ...]
    in_vain: tuple[LoggedQuery, ...]


def make_overview(writable: WritablePortal, *, n_doubts: int) -> OverviewPage:
    store = writable.store
    n_proposed = len(store.contributions.corrections.standing(ProposalStatus.PROPOSED))
    n_submitted = len(store.contributions.submissions.standing(ProposalStatus.PROPOSED))
    crawl = store.crawl.frontier.counts(())
    return OverviewPage(
        steps=tuple(_list_steps(writable, n_proposed, n_submitted, n_doubts, crawl.n_queued)),
        n_proposed=n_proposed,
        n_submitted=n_submitted,
        n_failed=sum(each.n_failed for each in store.documents.failures.counts().values()),
        crawl=crawl,
        chart=draw_harvest_chart(store.crawl.harvests.get()),
        stages=_stages(store),
        storage=tuple((name, format_bytes(size)) for name, size in _sizes(writable.folder)),
        models=tuple(_model_line(model) for model in writable.models),
    )


def _list_steps(
    writable: WritablePortal, n_proposed: int, n_submitted: int, n_doubts: int, n_queued: int
) -> Iterator[NextStep]:
    """Next steps: first what people are waiting for, then what improves the portal most, then what only a
    build can do.
    """
    store = writable.store
    groups = store.documents.failures.groups(n_examples=1)
    n_passing = sum(group.n_failed for group in groups if group.passing and not group.is_set_aside)
    n_aside = sum(group.n_failed for group in groups if group.is_set_aside)
    n_suggested = len(read_suggested(store.meta))
    n_vain = len(store.contributions.query_log.in_vain(limit=MOST_SEARCHES))
    steps = (
        (n_proposed, "Decide on {} that visitors proposed", "correction", "/builder/corrections"),
        (n_submitted, "Accept or reject {}", "submission", "/builder/submissions"),
        (n_passing, "Retry {} that may have been temporary", "failure", "/builder/failures"),
        (n_doubts, "Review {} that the models are least sure of", "value", "/builder/doubts"),
        (n_suggested, "Accept or reject {}", "suggested topic", "/builder/topics"),
        (n_aside, "Check {} set aside by the last build", "document", "/builder/failures#left-out"),
        (n_vain, "Look at {} that found nothing", "search", "/builder/searches"),
    )
    for number, words, thing, url in steps:
        if number:
            yield NextStep(words.format(_count(number, thing)), url)
    if n_queued:
        waiting = f"Fetch {_count(n_queued, 'URL')} that the crawl has not reached yet"
        yield NextStep(waiting, "", "portico build")


def _count(number: int, thing: str) -> str:
    ending = "" if number == 1 else "es" if thing.endswith(("s", "ch")) else "s"
    return f"{number:,} {thing}{ending}"


def list_corrections(writable: WritablePortal, standing: ProposalStatus) -> tuple[CorrectionLine, ...]:
    found = writable.store.contributions.corrections.standing(standing)
    papers = writable.store.view.entities.many(each.proposal.entity for each in found)
    titles = {name: writable.naming.title(paper) for name, paper in papers.items()}
    return tuple(_correction_line(writable, each, titles.get(each.proposal.entity, "")) for each in found)


def list_failures(writable: WritablePortal) -> tuple[FailureLine, ...]:
    """Failures grouped by reason. Documents that are not papers do not count as failures."""
    groups = (group for group in writable.store.documents.failures.groups() if not group.is_set_aside)
    return tuple(
        FailureLine(
            group,
            tuple((source, check_outside_url(source)) for source in group.examples),
            remedy=_name_remedy(group),
            can_leave=group.stage == StageName.CRAWL,
        )
        for group in groups
    )


# Remedies by words in the failure's reason; the first match is used.
_REMEDIES = (
    (r"404|410|does not exist|removed", "The page is gone. Leave it out; nothing is lost."),
    (r"robots", "The host asks not to be fetched. Leave it out, or ask its owner."),
    (
        r"40[13]|forbidden|not allowed",
        "The host requires a password. Leave it out, or add the files as a folder.",
    ),
    (r"429|too many", "The host was asked too often. Raise `delay_s` under [fetch], then try again."),
    (
        r"\b5\d\d\b|no answer|timed? ?out|refused|resolve|unreachable",
        "The host had trouble. Try later.",
    ),
    (r"redirect", "The redirects lead nowhere. Leave these URLs out."),
    (r"encrypted|password", "Save the file without its password and add it to a folder."),
    (r"OCR|no text|gibberish", "There is no text to read. Add a better scan, or leave it."),
    (r"damaged|cannot be opened|ends after", "The file is damaged. Fetch it again, then try again."),
    (
        r"took longer|memory|too large|limit",
        "It needs more than is allowed. Raise it under [convert].",
    ),
)


def _name_remedy(group: FailureGroup) -> str:
    found = (remedy for words, remedy in _REMEDIES if re.search(words, group.reason, re.IGNORECASE))
    otherwise = "This may be temporary. Try again." if group.passing else "Try again once the cause is fixed."
    return next(found, otherwise)


def list_fates(writable: WritablePortal) -> tuple[FateLine, ...]:
    """Fetched pages grouped by outcome; pages whose outcome has a reason are given as examples."""
    found: dict[Fate, list[PageFate]] = {}
    for each in writable.tell_pages():
        found.setdefault(each.fate, []).append(each)
    return tuple(
        FateLine(
            fate.value,
            len(found[fate]),
            tuple(
                (each.source, check_outside_url(each.source), each.reason)
                for each in found[fate][:MOST_FATES]
                if each.reason
            ),
        )
        for fate in Fate
        if fate in found
    )


def left_out(writable: WritablePortal) -> tuple[LeftOutLine, ...]:
    """Documents that were read but classified as not papers; those that the builder keeps anyway come
    first.
    """
    kept = read_kept_sources(writable.store.meta)
    refused = {
        row.source: row.reason for row in writable.store.documents.failures.all() if row.kind == SET_ASIDE
    }
    shown = [*kept, *(source for source in sorted(refused) if source not in kept)][:MOST_LEFT_OUT]
    return tuple(
        LeftOutLine(source, check_outside_url(source), refused.get(source, ""), source in kept)
        for source in shown
    )


def settle_left_out(writable: WritablePortal, form: Form) -> None:
    """Store whether later builds are to keep a document that was classified as not a paper."""
    source = form.get("source", "")
    if source not in {line.source for line in left_out(writable)}:
        raise HTTPException(404, "There is no such document; a build may have removed it.")
    keep_source(writable.store.meta, source, wanted=form.get("decision") == "keep")


def list_searches(writable: WritablePortal) -> SearchesPage:
    log = writable.store.contributions.query_log
    return SearchesPage(log.most_asked(limit=MOST_SEARCHES), log.in_vain(limit=MOST_SEARCHES))


def format_day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")


def format_bytes(size: int) -> str:
    unit, name = next(((unit, name) for unit, name in _UNITS if size >= unit), (1.0, "bytes"))
    return f"{size / unit:,.1f} {name}" if unit > 1 else f"{size} {name}"


def _stages(store: Store) -> tuple[StageLine, ...]:
    """All stages, ordered by their last run, which is their order in the pipeline."""
    counts, runs = store.documents.results.counts(), store.documents.runs.last()
    standing = store.documents.failures.counts()
    names = sorted({*counts, *runs}, key=lambda name: (runs[name].started_at if name in runs else 0.0, name))
    return tuple(
        StageLine(
            name,
            counts[name].n_done if name in counts else runs[name].n_done,
            standing.get(name, FailureCounts()),
            runs.get(name),
            format_day(runs[name].started_at) if name in runs else "",
        )
        for name in names
    )


def _model_line(model: Model) -> ModelLine:
    """A model with its purpose, taken from the first sentence of its card."""
    if model.is_own:
        return ModelLine(model, "Learned by this portal itself.")
    paragraphs = [part for part in model.card.split("\n\n") if part.strip() and not part.startswith("#")]
    plain = _EMPHASIS.sub("", " ".join(paragraphs[0].split())) if paragraphs else ""
    return ModelLine(model, _SENTENCE_END.split(plain, maxsplit=1)[0])


def _sizes(folder: Path) -> Iterator[tuple[str, int]]:
    database = sum(path.stat().st_size for path in folder.glob("portico.db*"))
    yield "Database", database
    for name, words in (("blobs", "Pages and documents"), ("index", "Search index"), ("models", "Models")):
        yield words, _size(folder / name)


def _size(folder: Path) -> int:
    """The total size in bytes of all files below a folder. Files that vanish meanwhile do not count."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(parent, name)).st_size
            except OSError:
                continue
    return total


def _correction_line(writable: WritablePortal, each: Correction, paper: str) -> CorrectionLine:
    said = each.proposal
    about = _ABOUT[said.wrong].replace("paper", writable.naming.one)
    before = said.before.replace("/", " › ") if said.wrong is CorrectionKind.TOPIC else said.before
    return CorrectionLine(
        id=each.id,
        paper=paper,
        about=said.field if said.wrong is CorrectionKind.FIELD else about,
        wrong=said.wrong,
        field=said.field,
        before=before,
        is_confirmed=said.wrong in _VALUED and said.before == said.value,
        value=said.value if said.wrong in _VALUED else "",
        note=said.note,
        who=said.who,
        when=format_day(each.decided_at or said.at),
        url=writable.naming.url(said.entity),
        can_edit=said.wrong is CorrectionKind.FIELD,
    )
