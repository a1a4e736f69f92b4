"""Reads Zotero's database and its attached files: zotero.sqlite beside the folder storage."""

import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from portico.pipeline.catalogs.items import (
    CatalogItem,
    find_attached,
    format_day,
    join_name,
    make_told,
    strip_doi,
)

# Notes, files and annotations belong to records and are not records themselves.
_RECORDS = """
    SELECT items.itemID, items.key, itemTypes.typeName FROM items JOIN itemTypes USING (itemTypeID)
    WHERE typeName NOT IN ('attachment', 'note', 'annotation')
    AND items.itemID NOT IN (SELECT itemID FROM deletedItems) ORDER BY items.itemID
"""
_VALUES = """
    SELECT fieldName, substr(value, 1, {longest}) FROM itemData
    JOIN fields USING (fieldID) JOIN itemDataValues USING (valueID) WHERE itemID = ? LIMIT {most}
"""
_PEOPLE = """
    SELECT creatorType, substr(lastName, 1, {longest}), substr(firstName, 1, {longest}) FROM itemCreators
    JOIN creators USING (creatorID) JOIN creatorTypes USING (creatorTypeID)
    WHERE itemID = ? ORDER BY orderIndex LIMIT {most}
"""
_TAGS = """
    SELECT substr(name, 1, {longest}) FROM itemTags JOIN tags USING (tagID) WHERE itemID = ?
    ORDER BY name LIMIT {most}
"""
_FILES = """
    SELECT key, path FROM itemAttachments JOIN items USING (itemID)
    WHERE parentItemID = ? AND path IS NOT NULL
    AND items.itemID NOT IN (SELECT itemID FROM deletedItems) ORDER BY items.itemID LIMIT {most}
"""
# Instead of a table there could be a view with an endless query, or a computed column of gigabytes.
_STRANGE = """
    SELECT made.name FROM sqlite_schema AS made LEFT JOIN pragma_table_xinfo(made.name) AS columns
    WHERE made.name IN ({names}) AND (made.sql NOT LIKE 'CREATE TABLE%' OR columns.hidden <> 0) LIMIT 1
"""
_READ = (
    "items", "itemTypes", "itemData", "itemDataValues", "fields", "itemCreators", "creators", "creatorTypes",
    "itemTags", "tags", "itemAttachments", "deletedItems",
)  # fmt: skip

# A malicious small file can hold endless rows, by pages that point to each other, or gigabytes, by one long
# value shared by all records.
_MOST_STEPS = 3_000_000_000  # of SQLite's machine; a library of 100,000 records takes about a hundredth
_STEPS_AT_ONCE = 1_000_000
_LONGEST_ROW = 10_000_000  # bytes
_LONGEST_VALUE, _MOST_VALUES = 100_000, 1_000
_SHARED_BYTES, _SHARED_TIMES = (
    10_000_000,
    10,
)  # records may tell this, and so many times the file

# Our names of fields and Zotero's. If several have a value, the first one counts.
_FIELDS = (
    ("journal", ("publicationTitle",)),
    ("booktitle", ("proceedingsTitle", "bookTitle", "conferenceName")),
    ("volume", ("volume",)),
    ("number", ("issue", "reportNumber")),
    ("pages", ("pages",)),
    ("doi", ("DOI",)),
    ("issn", ("ISSN",)),
    ("isbn", ("ISBN",)),
    ("publisher", ("publisher", "university", "institution")),
    ("language", ("language",)),
    ("abstract", ("abstractNote",)),
)
# If a kind of record has no field for a DOI, Zotero's users write it into "extra".
_EXTRA_DOI = re.compile(r"^\s*doi\s*:\s*(10\.\S+)", re.IGNORECASE | re.MULTILINE)
# A date as Zotero stores it: sortable, with zeros for unknown parts, then as it was typed.
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
# Prefixes of paths; linked files below a base folder cannot be found without Zotero's settings.
_STORED, _BELOW_BASE = "storage:", "attachments:"


