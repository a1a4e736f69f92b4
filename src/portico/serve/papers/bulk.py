"""Bulk access to all papers: page by page with a cursor, or as one file."""

import csv
import io
import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import BinaryIO

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from portico.serve.collection import Json
from portico.serve.escaping import make_cell, strip_hidden
from portico.serve.languages import mark
from portico.serve.links import make_paper_url
from portico.serve.papers import describing
from portico.serve.portal import Remembered, ServedPortal
from portico.store.sqlite_download import write_papers_file
from portico.types.record import Entity, EntityId

_log = logging.getLogger(__name__)

MOST_AT_ONCE, USUALLY = 1_000, 100
"""Maximum and default number of papers per page."""

# Papers read at a time for a file: some megabytes.
_CHUNK = 200
_COLUMNS = (
    *("id", "title", "authors", "year", "venue", "doi", "keywords", "abstract", "language", "citations"),
    "url",
)


def make_bulk_routes(portal: ServedPortal) -> list[Route]:
    def page(request: Request) -> Response:
        asked = request.query_params
        limit = _read_limit(asked.get("limit", ""))
        after_id = EntityId(asked.get("after", "").encode("utf-8", "replace").decode())
        # One more is requested, to know whether there is a next page.
        ids = portal.view.entities.held_ids(after_id, limit=limit + 1)
        shown = ids[:limit]
        after = shown[-1] if len(ids) > len(shown) else None
        return JSONResponse({"papers": [*_describe(portal, shown)], "after": after})

    def lines(request: Request) -> Response:
        pieces = (json.dumps(paper, ensure_ascii=False) + "\n" for paper in _describe_all(portal))
        return _stream(pieces, "application/x-ndjson", "papers.jsonl")

    def table(request: Request) -> Response:
        return _stream(_write_rows(portal), "text/csv; charset=utf-8", "papers.csv")

    made = Remembered(lambda: _write_database(portal), max_age_s=_DATABASE_AGE_S, clock=portal.clock)
    turn = Lock()

    def database(request: Request) -> Response:
        if not turn.acquire(timeout=_TURN_S):
            busy = mark("This file is being made for another visitor. Please try again in a minute.")
            raise HTTPException(503, busy, headers={"Retry-After": "60"})
        try:
            file = made.get()
        finally:
            turn.release()
        answer = _stream(_read_pieces(file), "application/vnd.sqlite3", "papers.sqlite")
        answer.headers["Content-Length"] = str(os.fstat(file.fileno()).st_size)
        return answer

    return [
        Route("/api/papers", page),
        Route("/download/papers.jsonl", lines),
        Route("/download/papers.csv", table),
        Route("/download/papers.sqlite", database),
    ]


def _read_limit(said: str) -> int:
    """How many papers are requested; the default if this is not a valid number, as in a search."""
    is_number = said.isascii() and said.isdecimal() and 0 < len(said) < 9
    return max(1, min(int(said), MOST_AT_ONCE)) if is_number else USUALLY


def describe_bulk_paper(entity: Entity) -> Json:
    """A paper without its citations: each value as shown in lists."""
    keywords = tuple(dict.fromkeys(field.value for field in entity.all("keyword")))
    told: Json = {
        "id": entity.id,
        "url": make_paper_url(entity.id),
        "title": describing.get_title(entity),
        "authors": describing.list_authors(entity),
        "year": int(year) if (year := describing.get_year(entity)) else None,
        "venue": describing.get_first_value(entity, describing.VENUE) or None,
        "doi": entity.value("doi"),
        "abstract": entity.value("abstract"),
        "keywords": list(keywords),
        "language": entity.value("language"),
        "citations": entity.n_citations,
    }
    return {name: _clean(value) for name, value in told.items()}


def _clean(value: object) -> object:
    """The value without lone surrogates and other characters that cannot be sent."""
    return [*map(strip_hidden, value)] if isinstance(value, (list, tuple)) else strip_hidden(value)


def _describe(portal: ServedPortal, ids: tuple[EntityId, ...]) -> Iterator[Json]:
    known = portal.view.entities.many(ids)
    return (describe_bulk_paper(known[name]) for name in ids if name in known)


def _describe_all(portal: ServedPortal) -> Iterator[Json]:
    """All papers, ordered by id. Papers added or removed meanwhile may or may not be included; no others
    are missed.
    """
    ids = portal.view.entities.held_ids(EntityId(""), limit=_CHUNK)
    while ids:
        yield from _describe(portal, ids)
        ids = portal.view.entities.held_ids(ids[-1], limit=_CHUNK)


def _write_rows(portal: ServedPortal) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(_COLUMNS)
    for paper in _describe_all(portal):
        writer.writerow([_show_cell(paper[name]) for name in _COLUMNS])
        if buffer.tell() > 1 << 16:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


# The file takes disk space, and a second per few thousand papers to make, so all visitors share it.
_DATABASE_AGE_S = 60.0
_TURN_S = 0.5
_PIECE = 1 << 16


def _write_database(portal: ServedPortal) -> BinaryIO:
    """The papers as a SQLite file that is open but already unlinked, so that it disappears with its last
    reader.
    """
    try:
        with TemporaryDirectory(prefix="portico-") as folder:
            path = Path(folder) / "papers.sqlite"
            write_papers_file(path, _describe_with_neighbors(portal))
            return path.open("rb")
    except OSError as fault:
        _log.warning("papers.sqlite cannot be made in the folder for temporary files: %s", fault)
        raise HTTPException(503, "This file cannot be made now. The log of the portal says why.") from fault


def _read_pieces(file: BinaryIO) -> Iterator[bytes]:
    """The file's content from the start, regardless of where other readers of the same file are."""
    place = 0
    while piece := os.pread(file.fileno(), _PIECE, place):
        place += len(piece)
        yield piece


def _describe_with_neighbors(portal: ServedPortal) -> Iterator[Json]:
    view, ids = portal.view, portal.view.entities.held_ids(EntityId(""), limit=_CHUNK)
    while ids:
        topics, cited = view.topics.best(ids), view.citations.cited(ids)
        for paper in _describe(portal, ids):
            topic = topics.get(paper["id"])
            yield paper | {
                "topics": ["/".join(topic)] if topic else [],
                "cites": sorted(cited.get(paper["id"], ())),
            }
        ids = view.entities.held_ids(ids[-1], limit=_CHUNK)


def _show_cell(value: object) -> str:
    """A table cell; lists are joined with semicolons."""
    return make_cell("; ".join(map(str, value)) if isinstance(value, list) else str(value or ""))


def _stream(pieces: Iterator[str] | Iterator[bytes], media_type: str, name: str) -> Response:
    disposition = f'attachment; filename="{name}"'
    return StreamingResponse(pieces, media_type=media_type, headers={"Content-Disposition": disposition})
