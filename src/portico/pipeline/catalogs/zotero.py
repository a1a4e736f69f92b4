"""Reads Zotero's database and its attached files: zotero.sqlite beside the folder storage."""

import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from portico.pipeline.catalogs.items import (
    CatalogItem,
    find_attached,
    format_day,
    join_name,
    make_told,
    strip_doi,
)

# Notes, files and what is marked in them belong to records, and are none.
_RECORDS = """
    SELECT items.itemID, items.key, itemTypes.typeName FROM items JOIN itemTypes USING (itemTypeID)
    WHERE typeName NOT IN ('attachment', 'note', 'annotation')
    AND items.itemID NOT IN (SELECT itemID FROM deletedItems) ORDER BY items.itemID
"""
_VALUES = """
    SELECT itemID, fieldName, value FROM itemData
    JOIN fields USING (fieldID) JOIN itemDataValues USING (valueID)
"""
_PEOPLE = """
    SELECT itemID, creatorType, lastName, firstName FROM itemCreators JOIN creators USING (creatorID)
    JOIN creatorTypes USING (creatorTypeID) ORDER BY itemID, orderIndex
"""
_TAGS = "SELECT itemID, name FROM itemTags JOIN tags USING (tagID) ORDER BY itemID, name"
# A view can be a query that never ends.
_VIEWS = "SELECT name FROM sqlite_schema WHERE type = 'view'"
_FILES = """
    SELECT parentItemID, key, path FROM itemAttachments JOIN items USING (itemID)
    WHERE parentItemID IS NOT NULL AND path IS NOT NULL
    AND items.itemID NOT IN (SELECT itemID FROM deletedItems) ORDER BY items.itemID
"""

# Zotero's names of fields, and ours. What comes first wins where several have a value.
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
# Where a kind of record has no field for a DOI, Zotero's users write it into "extra".
_EXTRA_DOI = re.compile(r"^\s*doi\s*:\s*(10\.\S+)", re.IGNORECASE | re.MULTILINE)
# A date as Zotero keeps it: sortable, with zeros for what is not known, then as it was typed.
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
# Linked files below a base folder that only Zotero's settings know.
_STORED, _BELOW_BASE = "storage:", "attachments:"


def read_zotero(file: Path) -> Iterator[CatalogItem]:
    """Every record of a library, with the documents attached to it.

    The database is only read, and read while Zotero has it open, too; nothing in it is run.
    """
    address = f"file:{quote(str(file.resolve()))}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            if views := connection.execute(_VIEWS).fetchall():
                raise sqlite3.DatabaseError(f"{views[0][0]} in it is a view, and Zotero has none")
            connection.text_factory = lambda body: body.decode("utf-8", "replace")
            yield from _Library(connection, file.parent).list_records()
    except sqlite3.Error as fault:
        yield CatalogItem(
            "1",
            error=f"the file cannot be read as Zotero's database ({fault}); close Zotero, and name the "
            "zotero.sqlite of its data folder or a copy of it",
        )


class _Library:
    """The contents of the tables, by record number."""

    def __init__(self, connection: sqlite3.Connection, folder: Path) -> None:
        self._connection, self._folder = connection, folder
        self._values: dict[int, dict[str, str]] = defaultdict(dict)
        for item, field, value in connection.execute(_VALUES):
            self._values[item][field] = str(value)
        self._people: dict[int, list[tuple[str, str]]] = defaultdict(list)
        for item, role, family, given in connection.execute(_PEOPLE):
            self._people[item].append((role, join_name(family or "", given or "")))
        self._tags: dict[int, list[str]] = defaultdict(list)
        for item, name in connection.execute(_TAGS):
            self._tags[item].append(name)
        self._files: dict[int, list[str]] = defaultdict(list)
        for item, key, path in connection.execute(_FILES):
            self._files[item] += self._place_file(str(key), str(path))

    def list_records(self) -> Iterator[CatalogItem]:
        for item, key, _kind in self._connection.execute(_RECORDS):
            values = self._values[item]
            told = make_told(
                title=values.get("title") or values.get("caseName") or values.get("subject") or "",
                authors=self._list_authors(item),
                fields=_read_fields(values) | {"keyword": self._tags[item]},
                urls=[values.get("url", "")],
            )
            yield CatalogItem(f"item {key}", told, files=find_attached(self._files[item], self._folder))

    def _list_authors(self, item: int) -> list[str]:
        """The authors, or the editors of a book without authors."""
        people = self._people[item]
        for wanted in ("author", "editor"):
            named = [name for role, name in people if role == wanted]
            if named:
                return named
        return [name for _role, name in people]

    def _place_file(self, key: str, path: str) -> list[str]:
        """The path of a file; for files stored by Zotero only the base name is used, whatever folders it
        names.
        """
        if path.startswith(_STORED):
            return [str(Path("storage", Path(key).name, Path(path.removeprefix(_STORED)).name))]
        return [] if path.startswith(_BELOW_BASE) else [path]


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
