"""Which fetched pages are of the kinds that a portal seeks: told while crawling, again by new models."""

from pathlib import Path
from typing import Protocol

from portico.crawl import media_types
from portico.crawl.links import view_page
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageReport
from portico.pipeline.runners import BuildRun
from portico.text.markup import decode
from portico.types.page import PageView, Url
from portico.types.stages import StageName

STAGE = StageName.RECOGNIZE
_RECOGNIZER = "pages.recognizer"  # in the store: what told the kinds of pages apart last
_AT_ONCE = 200  # pages whose kinds are written together


class Recognizer(Protocol):
    """Tells kinds of pages apart."""

    def __call__(self, page: PageView, /) -> str: ...

    @property
    def digest(self) -> str: ...


def load_recognizer(portal: Portal) -> Recognizer | None:
    """What tells the portal's kinds of pages apart; None where it seeks documents."""
    domain = portal.domain
    if not domain.page_kinds:
        return None
    # Imported here: arrays take half a second to load, which portals of papers need not spend.
    from portico.crawl.page_kinds import make_recognizer

    file = _find_model(portal)
    return make_recognizer(file.read_bytes() if file is not None else None, domain.page_words)


def run_recognize(portal: Portal, run: BuildRun) -> StageReport:
    """Tells the kinds of all fetched pages again, where another model tells them than last time."""
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
    """Write down that all pages so far were told apart by this recognizer."""
    portal.store.meta.set(_RECOGNIZER, recognize.digest)


def _find_model(portal: Portal) -> Path | None:
    """The portal's own recognizer, else the one that ships with the domain, else none."""
    domain = portal.domain
    candidates = (portal.places.models / domain.pages, domain.models / domain.pages)
    return next((path for path in candidates if path.is_file()), None)
