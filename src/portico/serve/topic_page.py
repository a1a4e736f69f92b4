"""The page of a topic: its place in the tree, its papers in several orders, its authors and its years."""

from collections.abc import Sequence
from dataclasses import dataclass

from portico.errors import PortalError
from portico.index.engine_query import SearchScope
from portico.index.searcher import DEEPEST
from portico.serve.chart import YearChart, year_chart
from portico.serve.describe import Card, LinkedText
from portico.serve.links import name_url, topic_url, with_parameters
from portico.serve.pages import PAGE_SIZE, Branch, Choice, branches, cards, empty_topics, hit_cards, sorts
from portico.serve.paging import Paging, paging
from portico.serve.portal import Portal
from portico.store.catalog.entities import ORDERS
from portico.store.catalog.topics import RANKED_WITHIN

# Beside the papers there is room for a few of each kind.
_BRIEF, _MOST_AUTHORS = 4, 8
_WITHIN = (("Seminal", "seminal"), ("Surveys", "survey"))

Counts = Sequence[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class TopicPage:
    """A node of the tree: what is below it, and its papers."""

    name: str
    path: str
    trail: tuple[LinkedText, ...]
    n_papers: int
    branches: tuple[Branch, ...]
    empty: tuple[LinkedText, ...]
    chart: YearChart | None
    lists: tuple[tuple[str, tuple[Card, ...]], ...]
    authors: tuple[Choice, ...]
    cards: tuple[Card, ...]
    sorts: tuple[Choice, ...]
    paging: Paging


def topic(portal: Portal, path: Sequence[str], *, order: str, page: int) -> TopicPage | None:
    """None where the tree has no such node."""
    tree = portal.overview.get().tree
    node = next((node for node in tree if node.path == tuple(path)), None)
    if node is None:
        return None
    chosen = order if order in ORDERS else "citations"
    here = topic_url(path)

    def url(**changes: str | int | None) -> str:
        return with_parameters(here, {"sort": chosen if chosen != "citations" else None, **changes})

    papers, years, names = _papers(portal, path, chosen, page)
    below = tuple(
        other for other in tree if len(other.path) > len(path) and other.path[: len(path)] == node.path
    )
    return TopicPage(
        name=path[-1],
        path="/".join(path),
        trail=tuple(LinkedText(path[depth - 1], topic_url(path[:depth])) for depth in range(1, len(path))),
        n_papers=node.n_papers,
        branches=branches(below, depth=len(path) + 1),
        empty=empty_topics(below, depth=len(path)),
        chart=year_chart(years),
        lists=_lists(portal, path) if page == 1 and node.n_papers > PAGE_SIZE // 2 else (),
        authors=tuple(Choice(name, name_url(name), count=count) for name, count in names[:_MOST_AUTHORS]),
        cards=papers,
        sorts=sorts(ORDERS, chosen, url),
        paging=paging(page, node.n_papers, size=PAGE_SIZE, url=lambda number: url(page=number)),
    )


def _papers(
    portal: Portal, path: Sequence[str], order: str, page: int
) -> tuple[tuple[Card, ...], Sequence[tuple[int, int]], Counts]:
    """A page of a topic's papers, how many each year has, and who wrote most: from the index if it can."""
    offset, searcher = (page - 1) * PAGE_SIZE, portal.index.current()

    def listed() -> tuple[Card, ...]:
        return cards(portal, portal.view.topics.papers(path, order=order, limit=PAGE_SIZE, offset=offset))

    try:
        if searcher is not None and offset <= DEEPEST:
            within = SearchScope(topic="/".join(path), held=True)
            found = searcher.search("", sort=order, within=within, limit=PAGE_SIZE, offset=offset)
            facets = dict(found.facets)
            years = sorted((int(year), count) for year, count in facets["year"])
            shown = listed() if order in RANKED_WITHIN else hit_cards(portal, found)
            return shown, years, facets["author"]
    except PortalError:
        pass  # a damaged index costs the search and nothing else
    return listed(), portal.view.topics.years(path), ()


def _lists(portal: Portal, path: Sequence[str]) -> tuple[tuple[str, tuple[Card, ...]], ...]:
    """The first few papers in orders other than the one the page is in; none where nothing is known."""
    found = [(heading, portal.view.topics.leading(path, order, limit=_BRIEF)) for heading, order in _WITHIN]
    newest = portal.view.topics.papers(path, order="date", limit=_BRIEF)
    found.append(("Newest", tuple(paper for paper in newest if paper.value("year"))))
    return tuple((heading, cards(portal, papers)) for heading, papers in found if papers)
