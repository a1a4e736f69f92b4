"""The pages of a venue and of a year."""

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from portico.index.engine_query import SearchScope
from portico.serve.charts import YearChart, draw_year_chart
from portico.serve.languages import mark, translate
from portico.serve.links import make_search_url, make_topic_url, make_venue_url, make_year_url
from portico.serve.page_parts import PaperCard
from portico.serve.pages import Choice, Facets, Paging, make_paging, read_page_number
from portico.serve.papers.describing import link_counted_author
from portico.serve.papers.home_and_results import ask, list_orders, make_hit_cards
from portico.serve.portal import ServedPortal
from portico.serve.rendering import Renderer
from portico.serve.search import LONGEST_VALUE, PAGE_SIZE, Search

_ORDERS = ("citations", "date", "title")
_MOST_BESIDE = 8


_VENUE, _YEAR = mark("Venue"), mark("Year")
_NONE_OF = {_VENUE: mark("No paper here is of this venue."), _YEAR: mark("No paper here is of this year.")}


@dataclass(frozen=True, slots=True)
class ListingPage:
    """All papers of a venue or a year."""

    name: str
    kind: str  # "Venue", "Year"
    is_year: bool
    total: int
    chart: YearChart | None
    facets: Facets
    cards: tuple[PaperCard, ...]
    sorts: tuple[Choice, ...]
    search: str  # the same as a search, to narrow it further
    cite: str  # query string for downloads of citations
    paging: Paging


def make_listing_routes(portal: ServedPortal, renderer: Renderer) -> list[Route]:
    def venue(request: Request) -> Response:
        """The page of a venue. If the index does not have this name, redirects to a search for its words."""
        name = request.query_params.get("name", "")[:LONGEST_VALUE]
        searcher = portal.index.current()
        if name and searcher and not searcher.search("", within=SearchScope(venue=name), limit=1).total:
            return RedirectResponse(make_search_url(f'venue:"{name.replace(chr(34), " ")}"'), status_code=302)
        if not name:
            raise HTTPException(404, "Say which venue.")
        return show(request, name, _VENUE, (("venue", name),))

    def year(request: Request) -> Response:
        name = str(request.path_params["year"])
        return show(request, name, _YEAR, (("from", name), ("to", name)))

    def show(request: Request, name: str, kind: str, narrowed: tuple[tuple[str, str], ...]) -> Response:
        order = request.query_params.get("sort", "")
        number = read_page_number(request.query_params.get("page", ""))
        search = Search("", order if order in _ORDERS else _ORDERS[0], number, (*narrowed, ("show", "all")))
        page = _make_page(portal, search, name, kind)
        status = 404 if number > page.paging.n_pages else 200
        return renderer.page("listing.html", status=status, page=page)

    return [Route("/venue", venue), Route("/year/{year:int}", year)]


def _make_page(portal: ServedPortal, search: Search, name: str, kind: str) -> ListingPage:
    found = ask(portal, search)
    if not found.total:
        raise HTTPException(404, _NONE_OF[kind])
    counted, here = dict(found.facets), _make_url(kind, name)
    before = f"{here}{'&' if '?' in here else '?'}"
    return ListingPage(
        name=name,
        kind=translate(kind),
        is_year=kind == _YEAR,
        total=found.total,
        chart=draw_year_chart([(int(year), count) for year, count in counted["year"]]),
        facets=_list_beside(kind, counted["topic"], counted["author"], counted["venue"]),
        cards=make_hit_cards(portal, found),
        sorts=list_orders(
            portal, _ORDERS, search.sort, lambda sort: f"{before}sort={sort}" if sort else here
        ),
        search=make_search_url("", **dict(search.narrowed)),
        cite=make_search_url("", **dict(search.narrowed)).partition("?")[2],
        paging=make_paging(
            search.page,
            found.total,
            size=PAGE_SIZE,
            url=lambda number: f"{before}sort={search.sort}&page={number}",
        ),
    )


def _make_url(kind: str, name: str) -> str:
    return make_venue_url(name) if kind == _VENUE else make_year_url(name)


Counts = Sequence[tuple[str, int]]


def _list_beside(kind: str, topics: Counts, authors: Counts, venues: Counts) -> Facets:
    deepest = [(path, count) for path, count in topics if "/" in path] or [*topics]
    listed = [
        (
            translate("Topics"),
            [
                Choice(path.rpartition("/")[2], make_topic_url(path.split("/")), count=n)
                for path, n in deepest
            ],
        ),
        (translate("Authors"), [Choice(*link_counted_author(name), count=n) for name, n in authors if name]),
        (
            translate("Venues"),
            [Choice(name, make_venue_url(name), count=n) for name, n in venues] if kind == _YEAR else [],
        ),
    ]
    return tuple((heading, tuple(choices[:_MOST_BESIDE])) for heading, choices in listed if choices)
