"""Extracts the records of a document: one for its header and one for each reference."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from portico.errors import ExtractionError, NotAPaper
from portico.extract.calibrations import read_calibrations
from portico.extract.citing_sentences import add_contexts
from portico.extract.features import Observer
from portico.extract.fields import FieldReader
from portico.extract.furniture import without_line_numbers
from portico.extract.header_looks import describe_looks
from portico.extract.headings import is_heading
from portico.extract.headless_abstracts import find_late_abstract, find_plain_abstract, without_text
from portico.extract.lines import LINES, LineReader
from portico.extract.passage import Passage, collect_vocabulary, read_rows, read_spans
from portico.extract.people import drop_later_people, find_people, restore_brackets
from portico.extract.prominent_passage import part_at_heading
from portico.extract.publication_data import read_publication
from portico.extract.splitting import ReferenceEntry, Splitter
from portico.extract.tagger import Tagged, Tagger
from portico.extract.title_spaces import restore_spaces
from portico.extract.told_titles import complete_title, correct_title, without_parts_of_title
from portico.extract.word_context import observe_header_context, observe_reference_context
from portico.extract.words import Row, split_raised_marks, split_spaced_words
from portico.extract.zone_reader import ZoneReader
from portico.extract.zones import ZoneFinder, Zones, check_paper
from portico.learn import crf
from portico.learn.committee import Committee, load_committee
from portico.text.languages import recognize_language
from portico.types.document import Document, Line, Span
from portico.types.domain import Domain, NoticeReader
from portico.types.garbage_collection import without_collecting
from portico.types.record import Field, Record, RecordId

_YEAR = re.compile(r"(?<!\d)(?:1[5-9]\d\d|20[0-4]\d)(?!\d)")
# In a document that is not a paper: the share of references that must have a year and this many letters, for
# any of them to be kept.
CITED_SHARE, CITED_LETTERS = 0.6, 24
# Lines of text used for detecting the language.
JUDGED_LINES = 80


@dataclass(frozen=True, slots=True)
class Extractor:
    """Extracts the records of papers; built once and then called for each document."""

    find_zones: ZoneFinder
    split_references: Splitter
    tag_header: Tagger
    read_header: FieldReader
    tag_reference: Tagger
    read_reference: FieldReader
    read_notice: NoticeReader | None = None
    is_choosy: bool = True  # refuse what is no paper, except a builder's own files

    @property
    def model_id(self) -> str:
        """An identifier that changes when a trained model changes."""
        models = (self.find_zones, self.split_references, self.tag_header, self.tag_reference)
        return "-".join(part.digest for part in (*models, self.read_header, self.read_reference))

    @without_collecting()
    def __call__(self, document: Document) -> tuple[Record, ...]:
        """Return the header's record, then the references' in order; raises NotAPaper or ExtractionError."""
        if not document.text.strip():
            raise ExtractionError("the document has no text")
        document = without_line_numbers(document)
        zones = self.find_zones(document)
        entries = [
            entry
            for entry in self.split_references(document, zones.references)
            if any(span.of(document.text).strip() for span in _without_label(entry))
        ]
        try:
            check_paper(document, zones, len(entries))
        except NotAPaper:
            if self.is_choosy:
                raise
            entries = entries if _are_cited(document, entries) else []
        vocabulary = collect_vocabulary(document.text)
        header = self._header(document, zones, vocabulary)
        references = self._references(document, entries, vocabulary)
        return (header, *add_contexts(document, zones, entries, references))

    def _header(self, document: Document, zones: Zones, vocabulary: Collection[str]) -> Record:
        rows = make_header_rows(document, zones.header)
        if not rows:
            raise ExtractionError("nothing is printed before the first section")
        fields = restore_brackets(document.text, self.read_header(self._tag_header(rows), vocabulary))
        fields = complete_title(document, zones.header, correct_title(document, zones, fields))
        fields = tuple(
            restore_spaces(document, field) if field.name == "title" else field for field in fields
        )
        fields = without_parts_of_title(self._with_abstract(document, zones, fields))
        fields = drop_later_people(document, fields)
        if not any(field.name == "title" for field in fields):
            raise ExtractionError("no title found in the header")
        span = Span(rows[0].words[0].span.start, rows[-1].words[-1].span.end)
        raw = read_rows(rows, vocabulary).text
        people = find_people(document.text, fields)
        if self.read_notice is not None:
            fields = read_publication(document, zones, fields, self.read_notice)
        fields = (*fields, *_tell_language(document, zones))
        record_id = RecordId(f"{document.id}#header")
        return Record(record_id, "header", document.id, raw, span, fields, people=people)

    def _tag_header(self, rows: Sequence[Row]) -> Tagged:
        shaped = next((rule for rule in self.read_header.kind.rules if rule.shaped), None)
        title = next((rule for rule in self.read_header.kind.rules if rule.prominent), None)
        prose = next((rule for rule in self.read_header.kind.rules if rule.prose), None)
        tagged = self.tag_header(rows)
        if shaped is None or shaped.shaped is None or title is None or prose is None:
            return tagged
        heading = self.find_zones.headings.abstract
        return part_at_heading(
            tagged,
            lambda line: is_heading(line, heading),
            shaped.shaped,
            labels=(title.label, shaped.label, prose.label),
        )

    def _with_abstract(
        self, document: Document, zones: Zones, fields: tuple[Field, ...]
    ) -> tuple[Field, ...]:
        """Drop text mistaken for an abstract; if none is left, look for one in less usual places."""
        heading = self.find_zones.headings.abstract
        fields = without_text(document, zones, fields, heading)
        if any(field.name == "abstract" for field in fields):
            return fields
        title = next((field.span for field in fields if field.name == "title"), None)
        plain = find_plain_abstract(document, zones, title) if title and not zones.has_abstract else None
        found = find_late_abstract(document, heading) or plain
        return (*fields, found) if found else fields

    def _references(
        self, document: Document, entries: Sequence[ReferenceEntry], vocabulary: Collection[str]
    ) -> list[Record]:
        passages = [read_spans(document.text, _without_label(entry), vocabulary) for entry in entries]
        # The model was trained on running text, so words broken at line ends are joined in the passage.
        rows = [(Row(split_spaced_words(passage.text, Span(0, len(passage.text)))),) for passage in passages]
        return [
            Record(
                RecordId(f"{document.id}#ref-{number}"),
                "reference",
                document.id,
                passage.text,
                Span(entry.lines[0].span.start, entry.lines[-1].span.end),
                _placed(self.read_reference(tagged, vocabulary), passage),
            )
            for number, (entry, passage, tagged) in enumerate(
                zip(entries, passages, self.tag_reference.each(rows), strict=True), start=1
            )
        ]


def _tell_language(document: Document, zones: Zones) -> Iterator[Field]:
    """Detect the language from the middle of the text: title and abstract may be in another one."""
    lines = zones.body or zones.header
    judged = lines[len(lines) // 3 :][:JUDGED_LINES]
    found = recognize_language(" ".join(line.span.of(document.text) for line in judged))
    if found is not None:
        code, chance = found
        yield Field("language", code, Span(judged[0].span.start, judged[0].span.end), chance)


def _are_cited(document: Document, entries: Sequence[ReferenceEntry]) -> bool:
    """Whether most entries have a year and enough letters for a title; otherwise they are no references."""
    texts = [" ".join(line.span.of(document.text) for line in entry.lines) for entry in entries]
    n_cited = sum(
        _YEAR.search(text) is not None and sum(map(str.isalpha, text)) >= CITED_LETTERS for text in texts
    )
    return n_cited >= CITED_SHARE * len(entries)


def _placed(fields: Iterable[Field], passage: Passage) -> tuple[Field, ...]:
    """Translate the spans of fields from the passage to the document."""
    return tuple(replace(one, span=passage.span(one.span.start, one.span.end)) for one in fields)


def make_header_rows(document: Document, lines: Sequence[Line]) -> tuple[Row, ...]:
    """Convert the lines of a header to the rows that the header models read."""
    looks = describe_looks(document, lines)
    rows = (
        Row(split_raised_marks(document.text, line), look, line.size, line.block)
        for line, look in zip(lines, looks, strict=True)
    )
    return tuple(row for row in rows if row.words)


def _without_label(entry: ReferenceEntry) -> list[Span]:
    """Return the spans of a reference's lines without the label it is cited by."""
    first, *others = [line.span for line in entry.lines]
    return [Span(first.start + entry.label_end, first.end), *others]


