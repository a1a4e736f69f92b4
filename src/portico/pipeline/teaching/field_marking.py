"""Teaching fields by example: shows pages as the extractor reads them, and learns from marks on them."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import islice

from portico.convert.converter import Converter
from portico.crawl import media_types
from portico.errors import ConfigError, ConversionError, FetchError
from portico.extract.alike_places import find_alike
from portico.extract.marked_pages import LEAST_PAGES, FieldLearner, MarkedPage, VerifiedPage
from portico.extract.pages import load_extractor
from portico.extract.taught_fields import TaughtFields, read_taught_fields
from portico.pipeline.documents.converting import read_limits
from portico.pipeline.portal import Portal, is_web
from portico.pipeline.portal_domain import find_fields_models
from portico.pipeline.progress import Clock, count_things
from portico.pipeline.teaching.model_history import keep_model
from portico.pipeline.teaching.page_viewer import Hold, ViewPage
from portico.store.codec import decode
from portico.text.names import fold
from portico.text.urls import get_host
from portico.types.document import Document, DocumentId, Span
from portico.types.domain import Domain
from portico.types.lesson import AlikePage, FieldMark, KnownWebPage, LessonOutcome, ValueChange
from portico.types.outline import ShownPage
from portico.types.page import BodyHash, Url
from portico.types.record import Field, Record
from portico.types.stages import StageName

MOST_READ = 50
"""Documents kept in memory, because builders switch between a few pages."""

# Unmarked pages on which a lesson is tested, and the most changes shown as examples.
MOST_UNMARKED = 40
MOST_CHANGES = 6
# Pages among which the next one to mark is chosen.
MOST_ASKED = 500
# Pages searched for counterparts of marks, and the most of them shown.
MOST_COMPARED, MOST_ALIKE = 60, 5


@dataclass(frozen=True, slots=True)
class FieldMarking:
    """Marks fields on the pages of one portal; documents are converted one at a time, in the sandbox."""

    portal: Portal
    domain: Domain
    look: ViewPage
    known: tuple[KnownWebPage, ...] = ()  # pages with known values that a lesson must not read worse
    now: Clock = time.time
    hold: Hold = nullcontext  # locks out builds while something is learned and written
    _turn: threading.Lock = field(default_factory=threading.Lock)
    _extractors: dict[str, Callable[[Document], tuple[Record, ...]]] = field(default_factory=dict)
    _read: dict[BodyHash, Document] = field(default_factory=dict)  # recently viewed pages

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels a passage can be marked with; none if the domain reads no web pages."""
        if not self.domain.page_kinds:
            return ()
        others = {kind.other for kind in self.domain.kinds}
        named = (label for kind in self.domain.kinds for label in kind.labels)
        return tuple(dict.fromkeys(label for label in named if label not in others))

    def read(self, url: Url) -> Document:
        """The page as the extractor sees it, fetched if needed; InputError explains why it is impossible."""
        shown = self.look(url)
        if shown.body is None:
            raise ConversionError("nothing came that could be read")
        with self._turn:
            if shown.body not in self._read:
                if len(self._read) >= MOST_READ:
                    self._read.clear()
                self._read[shown.body] = self._converted(shown, shown.body)
            return self._read[shown.body]

    def learn(self) -> LessonOutcome:
        """Train on all marks, and keep the result if it reads better than the model in use.

        Raises ConfigError if nothing is marked, PortalBusy during a build.
        """
        with self.hold():
            return self._learn()

    def find_next_page(self) -> Url | None:
        """Find the unmarked page whose fields are least certain, which is worth marking next; None if there
        is none.

        A page is the less certain, the more fields are missing and the lower the probabilities of the others
        are.
        """
        marked = {mark.body for mark in self.portal.store.contributions.marks.all()}
        n_fields = len(self.labels)
        best: tuple[float, str] | None = None
        results = self.portal.store.documents.results.payloads(StageName.EXTRACT)
        for name, _, payload in islice(results, MOST_ASKED):
            if name in marked:
                continue
            fields = [field for record in decode(tuple[Record, ...], payload) for field in record.fields]
            n_missing = max(0, n_fields - len({field.name for field in fields}))
            doubt = sum(1 - field.confidence for field in fields) / max(len(fields), 1)
            unsure = doubt + n_missing / max(n_fields, 1)
            if best is None or unsure > best[0]:
                best = unsure, name
        sources = self.portal.sources(best[1]) if best is not None else ()
        return next((Url(source) for source in sources if is_web(source)), None)

    def find_alike(self, url: Url) -> tuple[AlikePage, ...]:
        """Find some unmarked pages with the counterparts of the words marked on this page.

        Pages of the same site come first, among them those with the most counterparts.
        """
        document = self.read(url)
        marks = self.portal.store.contributions.marks.all()
        here = [mark for mark in marks if mark.body == BodyHash(document.id)]
        passages = [(span, mark.label) for mark in here if (span := find_marked(mark, document)) is not None]
        marked = {mark.body for mark in marks} | {BodyHash(document.id)}
        found = []
        for other in self._list_converted(marked, near=get_host(url)):
            alike = find_alike(document, passages, other)
            source = next(filter(is_web, self.portal.sources(other.id)), None) if alike else None
            if source is not None:
                page = Url(source)
                body = BodyHash(other.id)
                found.append(
                    AlikePage(
                        page,
                        tuple(
                            FieldMark(page, body, label, span.start, span.end, span.of(other.text))
                            for span, label in alike
                        ),
                    )
                )
        best = sorted(
            found, key=lambda each: (get_host(each.url) != get_host(url), -len(each.marks), each.url)
        )
        return tuple(best[:MOST_ALIKE])

    def make_mark(self, url: Url, kind: str, field: Field) -> FieldMark | None:
        """Convert an extracted value to a mark of its words; None if they are not printed at its place."""
        document = self.read(url)
        text = field.span.of(document.text)
        for rule in (each for one in self.domain.kinds if one.name == kind for each in one.rules):
            values = {fold(reading.value) for reading in rule.read(text)} | {fold(text)}
            if rule.field == field.name and rule.label in self.labels and fold(field.value) in values:
                span = field.span
                return FieldMark(url, BodyHash(document.id), rule.label, span.start, span.end, text)
        return None

    def _list_converted(self, without: set[BodyHash], *, near: str) -> Iterator[Document]:
        """Yield some pages as the last build converted them, those of one host first."""
        results = self.portal.store.documents.results
        names = [name for name in sorted(results.digests(StageName.CONVERT)) if name not in without]
        sources = self.portal.store.documents.pages.sources([BodyHash(name) for name in names])
        hosts = {name: {get_host(Url(each)) for each in sources.get(BodyHash(name), ())} for name in names}
        names.sort(key=lambda name: near not in hosts[name])
        for name in names[:MOST_COMPARED]:
            payload = results.get(StageName.CONVERT, name)
            if payload is not None:
                yield decode(Document, payload)

    def _learn(self) -> LessonOutcome:
        pages = self._read_marked()
        if not pages:
            raise ConfigError("nothing is marked yet: mark at least one field on a page")
        said = f"{sum(len(page.passages) for page in pages)} passages on {count_things(len(pages), 'page')}"
        if len(pages) < LEAST_PAGES:
            return LessonOutcome(
                False,
                f"Nothing changes yet, from {said}: mark a second page like it, so that what one teaches "
                "can be tried on the other.",
            )
        learner = FieldLearner(self.domain, self._load_in_use())
        marked = {page.document.id for page in pages}
        tried = learner.try_lesson(pages, known=self._read_known(), unmarked=[*self._read_unmarked(marked)])
        fields = tried.judge.describe_fields(tried.parts)
        changes = tuple(map(self._locate, islice(tried.judge.list_changes(tried.parts), MOST_CHANGES)))
        if tried.taught is None:
            why = "no field is read better on marked pages that were left out, so nothing changes"
            swapped = " and ".join(sorted(tried.judge.find_swapped()))
            why += f". Were {swapped} marked for each other" if swapped else ""
            mark = "?" if swapped else "."
            return LessonOutcome(False, f"Tried what {said} teach: {why}{mark}", fields, changes)
        names = ", ".join(label for label, _ in tried.taught.parts)
        outcome = LessonOutcome(
            True, f"Learned {names} from {said}: the next build reads every page so.", fields, changes
        )
        file = self.portal.places.models / self.domain.kinds[0].model
        keep_model(file, tried.taught.to_bytes(), told=tuple(outcome.lines()), at=self.now())
        return outcome

    def records(self, url: Url) -> tuple[Record, ...]:
        """What the extractor reads from a page, with the portal's own model if there is one."""
        folder = find_fields_models(self.domain, self.portal.places)
        file = folder / self.domain.kinds[0].model
        model = sha256(file.read_bytes()).hexdigest() if file.is_file() else ""
        if model not in self._extractors:
            self._extractors.clear()
            self._extractors[model] = load_extractor(self.domain, folder)
        return self._extractors[model](self.read(url))

    def _load_in_use(self) -> TaughtFields | None:
        own = self.portal.places.models / self.domain.kinds[0].model
        return read_taught_fields(own.read_bytes()) if own.is_file() else None

    def _read_marked(self) -> list[MarkedPage]:
        groups = _group_by_body(self.portal.store.contributions.marks.all())
        return [page for marks in groups if (page := self._read_marked_page(marks))]

    def _read_marked_page(self, marks: list[FieldMark]) -> MarkedPage | None:
        try:
            document = self.read(marks[0].page)
        except (FetchError, ConversionError):
            return None  # the page is gone; its marks wait until it is back
        passages = [(span, mark.label) for mark in marks if (span := find_marked(mark, document)) is not None]
        if not passages:
            return None
        key = sha256(f"{document.id} {sorted(passages)}".encode()).hexdigest()
        return MarkedPage(document, tuple(passages), key[:16])

    def _read_known(self) -> list[VerifiedPage]:
        """The pages that ship with the domain, converted like those of the portal."""
        found = []
        with Converter(read_limits(self.portal)) as convert:
            for page in self.known:
                name = sha256(page.html.encode()).hexdigest()
                document = convert.page(
                    page.html.encode(), media_type="text/html", name=page.url, document_id=DocumentId(name)
                )
                right = {label: Counter(map(fold, values)) for label, values in page.values.items()}
                found.append(VerifiedPage(document, right))
        return found

    def _read_unmarked(self, marked: set[DocumentId]) -> Iterator[Document]:
        """Some unmarked pages of the portal, as the last build converted them."""
        results = self.portal.store.documents.results
        names = [name for name in results.digests(StageName.CONVERT) if name not in marked]
        for name in sorted(names)[:: len(names) // MOST_UNMARKED + 1]:
            payload = results.get(StageName.CONVERT, name)
            if payload is not None:
                yield decode(Document, payload)

    def _locate(self, change: ValueChange) -> ValueChange:
        sources = self.portal.sources(DocumentId(change.page))
        return replace(change, page=sources[0] if sources else change.page)

    def _converted(self, shown: ShownPage, body: BodyHash) -> Document:
        content = self.portal.store.blobs.get(body)
        with Converter(read_limits(self.portal)) as convert:
            read = convert.page if shown.media_type.startswith(media_types.HTML) else convert
            return read(content, media_type=shown.media_type, name=shown.url, document_id=DocumentId(body))


def find_marked(mark: FieldMark, document: Document) -> Span | None:
    """The span of the marked words, even if the page is now converted differently; None if not found."""
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
