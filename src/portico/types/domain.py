"""A domain: everything a stage may know about the subject of a portal, as data and pure functions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

WordFeature = Callable[[str], str]
"""Returns one feature of a printed word; "" if it has none."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A value read from a labelled passage, and the half-open range of the passage it was read from."""

    value: str
    start: int
    end: int


Reader = Callable[[str], tuple[Reading, ...]]
"""A labelled passage → the values in it: none, one, or several (the names of a list of authors)."""


class Place(StrEnum):
    """A position at which a document describes itself, outside of its text."""

    FRONT = "front"  # among the lines above and around the title
    EDGE = "edge"  # at the top or foot of the first page, or below its text
    REPEATED = "repeated"  # a head or foot that comes back on other pages
    CITED = "cited"  # behind words that say how to cite it
    COVER = "cover"  # on the page that an archive has put before it
    SIDEWAYS = "sideways"  # in a margin, turned
    EMBEDDED = "embedded"  # in the metadata of the file


@dataclass(frozen=True, slots=True)
class Notice:
    """One or two lines in which a document may say where and when it appeared."""

    text: str
    place: Place
    name: str = ""  # of embedded metadata: "xmp:doi"


@dataclass(frozen=True, slots=True)
class NoticeEvidence:
    """A value found in a notice: its range, and how often such values are right."""

    field: str
    value: str
    start: int
    end: int
    chance: float


NoticeReader = Callable[[Notice], tuple[NoticeEvidence, ...]]
"""Returns what a notice says about its document, the most reliable values first."""


ANY = ""
"""As the label of a rule: the passage is the whole record, whatever its labels."""


@dataclass(frozen=True, slots=True)
class FieldRule:
    """What happens to passages with a label: one field of this name for each value read."""

    label: str
    field: str
    read: Reader
    one_line: bool = False  # whether a passage ends with its line, as telephone numbers do
    # Whether a passage goes on in the next paragraph: street and town of an address in boxes of their own.
    goes_on: Callable[[str, str], bool] | None = None
    by_line: bool = False  # whether the passage keeps its line ends, as lists of names do
    once: bool = False  # whether a record has one such field: the best passage that has a value is taken
    first: bool = False  # of those `once`: the best is the first, not the longest and surest
    prominent: bool = False  # whether it is printed to be seen first, so that its looks count
    prose: bool = False  # whether it is running text, of which a paragraph is a part as a whole
    same: Callable[[str, str], bool] | None = None  # whether two values are one said twice; the first stays
    # What the text of a paragraph says that has no such field, whatever its words look like; the paragraph of
    # the first one is not asked, unless the field is `prominent` and words of it stand in another paragraph.
    not_where: Callable[[str], bool] | None = None
    # Whether a line alone is such a field; asked of lines beside the prominent one where none was found.
    alone: Callable[[str], bool] | None = None
    # Whether a line says that such a field follows ("by", "vorgelegt von"), and whether a line that is
    # announced, or set as other lines with such a field are, has the shape of it.
    announced: Callable[[str], bool] | None = None
    shaped: Callable[[str], bool] | None = None


class Form(StrEnum):
    """The form of a field's values, which determines how they are read, compared, linked and sorted."""

    TEXT = "text"
    NAME = "name"
    EMAIL = "email"
    PHONE = "phone"
    DATE = "date"
    YEAR = "year"
    NUMBER = "number"
    URL = "url"
    PLACE = "place"
    HEADING = "heading"  # what stands over a page
    PRICE = "price"
    PICTURE = "picture"  # its address


@dataclass(frozen=True, slots=True)
class ShownField:
    """How a field is shown to visitors."""

    field: str
    label: str  # in the words of visitors: "Telephone"
    form: Form = Form.TEXT
    searchable: bool = False  # whether `field:value` finds records by it
    facet: bool = False  # whether results are counted and narrowed by its values


@dataclass(frozen=True, slots=True)
class Display:
    """How records of a kind are shown, so that no page calls an officer a paper."""

    singular: str  # "officer"
    plural: str  # "officers"
    title: str  # the field whose value heads a record; a record without it is headed by its site
    subtitle: tuple[str, ...] = ()  # the fields beneath the title in lists
    fields: tuple[ShownField, ...] = ()  # on the record's own page, in this order

    def shown(self, field: str) -> ShownField | None:
        return next((one for one in self.fields if one.field == field), None)


NameSite = Callable[[Sequence[tuple[str, str]]], tuple[str, float] | None]
"""Determines a site's name and its probability from the evidence on a page, given as (source, text)."""


@dataclass(frozen=True, slots=True)
class Announced:
    """Values that are certain once announced: regular expressions of cue and value."""

    label: str
    cue: str
    value: str
    at_head: bool = False  # of a column: there alone, and of the whole cell


@dataclass(frozen=True, slots=True)
class Described:
    """Where the structured data of a page (JSON-LD, microdata, RDFa) describe the fields of a kind."""

    things: str  # regular expression of the types of things that are of the kind: "person"
    properties: tuple[tuple[str, tuple[str, ...]], ...]  # a field, and the property that is it, or its parts


