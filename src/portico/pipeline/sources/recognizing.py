"""Decides which fetched pages are wanted, during the crawl and again when models change."""

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from portico.convert.converter import ConvertLimits
from portico.crawl import media_types
from portico.crawl.links import view_page
from portico.errors import ConversionError, NotAPaper, SetupError
from portico.pipeline.documents.converting import read_limits
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageReport
from portico.pipeline.runners import BuildRun
from portico.text.markup import decode
from portico.types.document import DocumentId
from portico.types.domain import Domain
from portico.types.frontier import Obtained
from portico.types.page import PageView, Url
from portico.types.path import Ending
from portico.types.stages import StageName

STAGE = StageName.RECOGNIZE
_RECOGNIZER = "pages.recognizer"  # in the store: the model that last classified all pages
_AT_ONCE = 200  # pages whose kinds are written together

# Limits for examining a fetched document, while other hosts wait for the result. Nine of ten papers have
# fewer than 60 pages; a spider should not seek more books.
JUDGED_PAGES = 60
JUDGED_S = 10.0

LINES_OF_A_REFERENCE = 3
"""Lines of a reference in two-column layout: the number of references is estimated from lines, without
splitting."""


class Recognizer(Protocol):
    """Classifies pages by kind."""

    def __call__(self, page: PageView, /) -> str: ...

    @property
    def digest(self) -> str: ...


def load_recognizer(portal: Portal) -> Recognizer | None:
    """Load the page classifier of the portal; None if it collects documents."""
    domain = portal.domain
    if not domain.page_kinds:
        return None
    # Imported here: arrays take half a second to load, which portals of papers need not spend.
    from portico.crawl.page_kinds import make_recognizer

    own = portal.places.models / domain.pages
    return make_recognizer(
        read_shipped_recognizer(portal),
        domain.page_words,
        taught=own.read_bytes() if own.is_file() else None,
        shown={Url(url): kind for url, kind in read_shown_kinds(portal).items() if kind},
    )


def read_shipped_recognizer(portal: Portal) -> bytes | None:
    """The model that ships with the domain; None for a declared domain."""
    shipped = portal.domain.models / portal.domain.pages
    is_own = portal.domain.models == portal.places.models
    return shipped.read_bytes() if shipped.is_file() and not is_own else None


def read_shown_kinds(portal: Portal) -> dict[str, str]:
    """The kind of each page shown by the builder; "" for the last page of a path that ended in vain."""
    kinds = portal.domain.page_kinds
    found: dict[str, str] = {mark.page: kinds[0] for mark in portal.store.contributions.marks.all()}
    for stop in portal.store.contributions.lessons.lesson().examples:
        if stop.ending is Ending.GOAL:
            found[stop.url] = stop.milestone if stop.milestone in kinds else kinds[0]
        else:
            found.setdefault(stop.url, "")
    return found


def run_recognize(portal: Portal, run: BuildRun) -> StageReport:
    """Classify all fetched pages again if the model has changed."""
    recognize = load_recognizer(portal)
    if recognize is None or portal.store.meta.get(_RECOGNIZER) == recognize.digest:
        return StageReport(STAGE)
    started = run.clock()
    pages = portal.store.documents.pages.web_pages(media_types.HTML)
    with run.progress.stage(STAGE, len(pages)) as meter:
        kinds: dict[str, str] = {}
        for row in pages:
            html = decode(portal.store.blobs.get(row.body), row.media_type)
            kinds[row.source] = recognize(view_page(html, Url(row.source)))
            if len(kinds) == _AT_ONCE:
                portal.store.documents.pages.set_kinds(kinds)
                meter.advance(len(kinds))
                kinds = {}
        portal.store.documents.pages.set_kinds(kinds)
        meter.advance(len(kinds))
    note_recognizer(portal, recognize)
    return StageReport(STAGE, n_done=len(pages), seconds=run.clock() - started)


def note_recognizer(portal: Portal, recognize: Recognizer) -> None:
    """Record that all pages so far were classified by this model."""
    portal.store.meta.set(_RECOGNIZER, recognize.digest)


class DocumentJudge:
    """Tells papers from slides, forms and notes as they are fetched, so that the crawl looks for papers.

    It applies the portal's own test for papers, as far as headings alone allow. Documents that need OCR count
    as no papers. If no converter can be started here, every document counts as a paper.
    """

    def __init__(self, domain: Domain, limits: ConvertLimits) -> None:
        self._domain = domain
        self._limits = replace(
            limits,
            timeout_s=min(limits.timeout_s, JUDGED_S),
            max_pages=min(limits.max_pages, JUDGED_PAGES),
            ocr="never",
        )
        self._check: Callable[[Obtained], None] | None = None
        self._close: Callable[[], None] = lambda: None
        self._works = True

    def __call__(self, got: Obtained) -> bool:
        """Whether a document is a paper."""
        if self._check is None:
            self._check = self._prepare()
        if not self._works:
            return True
        try:
            self._check(got)
        except SetupError:
            self._works = False
            return True
        except (ConversionError, NotAPaper):
            return False
        return True

    def close(self) -> None:
        """End the process that converts documents."""
        self._close()

    def _prepare(self) -> Callable[[Obtained], None]:
        # Imported here: a run without documents need not load what reads them.
        from portico.convert.converter import Converter
        from portico.extract.zones import ZoneFinder, check_paper

        convert = Converter(self._limits)
        find_zones = ZoneFinder(self._domain.headings)
        self._close = convert.close

        def check(got: Obtained) -> None:
            document = convert(
                got.body or b"", media_type=got.media_type, name=got.final, document_id=DocumentId(got.final)
            )
            zones = find_zones(document)
            check_paper(document, zones, -(-len(zones.references) // LINES_OF_A_REFERENCE))

        return check


def make_document_judge(portal: Portal) -> DocumentJudge | None:
    """Make the judge of documents for a crawl; None if pages are collected."""
    return None if portal.domain.page_kinds else DocumentJudge(portal.domain, read_limits(portal))
