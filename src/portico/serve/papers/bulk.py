"""Bulk access to all papers: page by page with a cursor, or as one file."""

import csv
import io
import json
import logging
import os
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import BinaryIO

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from portico.serve.collection import Json
from portico.serve.contributions.forms import identify_visitor
from portico.serve.escaping import make_cell, strip_hidden
from portico.serve.languages import mark
from portico.serve.links import make_paper_url
from portico.serve.papers import describing
from portico.serve.papers.files import Download
from portico.serve.portal import Remembered, ServedPortal
from portico.store.sqlite_download import write_papers_file
from portico.types.record import Entity, EntityId

_log = logging.getLogger(__name__)

MOST_AT_ONCE, USUALLY = 1_000, 100
"""Maximum and default number of papers per page."""

MOST_DOWNLOADS, MOST_BY_ONE = 12, 2
"""Maximum number of files made at a time in one process, in all and for one visitor."""

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

    places = _DownloadPlaces()

    def lines(request: Request) -> Response:
        pieces = (json.dumps(paper, ensure_ascii=False) + "\n" for paper in _describe_all(portal))
        return _send(pieces, "application/x-ndjson", "papers.jsonl", places.take(request))

    def table(request: Request) -> Response:
        return _send(_write_rows(portal), "text/csv; charset=utf-8", "papers.csv", places.take(request))

    database = _SharedFile(portal, "papers.sqlite", "application/vnd.sqlite3", write_papers_file)
    parquet = _SharedFile(portal, "papers.parquet", "application/vnd.apache.parquet", _write_parquet)
    return [
        Route("/api/papers", page),
        Route("/download/papers.jsonl", lines),
        Route("/download/papers.csv", table),
        Route("/download/papers.sqlite", database.answer),
        *([Route("/download/papers.parquet", parquet.answer)] if can_write_parquet() else []),
    ]


def can_write_parquet() -> bool:
    """Whether pyarrow is installed, which is optional."""
    return find_spec("pyarrow") is not None


class _DownloadPlaces:
    """Limits the files that are being made while they are sent, each of which takes a second of processor
    time for some thousand papers.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._taken: Counter[str] = Counter()  # by visitor

    def take(self, request: Request) -> Callable[[], None]:
        """Take a place; what is returned gives it back. 503 if no place is left."""
        visitor = identify_visitor(request)
        with self._lock:
            if self._taken.total() >= MOST_DOWNLOADS or self._taken[visitor] >= MOST_BY_ONE:
                busy = mark("Many visitors are downloading files. Please try again in a minute.")
                raise HTTPException(503, busy, headers={"Retry-After": "60"})
            self._taken[visitor] += 1

        def give_back() -> None:
            with self._lock:
                self._taken[visitor] -= 1
                self._taken += Counter()  # forgets who has no place

        return give_back


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


_AGE_S = 60.0
_TURN_S = 0.5
_PIECE = 1 << 16


class _SharedFile:
    """A file that is made whole before it is sent. It takes disk space, and a second per few thousand papers
    to make, so all visitors share it.
    """

    def __init__(
        self,
        portal: ServedPortal,
        name: str,
        media_type: str,
        write: Callable[[Path, Iterable[Json]], None],
    ) -> None:
        self._portal, self._name, self._media_type, self._write = portal, name, media_type, write
        self._made = Remembered(self._make, max_age_s=_AGE_S, clock=portal.clock)
        self._turn = Lock()

    def answer(self, request: Request) -> Response:
        if not self._turn.acquire(timeout=_TURN_S):
            busy = mark("This file is being made for another visitor. Please try again in a minute.")
            raise HTTPException(503, busy, headers={"Retry-After": "60"})
        try:
            file = self._made.get()
        finally:
            self._turn.release()
        answer = _send(_read_pieces(file), self._media_type, self._name)
        answer.headers["Content-Length"] = str(os.fstat(file.fileno()).st_size)
        return answer

    def _make(self) -> BinaryIO:
        """The file, open but already unlinked, so that it disappears with its last reader."""
        try:
            with TemporaryDirectory(prefix="portico-") as folder:
                path = Path(folder) / self._name
                self._write(path, _describe_with_neighbors(self._portal))
                return path.open("rb")
        except OSError as fault:
            _log.warning("%s cannot be made in the folder for temporary files: %s", self._name, fault)
            raise HTTPException(
                503, "This file cannot be made now. The log of the portal says why."
            ) from fault


_ROWS_AT_ONCE = 5_000


def _write_parquet(path: Path, papers: Iterable[Json]) -> None:
    """One row per paper, with lists of authors, keywords, topics and cited papers."""
    # Imported here, because it is optional and takes long to load.
    import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]
    from pyarrow import parquet  # type: ignore[import-not-found,import-untyped,unused-ignore]

    texts = pyarrow.list_(pyarrow.string())
    types = {"year": pyarrow.int32(), "citations": pyarrow.int64()}
    types |= dict.fromkeys(("authors", "keywords", "topics", "cites"), texts)
    names = (*_COLUMNS, "topics", "cites")
    schema = pyarrow.schema([(name, types.get(name, pyarrow.string())) for name in names])
    rows = iter(papers)
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        while some := list(islice(rows, _ROWS_AT_ONCE)):
            writer.write_table(pyarrow.Table.from_pylist(some, schema=schema))


def _read_pieces(file: BinaryIO) -> Generator[bytes, None, None]:
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


def _send(
    pieces: Iterator[str] | Iterator[bytes],
    media_type: str,
    name: str,
    release: Callable[[], None] = lambda: None,
) -> Response:
    return Download(
        pieces,
        media_type=media_type,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
        release=release,
    )
