"""Assembles the authors of a paper: separate names, each with its affiliations and email address."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace

from portico.text.names import PersonName, fold_letters, parse_name
from portico.types.document import Document, Span
from portico.types.record import Field, Person

_MARK = r"\d{1,2}|[a-z](?![\w])|[*†‡§¶∗♯#]+"
_MARKS_BEHIND = re.compile(rf" ?(?P<marks>(?:{_MARK})(?: ?,? ?(?:{_MARK}))*)(?!\w)")
_MARK_BEFORE = re.compile(rf"(?P<mark>{_MARK})[\s.)\]]*$")
_MARK_FIRST = re.compile(r"(?P<mark>\d{1,2}(?=\s?[^\W\d])|[*†‡§¶∗♯#]+)\s*")
_ONE_MARK = re.compile(_MARK)
_MANY = re.compile(r"^\W*[{(\[](?P<names>[^@]*)[)\]}]\s?@\s?(?P<host>\S+)$")
# Characters after a name and before an affiliation in which a mark is searched.
_REACH = 12
# The names before "}@". No other address and no other bracket may be inside the brackets.
_BRACKET = re.compile(r"\{[^{}@]{1,200}\Z")


def find_people(text: str, fields: Sequence[Field]) -> tuple[Person, ...]:
    """Return the authors among a header's fields, in order; `text` is that of the whole document."""
    authors = [field for field in fields if field.name == "author"]
    names = [parse_name(author.value) for author in authors]
    printed = [field.value for field in fields if field.name == "email"]
    emails = _emails_of(names, [email for value in printed for email in _each(value)])
    places = _affiliations_of(text, authors, [field for field in fields if field.name == "affiliation"])
    return tuple(
        Person(author.value, " ".join(name.given), name.surname, place, email)
        for author, name, place, email in zip(authors, names, places, emails, strict=True)
    )


def drop_later_people(document: Document, fields: Sequence[Field]) -> tuple[Field, ...]:
    """Drop authors that stand on a later page than the first one: they are editors or were thanked."""
    ends = [line.span.end for line in document.lines]
    pages = [
        document.lines[min(bisect_left(ends, field.span.start + 1), len(ends) - 1)].page for field in fields
    ]
    first = min(
        (page for field, page in zip(fields, pages, strict=True) if field.name == "author"), default=0
    )
    return tuple(
        field for field, page in zip(fields, pages, strict=True) if field.name != "author" or page == first
    )


def restore_brackets(text: str, fields: Sequence[Field]) -> tuple[Field, ...]:
    """Complete email fields such as "bob}@example.org" with what stands before them: "{ann, "."""
    return tuple(_with_bracket(text, field) if field.name == "email" else field for field in fields)


def _with_bracket(text: str, field: Field) -> Field:
    opening = _BRACKET.search(text, max(0, field.span.start - 200), field.span.start)
    if opening is None or "}" not in field.value or "{" in field.value:
        return field
    span = Span(opening.start(), field.span.end)
    return replace(field, value=" ".join(span.of(text).split()), span=span)


def _each(printed: str) -> Iterator[str]:
    """Yield the single addresses of "{ann, bob}@example.org"."""
    many = _MANY.match(printed)
    if many is None:
        yield "".join(printed.split())
        return
    for name in re.split(r"[,;|\s]+", many["names"].strip()):
        if name:
            yield f"{name}@{many['host']}"


def _emails_of(names: Sequence[PersonName], emails: Sequence[str]) -> list[str]:
    """Match email addresses to names by likeness; match the rest in order if their numbers are equal."""
    found = [""] * len(names)
    left = list(emails)
    likenesses = sorted(
        (
            (-likeness, idx, email)
            for idx, name in enumerate(names)
            for email in emails
            if (likeness := _likeness(name, email))
        ),
    )
    for _, idx, email in likenesses:
        if not found[idx] and email in left:
            found[idx] = email
            left.remove(email)
    without = [idx for idx, email in enumerate(found) if not email]
    if len(without) == len(left):
        for idx, email in zip(without, left, strict=True):
            found[idx] = email
    return found


def _likeness(name: PersonName, email: str) -> int:
    """Score how much of the name the local part shows: surname and first name, surname, first name."""
    local = fold_letters(email.partition("@")[0])
    if not local:
        return 0
    has_surname = len(name.key) > 1 and (name.key in local or (len(local) > 4 and local[1:] == name.key[:7]))
    if has_surname:
        return 4 if name.first and name.first in local else 3
    if len(name.first) > 2 and local.startswith(name.first):
        return 2
    return int(local in {name.initials.lower() + name.key[:1], name.initials.lower()})


def _affiliations_of(text: str, authors: Sequence[Field], places: Sequence[Field]) -> list[tuple[str, ...]]:
    """Match affiliations to authors by their marks, or without marks by position."""
    if len(places) == 1:
        return [(_unmarked(places[0].value),)] * len(authors)
    marked = {mark: place for place in places for mark in _mark_of(text, place)}
    found = []
    for author in authors:
        by_mark = [marked[mark] for mark in _marks_behind(text, author) if mark in marked]
        chosen = by_mark or ([] if marked else _below(author, authors, places))
        found.append(tuple(_unmarked(place.value) for place in chosen))
    return found


def _below(author: Field, authors: Sequence[Field], places: Sequence[Field]) -> list[Field]:
    """Return the affiliations that follow an author, up to the next author after them."""
    following = [place for place in places if place.span.start >= author.span.end]
    if not following:
        return []
    first = following[0].span.start
    end = min((other.span.start for other in authors if other.span.start > first), default=None)
    return [place for place in following if end is None or place.span.start < end]


def _marks_behind(text: str, author: Field) -> list[str]:
    match = _MARKS_BEHIND.match(text[author.span.end : author.span.end + _REACH])
    return _ONE_MARK.findall(match["marks"]) if match else []


def _mark_of(text: str, place: Field) -> list[str]:
    inside = _MARK_FIRST.match(place.value)
    if inside:
        return [inside["mark"]]
    line = text[max(0, place.span.start - _REACH) : place.span.start].rpartition("\n")[2]
    before = _MARK_BEFORE.search(line)
    return [before["mark"]] if before else []


def _unmarked(value: str) -> str:
    match = _MARK_FIRST.match(value)
    return value[match.end() :] if match else value
