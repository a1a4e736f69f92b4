"""One function a page: what is asked in, what the template shows out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import NamedTuple

from portico.index.engine_query import SearchScope
from portico.index.query import MAX_CHARACTERS
from portico.index.searcher import DEEPEST, MOST_HITS, SORTS, Searcher
from portico.serve.chart import YearChart, year_chart
from portico.serve.describe import Card, LinkedText, card, hit_card
from portico.serve.links import quoted, search_url, topic_url
from portico.serve.paging import Paging, page_number, paging
from portico.serve.portal import Overview, Portal
from portico.store.catalog.topics import TopicCount
from portico.store.portal_view import Counts
from portico.types.record import Entity
from portico.types.search import Results

PAGE_SIZE = 20
_MOST_FACETS = 12
# How far before its place the last paper of a page is looked for: as many as one commit seldom puts ahead.
_LOOKED_BACK = 2 * PAGE_SIZE
_MOST_NAMES = 8
# Characters of a query, and pages of results: as most people ask.
_LIGHT_QUERY, _LIGHT_PAGE = 100, 10
# Characters of a value to narrow by, which stands in every link of a page; nothing is called longer.
_LONGEST_VALUE = 1_000
_SORT_NAMES = {
    "relevance": "Relevance",
    "citations": "Most cited",
    "date": "Newest",
    "seminal": "Seminal",
    "survey": "Surveys",
    "title": "A–Z",
}
_SORT_HINTS = {
    "relevance": "best match first",
    "citations": "cited most often first",
    "date": "latest first",
    "seminal": "cited by good surveys first",
    "survey": "citing the seminal papers first",
    "title": "by title",
}


@dataclass(frozen=True, slots=True)
class Branch:
    """A topic with its subtopics."""

    name: str
    url: str
    n_papers: int
    children: tuple["Branch", ...]


class Choice(NamedTuple):  # like Card made for every line of a list, in a fifth of the time of a dataclass
    """One of several orders, topics or years a visitor can choose."""

    name: str
    url: str
    chosen: bool = False
    count: int | None = None  # type: ignore[assignment]  # nobody counts what stands in a Choice
    hint: str = ""


@dataclass(frozen=True, slots=True)
class HomePage:
    """Search box, topic tree, numbers, and papers to start from."""

    counts: Counts
    n_topics: int
    n_empty_topics: int
    branches: tuple[Branch, ...]
    lists: tuple[tuple[str, tuple[Card, ...]], ...]
    examples: tuple[Choice, ...]
    searchable: bool
    damaged: bool


@dataclass(frozen=True, slots=True)
class Search:
    """What a visitor asked for, read from the address."""

    query: str
    sort: str
    topic: str
    low: str
    high: str
    page: int
    author: str = ""
    venue: str = ""
    after: str = ""  # the last paper of the page before this one, as the visitor saw it

    @property
    def within(self) -> SearchScope:
        return SearchScope(topic=self.topic, author=self.author, venue=self.venue)

    @property
    def full_query(self) -> str:
        """The query with the years from the form, in the query language."""
        years = f" year:{self.low}..{self.high}" if self.low or self.high else ""
        return self.query + years

    @property
    def is_light(self) -> bool:
        """Whether it asks for little: few words, none of them only begun, and a page that is near."""
        return len(self.query) <= _LIGHT_QUERY and "*" not in self.query and self.page <= _LIGHT_PAGE

    def url(self, **changes: str | int | None) -> str:
        """The same search, changed; a change of anything but the page starts at the first page."""
        asked: dict[str, str | int | None] = {
            "sort": self.sort if self.sort != "relevance" else None,
            "topic": self.topic,
            "from": self.low,
            "to": self.high,
            "author": self.author,
            "venue": self.venue,
        }
        return search_url(self.query, **(asked | changes))

    def each(self, name: str) -> Callable[[str], str]:
        """The same search by the value of one parameter: a list of thirty has all else written once."""
        before = f"{_open_ended(self.url(**{name: None}))}{name}="
        return lambda value: before + quoted(value)


@dataclass(frozen=True, slots=True)
class ResultsPage:
    """Hits with ways to sort and narrow them."""

    search: Search
    total: int
    notice: str
    cards: tuple[Card, ...]
    sorts: tuple[Choice, ...]
    filters: tuple[Choice, ...]
    everywhere: str  # the same search without filters
    facets: tuple[tuple[str, tuple[Choice, ...]], ...]
    suggestion: Choice | None
    feed: str
    cite: str
    chart: YearChart | None
    year_url: str  # goes before a year
    paging: Paging


def home(portal: Portal) -> HomePage:
    overview = portal.overview.get()
    searcher = portal.index.current()
    return HomePage(
        counts=overview.counts,
        n_topics=overview.n_topics,
        n_empty_topics=len(overview.tree) - overview.n_topics,
        branches=branches(overview.tree),
        lists=tuple(
            (heading, cards(portal, papers))
            for heading, papers in [
                ("Most cited", overview.most_cited),
                ("Newest", overview.newest),
                ("Papers", overview.first),
            ]
            if papers
        ),
        examples=_examples(overview),
        searchable=searcher is not None,
        damaged=searcher is None and portal.index.is_damaged,
    )


def read_search(parameters: Mapping[str, str]) -> Search:
    sort = parameters.get("sort", "relevance")
    return Search(
        query=shown_query(parameters),
        sort=sort if sort in SORTS else "relevance",
        topic=parameters.get("topic", "")[:_LONGEST_VALUE],
        low=_year(parameters.get("from", "")),
        high=_year(parameters.get("to", "")),
        page=page_number(parameters.get("page", "")),
        author=parameters.get("author", "")[:_LONGEST_VALUE],
        venue=parameters.get("venue", "")[:_LONGEST_VALUE],
        after=parameters.get("after", "")[:_LONGEST_VALUE],
    )


def shown_query(parameters: Mapping[str, str]) -> str:
    """What was asked, as far as it is searched for: it stands in every link of a page. One character more
    is kept, so that the search still says that it was cut."""
    return parameters.get("q", "").strip()[: MAX_CHARACTERS + 1]


def find(searcher: Searcher, search: Search) -> Results:
    """What the index has for a search. Raises PortalError where the index is damaged."""
    offset = (search.page - 1) * PAGE_SIZE

    def hits(start: int, limit: int) -> Results:
        return searcher.search(
            search.full_query, sort=search.sort, within=search.within, limit=limit, offset=start
        )

    if not search.after or not 0 < offset <= DEEPEST:
        return hits(offset, PAGE_SIZE)
    found = hits(offset - 1, PAGE_SIZE + 1)
    if found.hits and found.hits[0].entity != search.after:
        # Papers came or went since: the page goes on where the visitor stopped, if that is near.
        start = max(0, offset - _LOOKED_BACK)
        near = hits(start, MOST_HITS)
        place = next((idx for idx, hit in enumerate(near.hits) if hit.entity == search.after), None)
        if place is not None:
            return replace(near, hits=near.hits[place + 1 : place + 1 + PAGE_SIZE])
    return replace(found, hits=found.hits[1:])


def results(portal: Portal, search: Search, found: Results) -> ResultsPage:
    facets = dict(found.facets)
    return ResultsPage(
        search=search,
        total=found.total,
        notice=found.notice,
        cards=hit_cards(portal, found) if (search.page - 1) * PAGE_SIZE <= DEEPEST else (),
        sorts=sorts(SORTS, search.sort, search.url),
        filters=_filters(search),
        everywhere=search_url(search.query),
        facets=tuple(
            (heading, choices)
            for heading, choices in (
                ("Topic", _topic_choices(search, search.topic, facets["topic"])),
                ("Author", _name_choices(search, "author", facets["author"])),
                ("Venue", _name_choices(search, "venue", facets["venue"])),
            )
            if choices
        ),
        suggestion=Choice(found.suggestion, search_url(found.suggestion)) if found.suggestion else None,
        feed=search.url(sort=None).replace("/search", "/feed", 1),
        cite=search.url().partition("?")[2],
        chart=year_chart([(int(year), count) for year, count in facets["year"]]),
        year_url=_open_ended(search.url(**{"from": None, "to": None})),
        paging=paging(
            search.page, found.total, size=PAGE_SIZE, url=lambda page: _page_url(search, found, page)
        ),
    )


def _open_ended(url: str) -> str:
    """The address, ready for one more parameter."""
    return f"{url}{'&' if '?' in url else '?'}"


def last_shown(found: Results) -> str:
    """What the next page is asked to go on behind."""
    return found.hits[-1].entity if found.hits else ""


def _page_url(search: Search, found: Results, page: int) -> str:
    return search.url(page=page, after=last_shown(found) if page == search.page + 1 else None)


def branches(nodes: Sequence[TopicCount], *, depth: int = 1) -> tuple[Branch, ...]:
    """Nodes that have papers, listed parents first, as a tree from this depth on."""
    return tuple(
        Branch(
            name=node.path[-1],
            url=topic_url(node.path),
            n_papers=node.n_papers,
            children=branches([other for other in nodes if other.path[:depth] == node.path], depth=depth + 1),
        )
        for node in nodes
        if len(node.path) == depth and node.n_papers
    )


def empty_topics(nodes: Sequence[TopicCount], *, depth: int = 0) -> tuple[LinkedText, ...]:
    """Topics without papers, each named by its path below this depth: a builder's tree may have many."""
    empty = [node.path for node in nodes if not node.n_papers]
    return tuple(LinkedText(" › ".join(path[depth:]), topic_url(path)) for path in empty)


