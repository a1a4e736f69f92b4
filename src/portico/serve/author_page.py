"""The page of an author, as far as a printed name tells: papers, years, topics and co-authors."""

from dataclasses import dataclass, replace

from portico.index.schema import LONGEST_NAME
from portico.serve.chart import YearChart, year_chart
from portico.serve.describe import Card
from portico.serve.links import author_query, author_url, search_url, topic_url, with_parameters
from portico.serve.pages import PAGE_SIZE, Choice, Search, hit_cards
from portico.serve.paging import Paging, paging
from portico.serve.portal import Portal
from portico.text.names import parse_name
from portico.types.search import Results

_MOST_COAUTHORS, _MOST_TOPICS = 10, 6


@dataclass(frozen=True, slots=True)
class AuthorPage:
    """Everything by one name."""

    name: str
    total: int
    chart: YearChart | None
    topics: tuple[Choice, ...]
    coauthors: tuple[Choice, ...]
    others: tuple[Choice, ...]
    cards: tuple[Card, ...]
    search: str
    cite: str
    paging: Paging


def author_searches(name: str, page: int) -> tuple[Search, ...]:
    """What to ask the index for this author's papers: by the words of the name, else by all of it."""
    by_words = Search(author_query(name), "citations", "", "", "", page)
    return by_words, replace(by_words, query="", author=name[:LONGEST_NAME])


def author(portal: Portal, name: str, found: Results, page: int) -> AuthorPage:
    facets, here = dict(found.facets), author_url(name)
    me = parse_name(name)
    alike = [(other, count) for other, count in facets["author"] if parse_name(other).key == me.key]
    others = [(other, count) for other, count in facets["author"] if (other, count) not in alike]
    deepest = [(path, count) for path, count in facets["topic"] if "/" in path] or [*facets["topic"]]
    search = search_url(author_query(name))
    return AuthorPage(
        name=name,
        total=found.total,
        chart=year_chart([(int(year), count) for year, count in facets["year"]]),
        topics=tuple(
            Choice(path.rpartition("/")[2], topic_url(path.split("/")), count=count)
            for path, count in deepest[:_MOST_TOPICS]
        ),
        coauthors=_people(others[:_MOST_COAUTHORS]),
        others=_people([(other, count) for other, count in alike if other != name]),
        cards=hit_cards(portal, found),
        search=search,
        cite=search.partition("?")[2],
        paging=paging(
            page, found.total, size=PAGE_SIZE, url=lambda number: with_parameters(here, {"page": number})
        ),
    )


def _people(counts: list[tuple[str, int]]) -> tuple[Choice, ...]:
    return tuple(Choice(name, author_url(name), count=count) for name, count in counts if name)
