"""Front page and results of a portal of declared kinds: what is asked in, what the template shows out."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from starlette.exceptions import HTTPException

from portico.errors import PortalError
from portico.index.declared_fields import SORTS, name_facet
from portico.index.engine_query import SearchScope
from portico.index.searcher import DEEPEST
from portico.serve.asking import searcher_of
from portico.serve.directory.showing import (
    Card,
    asked_for,
    cards,
    display_of,
    label_of,
    narrowing_url,
    parameter_of,
)
from portico.serve.links import search_url
from portico.serve.naming import sentence
from portico.serve.pages import Branch, Choice, branches, shown_query
from portico.serve.paging import Paging, page_number, paging
from portico.serve.portal import Portal
from portico.types.domain import Kind
from portico.types.search import Results
from portico.types.showing import searched_fields

_log = logging.getLogger(__name__)

PAGE_SIZE = 20
_MOST_VALUES = 10
_MOST_TOPICS = 12
_SORT_NAMES = {"relevance": "Relevance", "newest": "Newest", "title": "A–Z"}
_SORT_HINTS = {"relevance": "best match first", "newest": "found last first", "title": "by name"}

DAMAGED = (
    "The search index of this portal is damaged. Its builder mends it with `portico verify --repair` and "
    "`portico build`; pages that are known by their address can be read meanwhile."
)


@dataclass(frozen=True, slots=True)
class Search:
    """What a visitor asked for, read from the address."""

    query: str
    sort: str
    page: int
    narrowed: tuple[tuple[str, str], ...]  # facets, `kind` and `topic` among them, and their values

    def url(self, **changes: str | int | None) -> str:
        """The same search, changed; a change of anything but the page starts at the first page."""
        asked: dict[str, str | int | None] = {"sort": self.sort if self.sort != "relevance" else None}
        asked |= {_parameter(facet): value for facet, value in self.narrowed}
        return search_url(self.query, **(asked | changes))

    def value(self, facet: str) -> str:
        return dict(self.narrowed).get(facet, "")


@dataclass(frozen=True, slots=True)
class HomePage:
    """Search box, numbers, values to begin with, and what came last."""

    kinds: tuple[Choice, ...]
    facets: tuple[tuple[str, tuple[Choice, ...]], ...]
    branches: tuple[Branch, ...]
    lists: tuple[tuple[str, tuple[Card, ...]], ...]
    examples: tuple[Choice, ...]
    searchable: bool
    damaged: bool

    @property
    def n_things(self) -> int:
        return sum(kind.count or 0 for kind in self.kinds)


@dataclass(frozen=True, slots=True)
class ResultsPage:
    """Hits with ways to sort and narrow them."""

    search: Search
    total: int
    counted: str  # "12 officers"
    notice: str
    cards: tuple[Card, ...]
    kinds: tuple[Choice, ...]
    sorts: tuple[Choice, ...]
    filters: tuple[Choice, ...]
    facets: tuple[tuple[str, tuple[Choice, ...]], ...]
    suggestion: Choice | None
    feed: str
    everywhere: str  # the same words, narrowed by nothing
    fields: tuple[str, ...]
    paging: Paging


def home(portal: Portal) -> HomePage:
    searcher = portal.index.current()
    counts = portal.things.counts()
    facets = _facets(portal)
    return HomePage(
        kinds=tuple(_kind_choice(kind, counts.get(kind.name, 0)) for kind in portal.kinds),
        facets=tuple(
            (label, tuple(Choice(value, narrowing_url(name, value), count=count) for value, count in values))
            for name, label, values in facets
        ),
        branches=branches(portal.overview.get().tree),
        lists=tuple((heading, found) for heading, found in _newest(portal) if found),
        examples=_examples(portal, facets),
        searchable=searcher is not None,
        damaged=searcher is None and portal.index.is_damaged,
    )


def read_search(parameters: Mapping[str, str], facets: Sequence[str]) -> Search:
    """What the address asks for; a parameter that is none of the facets narrows nothing."""
    sort = parameters.get("sort", "relevance")
    narrowed = ((facet, parameters.get(_parameter(facet), "").strip()) for facet in facets)
    return Search(
        query=shown_query(parameters),
        sort=sort if sort in SORTS else "relevance",
        page=page_number(parameters.get("page", "")),
        narrowed=tuple((facet, value) for facet, value in narrowed if value),
    )


def ask(portal: Portal, parameters: Mapping[str, str], **changes: str) -> tuple[Search, Results]:
    """What the index has for what an address asks; 503 where it cannot answer."""
    searcher = searcher_of(portal)
    search = read_search({**parameters, **changes}, list(searcher.facet_fields))
    if search.sort not in searcher.sorts:  # an index from before the domain declared its kinds
        search = replace(search, sort="relevance")
    within = SearchScope(
        named=tuple((searcher.facet_fields[facet], value) for facet, value in search.narrowed)
    )
    try:
        found = searcher.search(
            search.query,
            sort=search.sort,
            within=within,
            limit=PAGE_SIZE,
            offset=(search.page - 1) * PAGE_SIZE,
        )
    except PortalError as error:
        _log.error("%s", error)  # a traceback through the engine tells a builder nothing
        raise HTTPException(503, DAMAGED) from error
    return search, found


def results(portal: Portal, search: Search, found: Results) -> ResultsPage:
    facets = dict(found.facets)
    entities = portal.view.entities.many([hit.entity for hit in found.hits])
    shown = [entities[hit.entity] for hit in found.hits if hit.entity in entities]
    beyond = (search.page - 1) * PAGE_SIZE > DEEPEST
    return ResultsPage(
        search=search,
        total=found.total,
        counted=_counted(portal, search, found.total),
        notice=found.notice,
        cards=() if beyond else cards(portal, shown, {hit.entity: hit for hit in found.hits}),
        kinds=_kinds(portal, search, dict(facets.get("kind", ()))),
        sorts=tuple(
            Choice(
                _SORT_NAMES[name],
                search.url(sort=name if name != "relevance" else None),
                chosen=name == search.sort,
                hint=_SORT_HINTS[name],
            )
            for name in SORTS
        ),
        filters=_filters(portal, search),
        facets=tuple(_narrowing(portal, search, facets)),
        suggestion=Choice(found.suggestion, search_url(found.suggestion)) if found.suggestion else None,
        feed=search.url(sort=None).replace("/search", "/feed", 1),
        everywhere=search_url(search.query),
        fields=searched_names(portal),
        paging=paging(search.page, found.total, size=PAGE_SIZE, url=lambda page: search.url(page=page)),
    )


def kind_links(portal: Portal) -> tuple[Choice, ...]:
    """Everything of each kind, for every page to link to."""
    return tuple(
        Choice(sentence(display_of(kind).plural), search_url("", kind=kind.name)) for kind in portal.kinds
    )


def searched_names(portal: Portal) -> tuple[str, ...]:
    """What may stand before a colon."""
    return tuple(field.name for field in searched_fields(portal.kinds))


def facet_label(portal: Portal, facet: str) -> str:
    """A facet in the words of visitors: the field's label, or the kind that others are part of."""
    if facet in ("kind", "topic"):
        return sentence(facet)
    field = next((each for each in ("kind", "topic") if facet == name_facet(each)), facet)
    shown = (display_of(kind).shown(field) for kind in portal.kinds)
    whole = next((kind for kind in portal.kinds if kind.name == facet), None)
    label = next((each.label for each in shown if each), None)
    return label or (sentence(display_of(whole).singular) if whole else label_of(facet))