def cards(portal: Portal, entities: Sequence[Entity]) -> tuple[Card, ...]:
    """These papers, each with its best topic and its authors."""
    ids = [entity.id for entity in entities]
    topics, bylines = portal.view.topics.best(ids), portal.view.authors.of_papers(ids)
    return tuple(
        card(entity, topic=topics.get(entity.id), bylines=bylines.get(entity.id, ())) for entity in entities
    )


def hit_cards(portal: Portal, found: Results) -> tuple[Card, ...]:
    """The papers found, from what the index keeps of them: no entity is read for a list.

    While the index is overtaken by a build, or by a correction during one, titles are asked for all the same:
    a correction shows at once, and what is gone is not listed.
    """
    copies = portal.about.copies
    if not portal.overtaken.get():
        return tuple([hit_card(hit, hit.shown.title, copies=copies) for hit in found.hits])
    titles = portal.view.entities.titles([hit.entity for hit in found.hits])
    return tuple(
        hit_card(hit, titles[hit.entity], copies=copies) for hit in found.hits if hit.entity in titles
    )


def _filters(search: Search) -> tuple[Choice, ...]:
    """What narrows the search now, each with the way to take it away."""
    years = f"{search.low or '…'}–{search.high or '…'}" if search.low or search.high else ""
    topic = f"in {search.topic.rpartition('/')[2]}" if search.topic else ""
    author = f"by {search.author}" if search.author else ""
    named: tuple[tuple[str, tuple[str, ...]], ...] = (
        (topic, ("topic",)),
        (author, ("author",)),
        (search.venue, ("venue",)),
        (years, ("from", "to")),
    )
    return tuple(Choice(name, search.url(**dict.fromkeys(taken))) for name, taken in named if name)


