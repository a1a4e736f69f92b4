"""Fields by example: pages read as the extractor reads them, marks on them learned, and the result tried."""

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from portico.convert.converter import Converter
from portico.crawl import media_types
from portico.errors import ConfigError, ConversionError, FetchError
from portico.extract.page_learning import LabelledPage, label_passages, learn_marked
from portico.extract.pages import load_extractor, make_page_observer
from portico.files import write_whole
from portico.learn.committee import load_committee
from portico.pipeline.documents.converting import read_limits
from portico.pipeline.portal import Portal
from portico.pipeline.teaching.page_viewer import ViewPage
from portico.types.document import Document, DocumentId, Span
from portico.types.domain import Domain
from portico.types.lesson import FieldMark
from portico.types.outline import ShownPage
from portico.types.page import BodyHash, Url
from portico.types.record import Record

MOST_READ = 50
"""Documents kept in memory: a builder goes back and forth between a few pages."""


@dataclass(frozen=True, slots=True)
class FieldMarking:
    """Works on the pages of one portal; documents are made one at a time, in the sandbox."""

    portal: Portal
    domain: Domain
    look: ViewPage
    _turn: threading.Lock = field(default_factory=threading.Lock)
    _read: dict[BodyHash, Document] = field(default_factory=dict)  # the pages looked at last

    @property
    def labels(self) -> tuple[str, ...]:
        """What a passage can be marked as; none where the domain reads no web pages."""
        if not self.domain.page_kinds:
            return ()
        others = {kind.other for kind in self.domain.kinds}
        named = (label for kind in self.domain.kinds for label in kind.labels)
        return tuple(dict.fromkeys(label for label in named if label not in others))

    def read(self, url: Url) -> Document:
        """The page as the extractor sees it, fetched if need be; an InputError says why it cannot be."""
        shown = self.look(url)
        if shown.body is None:
            raise ConversionError("nothing came that could be read")
        with self._turn:
            if shown.body not in self._read:
                if len(self._read) >= MOST_READ:
                    self._read.clear()
                self._read[shown.body] = self._converted(shown, shown.body)
            return self._read[shown.body]

    def learn(self) -> Path:
        """Train the portal's own extractor from all marks, and write it; ConfigError where there are none."""
        pages = [
            page
            for marks in _group_by_body(self.portal.store.contributions.marks.all())
            if (page := self._labelled(marks))
        ]
        if not pages:
            raise ConfigError("nothing is marked yet: mark at least one field on a page")
        kind = self.domain.kinds[0]
        shipped = self.domain.models / kind.model
        own = self.portal.places.models / kind.model
        model = learn_marked(
            pages,
            make_page_observer(self.domain),
            other=kind.other,
            shipped=load_committee(shipped) if shipped.is_file() and shipped != own else None,
        )
        write_whole(own, model.to_bytes())
        return own

    def records(self, url: Url) -> tuple[Record, ...]:
        """What the extractor reads from a page, by the portal's own model where there is one."""
        own = self.portal.places.models
        has_own = (own / self.domain.kinds[0].model).is_file()
        return load_extractor(self.domain, own if has_own else None)(self.read(url))

    def _converted(self, shown: ShownPage, body: BodyHash) -> Document:
        content = self.portal.store.blobs.get(body)
        with Converter(read_limits(self.portal)) as convert:
            read = convert.page if shown.media_type.startswith(media_types.HTML) else convert
            return read(content, media_type=shown.media_type, name=shown.url, document_id=DocumentId(body))

    def _labelled(self, marks: list[FieldMark]) -> LabelledPage | None:
        try:
            document = self.read(marks[0].page)
        except (FetchError, ConversionError):
            return None  # the page is gone; its marks wait until it is back
        passages = [(span, mark.label) for mark in marks if (span := find_marked(mark, document)) is not None]
        return label_passages(document, passages, other=self.domain.kinds[0].other) if passages else None


def find_marked(mark: FieldMark, document: Document) -> Span | None:
    """Where the marked words stand, also if the page is converted another way than when it was marked."""
    if document.text[mark.start : mark.end] == mark.text:
        return Span(mark.start, mark.end)
    places = []
    start = document.text.find(mark.text)
    while start >= 0:
        places.append(start)
        start = document.text.find(mark.text, start + 1)
    nearest = min(places, key=lambda place: abs(place - mark.start), default=None)
    return Span(nearest, nearest + len(mark.text)) if nearest is not None else None


def _group_by_body(marks: Iterable[FieldMark]) -> list[list[FieldMark]]:
    found: dict[BodyHash, list[FieldMark]] = {}
    for mark in marks:
        found.setdefault(mark.body, []).append(mark)
    return list(found.values())
