"""What every search answers to programs, whatever is sought: how many, which page, and what to narrow by."""

from typing import Any, Protocol

from portico.index.searcher import DEEPEST
from portico.serve.escaping import visible
from portico.types.search import Results


class Asked(Protocol):
    """A search as it was read from an address."""

    @property
    def query(self) -> str: ...

    @property
    def page(self) -> int: ...


def answered(search: Asked, found: Results, *, page_size: int) -> dict[str, Any]:
    """All of an answer but the things that were found."""
    seen = search.page * page_size
    return {
        "query": search.query,
        "total": found.total,
        "page": search.page,
        "next": search.page + 1 if seen < min(found.total, DEEPEST) else None,
        "notice": found.notice,
        "suggestion": found.suggestion,
        "facets": {
            name: [{"value": visible(value), "count": count} for value, count in counts]
            for name, counts in found.facets
        },
    }