def load_extractor(domain: Domain, models: Path | None = None) -> Extractor:
    """Load the extractor of a domain with its shipped models or those of another folder."""
    folder = models or domain.models
    header, reference = domain.kind("header"), domain.kind("reference")
    calibrations = read_calibrations(folder / domain.calibration) if domain.calibration else {}
    return Extractor(
        find_zones=ZoneFinder(domain.headings, _zone_reader(folder, domain)),
        split_references=Splitter(crf.load_crf(folder / domain.splitting)),
        tag_header=_tagger(folder / header.model, make_header_observer(domain)),
        read_header=FieldReader(header, calibrations.get(header.name, {})),
        tag_reference=_tagger(folder / reference.model, make_reference_observer(domain)),
        read_reference=FieldReader(reference, calibrations.get(reference.name, {})),
        read_notice=domain.read_notice,
    )


def _zone_reader(folder: Path, domain: Domain) -> ZoneReader | None:
    return ZoneReader(crf.load_crf(folder / domain.zones)) if domain.zones else None


def make_header_observer(domain: Domain) -> Observer:
    """Build the feature extractor for the words of headers."""
    return Observer(domain.lexicon(), domain.kind("header").observations, observe_header_context)


def make_reference_observer(domain: Domain) -> Observer:
    """Build the feature extractor for the words of references."""
    return Observer(domain.lexicon(), domain.kind("reference").observations, observe_reference_context)


def make_header_tagger(committee: Committee, domain: Domain) -> Tagger:
    """Build the tagger of headers that uses these models."""
    return _tagger_of(committee, make_header_observer(domain))


def _tagger(path: Path, observe: Observer) -> Tagger:
    return _tagger_of(load_committee(path), observe)


def _tagger_of(committee: Committee, observe: Observer) -> Tagger:
    first_pass = committee.member(LINES)
    read_lines = LineReader(first_pass, observe.see) if first_pass else None
    return Tagger(committee.without(LINES), observe, read_lines)
