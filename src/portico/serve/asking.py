"""Asks the served index, and says with which status it cannot answer."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from starlette.exceptions import HTTPException

from portico.errors import PortalError
from portico.index.searcher import MOST_HITS, Searcher
from portico.serve import pages
from portico.serve.portal import Portal
from portico.types.record import EntityId
from portico.types.search import Results

_log = logging.getLogger(__name__)

DAMAGED = (
    "The search index of this portal is damaged. Its builder mends it with `portico verify --repair` and "
    "`portico build`; topics and papers can be read meanwhile."
)


def searcher_of(portal: Portal) -> Searcher:
    """The index being served; 503 where there is none yet, or none that can be opened."""
    searcher = portal.index.current()
    if searcher is None:
        raise HTTPException(503, DAMAGED if portal.index.is_damaged else None)
    return searcher


def ask(portal: Portal, search: pages.Search) -> Results:
    """What the index has for a search; 503 where it is damaged."""
    with _damage_told():
        return pages.find(searcher_of(portal), _followed(portal, search))


def ask_many(portal: Portal, search: pages.Search, *, most: int) -> Iterator[EntityId]:
    """The first `most` papers of a search, whichever page is asked for; 503 where the index is damaged."""
    searcher, search = searcher_of(portal), _followed(portal, search)
    for offset in range(0, most, MOST_HITS):
        with _damage_told():
            found = searcher.search(
                search.full_query, sort=search.sort, within=search.within, limit=MOST_HITS, offset=offset
            )
        yield from (hit.entity for hit in found.hits)
        if len(found.hits) < MOST_HITS:
            return


def _followed(portal: Portal, search: pages.Search) -> pages.Search:
    """The search with ids of papers that were merged replaced by what they have become."""

    def now(match: re.Match[str]) -> str:
        entity = EntityId(match[2].lower())
        return match[1] + (portal.view.entities.moved_to(entity) or match[2])

    query = _LINKED.sub(now, search.query)
    return search if query == search.query else replace(search, query=query)


_LINKED = re.compile(r"((?:cites|citedby):)(\w+)", re.I)


@contextmanager
def _damage_told() -> Iterator[None]:
    try:
        yield
    except PortalError as error:
        _log.error("%s", error)  # a traceback through the engine tells a builder nothing
        raise HTTPException(503, DAMAGED) from error