def _name_choices(search: Search, kind: str, counts: Sequence[tuple[str, int]]) -> tuple[Choice, ...]:
    """Names to narrow by; one that is chosen already, or the only one there is, narrows nothing."""
    if getattr(search, kind) or len(counts) < 2:
        return ()
    url = search.each(kind)
    return tuple([Choice(name, url(name), count=count) for name, count in counts[:_MOST_NAMES]])


def sorts(orders: Mapping[str, object], chosen: str, url: Callable[..., str]) -> tuple[Choice, ...]:
    first, plain = next(iter(orders)), url(sort=None)
    before = f"{_open_ended(plain)}sort="
    return tuple(
        Choice(
            _SORT_NAMES[name],
            plain if name == first else before + name,
            chosen=name == chosen,
            hint=_SORT_HINTS[name],
        )
        for name in orders
    )


def _topic_choices(search: Search, topic: str, counts: Sequence[tuple[str, int]]) -> tuple[Choice, ...]:
    """Subtopics of the chosen topic that have hits; of the only one there is, its own subtopics."""
    above = f"{topic}/" if topic else ""
    below = [node for node in counts if node[0].startswith(above)]
    level = [node for node in below if "/" not in node[0][len(above) :]]
    if len(level) == 1 and len(below) > 1:
        return _topic_choices(search, level[0][0], counts)
    url = search.each("topic")
    return tuple(Choice(path[len(above) :], url(path), count=count) for path, count in level[:_MOST_FACETS])


def _examples(overview: Overview) -> tuple[Choice, ...]:
    """Queries that find something here, to show what can be asked."""
    queries = []
    shown = [card(entity) for entity in overview.most_cited or overview.newest or overview.first]
    if shown:
        words = shown[0].title.split()
        pairs = (pair for pair in pairwise(words) if all(len(word) > 4 and word.isalpha() for word in pair))
        queries += [f'"{" ".join(pair).lower()}"' for pair in islice(pairs, 1)]
    surnames = [one.authors[0].text.split()[-1] for one in shown if one.authors]
    if surnames:
        queries.append(f"author:{surnames[0].strip('.,').lower()}")
    years = sorted(one.year for one in shown if one.year)
    if years:
        queries.append(f"year:{years[0]}" if years[0] == years[-1] else f"year:{years[0]}..{years[-1]}")
    return tuple(Choice(query, search_url(query)) for query in queries)


def _year(text: str) -> str:
    return text if text.isascii() and text.isdigit() and len(text) <= 4 else ""
