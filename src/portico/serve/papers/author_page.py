"""The page of an author, or of a name that belongs to no known author."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from portico.index.facets import NO_FACETS, split_person
from portico.index.schema import LONGEST_NAME
from portico.serve.charts import YearChart, draw_year_chart
from portico.serve.links import (
    add_parameters,
    make_author_query,
    make_author_url,
    make_name_url,
    make_search_url,
    make_topic_url,
)
from portico.serve.page_parts import PaperCard, shorten
from portico.serve.pages import Choice, Paging, make_paging, read_page_number
from portico.serve.papers.describing import link_counted_author, show_name
from portico.serve.papers.home_and_results import ask, make_cards, make_hit_cards
from portico.serve.portal import ServedPortal
from portico.serve.rendering import Renderer
from portico.serve.search import PAGE_SIZE, Search
from portico.store.catalog.authors import AuthorCard, ListedAuthor
from portico.text.names import parse_name
from portico.text.words import split_words
from portico.types.record import Entity
from portico.types.record import Person as Named
from portico.types.search import Results

_MOST_COAUTHORS, _MOST_TOPICS, _MOST_VARIANTS, _MOST_NAMESAKES = 12, 6, 8, 8
# Affiliations are taken from the newest papers; each of these takes a lookup of its file's records.
_PAPERS_ASKED, _MOST_AFFILIATIONS, _LONGEST_AFFILIATION = 3, 3, 160


@dataclass(frozen=True, slots=True)
class AuthorPage:
    """All papers by one person, or by authors of one name."""

    name: str
    known: bool  # whether this is a known person; else anybody of this name
    variants: tuple[str, ...]  # other ways in which the name is printed
    affiliations: tuple[str, ...]
    period: str
    total: int
    chart: YearChart | None
    topics: tuple[Choice, ...]
    coauthors: tuple[Choice, ...]
    others: tuple[Choice, ...]
    cards: tuple[PaperCard, ...]
    search: str
    cite: str
    paging: Paging


def make_author_routes(portal: ServedPortal, renderer: Renderer) -> list[Route]:
    def shown(page: AuthorPage, number: int) -> Response:
        status = 404 if number > page.paging.n_pages else 200
        return renderer.page("author.html", status=status, page=page)

    def known(request: Request) -> Response:
        asked, number = request.path_params["id"], read_page_number(request.query_params.get("page", ""))
        card = portal.view.authors.card(asked)
        if card is None:
            raise HTTPException(404, "The portal knows no author of this id.")
        if card.id != asked:
            return RedirectResponse(make_author_url(card.id), status_code=301)
        return shown(make_person_page(portal, card, number), number)

    def named(request: Request) -> Response:
        name, number = (request.query_params.get(key, "") for key in ("name", "page"))
        people = portal.view.authors.called(name)
        if len(people) == 1:  # a temporary redirect: there may be another person of this name tomorrow
            return RedirectResponse(make_author_url(people[0].id), status_code=302)
        return shown(_anybody(portal, name, people, read_page_number(number)), read_page_number(number))

    return [Route("/author", named), Route("/author/{id}", known)]


def make_person_page(portal: ServedPortal, card: AuthorCard, page: int) -> AuthorPage:
    """The page of a person the portal knows."""
    people, here = portal.view.authors, make_author_url(card.id)
    papers = people.papers(card.id, limit=PAGE_SIZE, offset=(page - 1) * PAGE_SIZE)
    shown = show_name(card.name)
    variants = [name for name in dict.fromkeys(show_name(name) for name, _ in card.variants) if name != shown]
    alike = [
        each for each in people.of_name(card.name) if each.id != card.id and _alike(each.name, card.name)
    ]
    return AuthorPage(
        name=shown,
        known=True,
        variants=tuple(variants[:_MOST_VARIANTS]),
        affiliations=_list_affiliations(portal, card),
        period=_say_period(card),
        total=card.n_papers,
        chart=draw_year_chart(people.years(card.id)),
        topics=_list_topics(portal, card),
        coauthors=_list_choices(people.coauthors(card.id, limit=_MOST_COAUTHORS)),
        others=_list_choices(alike[:_MOST_NAMESAKES]),
        cards=make_cards(portal, papers),
        search=make_search_url(make_author_query(card.name)),
        cite=f"by={card.id}",
        paging=make_paging(
            page, card.n_papers, size=PAGE_SIZE, url=lambda number: add_parameters(here, {"page": number})
        ),
    )


def _anybody(portal: ServedPortal, name: str, namesakes: Sequence[ListedAuthor], page: int) -> AuthorPage:
    """Papers by anybody of this name: authors who are only cited, and names that several people share."""
    by_words = Search(make_author_query(name), "citations", page)
    searches = (by_words, replace(by_words, query="", narrowed=(("author", name[:LONGEST_NAME]),)))
    answers = (ask(portal, search) for search in searches if name.strip())
    found = next((answer for answer in answers if answer.total), None)
    if found is None and namesakes:
        found = Results((), 0, facets=NO_FACETS)
    if found is None:
        raise HTTPException(404, "No paper here is by an author of this name.")
    return _by_name(portal, name, found, namesakes, page)


def _by_name(
    portal: ServedPortal, name: str, found: Results, namesakes: Sequence[ListedAuthor], page: int
) -> AuthorPage:
    facets, here = dict(found.facets), make_name_url(name)
    own = parse_name(name).key
    alike = [each for each in facets["author"] if parse_name(split_person(each[0])[0]).key == own]
    others = [each for each in facets["author"] if each not in alike]
    deepest = [(path, count) for path, count in facets["topic"] if "/" in path] or [*facets["topic"]]
    search = make_search_url(make_author_query(name))
    return AuthorPage(
        name=show_name(name),
        known=False,
        variants=(),
        affiliations=(),
        period="",
        total=found.total,
        chart=draw_year_chart([(int(year), count) for year, count in facets["year"]]),
        topics=_list_topic_choices(deepest[:_MOST_TOPICS]),
        coauthors=_names(others[:_MOST_COAUTHORS]),
        others=_list_choices(namesakes)
        or _names([(other, count) for other, count in alike if split_person(other)[0] != name]),
        cards=make_hit_cards(portal, found),
        search=search,
        cite=search.partition("?")[2],
        paging=make_paging(page, found.total, size=PAGE_SIZE, url=lambda number: f"{here}&page={number}"),
    )


def _list_topics(portal: ServedPortal, card: AuthorCard) -> tuple[Choice, ...]:
    places = portal.view.topics.best(portal.view.authors.paper_ids(card.id))
    return _list_topic_choices(Counter("/".join(path) for path in places.values()).most_common(_MOST_TOPICS))


def _list_affiliations(portal: ServedPortal, card: AuthorCard) -> tuple[str, ...]:
    """This person's affiliations according to their newest papers. E-mail addresses are not shown."""
    newest = portal.view.authors.papers(card.id, order="date", limit=_PAPERS_ASKED)
    printed = {name for name, _ in card.variants}
    found = [
        shorten(place, _LONGEST_AFFILIATION)
        for paper in newest
        for each in _people_on(portal, paper)
        if each.name in printed
        for place in each.affiliations
    ]
    alike = {
        " ".join(split_words(place)): place for place in reversed(found)
    }  # as the newest paper prints it
    return tuple(place for place in dict.fromkeys(found) if place in alike.values())[:_MOST_AFFILIATIONS]


def _people_on(portal: ServedPortal, paper: Entity) -> tuple[Named, ...]:
    record = portal.view.record(paper.chosen)
    return record.people if record else ()


def _say_period(card: AuthorCard) -> str:
    if card.first_year is None or card.first_year == card.last_year:
        return str(card.first_year or "")
    return f"{card.first_year}–{card.last_year}"


def _alike(one: str, other: str) -> bool:
    """Whether two people with the same surname could be confused with each other."""
    initials = [parse_name(name).initials[:1] for name in (one, other)]
    return initials[0] == initials[1] or "" in initials


def _list_topic_choices(counts: Sequence[tuple[str, int]]) -> tuple[Choice, ...]:
    return tuple(
        Choice(path.rpartition("/")[2], make_topic_url(path.split("/")), count=count)
        for path, count in counts
    )


def _list_choices(people: Sequence[ListedAuthor]) -> tuple[Choice, ...]:
    return tuple(
        Choice(show_name(each.name), make_author_url(each.id), count=each.n_papers) for each in people
    )


def _names(counts: Sequence[tuple[str, int]]) -> tuple[Choice, ...]:
    return tuple(Choice(*link_counted_author(name), count=count) for name, count in counts if name)
