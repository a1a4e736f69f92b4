"""Records and fields: what was found, where, how certain it is, and the paper it is about."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

from portico.types.document import DocumentId, Span

RecordId = NewType("RecordId", str)
"""`<document id>#header` or `<document id>#ref-12`: tells the record's place in the document."""

EntityId = NewType("EntityId", str)
"""Short, stable, suitable for URLs."""


class PaperForm(StrEnum):
    """A form in which everything read from a single file is written."""

    JSON = "json"
    BIBTEX = "bibtex"
    TEI = "tei"


@dataclass(frozen=True, slots=True)
class Field:
    """One value read from a document; `confidence` is a probability. A missing value has no field."""

    name: str
    value: str
    span: Span
    confidence: float
    runner_up: str = ""  # the second most likely value for the same passage; "" if there is none
    listed_on: str = ""  # the web page it was read from, if that lists the document: the span is then empty


@dataclass(frozen=True, slots=True)
class Person:
    """An author: the name as printed and parsed, and the data printed for that person alone."""

    name: str
    given: str
    family: str
    affiliations: tuple[str, ...] = ()
    email: str = ""


@dataclass(frozen=True, slots=True)
class Context:
    """A sentence of the body in which a reference is mentioned."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Record:
    """One header or one reference, as printed in one document."""

    id: RecordId
    kind: str  # "header" or "reference"; other domains have other kinds
    document: DocumentId
    raw: str
    span: Span
    fields: tuple[Field, ...]
    contexts: tuple[Context, ...] = ()
    people: tuple[Person, ...] = ()  # of a header: its authors, in order

    def all(self, name: str) -> tuple[Field, ...]:
        return tuple(field for field in self.fields if field.name == name)

    def best(self, name: str) -> Field | None:
        """The most certain field of that name, if there is one."""
        return max(self.all(name), key=lambda field: field.confidence, default=None)

    def value(self, name: str) -> str | None:
        field = self.best(name)
        return field.value if field else None


@dataclass(frozen=True, slots=True)
class Edition:
    """One publication of a work: its report, its conference paper, its article."""

    records: tuple[RecordId, ...]  # the records about it
    documents: tuple[DocumentId, ...]  # the documents that are copies of it, judging by their headers
    year: int | None
    venue: str  # as it is printed most often; "" if it never is
    form: str  # journal, proceedings, report and so on; "" if unknown


@dataclass(frozen=True, slots=True)
class Entity:
    """The paper that several records refer to; without documents it is only known from citations."""

    id: EntityId
    kind: str
    records: tuple[RecordId, ...]
    documents: tuple[DocumentId, ...]
    fields: tuple[Field, ...]  # spans point into the document of `chosen`, or of the field's origin
    chosen: RecordId  # the record the fields were taken from
    n_citations: int = 0
    authority: float = 0.0  # relative to the average paper, like hub and PageRank
    hub: float = 0.0
    origins: tuple[tuple[str, RecordId], ...] = ()  # fields borrowed from records other than `chosen`
    pagerank: float = 0.0
    editions: tuple[Edition, ...] = ()  # of a held paper with several, the oldest first
    doubtful: tuple[str, ...] = ()  # fields borrowed from a record that may mean another paper

    def all(self, name: str) -> tuple[Field, ...]:
        return tuple(field for field in self.fields if field.name == name)

    def value(self, name: str) -> str | None:
        return max(self.all(name), key=lambda f: f.confidence).value if self.all(name) else None


@dataclass(frozen=True, slots=True)
class Citation:
    """One edge of the citation graph, and the reference behind it."""

    citing: EntityId
    cited: EntityId
    record: RecordId
    confidence: float


AuthorId = NewType("AuthorId", str)
"""Short, stable, suitable for URLs."""


@dataclass(frozen=True, slots=True)
class Signature:
    """One name on one paper, with the evidence of whose name it is."""

    paper: EntityId
    position: int  # in the list of authors, from 0
    name: str  # as printed
    year: int | None = None
    topic: str = ""
    emails: tuple[str, ...] = ()  # of the paper
    affiliations: tuple[str, ...] = ()  # of the paper
    others: tuple[str, ...] = ()  # the other names on the paper
    cites: frozenset[EntityId] = frozenset()  # papers that the paper cites


@dataclass(frozen=True, slots=True)
class Author:
    """A person: their fullest name, and every name of theirs on a paper."""

    id: AuthorId
    name: str
    signatures: tuple[Signature, ...]  # ascending by paper


@dataclass(frozen=True, slots=True)
class Identity:
    """What an id is made from; `rank` decides which of two equal ones keeps the plain id."""

    key: str  # title and first author, or the record if these are too short
    year: int | None
    record: RecordId  # the smallest record id of the entity
    held: bool

    @property
    def rank(self) -> tuple[bool, int, str]:
        return not self.held, self.year or 9999, self.record


@dataclass(frozen=True, slots=True)
class PartOf:
    """One thing is part of another."""

    part: EntityId
    whole: EntityId
