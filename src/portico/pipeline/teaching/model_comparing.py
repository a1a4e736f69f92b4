"""Compares what another model would read from a portal's pages with what the model in use reads."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from portico.crawl import media_types
from portico.crawl.links import view_page
from portico.crawl.page_kinds import make_recognizer
from portico.errors import ConfigError
from portico.extract.pages import make_extractor
from portico.pipeline.portal import Portal
from portico.pipeline.sources.recognizing import read_shipped_recognizer
from portico.pipeline.teaching.model_history import SHIPPED, find_version, read_version
from portico.store.codec import decode
from portico.text.markup import decode as decode_html
from portico.types.document import Document, DocumentId
from portico.types.lesson import ValueChange
from portico.types.page import Url
from portico.types.record import Record
from portico.types.stages import StageName

MOST_PAGES = 200
MOST_CHANGES = 8

Read = Callable[[Document], tuple[Record, ...]]


def compare_with_use(portal: Portal, address: str) -> Iterator[str]:
    """Yield counts before and after, and examples; ConfigError if the model is missing or incomparable."""
    stem, _, wanted = address.partition("@")
    fields, pages = (Path(name).stem for name in (portal.domain.kinds[0].model, portal.domain.pages))
    if not portal.domain.page_kinds or stem not in (fields, pages):
        raise ConfigError(
            f'"{address}": only models of fields and pages can be compared, in portals of web pages'
        )
    other = None if wanted == SHIPPED else read_version(portal.places, find_version(portal.places, address))
    yield f"In use now → with {address}:"
    if stem == pages:
        yield from _compare_pages(portal, other)
    else:
        yield from _compare_fields(portal, other)


def _compare_fields(portal: Portal, other: bytes | None) -> Iterator[str]:
    own = portal.places.models / portal.domain.kinds[0].model
    now: Read = make_extractor(portal.domain, own.read_bytes() if own.is_file() else None)
    later: Read = make_extractor(portal.domain, other)
    before: Counter[str] = Counter()
    after: Counter[str] = Counter()
    changes: list[ValueChange] = []
    n_pages = 0
    for document in islice(_read_documents(portal), MOST_PAGES):
        one, two = (_list_values(read(document)) for read in (now, later))
        before.update(name for name, _ in one.elements())
        after.update(name for name, _ in two.elements())
        n_pages += 1
        for name in dict.fromkeys(name for name, _ in (*(one - two), *(two - one))):
            gone, new = (
                tuple(value for label, value in values if label == name) for values in (one - two, two - one)
            )
            changes.append(ValueChange(_locate(portal, document), name, gone, new))
    yield f"  on {n_pages} pages"
    yield from (f"  {name}: {before[name]} → {after[name]}" for name in sorted({**before, **after}))
    yield from (f"  {change.describe()}" for change in changes[:MOST_CHANGES])


def _list_values(records: tuple[Record, ...]) -> Counter[tuple[str, str]]:
    return Counter(
        (f"{record.kind} {field.name}", field.value) for record in records for field in record.fields
    )


def _read_documents(portal: Portal) -> Iterator[Document]:
    for _, _, payload in portal.store.documents.results.payloads(StageName.CONVERT):
        yield decode(Document, payload)


def _locate(portal: Portal, document: Document) -> str:
    return next(iter(portal.sources(DocumentId(document.id))), document.id)


def _compare_pages(portal: Portal, other: bytes | None) -> Iterator[str]:
    own = portal.places.models / portal.domain.pages
    shipped, words = read_shipped_recognizer(portal), portal.domain.page_words
    now = make_recognizer(shipped, words, taught=own.read_bytes() if own.is_file() else None)
    later = make_recognizer(shipped, words, taught=other)
    before, after = 0, 0
    changes = []
    for row in portal.store.documents.pages.web_pages(media_types.HTML):
        page = view_page(decode_html(portal.store.blobs.get(row.body), row.media_type), Url(row.source))
        one, two = now(page), later(page)
        before += one != ""
        after += two != ""
        if one != two:
            changes.append(ValueChange(row.source, "page", (one,) if one else (), (two,) if two else ()))
    yield f"  pages: {before} → {after}"
    yield from (f"  {change.describe()}" for change in changes[:MOST_CHANGES])
