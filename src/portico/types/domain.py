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
    REPEATED = "repeated"  # a running head or foot, repeated on other pages
    CITED = "cited"  # after words like "how to cite"
    COVER = "cover"  # on a cover page added by an archive
    SIDEWAYS = "sideways"  # rotated text in a margin
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
    # Whether a passage continues in the next paragraph: street and town of an address may be in separate
    # boxes.
    goes_on: Callable[[str, str], bool] | None = None
    by_line: bool = False  # whether the passage keeps its line ends, as lists of names do
    once: bool = False  # whether a record has only one: the best passage with a value is used
    first: bool = False  # with `once`: the best is the first, not the longest and most certain
    prominent: bool = False  # whether it is printed prominently, so that its style counts
    prose: bool = False  # whether it is running text, which consists of whole paragraphs
    same: Callable[[str, str], bool] | None = None  # whether two values are the same; the first is kept
    # Whether the text of a paragraph shows that it has no such field, whatever its words look like. Not
    # applied to the paragraph of the first passage, unless the field is `prominent` and words of it are in
    # another paragraph.
    not_where: Callable[[str], bool] | None = None
    # Whether a line alone is such a field; applied to lines next to the prominent one if none was found
    # there.
    alone: Callable[[str], bool] | None = None
    # Whether a line announces such a field ("by", "vorgelegt von"), and whether a line that is announced, or
    # has the style of other lines with such a field, has the form of one.
    announced: Callable[[str], bool] | None = None
    shaped: Callable[[str], bool] | None = None
    # A label, and whether a text continues the passage before it although it begins with that label.
    continued: tuple[str, Callable[[str, str], bool]] | None = None


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
    HEADING = "heading"  # the heading of a page
    PRICE = "price"
    PICTURE = "picture"  # its URL


@dataclass(frozen=True, slots=True)
class ShownField:
    """How a field is shown to visitors."""

    field: str
    label: str  # as shown to visitors: "Telephone"
    form: Form = Form.TEXT
    searchable: bool = False  # whether `field:value` finds records by it
    facet: bool = False  # whether results are counted and filtered by its values


@dataclass(frozen=True, slots=True)
class Display:
    """How records of a kind are shown, so that no page calls an officer a paper."""

    singular: str  # "officer"
    plural: str  # "officers"
    title: str  # the field shown as a record's heading; without one, its site is shown
    subtitle: tuple[str, ...] = ()  # the fields below the title in lists
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
    at_head: bool = False  # only as a column head, and for the whole cell


@dataclass(frozen=True, slots=True)
class Described:
    """Where the structured data of a page (JSON-LD, microdata, RDFa) describe the fields of a kind."""

    things: str  # regular expression of the types of things of this kind: "person"
    properties: tuple[tuple[str, tuple[str, ...]], ...]  # a field, and its property, or those of its parts


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
    other: str  # the label of words outside all fields
    begins: str = ""  # the label that begins another record; "" if documents have one each
    parent: str = ""  # the kind it is part of: a record of the same page, or else of the same site
    identity: tuple[str, ...] = ()  # fields, or SITE, that are equal in two records of one entity
    display: Display | None = None  # None for kinds with pages of their own, as papers have
    patterns: tuple[tuple[str, str], ...] = ()  # label, and a regular expression of its possible values
    cues: tuple[tuple[str, tuple[str, ...]], ...] = ()  # label, and words before its values: "Telephone:"
    sure: tuple[tuple[str, str], ...] = ()  # the same for values recognized even without a model
    lends: tuple[tuple[str, ...], ...] = ()  # groups of fields that a page linking to a document may add
    announced: tuple[Announced, ...] = ()  # values that a cue next to or above them makes certain
    may_begin: Callable[[str], bool] | None = None  # whether a text alone can begin a record
    described: Described | None = None  # its description in structured data
    name_site: NameSite | None = None  # determines the name for a record of the whole site
    beside: str = ""  # the label next to the beginning of most records: a role next to a name


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
    banners: str = NOTHING  # lines above or around a title that are not part of it
    cover: str = NOTHING  # lines found only on cover pages added by archives
    cover_words: str = NOTHING  # the same for words anywhere on the page, in lower case, with nothing removed


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
    lexicon: Callable[[], Mapping[str, tuple[str, ...]]]  # a lower-case word → classes it often belongs to
    models: Path  # folder of trained models, each with its card
    splitting: str  # file name of the model that splits reference lists
    topics: Path  # the topic tree and its keywords
    topic_words: Path  # word counts of its leaves, learned elsewhere
    target_types: frozenset[str]  # media types of the documents a crawl looks for
    spider: str  # file name of the model that predicts which links lead to them
    zones: str = ""  # file name of the model of zones; "" if only headings are used
    calibration: str = ""  # file name of the calibration of fields; "" if there is none
    page_kinds: tuple[str, ...] = ()  # kinds of web pages a crawl looks for, which become documents
    page_words: tuple[tuple[str, tuple[str, ...]], ...] = ()  # kind, and words that show it without a model
    pages: str = ""  # file name of the model that classifies pages by kind
    # Trees to choose from if the builder names none: the first if it fits, the last for everything.
    trees: tuple[ShippedTree, ...] = ()
    word_vectors: str = ""  # file name of the word vectors; "" if there are none
    research_fields: str = ""  # file name of the model of fields of research; "" for other documents
    paths: str = ""  # file name of the model of paths to such pages
    collection: CollectionName = CollectionName.DECLARED
    read_notice: NoticeReader | None = None  # None if documents do not say where they were published

    def kind(self, name: str) -> Kind:
        return next(kind for kind in self.kinds if kind.name == name)


@dataclass(frozen=True, slots=True)
class DeclaredField:
    """One field of a record."""

    name: str
    label: str  # as shown to visitors
    form: Form = Form.TEXT
    many_names: bool = False  # whether a passage may name several people
    pattern: str = ""  # a regular expression of its values, "" if their form suffices
    cues: tuple[str, ...] = ()  # words before its values: "Instructor", "Taught by"
    once: bool = False  # whether a record has only one value
    searchable: bool = False
    facet: bool = False


@dataclass(frozen=True, slots=True)
class DeclaredKind:
    """One kind of record."""

    name: str
    plural: str
    title: str  # the field used as its heading
    fields: tuple[DeclaredField, ...]
    subtitle: tuple[str, ...] = ()
    identity: tuple[str, ...] = ()
    begins: str = ""  # the field whose values each begin a record; "" if a page has one record
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
    has_topics: bool = False  # whether the file also contains a topic tree
