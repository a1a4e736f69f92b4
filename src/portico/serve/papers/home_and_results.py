"""Home page and results of a portal of papers, and parsing of searches."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from portico.index.engine_query import SearchScope
from portico.index.facets import split_person
from portico.index.searcher import MOST_HITS, SORTS
from portico.serve.charts import YearChart, draw_year_chart
from portico.serve.languages import mark, translate
from portico.serve.links import make_search_url
from portico.serve.page_parts import PaperCard
from portico.serve.pages import (
    Choice,
    HomePage,
    ResultLists,
    ResultsPage,
    list_sorts,
    make_branches,
    make_results,
    read_page_number,
)
from portico.serve.papers.describing import make_card, make_hit_card, show_name
from portico.serve.portal import Overview, ServedPortal
from portico.serve.search import (
    LONGEST_VALUE,
    IndexQuestion,
    Search,
    find_page,
    get_last_shown,
    get_searcher,
    open_for_parameter,
    read_query,
    report_damage,
    split_hits,
)
from portico.store.portal_view import Counts
from portico.types.record import Entity, EntityId
from portico.types.search import Results

ORDERS: Mapping[str, tuple[str, str]] = {
    "relevance": (mark("Relevance"), mark("best match first")),
    "citations": (mark("Most cited"), mark("cited most often first")),
    "date": (mark("Newest"), mark("latest first")),
    "seminal": (mark("Seminal"), mark("cited by good surveys first")),
    "survey": (mark("Surveys"), mark("citing the seminal papers first")),
    "title": (mark("A–Z"), mark("by title")),
}
"""The label of each sort order, and what it lists first."""

_BY_CITATIONS = frozenset({"citations", "seminal", "survey"})

_NARROWING = ("topic", "from", "to", "author", "venue", "show")
SHOW_ALL = "all"
"""The value of the parameter `show` that includes papers known only from citations; by default, only papers
that can be read are listed."""
_MOST_FACETS, _MOST_NAMES = 12, 8
_LINKED = re.compile(r"((?:cites|citedby):)(\w+)", re.I)


@dataclass(frozen=True, slots=True)
class PaperNumbers:
    """What only the front page of a portal of papers shows."""

    counts: Counts
    n_topics: int
    n_empty_topics: int


@dataclass(frozen=True, slots=True)
class PaperResults:
    """What only the results pages of papers show: years to filter by, and a link to cite the list."""

    chart: YearChart | None
    shown: tuple[Choice, ...]  # papers to read, or all; empty if these are the same
    year_url: str  # URL to which a year is appended
    cite: str


def read_search(parameters: Mapping[str, str]) -> Search:
    sort = parameters.get("sort", "relevance")
    narrowed = {name: parameters.get(name, "")[:LONGEST_VALUE] for name in _NARROWING}
    return Search(
        query=read_query(parameters),
        sort=sort if sort in SORTS else "relevance",
        page=read_page_number(parameters.get("page", "")),
        narrowed=tuple(
            (name, _read_year(value) if name in ("from", "to") else value) for name, value in narrowed.items()
        ),
        after=parameters.get("after", "")[:LONGEST_VALUE],
    )


def make_question(search: Search) -> IndexQuestion:
    """The search in the form the index takes. Years from the form become part of the query."""
    low, high = search.value("from"), search.value("to")
    years = f" year:{low}..{high}" if low or high else ""
    within = SearchScope(
        topic=search.value("topic"),
        author=search.value("author"),
        venue=search.value("venue"),
        held=search.value("show") != SHOW_ALL,
    )
    return IndexQuestion(search.query + years, search.sort, within, search.page, search.after)


def ask(portal: ServedPortal, search: Search) -> Results:
    """The results of a search; 503 if the index is damaged."""
    searcher = get_searcher(portal)
    with report_damage(portal):
        return find_page(searcher, make_question(_follow_merged(portal, search)))


def ask_many(portal: ServedPortal, search: Search, *, most: int) -> Iterator[EntityId]:
    """The first `most` papers of a search, regardless of its page number; 503 if the index is damaged."""
    searcher, asked = get_searcher(portal), make_question(_follow_merged(portal, search))
    for offset in range(0, most, MOST_HITS):
        with report_damage(portal):
            found = searcher.search(
                asked.query, sort=asked.sort, within=asked.within, limit=MOST_HITS, offset=offset
            )
        yield from (hit.entity for hit in found.hits)
        if len(found.hits) < MOST_HITS:
            return


def _follow_merged(portal: ServedPortal, search: Search) -> Search:
    """The search with ids of merged papers replaced by the ids of the papers they were merged into."""

    def now(match: re.Match[str]) -> str:
        entity = EntityId(match[2].lower())
        return match[1] + (portal.view.entities.moved_to(entity) or match[2])

    query = _LINKED.sub(now, search.query)
    return search if query == search.query else replace(search, query=query)


def make_home(portal: ServedPortal) -> HomePage:
    overview = portal.overview.get()
    searcher = portal.index.current()
    return HomePage(
        n_held=overview.counts.n_held,
        branches=make_branches(overview.tree),
        lists=tuple(
            (heading, make_cards(portal, papers))
            for heading, papers in [
                (translate("Most cited"), overview.most_cited),
                (translate("Newest"), overview.newest),
                (translate("Papers"), overview.first),
            ]
            if papers
        ),
        examples=_list_examples(overview),
        searchable=searcher is not None,
        damaged=searcher is None and portal.index.is_damaged,
        own=PaperNumbers(overview.counts, overview.n_topics, len(overview.tree) - overview.n_topics),
    )


def make_results_page(portal: ServedPortal, search: Search, found: Results) -> ResultsPage:
    facets = dict(found.facets)
    with_all, with_some = split_hits(found)
    return make_results(
        search,
        found,
        ResultLists(
            cards=() if search.is_beyond else make_hit_cards(portal, with_all),
            with_some=make_hit_cards(portal, with_some),
            sorts=list_orders(portal, SORTS, search.sort, search.url),
            filters=_list_filters(search),
            facets=tuple(
                (heading, choices)
                for heading, choices in (
                    (translate("Topic"), _list_topic_choices(search, search.value("topic"), facets["topic"])),
                    (translate("Author"), _list_name_choices(search, "author", facets["author"])),
                    (translate("Venue"), _list_name_choices(search, "venue", facets["venue"])),
                )
                if choices
            ),
            page_url=lambda page: search.url(
                page=page, after=get_last_shown(found) if page == search.page + 1 else None
            ),
            own=PaperResults(
                chart=draw_year_chart([(int(year), count) for year, count in facets["year"]]),
                shown=_list_shown(search, found),
                year_url=open_for_parameter(search.url(**{"from": None, "to": None})),
                cite=search.url().partition("?")[2],
            ),
        ),
    )


def make_cards(portal: ServedPortal, entities: Sequence[Entity]) -> tuple[PaperCard, ...]:
    """A card for each of these papers, with its best topic and its authors."""
    ids = [entity.id for entity in entities]
    topics, bylines = portal.view.topics.best(ids), portal.view.authors.of_papers(ids)
    return tuple(
        make_card(entity, topic=topics.get(entity.id), bylines=bylines.get(entity.id, ()))
        for entity in entities
    )


def make_hit_cards(portal: ServedPortal, found: Results) -> tuple[PaperCard, ...]:
    """Cards for the papers found, made from what the index stores: a list reads no entities.

    If a build or a correction changed papers since they were indexed, current titles are read from the store,
    so that corrections show at once and removed papers are not listed.
    """
    copies = portal.about.copies
    if not portal.overtaken.get():
        return tuple([make_hit_card(hit, hit.shown.title, copies=copies) for hit in found.hits])
    titles = portal.view.entities.titles([hit.entity for hit in found.hits])
    return tuple(
        make_hit_card(hit, titles[hit.entity], copies=copies) for hit in found.hits if hit.entity in titles
    )


def list_orders(
    portal: ServedPortal, orders: Iterable[str], chosen: str, url: Callable[..., str]
) -> tuple[Choice, ...]:
    """The orders to choose between, the default first. If no citations are known, orders that depend on
    them are left out.
    """
    names = list(orders)
    first, plain = names[0], url(sort=None)
    before = f"{open_for_parameter(plain)}sort="
    if not portal.overview.get().counts.n_citations:
        names = [name for name in names if name not in _BY_CITATIONS or name == chosen]
    named = {name: ORDERS[name] for name in names}
    return list_sorts(named, chosen, lambda name: plain if name == first else before + name)


def _list_filters(search: Search) -> tuple[Choice, ...]:
    """The active filters, each with a link that removes it."""
    topic, low, high, author, venue, _show = (search.value(name) for name in _NARROWING)
    named: tuple[tuple[str, tuple[str, ...]], ...] = (
        (translate("in {topic}", topic=topic.rpartition("/")[2]) if topic else "", ("topic",)),
        (translate("by {author}", author=show_name(split_person(author)[0])) if author else "", ("author",)),
        (venue, ("venue",)),
        (f"{low or '…'}–{high or '…'}" if low or high else "", ("from", "to")),
    )
    return tuple(Choice(name, search.url(**dict.fromkeys(taken))) for name, taken in named if name)


def _list_shown(search: Search, found: Results) -> tuple[Choice, ...]:
    """The choice between papers to read and all known papers, with the number of each if it was counted."""
    shows_all = search.value("show") == SHOW_ALL
    if not (found.n_cited_only or shows_all):
        return ()
    n_all = found.total if shows_all else found.total + found.n_cited_only
    n_held = None if shows_all else found.total
    return (
        Choice(
            translate("To read"),
            search.url(show=None),
            not shows_all,
            n_held,
            translate("papers this portal holds"),
        ),
        Choice(
            translate("All"),
            search.url(show=SHOW_ALL),
            shows_all,
            n_all,
            translate("also papers known only from citations"),
        ),
    )


def _list_name_choices(search: Search, kind: str, counts: Sequence[tuple[str, int]]) -> tuple[Choice, ...]:
    """Names to filter by; empty if one is already chosen, or if none has more than one paper."""
    if search.value(kind) or len(counts) < 2 or counts[0][1] < 2:
        return ()
    url = search.url_by(kind)
    shown = [(_show_choice(kind, name), url(name), count) for name, count in counts[:_MOST_NAMES]]
    return tuple(Choice(name, link, count=count) for name, link, count in shown)


def _show_choice(kind: str, name: str) -> str:
    return show_name(split_person(name)[0]) if kind == "author" else name


def _list_topic_choices(search: Search, topic: str, counts: Sequence[tuple[str, int]]) -> tuple[Choice, ...]:
    """Subtopics of the chosen topic that have hits. If there is only one, its own subtopics instead."""
    above = f"{topic}/" if topic else ""
    below = [node for node in counts if node[0].startswith(above)]
    level = [node for node in below if "/" not in node[0][len(above) :]]
    if len(level) == 1 and len(below) > 1:
        return _list_topic_choices(search, level[0][0], counts)
    url = search.url_by("topic")
    return tuple(Choice(path[len(above) :], url(path), count=count) for path, count in level[:_MOST_FACETS])


def _list_examples(overview: Overview) -> tuple[Choice, ...]:
    """Queries that find something in this portal, as examples of what can be searched for."""
    queries = []
    shown = [make_card(entity) for entity in overview.most_cited or overview.newest or overview.first]
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
    return tuple(Choice(query, make_search_url(query)) for query in queries)


def _read_year(text: str) -> str:
    return text if text.isascii() and text.isdigit() and len(text) <= 4 else ""
