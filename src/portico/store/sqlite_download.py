"""Exports the papers of a portal as one SQLite file, for Datasette and other programs."""

import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

_TABLES = """
CREATE TABLE papers (
    id TEXT PRIMARY KEY, url TEXT, title TEXT, year INTEGER, venue TEXT, doi TEXT, abstract TEXT,
    language TEXT, citations INTEGER
);
CREATE TABLE authors (paper TEXT REFERENCES papers(id), position INTEGER, name TEXT);
CREATE TABLE keywords (paper TEXT REFERENCES papers(id), keyword TEXT);
CREATE TABLE topics (paper TEXT REFERENCES papers(id), topic TEXT);
CREATE TABLE cites (citing TEXT REFERENCES papers(id), cited TEXT);
"""
_INDEXES = """
CREATE INDEX authors_paper ON authors(paper);
CREATE INDEX authors_name ON authors(name);
CREATE INDEX keywords_paper ON keywords(paper);
CREATE INDEX topics_paper ON topics(paper);
CREATE INDEX cites_citing ON cites(citing);
CREATE INDEX cites_cited ON cites(cited);
CREATE VIRTUAL TABLE papers_fts USING fts5(title, abstract, content=papers);
INSERT INTO papers_fts(papers_fts) VALUES ('rebuild');
"""
_COLUMNS = ("id", "url", "title", "year", "venue", "doi", "abstract", "language", "citations")


def write_papers_file(path: Path, papers: Iterable[Mapping[str, Any]]) -> None:
    """Tables of papers, authors, keywords, topics and citations, with an index for searches in full text.

    OSError where there is no place for it.
    """
    database = sqlite3.connect(path)
    try:
        database.executescript(f"PRAGMA journal_mode = OFF; {_TABLES}")
        for paper in papers:
            name = paper["id"]
            _insert(database, "papers", [[paper[column] for column in _COLUMNS]])
            _insert(
                database,
                "authors",
                [(name, place, author) for place, author in enumerate(paper["authors"], 1)],
            )
            _insert(database, "keywords", [(name, keyword) for keyword in paper["keywords"]])
            _insert(database, "topics", [(name, topic) for topic in paper["topics"]])
            _insert(database, "cites", [(name, cited) for cited in paper["cites"]])
        database.executescript(_INDEXES)
        database.commit()
    except sqlite3.OperationalError as fault:
        raise OSError(f"{path}: {fault}") from fault
    finally:
        database.close()


def _insert(database: sqlite3.Connection, table: str, rows: Iterable[Any]) -> None:
    for row in rows:
        places = ", ".join("?" * len(row))
        database.execute(f"INSERT INTO {table} VALUES ({places})", row)  # noqa: S608 — names of our own
