"""An entity as people read about it: its title, who wrote it, where and when, and what is uncertain."""

import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from portico.serve.formats import COPY_TYPES, format_name, known_type
from portico.serve.links import author_url, name_url, outside_url, paper_url, shown_host, topic_url
from portico.store.catalog.authors import Byline
from portico.text.names import split_names, spoken
from portico.types.author import AuthorId
from portico.types.record import Entity, EntityId, Field, Record
from portico.types.search import Hit, Shown

# Below this probability a page says that a value is uncertain. A choice: at .7 three of ten such
# values are wrong, which is when a reader wants to be warned.
UNCERTAIN = 0.7

# Names of fields by the part they play; the first that is there is shown.
AUTHOR = ("author", "authors")
VENUE = ("journal", "booktitle", "venue", "tech", "institution", "publisher")
DATE = ("year", "date")

# In lists a title may take about four lines and a name list about two; papers show everything, as far as it
# can be a name at all.
_LONGEST_NAME = 120
_LONGEST_TITLE, _MOST_AUTHORS, _LONGEST_VENUE, _LONGEST_LEAD = 300, 8, 120, 220
_MAILBOX = re.compile(r"[^\s,;@]+@")
_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")


class LinkedText(NamedTuple):  # like Piece and Card made often for a page, in a third of the time
    """Words and where they lead."""

    text: str
    url: str


class Piece(NamedTuple):
    """A stretch of a snippet, marked or not."""

    text: str
    marked: bool


class Card(NamedTuple):
    """A paper in a list."""

    url: str
    title: str
    authors: tuple[LinkedText, ...]
    n_more_authors: int
    venue: str
    year: str
    n_citations: int
    held: bool
    topic: LinkedText | None = None
    snippet: tuple[Piece, ...] = ()
    source: LinkedText | None = None  # where the paper itself can be read


def card(entity: Entity, *, topic: Sequence[str] | None = None, bylines: Sequence[Byline] = ()) -> Card:
    """The paper with the beginning of its abstract; `bylines` tell whose the names on it are."""
    names = authors(entity)
    lead = shortened(entity.value("abstract") or "", _LONGEST_LEAD)
    return Card(
        url=paper_url(entity.id),
        title=shortened(title(entity), _LONGEST_TITLE),
        authors=linked(names[:_MOST_AUTHORS], bylines),
        n_more_authors=max(0, len(names) - _MOST_AUTHORS),
        venue=shortened(first_value(entity, VENUE), _LONGEST_VENUE),
        year=year(entity),
        n_citations=entity.n_citations,
        held=bool(entity.documents),
        topic=LinkedText(topic[-1], topic_url(topic)) if topic else None,
        snippet=pieces(lead, ()),
    )


def linked(names: Sequence[str], bylines: Sequence[Byline]) -> tuple[LinkedText, ...]:
    """Names that lead to the people who have them, or else to whoever is called so."""
    people = {each.printed: author_url(each.author) for each in bylines}
    return tuple(
        LinkedText(shortened(spoken(name), _LONGEST_NAME), people.get(name) or name_url(name))
        for name in names
    )


def hit_card(hit: Hit, title: str, *, copies: bool = True) -> Card:
    """The paper with what fits the search, from what the index keeps of it; the title is that of now."""
    shown = hit.shown
    names = _names(shown)
    return Card(
        url=paper_url(hit.entity),
        title=shortened(title or shown.title or untitled(hit.entity), _LONGEST_TITLE),
        authors=tuple(names[:_MOST_AUTHORS]),
        n_more_authors=max(0, len(names) - _MOST_AUTHORS),
        venue=shortened(shown.venue, _LONGEST_VENUE),
        year=str(shown.year or ""),
        n_citations=shown.n_citations,
        held=shown.held,
        topic=LinkedText(shown.topics[0][-1], topic_url(shown.topics[0])) if shown.topics else None,
        snippet=pieces(hit.snippet, hit.marks),
        source=_source(hit, copies=copies),
    )


def _source(hit: Hit, *, copies: bool) -> LinkedText | None:
    """The paper where it was found on the web; else our copy of the file."""
    is_known = known_type(hit.shown.media_type) in COPY_TYPES
    named = format_name(hit.shown.media_type) if is_known else "source"
    address = outside_url(hit.shown.source) if "://" in hit.shown.source else None
    if address is not None:
        return LinkedText(f"{named} at {shown_host(address)}", address)
    is_file = copies and hit.shown.held and is_known
    return LinkedText(named, f"{paper_url(hit.entity)}/file/1") if is_file else None


def _names(shown: Shown) -> list[LinkedText]:
    """One name each, and whose it is; those that the portal knows have been told apart already."""
    if all(shown.people) and len(shown.people) == len(shown.authors):  # as of nearly every paper
        return [
            LinkedText(spoken(printed), author_url(AuthorId(person)))
            for printed, person in zip(shown.authors, shown.people, strict=True)
        ]
    names: list[LinkedText] = []
    for printed, person in zip_longest(shown.authors, shown.people, fillvalue=""):
        if person:
            names.append(LinkedText(spoken(printed), author_url(AuthorId(person))))
        else:
            names += [LinkedText(spoken(name), name_url(name)) for name in split_names(printed)]
    return names


def title(described: Entity | Record) -> str:
    """The title, or the best there is instead: a reference as printed, or the id."""
    found = described.value("title")
    if found:
        return found
    return described.raw if isinstance(described, Record) else untitled(described.id)


def untitled(entity: EntityId) -> str:
    return f"Untitled ({entity})"


def authors(described: Entity | Record) -> tuple[str, ...]:
    """Names as printed, one each, in the printed order."""
    for name in AUTHOR:
        fields = described.all(name)
        if fields:
            return tuple(person for field in fields for person in split_names(field.value))
    return ()


def year(described: Entity | Record) -> str:
    """Four digits, or nothing."""
    found = _YEAR.search(first_value(described, DATE))
    return found.group() if found else ""


def first_value(described: Entity | Record, names: Sequence[str]) -> str:
    return next((value for name in names if (value := described.value(name))), "")


def public_value(field: Field) -> str:
    """A value as anybody may have it: of e-mail addresses only the host, or they would be harvested here."""
    return _MAILBOX.sub("…@", field.value) if field.name == "email" else field.value


def is_uncertain(fields: Sequence[Field]) -> bool:
    """Whether any of these values is more doubtful than a reader would assume."""
    return any(field.confidence < UNCERTAIN for field in fields)


def pieces(text: str, marks: Sequence[tuple[int, int]]) -> tuple[Piece, ...]:
    """The text cut where marks begin and end."""
    cut: list[Piece] = []
    position = 0
    for start, end in marks:
        if start > position:
            cut.append(Piece(text[position:start], False))
        cut.append(Piece(text[start:end], True))
        position = end
    if position < len(text):
        cut.append(Piece(text[position:], False))
    return tuple(cut)


def shortened(text: str, length: int) -> str:
    """At most `length` characters, cut at a word where there is one."""
    if len(text) <= length:
        return text
    space = text.rfind(" ", length // 2, length)
    return text[: space if space != -1 else length].rstrip() + "…"
