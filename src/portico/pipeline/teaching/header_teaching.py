"""Learns to read headers from fields corrected in this portal."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from portico.errors import ConfigError
from portico.extract.corrected_headers import LabelledHeader, map_fields_to_labels, relabel_header
from portico.extract.extractor import Extractor, load_extractor, make_header_rows
from portico.extract.header_adapting import AdaptedModel, CorrectedHeader, adapt_headers
from portico.extract.passage import collect_vocabulary
from portico.extract.tagger import Tagger
from portico.extract.words import Row
from portico.files import write_model, write_whole
from portico.pipeline.portal import Portal
from portico.pipeline.portal_domain import HEADER, find_own_headers
from portico.store.codec import decode
from portico.text.names import fold_letters
from portico.types.correction import CorrectionKind
from portico.types.document import Document
from portico.types.record import Record
from portico.types.stages import StageName

LEAST_LESSONS = 4
"""Minimum number of corrected headers for training with some held out for testing."""

# Headers that the models read with certainty: to learn from besides the corrected ones, and to test that
# nothing gets worse. With more, training takes longer than a builder waits; not tuned.
MOST_SURE, MOST_TESTED = 60, 40
# Confidence from which every field of a header is considered correct.
SURE = 0.9
# Minimum length of a value that is searched on the page: "Ng" occurs in many words.
LEAST_LETTERS = 5

Values = Mapping[str, tuple[str, ...]]
"""Correct values by field."""


@dataclass(frozen=True, slots=True)
class HeaderLesson:
    """The result of learning: what was corrected, what could be learned from it, and whether it helps."""

    n_corrected: int
    n_lessons: int
    taught: AdaptedModel
    file: Path | None  # None if the model is not kept


def learn_headers(portal: Portal, *, tell: Callable[[str], None] = lambda line: None) -> HeaderLesson:
    """Train on accepted corrections; keep the model only if it reads held-out headers better.

    ConfigError if too few headers were corrected, or too few correct values are printed on their pages.
    """
    if portal.domain.page_kinds:
        raise ConfigError("this portal reads pages, not headers of papers: see portico train fields")
    corrected = _read_corrected(portal)
    reading = _Reading(portal, load_extractor(portal.domain))
    tell(f"reading {len(corrected)} corrected headers again")
    lessons = [lesson for name, values in corrected.items() if (lesson := reading.lesson(name, values))]
    if len(lessons) < LEAST_LESSONS:
        raise ConfigError(
            f"{len(corrected)} headers were corrected, and the right values of {len(lessons)} stand on their "
            f"pages letter by letter; it takes at least {LEAST_LESSONS} to learn from some and test on others"
        )
    fields = {field for values in corrected.values() for field in values}
    sure = list(reading.sure(frozenset(corrected), fields))
    tell(f"learning from {len(lessons)} corrected headers and {len(sure[:MOST_SURE])} that were read surely")
    shown = [lesson.header for lesson in sure[:MOST_SURE]]
    taught = adapt_headers(reading.extractor.tag_header, lessons, shown, sure[MOST_SURE:])
    file = _save(portal, taught, len(lessons)) if taught.is_better else None
    return HeaderLesson(len(corrected), len(lessons), taught, file)


def _read_corrected(portal: Portal) -> dict[str, Values]:
    """The corrected fields of headers, by document; the latest correction counts."""
    found: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for each in portal.store.contributions.corrections.accepted(CorrectionKind.FIELD):
        document, _, part = each.proposal.record.partition("#")
        if part == HEADER and each.proposal.values:
            found[document][each.proposal.field] = each.proposal.values
    return dict(found)


class _Reading:
    """The headers of a portal's documents, as the shipped models see and read them."""

    def __init__(self, portal: Portal, extractor: Extractor) -> None:
        self._portal, self.extractor = portal, extractor
        self._labels = map_fields_to_labels(portal.domain.kind(HEADER).rules)

    def lesson(self, name: str, values: Values) -> CorrectedHeader | None:
        """Make a training example of a corrected header; None if its correct values are not printed."""
        printed = {field: each for field, each in values.items() if field in self._labels and _is_long(each)}
        document = self._document(name)
        if document is None or not printed:
            return None
        rows = self._rows(document)
        by_label = {self._labels[field]: each for field, each in printed.items()}
        header = relabel_header(rows, self.extractor.tag_header, by_label) if rows else None
        return self._lesson(document, header, printed) if header is not None else None

    def sure(self, apart_from: frozenset[str], fields: set[str]) -> Iterator[CorrectedHeader]:
        """Yield headers that were read with certainty, each with its fields."""
        n_found = 0
        for name, _digest, payload in self._portal.store.documents.results.payloads(StageName.EXTRACT):
            if n_found == MOST_SURE + MOST_TESTED:
                return
            records = decode(tuple[Record, ...], payload) if name not in apart_from else ()
            header = next((each for each in records if each.kind == HEADER and _is_sure(each)), None)
            document = self._document(name) if header is not None else None
            if document is None or header is None:
                continue
            rows = self._rows(document)
            labelled = LabelledHeader(rows, self.extractor.tag_header(rows).labels)
            said = {field: tuple(each.value for each in header.all(field)) for field in fields}
            n_found += 1
            yield self._lesson(document, labelled, {field: each for field, each in said.items() if each})

    def _lesson(self, document: Document, header: LabelledHeader, right: Values) -> CorrectedHeader:
        return CorrectedHeader(
            header, partial(self._n_right, header.rows, collect_vocabulary(document.text), right)
        )

    def _n_right(
        self, rows: tuple[Row, ...], vocabulary: frozenset[str], right: Values, tagger: Tagger
    ) -> int:
        read: dict[str, list[str]] = defaultdict(list)
        for field in self.extractor.read_header(tagger(rows), vocabulary):
            read[field.name].append(field.value)
        return sum(_simplify(read[field]) == _simplify(values) for field, values in right.items())

    def _rows(self, document: Document) -> tuple[Row, ...]:
        return make_header_rows(document, self.extractor.find_zones(document).header)

    def _document(self, name: str) -> Document | None:
        payload = self._portal.store.documents.results.get(StageName.CONVERT, name)
        return decode(Document, payload) if payload is not None else None


def _is_long(values: Sequence[str]) -> bool:
    return all(len(fold_letters(value)) >= LEAST_LETTERS for value in values)


def _is_sure(header: Record) -> bool:
    return all(field.confidence >= SURE for field in header.fields)


def _simplify(values: Sequence[str]) -> list[str]:
    return [fold_letters(value) for value in values]


def _save(portal: Portal, taught: AdaptedModel, n_lessons: int) -> Path:
    file = find_own_headers(portal.domain, portal.places)
    card = (
        f"The shipped models of headers, and {taught.n_votes} vote(s) for what {n_lessons} corrected headers "
        f"of this portal have taught. Of the values on headers left out while learning "
        f"{taught.n_right_after} are right, before {taught.n_right_before}.\n"
    )
    write_whole(file.with_suffix(".md"), card.encode())
    write_model(file, taught.model.to_bytes())
    return file
