"""Reads single files and references without a portal, as GROBID and AnyStyle do."""

import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from portico.convert.converter import DEFAULT_LIMITS, Converter
from portico.convert.sniffing import sniff_media_type
from portico.domains.papers import PAPERS
from portico.engine.work import Job, WorkItem
from portico.engine.worker_process import WorkerProcess
from portico.errors import ConversionError, InputError, SetupError
from portico.extract.extractor import Extractor, load_extractor
from portico.extract.words import Row, split_spaced_words
from portico.serve.papers import describing
from portico.serve.papers.citation_export import cite, make_citable
from portico.text.citation_formats import Citable
from portico.text.names import parse_cited_name
from portico.types.document import DocumentId, Span
from portico.types.record import Entity, EntityId, Field, PaperForm, Person, Record, RecordId

LONGEST_REFERENCE = 5_000
"""Maximum characters of a reference; a longer text is several of them, or none."""

DEADLINE_S = 240.0
"""Seconds for one request to a `TimedReader`: what a build allows to convert a file and analyze its text."""

_UNSENDABLE = re.compile("[\0-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]")
# Bytes of a file from which its type is detected.
_HEAD = 4096


@dataclass(frozen=True, slots=True)
class ReadRecord:
    """A paper as described by a file or a reference. Missing values are ""."""

    title: str
    authors: tuple[str, ...]
    year: str
    venue: str
    doi: str
    fields: tuple[Field, ...]  # every value as it was read, with the probability that it is right
    citable: Citable

    def to_dict(self) -> dict[str, object]:
        """Plain values, ready for JSON."""
        values = [
            {"name": each.name, "value": each.value, "confidence": round(each.confidence, 4)}
            for each in self.fields
        ]
        return {
            "title": self.title,
            "authors": list(self.authors),
            "year": self.year,
            "venue": self.venue,
            "doi": self.doi,
            "fields": values,
        }

    def to_bibtex(self) -> str:
        return cite([self.citable], "bib")


@dataclass(frozen=True, slots=True)
class ParsedReference(ReadRecord):
    """A reference parsed into its fields."""

    text: str = ""  # as printed

    def to_dict(self) -> dict[str, object]:
        return {"text": self.text, **ReadRecord.to_dict(self)}


@dataclass(frozen=True, slots=True)
class ExtractedPaper(ReadRecord):
    """The contents of a file: its own record, and those of its references."""

    abstract: str = ""
    people: tuple[Person, ...] = ()  # the authors with what is printed for each
    references: tuple[ParsedReference, ...] = ()

    def to_dict(self) -> dict[str, object]:
        people = [
            {"name": each.name, "affiliations": list(each.affiliations), "email": each.email}
            for each in self.people
        ]
        return {
            **ReadRecord.to_dict(self),
            "abstract": self.abstract,
            "people": people,
            "references": [each.to_dict() for each in self.references],
        }

    def to_tei(self) -> str:
        """TEI as other extractors write it: a header, and a list of references."""
        return "\n".join(_write_tei(self)) + "\n"


def extract(file: str | os.PathLike[str] | bytes, *, name: str = "") -> ExtractedPaper:
    """Read the title, authors, abstract, publication data and references of a file.

    The file may be PDF, PostScript, DOCX, ODT, EPUB, HTML or LaTeX. It is converted in a sandbox, as in a
    build. Raises an InputError that explains why it cannot be read. Reading has a time limit; analyzing the
    text afterwards has none here: `portico extract` and `portico service` stop a file that takes too long.
    """
    shown = name or ("the file" if isinstance(file, bytes) else os.fspath(file))
    try:
        body = file if isinstance(file, bytes) else Path(file).read_bytes()
    except OSError as error:
        raise ConversionError(f"{shown}: cannot be read: {error.strerror}") from error
    converter = Converter(DEFAULT_LIMITS)
    try:
        document = converter(
            body,
            media_type=sniff_media_type(body[:_HEAD], name=shown),
            name=shown,
            document_id=DocumentId(sha256(body).hexdigest()),
        )
    finally:
        converter.close()
    header, *references = _load_reader()(document)
    said = _describe(header)
    return ExtractedPaper(
        *said,
        abstract=header.value("abstract") or "",
        people=header.people,
        references=tuple(_make_reference(each) for each in references),
    )


def parse_reference(text: str) -> ParsedReference:
    """Parse a printed reference into authors, title, venue, year, pages and so on."""
    line = " ".join(text.split())
    if not line:
        raise InputError("the reference is empty")
    if len(line) > LONGEST_REFERENCE:
        raise InputError(
            f"the reference has {len(line):,} characters, and at most {LONGEST_REFERENCE:,} are read: "
            f"give one reference at a time"
        )
    reader, whole = _load_reader(), Span(0, len(line))
    fields = reader.read_reference(reader.tag_reference((Row(split_spaced_words(line, whole)),)), ())
    return _make_reference(Record(RecordId("#ref-1"), "reference", DocumentId(""), line, whole, fields))


@dataclass(frozen=True, slots=True)
class ReadingRequest:
    """A file to read, or with the form "references" a text with one reference a line."""

    name: str
    body: bytes
    form: str


