"""Zotero's own library, made with the tables that Zotero makes, is imported with its files."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from portico.cli.app import app
from portico.pipeline.catalogs.formats import CatalogFormat, read_catalog, recognize_format
from tests.convert.pdfs import draw, paper

TABLES = """
CREATE TABLE itemTypes (itemTypeID INTEGER PRIMARY KEY, typeName TEXT);
CREATE TABLE items (itemID INTEGER PRIMARY KEY, itemTypeID INT NOT NULL, libraryID INT, key TEXT NOT NULL);
CREATE TABLE fields (fieldID INTEGER PRIMARY KEY, fieldName TEXT);
CREATE TABLE itemDataValues (valueID INTEGER PRIMARY KEY, value UNIQUE);
CREATE TABLE itemData (itemID INT, fieldID INT, valueID, PRIMARY KEY (itemID, fieldID));
CREATE TABLE creators (creatorID INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT, fieldMode INT);
CREATE TABLE creatorTypes (creatorTypeID INTEGER PRIMARY KEY, creatorType TEXT);
CREATE TABLE itemCreators (itemID INT, creatorID INT, creatorTypeID INT, orderIndex INT);
CREATE TABLE tags (tagID INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE itemTags (itemID INT, tagID INT, type INT);
CREATE TABLE itemAttachments
(itemID INTEGER PRIMARY KEY, parentItemID INT, linkMode INT, contentType TEXT, path TEXT);
CREATE TABLE deletedItems (itemID INTEGER PRIMARY KEY, dateDeleted TEXT);
INSERT INTO itemTypes VALUES (1, 'journalArticle'), (2, 'attachment'), (3, 'note'), (4, 'book');
INSERT INTO creatorTypes VALUES (1, 'author'), (2, 'editor');
"""


class Library:
    """A library that is filled as Zotero fills it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder, self._fields = folder, dict[str, int]()
        self._database = sqlite3.connect(folder / "zotero.sqlite")
        self._database.executescript(TABLES)

    def add(
        self, number: int, values: dict[str, str], people: list[tuple[str, str, int]], kind: int = 1
    ) -> None:
        run = self._database.execute
        run("INSERT INTO items VALUES (?, ?, 1, ?)", (number, kind, f"KEY{number:05}"))
        for name, value in values.items():
            field = self._fields.setdefault(name, len(self._fields) + 1)
            run("INSERT OR IGNORE INTO fields VALUES (?, ?)", (field, name))
            run("INSERT OR IGNORE INTO itemDataValues (value) VALUES (?)", (value,))
            found = run("SELECT valueID FROM itemDataValues WHERE value = ?", (value,)).fetchone()
            run("INSERT INTO itemData VALUES (?, ?, ?)", (number, field, found[0]))
        for order, (given, family, role) in enumerate(people):
            person = run(
                "INSERT INTO creators (firstName, lastName) VALUES (?, ?)", (given, family)
            ).lastrowid
            run("INSERT INTO itemCreators VALUES (?, ?, ?, ?)", (number, person, role, order))

    def attach(self, number: int, parent: int, path: str) -> None:
        run = self._database.execute
        run("INSERT INTO items VALUES (?, 2, 1, ?)", (number, f"KEY{number:05}"))
        run("INSERT INTO itemAttachments VALUES (?, ?, 0, 'application/pdf', ?)", (number, parent, path))

    def run(self, statement: str) -> None:
        self._database.execute(statement)

    def close(self) -> Path:
        self._database.commit()
        self._database.close()
        return self.folder / "zotero.sqlite"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    made = Library(tmp_path / "Zotero")
    made.add(
        1,
        {
            "title": "Effects of climate change on phenology",
            "publicationTitle": "Ecology",
            "volume": "89",
            "issue": "2",
            "pages": "353-362",
            "date": "2008-02-00 February 2008",
            "extra": "PMID: 1\nDOI: 10.1890/06-2128.1",
            "abstractNote": "Flowers suffer from frost.",
        },
        [("David W.", "Inouye", 1), ("Jane", "Editor", 2)],
    )
    made.run("INSERT INTO tags VALUES (1, 'frost')")
    made.run("INSERT INTO itemTags VALUES (1, 1, 0)")
    made.add(2, {"title": "Alpine Plants", "date": "2003-00-00 2003"}, [("Christian", "Körner", 2)], kind=4)
    made.add(3, {"title": "Thrown away"}, [])
    made.run("INSERT INTO deletedItems VALUES (3, '2024-01-01')")
    made.add(4, {"title": "Only a note"}, [], kind=3)
    made.attach(10, 1, "storage:Inouye 2008.pdf")
    made.attach(11, 2, "storage:../../../secret.pdf")
    stored = made.folder / "storage" / "KEY00010"
    stored.mkdir(parents=True)
    (stored / "Inouye 2008.pdf").write_bytes(draw(paper))
    (made.folder.parent / "secret.pdf").write_bytes(draw(paper))
    return made


def test_a_query_without_end_in_the_place_of_a_table_is_not_run(library: Library) -> None:
    library.run("DROP TABLE itemData")
    numbers = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
    library.run(f"CREATE VIEW itemData AS SELECT x AS itemID, 1 AS fieldID, 1 AS valueID FROM ({numbers})")
    (item,) = read_catalog(library.close(), CatalogFormat.ZOTERO)
    assert "itemData in it is a view" in item.error


def test_a_value_that_is_computed_to_gigabytes_is_not_computed(library: Library) -> None:
    library.run("DROP TABLE itemDataValues")
    library.run("CREATE TABLE itemDataValues (valueID INTEGER)")
    library.run("INSERT INTO itemDataValues VALUES (1)")
    library.run("ALTER TABLE itemDataValues ADD COLUMN value AS (hex(zeroblob(400000000)))")
    (item,) = read_catalog(library.close(), CatalogFormat.ZOTERO)
    assert "itemDataValues in it is a view or has computed columns" in item.error


def test_a_value_that_all_records_share_is_not_told_without_end(library: Library) -> None:
    """A megabyte that is a thousand megabytes once each record has told it."""
    library.run("DROP TABLE itemData")
    library.run("CREATE TABLE itemData (itemID, fieldID, valueID)")
    library.run(f"INSERT INTO itemDataValues VALUES (999, '{'x' * 1_000_000}')")
    library.run(
        "WITH RECURSIVE n(x) AS (SELECT 100 UNION ALL SELECT x + 1 FROM n WHERE x < 1100) "
        "INSERT INTO items SELECT x, 1, 1, 'KEY' || x FROM n"
    )
    library.run("INSERT INTO itemData SELECT itemID, fieldID, 999 FROM items JOIN fields")
    *items, last = read_catalog(library.close(), CatalogFormat.ZOTERO)
    assert "many times more than it holds" in last.error
    assert len(items) < 100


def test_pages_that_lead_to_each_other_are_not_followed(library: Library) -> None:
    """Rows that never end: a table's tree of pages whose branches all lead to the same page."""
    library.run(
        "WITH RECURSIVE n(x) AS (SELECT 100 UNION ALL SELECT x + 1 FROM n WHERE x < 1100) "
        "INSERT INTO items SELECT x, 1, 1, 'KEY' || x FROM n"
    )
    file = library.close()
    with closing(sqlite3.connect(file)) as database:
        (page,) = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'items'").fetchone()
    body = bytearray(file.read_bytes())
    start = (page - 1) * int.from_bytes(body[16:18], "big")
    assert body[start] == 5, "a page of branches"
    for number in range(int.from_bytes(body[start + 3 : start + 5], "big")):
        at = start + int.from_bytes(body[start + 12 + 2 * number : start + 14 + 2 * number], "big")
        body[at : at + 4] = body[start + 8 : start + 12]
    file.write_bytes(body)
    (item,) = read_catalog(file, CatalogFormat.ZOTERO)
    assert "it is damaged" in item.error


def test_records_have_what_zotero_knows(library: Library) -> None:
    file = library.close()
    assert recognize_format(file) is CatalogFormat.ZOTERO
    first, second = read_catalog(file, CatalogFormat.ZOTERO)
    assert first.told == {
        "title": "Effects of climate change on phenology",
        "authors": ["David W. Inouye"],
        "year": "2008",
        "abstract": "Flowers suffer from frost.",
        "venue": "Ecology",
        "fields": {
            "journal": ["Ecology"],
            "volume": ["89"],
            "number": ["2"],
            "pages": ["353-362"],
            "doi": ["10.1890/06-2128.1"],
            "published": ["2008-02"],
            "keyword": ["frost"],
        },
        "sources": ["https://doi.org/10.1890/06-2128.1"],
    }
    assert [path.name for path in first.files] == ["Inouye 2008.pdf"]
    assert isinstance(second.told, dict)
    assert second.told["authors"] == ["Christian Körner"], "a book without authors has editors"
    assert second.files == (), "a path out of the storage was followed"


def test_a_library_becomes_a_portal(library: Library, tmp_path: Path) -> None:
    library.close()
    run, portal = CliRunner(), str(tmp_path / "portal")
    imported = run.invoke(app, ["import", str(library.folder), portal])
    assert imported.exit_code == 0, imported.output
    papers = [
        json.loads(line)
        for line in run.invoke(app, ["export", "jsonl", portal]).stdout.splitlines()
        if line[0] == "{"
    ]
    assert {paper["title"] for paper in papers} == {"Effects of climate change on phenology", "Alpine Plants"}
    article = next(paper for paper in papers if paper["venue"] == "Ecology")
    assert any(source.endswith("Inouye 2008.pdf") for source in article["sources"])


def test_what_is_no_library_says_so(tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(other)) as database:
        database.execute("CREATE TABLE something (a)")
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 20)
    for file in (other, broken):
        (only,) = read_catalog(file, CatalogFormat.ZOTERO)
        assert "cannot be read as Zotero's database" in only.error


def test_a_library_that_zotero_has_open_is_read(library: Library) -> None:
    library.run("COMMIT")
    library.run("PRAGMA locking_mode = EXCLUSIVE")
    library.run("BEGIN EXCLUSIVE")
    assert len([*read_catalog(library.folder / "zotero.sqlite", CatalogFormat.ZOTERO)]) == 2
