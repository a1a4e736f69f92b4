"""Answers queries from one index folder: ranked or sorted hits with snippets, and counts to narrow by."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import tantivy

from portico.errors import ConfigError
from portico.index.faults import engine_faults, unreadable
from portico.index.files import COMMITTED, open_to_read
from portico.index.query import ParsedQuery, Sign, parse
from portico.index.rank import engine_query
from portico.index.snippet import best_snippet
from portico.types.record import EntityId
from portico.types.search import Hit, Results

SORTS: Mapping[str, str | None] = MappingProxyType(
    {
        "relevance": None,
        "citations": "n_citations",
        "date": "year",
        "seminal": "authority",
        "survey": "hub",
    }
)
"""Orders a visitor may choose, and the field each one sorts by."""

# Nobody reads so far, and every hit before the page has to be ranked to reach it.
DEEPEST = 10_000
MOST_HITS = 100

# As many as the tree of a portal has nodes and the literature has years, with room.
_MOST_TOPICS, _MOST_YEARS = 500, 300
_FACETS = {
    "topic": {"terms": {"field": "topics", "size": _MOST_TOPICS}},
    "year": {"terms": {"field": "year", "size": _MOST_YEARS}},
}
_SOME_WORDS = "No paper has all of these words; these have some of them."


class Searcher:
    """Holds one index open; safe to use from many threads, and follows updates of its folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._committed = self._commit()
        self._index, self._follows = open_to_read(folder)

    @property
    def n_entries(self) -> int:
        return int(self._index.searcher().num_docs)

    @property
    def is_stale(self) -> bool:
        """Whether the folder was changed in a way that only opening it again will show."""
        return not self._follows and self._commit() != self._committed

    def search(
        self,
        query: str,
        *,
        sort: str = "relevance",
        topic: str | None = None,
        limit: int = 10,
        offset: int = 0,
    ) -> Results:
        """The best `limit` hits after `offset`. Never raises for what the visitor typed.

        Raises PortalError where the index is damaged.
        """
        if sort not in SORTS:
            raise ConfigError(f"there is no order “{sort}”; choose one of {', '.join(SORTS)}")
        parsed = parse(query)
        limit, offset = min(max(limit, 1), MOST_HITS), min(max(offset, 0), DEEPEST)
        with engine_faults(unreadable(self._folder)):
            return self._answer(parsed, sort, topic, limit, offset)

    def _answer(self, parsed: ParsedQuery, sort: str, topic: str | None, limit: int, offset: int) -> Results:
        searcher = self._index.searcher()
        order = SORTS[sort] if parsed.clauses or sort != "relevance" else SORTS["citations"]
        notice = parsed.notice
        engine = engine_query(self._index.schema, parsed, topic=topic, every_word=True)
        found, total = _run(searcher, engine, order, limit, offset)
        if not total and _n_plain(parsed) > 1:
            engine = engine_query(self._index.schema, parsed, topic=topic, every_word=False)
            found, total = _run(searcher, engine, order, limit, offset)
            notice = f"{notice} {_SOME_WORDS}".strip() if total else notice
        hits = tuple(_hit(searcher, score, address, parsed) for score, address in found)
        return Results(hits, total, notice, _facets(searcher, engine))

    def _commit(self) -> tuple[int, int] | None:
        """When and how large the last commit was written."""
        try:
            written = (self._folder / COMMITTED).stat()
        except OSError:
            return None
        return written.st_mtime_ns, written.st_size


def _run(
    searcher: tantivy.Searcher, query: tantivy.Query, order: str | None, limit: int, offset: int
) -> tuple[list[tuple[float | None, tantivy.DocAddress]], int]:
    """Scores (or sort values) with addresses, and how many documents match in all."""
    if order is None:
        found = searcher.search(query, limit, offset=offset, weight_by_field="prior")
    else:
        found = searcher.search(query, limit, offset=offset, order_by_field=order)
    return found.hits, int(found.count)  # type: ignore[attr-defined]  # missing in tantivy's stubs


def _n_plain(parsed: ParsedQuery) -> int:
    return sum(clause.sign is Sign.PLAIN for clause in parsed.clauses)


def _hit(
    searcher: tantivy.Searcher, score: float | None, address: tantivy.DocAddress, parsed: ParsedQuery
) -> Hit:
    document = searcher.doc(address)
    texts = [document.get_first(field) or "" for field in ("abstract", "body")]
    snippet = best_snippet(texts, parsed.sought)
    return Hit(EntityId(str(document.get_first("id"))), float(score or 0.0), snippet.text, snippet.marks)


def _facets(
    searcher: tantivy.Searcher, query: tantivy.Query
) -> tuple[tuple[str, tuple[tuple[str, int], ...]], ...]:
    answer = searcher.aggregate(query, _FACETS)
    return tuple(
        (name, tuple((_key(bucket["key"]), int(bucket["doc_count"])) for bucket in answer[name]["buckets"]))
        for name in _FACETS
    )


def _key(key: str | int | float) -> str:
    return key if isinstance(key, str) else str(int(key))