REFERENCES = "references"
PAPER_FORMS: dict[str, Callable[[ExtractedPaper], str]] = {
    PaperForm.JSON: lambda paper: json.dumps(paper.to_dict(), ensure_ascii=False, separators=(",", ":")),
    PaperForm.BIBTEX: lambda paper: paper.to_bibtex(),
    PaperForm.TEI: lambda paper: paper.to_tei(),
}


class ReadingJob:
    """Reads files and references in a process of its own."""

    def __init__(self, options: None) -> None:
        pass

    def __call__(self, request: ReadingRequest) -> bytes:
        if request.form != REFERENCES:
            return PAPER_FORMS[request.form](extract(request.body, name=request.name)).encode()
        lines = request.body.decode("utf-8", "replace").splitlines()
        parsed = [parse_reference(line).to_dict() for line in lines if line.strip()]
        return json.dumps({REFERENCES: parsed}, ensure_ascii=False, separators=(",", ":")).encode()


class TimedReader:
    """Reads in a child process, which is stopped, and replaced, where it takes longer than the deadline.

    The kernel ends the child with the thread that started it: call `read` always from one thread.
    """

    def __init__(self, deadline_s: float = DEADLINE_S) -> None:
        self._job = Job(ReadingJob, None, deadline_s)
        self._process: WorkerProcess | None = None

    def read(self, request: ReadingRequest) -> bytes:
        """The answer as it is sent; InputError or SetupError explain why there is none."""
        if self._process is None:
            self._process = WorkerProcess.start(self._job)
        outcome = self._process.apply(WorkItem(request.name, request), self._job.item_timeout_s)
        if self._process.is_over:
            self._process = None
        if outcome.value is not None:
            return outcome.value
        assert outcome.error is not None
        kind, reason = outcome.error.kind, outcome.error.reason
        if kind == SetupError.__name__:
            raise SetupError(reason)
        raise InputError(reason if request.name in reason else f"{request.name}: {reason}")

    def close(self) -> None:
        if self._process is not None:
            self._process.stop()
            self._process = None


@lru_cache(maxsize=1)
def _load_reader() -> Extractor:
    """Load the shipped models, without the test for papers: people know what file they name."""
    return replace(load_extractor(PAPERS), is_choosy=False)


def _make_reference(record: Record) -> ParsedReference:
    return ParsedReference(*_describe(record), text=record.raw)


def _describe(
    record: Record,
) -> tuple[str, tuple[str, ...], str, str, str, tuple[Field, ...], Citable]:
    """The values of a ReadRecord in their order."""
    told = Entity(EntityId(record.id), "paper", (record.id,), (), record.fields, record.id)
    return (
        describing.get_title(told) if record.value("title") else "",
        describing.list_authors(record),
        describing.get_year(record),
        describing.get_first_value(record, describing.VENUE),
        record.value("doi") or "",
        record.fields,
        make_citable(told, ()),
    )


_TEI = "http://www.tei-c.org/ns/1.0"


def _write_tei(paper: ExtractedPaper) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<TEI xmlns="{_TEI}"><teiHeader><fileDesc>'
    yield f"<titleStmt><title>{_xml(paper.title)}</title></titleStmt>"
    yield f"<publicationStmt><date>{_xml(paper.year)}</date></publicationStmt>"
    yield f"<sourceDesc>{_write_bibliography_entry(paper)}</sourceDesc></fileDesc>"
    yield f"<profileDesc><abstract><p>{_xml(paper.abstract)}</p></abstract></profileDesc></teiHeader>"
    yield '<text><back><div type="references"><listBibl>'
    for number, each in enumerate(paper.references):
        yield _write_bibliography_entry(each, f"b{number}")
    yield "</listBibl></div></back></text></TEI>"


def _write_bibliography_entry(said: ReadRecord, name: str = "") -> str:
    """A TEI biblStruct: the paper, and where it was published."""
    known = said.citable.fields
    people = "".join(_write_author(each) for each in said.authors)
    doi = f'<idno type="DOI">{_xml(said.doi)}</idno>' if said.doi else ""
    analytic = f'<analytic><title level="a">{_xml(said.title)}</title>{people}{doi}</analytic>'
    level = "j" if said.citable.kind == "article" else "m"
    container = f'<title level="{level}">{_xml(said.venue)}</title>' if said.venue else ""
    scopes = "".join(
        f'<biblScope unit="{unit}">{_xml(known[field])}</biblScope>'
        for unit, field in (("volume", "volume"), ("issue", "number"), ("page", "pages"))
        if known.get(field)
    )
    date = f'<date type="published" when={_attribute(said.year)}/>' if said.year else ""
    identity = f' xml:id="{name}"' if name else ""
    printed = f"<monogr>{container}<imprint>{scopes}{date}</imprint></monogr>"
    return f"<biblStruct{identity}>{analytic}{printed}</biblStruct>"


def _write_author(name: str) -> str:
    person = parse_cited_name(name)
    given = f"<forename>{_xml(' '.join(person.given))}</forename>" if person.given else ""
    return f"<author><persName>{given}<surname>{_xml(person.surname)}</surname></persName></author>"


def _xml(text: str) -> str:
    return escape(_sendable(text))


def _attribute(text: str) -> str:
    return quoteattr(_sendable(text))


def _sendable(text: str) -> str:
    """Remove control characters, which XML cannot hold, and lone surrogates."""
    return "".join(
        each for each in text if each in "\t\n" or (each >= " " and not "\ud800" <= each <= "\udfff")
    )
