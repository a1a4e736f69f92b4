"""What a builder declares about a domain of their own: pages, records on them, and how they are shown."""

from dataclasses import dataclass

from portico.types.domain import Form


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
    """One kind of page that is sought, and words that tell it until pages have been taught."""

    name: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Declaration:
    """All of domain.toml, checked."""

    pages: tuple[DeclaredPage, ...]
    kinds: tuple[DeclaredKind, ...]
    has_topics: bool = False  # whether the file holds a topic tree too