def read_zotero(file: Path) -> Iterator[CatalogItem]:
    """Yield every record of a library, with the documents attached to it.

    The database is opened read-only, even while Zotero has it open, and nothing stored in it is executed.
    """
    address = f"file:{quote(str(file.resolve()))}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            _guard(connection)
            yield from _Library(connection, file).list_records()
    except sqlite3.Error as fault:
        yield CatalogItem(
            "1",
            error=f"the file cannot be read as Zotero's database ({fault}); close Zotero, and name the "
            "zotero.sqlite of its data folder or a copy of it",
        )


def _guard(connection: sqlite3.Connection) -> None:
    """Refuse databases that are not Zotero's, and limit what a malicious one could make SQLite do."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_ROW)
    left = _MOST_STEPS // _STEPS_AT_ONCE

    def count_steps() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    connection.set_progress_handler(count_steps, _STEPS_AT_ONCE)
    connection.text_factory = lambda body: body.decode("utf-8", "replace")
    names = ", ".join(f"'{name}'" for name in _READ)
    for (name,) in connection.execute(_STRANGE.format(names=names)):
        raise sqlite3.DatabaseError(f"{name} in it is a view or has computed columns, and Zotero has none")
    for (words,) in connection.execute("PRAGMA quick_check(1)"):
        if words != "ok":
            raise sqlite3.DatabaseError(f"it is damaged: {' '.join(words.split())[:200]}")


class _Library:
    """Reads the records of a library one at a time, to keep only one in memory."""

    def __init__(self, connection: sqlite3.Connection, file: Path) -> None:
        self._connection, self._folder = connection, file.parent
        self._left = _SHARED_BYTES + _SHARED_TIMES * file.stat().st_size

    def list_records(self) -> Iterator[CatalogItem]:
        for item, key, _kind in self._connection.execute(_RECORDS):
            values = {field: str(value) for field, value in self._ask(_VALUES, item)}
            told = make_told(
                title=values.get("title") or values.get("caseName") or values.get("subject") or "",
                authors=self._list_authors(item),
                fields=_read_fields(values) | {"keyword": [str(name) for (name,) in self._ask(_TAGS, item)]},
                urls=[values.get("url", "")],
            )
            files = [place for name, path in self._ask(_FILES, item) for place in _place_file(name, path)]
            yield CatalogItem(f"item {key}", told, files=find_attached(files, self._folder))

    def _ask(self, query: str, item: int) -> list[tuple[Any, ...]]:
        rows = self._connection.execute(query.format(longest=_LONGEST_VALUE, most=_MOST_VALUES), [item])
        found = rows.fetchall()
        self._left -= sum(len(value) for row in found for value in row if isinstance(value, str))
        if self._left < 0:
            raise sqlite3.DatabaseError("its records tell many times more than it holds")
        return found

    def _list_authors(self, item: int) -> list[str]:
        """Return the authors, or the editors of a book without authors."""
        people = [
            (role, join_name(str(family or ""), str(given or "")))
            for role, family, given in self._ask(_PEOPLE, item)
        ]
        for wanted in ("author", "editor"):
            named = [name for role, name in people if role == wanted]
            if named:
                return named
        return [name for _role, name in people]


def _place_file(key: object, path: object) -> list[str]:
    """Return a file's path; of files that Zotero stores, only the base name is used."""
    told = str(path)
    if told.startswith(_STORED):
        return [str(Path("storage", Path(str(key)).name, Path(told.removeprefix(_STORED)).name))]
    return [] if told.startswith(_BELOW_BASE) else [told]


def _read_fields(values: Mapping[str, str]) -> dict[str, str | list[str]]:
    found: dict[str, str | list[str]] = {}
    for ours, theirs in _FIELDS:
        told = next((values[name] for name in theirs if values.get(name)), "")
        if told:
            found[ours] = told
    extra = _EXTRA_DOI.search(values.get("extra", ""))
    if "doi" not in found and extra:
        found["doi"] = strip_doi(extra[1])
    date = values.get("date", "")
    known, year = _DATE.match(date), _YEAR.search(date)
    published = format_day(*known.groups()) if known else year[1] if year else ""
    return found | ({"published": published} if published else {})
