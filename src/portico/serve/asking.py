"""Asks the served index, and says with which status it cannot answer."""

import logging

from starlette.exceptions import HTTPException

from portico.errors import PortalError
from portico.index.searcher import Searcher
from portico.serve import pages
from portico.serve.portal import Portal
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
    try:
        return pages.find(searcher_of(portal), search)
    except PortalError as error:
        _log.error("%s", error)  # a traceback through the engine tells a builder nothing
        raise HTTPException(503, DAMAGED) from error