SITE = "site"
"""As part of an identity: the host of the page that a record was read from, which is not a field of the
record."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of record in a document: its labels, and what becomes of them."""

    name: str
    labels: tuple[str, ...]
    rules: tuple[FieldRule, ...]
    observations: tuple[WordFeature, ...]
    model: str  # file name in the domain's folder of models
    other: str  # the label of what is none of the fields
    begins: str = ""  # the label whose passage begins another record; "" where a document holds one
    parent: str = ""  # the kind it is part of: the record from the same page, else from the same site
    identity: tuple[str, ...] = ()  # fields, or SITE, that are alike in two records of one entity
    display: Display | None = None  # None of kinds that have pages of their own making, as papers do
    patterns: tuple[tuple[str, str], ...] = ()  # label, and a regular expression of what it may look like
    cues: tuple[tuple[str, tuple[str, ...]], ...] = ()  # label, and words that announce it: "Telephone:"
    sure: tuple[tuple[str, str], ...] = ()  # the same of what is proof where a model says nothing
    lends: tuple[tuple[str, ...], ...] = ()  # fields a page's words about a document may add, by groups
    announced: tuple[Announced, ...] = ()  # what a cue beside or above it makes certain
    may_begin: Callable[[str], bool] | None = None  # whether words can be what begins a record, by themselves
    described: Described | None = None  # what data for programs say of it
    name_site: NameSite | None = None  # how a record of the whole site is called
    beside: str = ""  # the label of what most records have beside what begins them: a role beside a name


NOTHING = r"(?!)"
"""A regular expression that matches nothing."""


@dataclass(frozen=True, slots=True)
class Headings:
    """Regular expressions for the headings that divide a document.

    Each is matched against a whole line in lower case, its number, spaces and punctuation taken out.
    """

    abstract: str
    introduction: str
    references: str
    after_references: str
    banners: str = NOTHING  # lines above or around a title that are no part of it
    cover: str = NOTHING  # lines that only the page has which an archive put before the document
    cover_words: str = NOTHING  # the same of words anywhere on the page, in lower case, nothing taken out


NO_HEADINGS = Headings(NOTHING, NOTHING, NOTHING, NOTHING)
"""For domains whose documents are not divided into sections."""


class CollectionName(StrEnum):
    """The kind of collection a portal holds."""

    PAPERS = "papers"
    DECLARED = "declared"  # things of the kinds that its domain declares


@dataclass(frozen=True, slots=True)
class ShippedTree:
    """A topic tree that comes with a domain: its name in portal.toml, its file, words of its leaves."""

    name: str
    file: Path
    words: Path
    about: str  # in a sentence: "the tree of computer science"


@dataclass(frozen=True, slots=True)
class Domain:
    """What a portal is about."""

    name: str
    kinds: tuple[Kind, ...]
    headings: Headings
    lexicon: Callable[[], Mapping[str, tuple[str, ...]]]  # a lower-case word → classes it is common in
    models: Path  # folder of trained models, each with its card
    splitting: str  # file name of the model that divides lists of references
    topics: Path  # the topic tree and its keywords
    topic_words: Path  # word counts of its leaves, learned elsewhere
    target_types: frozenset[str]  # media types that a crawl is after: what the portal is made of
    spider: str  # file name of the model that foresees which links lead to them
    zones: str = ""  # file name of the model of zones; "" where headings decide alone
    calibration: str = ""  # file name of what the probabilities of fields mean; "" where that is not known
    page_kinds: tuple[str, ...] = ()  # kinds of web pages a crawl is after, which then become documents
    page_words: tuple[tuple[str, tuple[str, ...]], ...] = ()  # kind, and words that tell it without a model
    pages: str = ""  # file name of the model that tells kinds of pages apart
    # Trees to choose from where the builder names none: the first where it fits, the last for everything.
    trees: tuple[ShippedTree, ...] = ()
    word_vectors: str = ""  # file name of which words keep company; "" where that is not known
    research_fields: str = ""  # file name of the model of fields of research; "" for other documents
    paths: str = ""  # file name of the model of paths to such pages
    collection: CollectionName = CollectionName.DECLARED
    read_notice: NoticeReader | None = None  # None where documents do not say where they appeared

    def kind(self, name: str) -> Kind:
        return next(kind for kind in self.kinds if kind.name == name)


@dataclass(frozen=True, slots=True)
class DeclaredField:
    """One field of a record."""

    name: str
    label: str  # in the words of visitors
    form: Form = Form.TEXT
    many_names: bool = False  # whether a passage may name several people
    pattern: str = ""  # a regular expression of its values, "" where their form says enough
    cues: tuple[str, ...] = ()  # words that announce it: "Instructor", "Taught by"
    once: bool = False  # whether a record has one such value
    searchable: bool = False
    facet: bool = False


@dataclass(frozen=True, slots=True)
class DeclaredKind:
    """One kind of record."""

    name: str
    plural: str
    title: str  # the field that heads it
    fields: tuple[DeclaredField, ...]
    subtitle: tuple[str, ...] = ()
    identity: tuple[str, ...] = ()
    begins: str = ""  # the field each value of which begins another record; "" where a page holds one
    part_of: str = ""


@dataclass(frozen=True, slots=True)
class DeclaredPage:
    """A kind of page to look for, and words that identify it until pages have been taught."""

    name: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Declaration:
    """All of domain.toml, checked."""

    pages: tuple[DeclaredPage, ...]
    kinds: tuple[DeclaredKind, ...]
    has_topics: bool = False  # whether the file holds a topic tree too
