"""The common form of imported records, produced by every catalog reader."""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from portico.text.names import parse_cited_name


@dataclass(frozen=True, slots=True)
class CatalogItem:
    """One record of a catalog, valid or not."""

    place: str  # position in the file: a line number, or "item 3"
    told: object = None  # as an object of `portico export jsonl`, or any object with a title
    error: str = ""
    files: tuple[Path, ...] = ()  # documents that are attached to it
    deleted: str = ""  # the name of a record that its catalog has deleted


def make_told(
    *,
    name: str = "",
    title: str = "",
    authors: Sequence[str] = (),
    fields: Mapping[str, str | Iterable[str]] | None = None,
    urls: Iterable[str] = (),
    references: Sequence[Mapping[str, Any] | str] = (),
) -> dict[str, Any]:
    """Build a record as `portico export jsonl` writes it; `fields` may also hold year, abstract, venue."""
    known = {key: _values(value) for key, value in (fields or {}).items()}
    alone = {key: _first(known.pop(key, ())) for key in ("abstract", "year")}
    venue = (
        _first(known.pop("venue", ()))
        or _first(known.get("journal", ()))
        or _first(known.get("booktitle", ()))
    )
    published = _first(known.get("published", ()))
    if "doi" in known:
        known["doi"] = tuple(strip_doi(doi) for doi in known["doi"])
    told: dict[str, Any] = {
        "title": title,
        "authors": [author for author in authors if author],
        "year": alone["year"] or published[:4],
        "abstract": alone["abstract"],
        "venue": venue,
        "fields": {key: list(values) for key, values in known.items() if values},
    }
    if name:
        told["id"] = name
    sources = list(dict.fromkeys(url for url in urls if url.startswith(("http://", "https://", "ftp://"))))
    if not sources and known.get("doi"):
        sources = [f"https://doi.org/{known['doi'][0]}"]
    if sources:
        told["sources"] = sources
    if references:
        told["references"] = list(references)
    return {key: value for key, value in told.items() if value}


def _values(value: str | Iterable[str]) -> tuple[str, ...]:
    given = (value,) if isinstance(value, str) else value
    return tuple(dict.fromkeys(words for each in given if each and (words := " ".join(each.split()))))


def _first(values: Sequence[str]) -> str:
    return values[0] if values else ""


def join_name(family: str, given: str = "", suffix: str = "") -> str:
    """Join a name in spoken order, or with the surname first if it would be ambiguous otherwise."""
    said = " ".join(part for part in (given, family, suffix) if part)
    person = parse_cited_name(said)
    if not given or (person.surname == family and " ".join(person.given).split() == parse_given(given)):
        return said
    return ", ".join(part for part in (family, given, suffix) if part)


def reorder_name(written: str) -> str:
    """A name in spoken order that may be written with the surname first: "Aha, David W., Jr."."""
    parts = [part.strip() for part in written.split(",")]
    return parts[0] if len(parts) == 1 else join_name(parts[0], parts[1], " ".join(parts[2:]))


def parse_given(given: str) -> list[str]:
    """Split given names as they are compared, with initials apart."""
    return list(parse_cited_name(f"Family, {given}").given)


def strip_doi(text: str) -> str:
    """Remove the URL prefix or "doi:" from a DOI."""
    return _DOI_PREFIX.sub("", text.strip())


def join_pages(first: str, last: str) -> str:
    return f"{first}–{last}" if first and last and first != last else first or last


def format_day(year: object, month: object = None, day: object = None) -> str:
    """Format a date as 1999-07-04, or the part of it that is known and plausible."""
    parts: list[str] = []
    for value, width in ((year, 4), (month, 2), (day, 2)):
        digits = str(value or "").strip()
        if not digits.isdecimal() or not 0 < int(digits) < 10_000:
            break
        parts.append(f"{int(digits):0{width}d}")
    try:
        date.fromisoformat("-".join([*parts, "01", "01"][:3]))
    except ValueError:
        return "".join(parts[:1])
    return "-".join(parts)


def find_month(text: str) -> str:
    """Return the number of a month given by English name, abbreviation or number; "" for anything else."""
    word = text.strip().lower()[:3]
    return (
        str(_MONTHS.index(word) + 1) if word in _MONTHS else text.strip() if text.strip().isdecimal() else ""
    )


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DOI_PREFIX = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
# Files that are documents; other attachments (snapshots, notes, data) are ignored.
_DOCUMENTS = (".pdf", ".ps", ".ps.gz", ".eps", ".dvi", ".docx", ".odt", ".epub")


def find_attached(names: Iterable[str], folder: Path) -> tuple[Path, ...]:
    """The attached files that exist and are documents; names may be relative to the catalog's folder."""
    found: dict[Path, None] = {}
    for name in names:
        plain = unquote(name.removeprefix("file://")) if name.startswith("file://") else name
        path = folder / plain
        with suppress(OSError):  # a name that is too long for a file, a folder that may not be read
            if path.name.lower().endswith(_DOCUMENTS) and path.is_file():
                found[path] = None
    return tuple(found)
