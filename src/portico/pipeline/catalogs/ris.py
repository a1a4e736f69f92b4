"""Reads RIS with rispy, as EndNote, Zotero, Mendeley and publishers write it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import rispy

from portico.pipeline.catalogs.items import (
    CatalogItem,
    find_attached,
    format_day,
    join_name,
    join_pages,
    make_told,
)

_START = re.compile(r"^TY {1,2}- ?", re.MULTILINE)
_KINDS = {
    "JOUR": "article", "EJOUR": "article", "MGZN": "article", "NEWS": "article", "CPAPER": "inproceedings",
    "CONF": "inproceedings", "CHAP": "incollection", "ECHAP": "incollection", "BOOK": "book", "EBOOK": "book",
    "EDBOOK": "book", "THES": "phdthesis", "RPRT": "techreport", "UNPB": "unpublished",
    "MANSCPT": "unpublished",
}  # fmt: skip
_TITLE = ("title", "primary_title", "translated_title", "short_title")
_VENUE = ("secondary_title", "journal_name", "alternate_title3", "alternate_title1", "alternate_title2")
_DATE = re.compile(r"(\d{4})(?:/(\d{0,2}))?(?:/(\d{0,2}))?")
_IN_BOOKS = ("inproceedings", "incollection")


def read_ris(text: str, folder: Path) -> Iterator[CatalogItem]:
    """Yield all entries with their line numbers; an unreadable entry yields an error and affects no
    other.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    starts = [match.start() for match in _START.finditer(text)]
    line, counted = 1, 0
    for start, end in pairwise([*starts, len(text)]):
        line, counted = line + text.count("\n", counted, start), start
        yield _read_entry(text[start:end], str(line), folder)


def _read_entry(written: str, place: str, folder: Path) -> CatalogItem:
    if not re.search(r"^ER {1,2}-", written, re.MULTILINE):
        written = f"{written.rstrip()}\nER  - \n"  # tolerate a missing end
    try:
        entries = rispy.loads(re.sub(r"^([A-Z][A-Z0-9]) - ?", r"\1  - ", written, flags=re.MULTILINE))
    except (ValueError, KeyError, IndexError, OSError) as fault:
        return CatalogItem(place, error=f"this entry cannot be read: {fault}")
    if not entries:
        return CatalogItem(
            place, error="this entry cannot be read: a tag, two blanks, a hyphen and a blank begin each line"
        )
    told = entries[0]
    files = find_attached(_texts(told, "file_attachments1", "file_attachments2"), folder)
    return CatalogItem(place, _tell(told), files=files)


def _tell(told: Mapping[str, Any]) -> dict[str, Any]:
    kind = _KINDS.get(_text(told, "type_of_reference"), "misc")
    venue = _text(told, *_VENUE)
    when = _DATE.match(_text(told, "date")) or _DATE.match(_text(told, "year", "publication_year"))
    day = format_day(*when.groups()) if when else ""
    first, last = _text(told, "start_page"), _text(told, "end_page")
    number = _text(told, "issn")
    fields: dict[str, str | Sequence[str]] = {
        "publication_type": kind if kind != "misc" else "",
        ("booktitle" if kind in _IN_BOOKS else "journal" if kind == "article" else "venue"): venue,
        "year": _text(told, "year", "publication_year")[:4] or day[:4],
        "published": day if "-" in day else "",
        "volume": _text(told, "volume"),
        "number": _text(told, "number"),
        "pages": join_pages(first, last) or _text(told, "custom7"),
        ("institution" if kind in ("phdthesis", "techreport") else "publisher"): _text(told, "publisher"),
        "address": _text(told, "place_published"),
        "doi": _text(told, "doi"),
        ("isbn" if _is_isbn(number, kind) else "issn"): number,
        "abstract": _text(told, "abstract", "notes_abstract"),
        "language": _text(told, "language"),
        "keyword": _texts(told, "keywords"),
        "affiliation": _texts(told, "author_address"),
        "editor": [_name(name) for name in _texts(told, "secondary_authors")],
    }
    authors = _texts(told, "authors") or _texts(told, "first_authors")
    return make_told(
        name=_text(told, "id"), title=_text(told, *_TITLE), authors=[_name(author) for author in authors],
        fields=fields, urls=_texts(told, "urls", "file_attachments1"),
    )  # fmt: skip


def _is_isbn(number: str, kind: str) -> bool:
    """Whether a number is an ISBN; RIS uses one tag for ISSN (8 digits) and ISBN (10 or 13)."""
    return len(re.sub(r"[^\dXx]", "", number)) in (10, 13) or (kind == "book" and bool(number))


def _name(written: str) -> str:
    parts = [part.strip() for part in written.split(",")]
    if len(parts) == 1:
        return parts[0]
    return join_name(parts[0], parts[1], parts[2] if len(parts) > 2 else "")


def _text(told: Mapping[str, Any], *names: str) -> str:
    return next(iter(_texts(told, *names)), "")


def _texts(told: Mapping[str, Any], *names: str) -> list[str]:
    values = [told.get(name) or [] for name in names]
    flat = [each for value in values for each in ([value] if isinstance(value, str) else value)]
    return [each.strip() for each in flat if isinstance(each, str) and each.strip()]
