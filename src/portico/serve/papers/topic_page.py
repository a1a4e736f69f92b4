"""The page of a topic: subtopics, papers in several orders, authors and years."""

from collections.abc import Sequence
from dataclasses import dataclass

from portico.errors import PortalError
from portico.index.engine_query import SearchScope
from portico.index.searcher import DEEPEST
from portico.serve.charts import YearChart, draw_year_chart
from portico.serve.languages import mark, translate
from portico.serve.links import add_parameters, make_topic_url
from portico.serve.page_parts import PaperCard
from portico.serve.pages import Choice, Paging, TopicPlace, find_topic, make_paging
from portico.serve.papers.describing import link_counted_author
from portico.serve.papers.home_and_results import list_orders, make_cards, make_hit_cards
from portico.serve.portal import ServedPortal
from portico.serve.search import PAGE_SIZE
from portico.store.catalog.entities import ORDERS
from portico.store.catalog.topics import RANKED_WITHIN

# Beside the papers there is room for a few of each kind.
_BRIEF, _MOST_AUTHORS = 4, 8
_WITHIN = ((mark("Seminal"), "seminal"), (mark("Surveys"), "survey"))

Counts = Sequence[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class TopicPage:
    """A topic with its subtopics and its papers."""

    place: TopicPlace
    chart: YearChart | None
    lists: tuple[tuple[str, tuple[PaperCard, ...]], ...]
    authors: tuple[Choice, ...]
    cards: tuple[PaperCard, ...]
    sorts: tuple[Choice, ...]
    paging: Paging


def make_topic_page(portal: ServedPortal, path: Sequence[str], *, order: str, page: int) -> TopicPage:
    """The page of a topic; 404 if the tree has no such topic."""
    place = find_topic(portal.overview.get().tree, path)
    chosen = order if order in ORDERS else "citations"
    here = make_topic_url(path)

    def url(**changes: str | int | None) -> str:
        return add_parameters(here, {"sort": chosen if chosen != "citations" else None, **changes})

    papers, years, names = _list_papers(portal, path, chosen, page)
    return TopicPage(
        place=place,
        chart=draw_year_chart(years),
        lists=_make_lists(portal, path) if page == 1 and place.n_papers > PAGE_SIZE // 2 else (),
        authors=tuple(
            Choice(*link_counted_author(name), count=count) for name, count in names[:_MOST_AUTHORS]
        ),
        cards=papers,
        sorts=list_orders(portal, ORDERS, chosen, url),
        paging=make_paging(page, place.n_papers, size=PAGE_SIZE, url=lambda number: url(page=number)),
    )


def _list_papers(
    portal: ServedPortal, path: Sequence[str], order: str, page: int
) -> tuple[tuple[PaperCard, ...], Sequence[tuple[int, int]], Counts]:
    """A page of a topic's papers, the number of papers per year, and the authors with most papers, from
    the index if possible.
    """
    offset, searcher = (page - 1) * PAGE_SIZE, portal.index.current()

    def listed() -> tuple[PaperCard, ...]:
        return make_cards(
            portal, portal.view.topics.papers(path, order=order, limit=PAGE_SIZE, offset=offset)
        )

    try:
        if searcher is not None and offset <= DEEPEST:
            within = SearchScope(topic="/".join(path), held=True)
            found = searcher.search("", sort=order, within=within, limit=PAGE_SIZE, offset=offset)
            facets = dict(found.facets)
            years = sorted((int(year), count) for year, count in facets["year"])
            shown = listed() if order in RANKED_WITHIN else make_hit_cards(portal, found)
            return shown, years, facets["author"]
    except PortalError:
        pass  # with a damaged index, everything but search still works
    return listed(), portal.view.topics.years(path), ()


def _make_lists(portal: ServedPortal, path: Sequence[str]) -> tuple[tuple[str, tuple[PaperCard, ...]], ...]:
    """The first few papers in orders other than that of the page. Lists without papers are left out."""
    found = [
        (translate(heading), portal.view.topics.leading(path, order, limit=_BRIEF))
        for heading, order in _WITHIN
    ]
    newest = portal.view.topics.papers(path, order="date", limit=_BRIEF)
    found.append((translate("Newest"), tuple(paper for paper in newest if paper.value("year"))))
    return tuple((heading, make_cards(portal, papers)) for heading, papers in found if papers)