def _parameter(facet: str) -> str:
    own = ("kind", "topic", name_facet("kind"), name_facet("topic"))
    return facet if facet in own else parameter_of(facet)


def _kind_choice(kind: Kind, count: int) -> Choice:
    display = display_of(kind)
    words = display.singular if count == 1 else display.plural
    return Choice(words, search_url("", kind=kind.name), count=count)


def _newest(portal: Portal) -> Iterator[tuple[str, tuple[Card, ...]]]:
    overview = portal.newest.get()
    for kind in portal.kinds:
        yield f"Latest {display_of(kind).plural}", cards(portal, overview.get(kind.name, ()))


def _facets(portal: Portal) -> list[tuple[str, str, Sequence[tuple[str, int]]]]:
    """Name, label and commonest values of each facet; of a value that all share, or of one alone, nothing."""
    searcher = portal.index.current()
    if searcher is None:
        return []
    try:
        counted = searcher.count()
    except PortalError:
        return []
    return [
        (name, facet_label(portal, name), values[:_MOST_VALUES])
        for name, values in counted
        if name not in ("kind", "topic") and len(values) > 1
    ]


def _examples(
    portal: Portal, facets: Sequence[tuple[str, str, Sequence[tuple[str, int]]]]
) -> tuple[Choice, ...]:
    """Queries that find something here, to show what can be asked."""
    queries = [asked_for(name, values[0][0]) for name, _, values in facets[:2]]
    newest = [entity for kind in portal.kinds for entity in portal.newest.get().get(kind.name, ())[:1]]
    queries += [portal.naming.title(entity).split()[-1].lower() for entity in newest[-1:]]
    return tuple(Choice(query, search_url(query)) for query in queries)


def _counted(portal: Portal, search: Search, total: int) -> str:
    kind = next((kind for kind in portal.kinds if kind.name == search.value("kind")), None)
    if kind is None and len(portal.kinds) == 1:
        kind = portal.kinds[0]
    if kind is None:
        return f"{total:,} {'result' if total == 1 else 'results'}"
    return f"{total:,} {display_of(kind).singular if total == 1 else display_of(kind).plural}"


def _kinds(portal: Portal, search: Search, counts: Mapping[str, int]) -> tuple[Choice, ...]:
    """Kinds to choose between; one alone is no choice."""
    if len(portal.kinds) < 2:
        return ()
    chosen = search.value("kind")
    kinds = (
        Choice(
            sentence(display_of(kind).plural),
            search.url(kind=kind.name),
            kind.name == chosen,
            counts.get(kind.name),
        )
        for kind in portal.kinds
    )
    return (Choice("All", search.url(kind=None), chosen=not chosen), *kinds)


def _filters(portal: Portal, search: Search) -> tuple[Choice, ...]:
    """What narrows the search now, each with the way to take it away; kinds are chosen above the list."""
    return tuple(
        Choice(f"{facet_label(portal, facet)}: {value}", search.url(**{_parameter(facet): None}))
        for facet, value in search.narrowed
        if facet != "kind"
    )


def _narrowing(
    portal: Portal, search: Search, facets: Mapping[str, Sequence[tuple[str, int]]]
) -> Iterator[tuple[str, tuple[Choice, ...]]]:
    for name, values in facets.items():
        if name == "kind" or search.value(name) or len(values) < 2:
            continue
        top = [(value, count) for value, count in values if name != "topic" or "/" not in value]
        most = _MOST_TOPICS if name == "topic" else _MOST_VALUES
        yield (
            facet_label(portal, name),
            tuple(
                Choice(value, search.url(**{_parameter(name): value}), count=count)
                for value, count in top[:most]
            ),
        )
