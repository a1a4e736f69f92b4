"""Home page, results and topics of a portal of declared kinds, and parsing of searches."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from portico.errors import PortalError
from portico.index.declared_fields import SORTS, name_facet
from portico.index.engine_query import SearchScope
from portico.serve.declared.describing import (
    get_display,
    make_cards,
    make_label,
    make_narrowing_url,
    make_query,
    name_parameter,
)
from portico.serve.languages import format_number, mark, translate, translate_count
from portico.serve.links import make_search_url
from portico.serve.page_parts import LinkedText, capitalize
from portico.serve.pages import (
    Choice,
    Facets,
    HomePage,
    ResultLists,
    ResultsPage,
    list_sorts,
    make_branches,
    make_results,
    read_page_number,
)
from portico.serve.portal import FRONT_LIST, ServedPortal
from portico.serve.search import (
    IndexQuestion,
    Search,
    find_page,
    get_searcher,
    read_query,
    report_damage,
)
from portico.types.declared_display import searched_fields
from portico.types.domain import Kind
from portico.types.record import Entity
from portico.types.search import Results

_MOST_VALUES = 10
_MOST_TOPICS = 12
_ORDERS = {
    "relevance": (mark("Relevance"), mark("best match first")),
    "newest": (mark("Newest"), mark("found last first")),
    "title": (mark("A–Z"), mark("by name")),
}


@dataclass(frozen=True, slots=True)
class ThingNumbers:
    """What only the front page of declared kinds shows: the number of things of each kind, and values to
    start browsing from.
    """

    kinds: tuple[Choice, ...]
    facets: Facets


@dataclass(frozen=True, slots=True)
class ThingResults:
    """What only the results pages of declared kinds show."""

    counted: str  # "12 officers"
    kinds: tuple[Choice, ...]
    fields: tuple[str, ...]


def make_home(portal: ServedPortal) -> HomePage:
    searcher = portal.index.current()
    counts = portal.things.counts()
    facets, newest = _list_facets(portal), _list_newest(portal)
    kinds = tuple(_make_kind_choice(kind, counts.get(kind.name, 0)) for kind in portal.kinds)
    return HomePage(
        n_held=sum(kind.count or 0 for kind in kinds),
        branches=make_branches(portal.overview.get().tree),
        lists=tuple(
            (
                translate("Latest {things}", things=get_display(kind).plural),
                make_cards(portal, newest[kind.name]),
            )
            for kind in portal.kinds
            if newest[kind.name]
        ),
        examples=_list_examples(portal, facets, newest),
        searchable=searcher is not None,
        damaged=searcher is None and portal.index.is_damaged,
        own=ThingNumbers(
            kinds,
            tuple(
                (
                    label,
                    tuple(
                        Choice(value, make_narrowing_url(name, value), count=count) for value, count in values
                    ),
                )
                for name, label, values in facets
            ),
        ),
    )


def read_search(parameters: Mapping[str, str], facets: Sequence[str]) -> Search:
    """The search that the URL's parameters describe. Parameters that are not facets do not filter
    anything.
    """
    sort = parameters.get("sort", "relevance")
    named = ((parameter, parameters.get(parameter, "").strip()) for parameter in map(_name_parameter, facets))
    return Search(
        query=read_query(parameters),
        sort=sort if sort in SORTS else "relevance",
        page=read_page_number(parameters.get("page", "")),
        narrowed=tuple((parameter, value) for parameter, value in named if value),
    )


def ask(portal: ServedPortal, parameters: Mapping[str, str]) -> tuple[Search, Results]:
    """The search that the URL's parameters describe, and its results; 503 if the index cannot answer."""
    searcher = get_searcher(portal)
    search = read_search(parameters, list(searcher.facet_fields))
    if search.sort not in searcher.sorts:  # the index is older than the domain's declaration
        search = replace(search, sort="relevance")
    columns = {_name_parameter(facet): column for facet, column in searcher.facet_fields.items()}
    within = SearchScope(named=tuple((columns[parameter], value) for parameter, value in search.narrowed))
    with report_damage(portal):
        found = find_page(searcher, IndexQuestion(search.query, search.sort, within, search.page))
    return search, found


def make_results_page(portal: ServedPortal, search: Search, found: Results) -> ResultsPage:
    facets = dict(found.facets)
    entities = portal.view.entities.many([hit.entity for hit in found.hits])
    hits = {hit.entity: hit for hit in found.hits if hit.entity in entities}
    shown = [entities[entity] for entity, hit in hits.items() if hit.has_all]
    others = [entities[entity] for entity, hit in hits.items() if not hit.has_all]
    return make_results(
        search,
        found,
        ResultLists(
            cards=() if search.is_beyond else make_cards(portal, shown, hits),
            with_some=make_cards(portal, others, hits),
            sorts=list_sorts(
                _ORDERS, search.sort, lambda name: search.url(sort=name if name != "relevance" else None)
            ),
            filters=_list_filters(portal, search),
            facets=tuple(_list_narrowing(portal, search, facets)),
            page_url=lambda page: search.url(page=page),
            own=ThingResults(
                counted=_say_count(portal, search, found.total),
                kinds=_list_kinds(portal, search, dict(facets.get("kind", ()))),
                fields=list_searched_names(portal),
            ),
        ),
    )


def list_kind_links(portal: ServedPortal) -> tuple[LinkedText, ...]:
    """Links to everything of each kind, for every page."""
    return tuple(
        LinkedText(capitalize(get_display(kind).plural), make_search_url("", kind=kind.name))
        for kind in portal.kinds
    )


def list_searched_names(portal: ServedPortal) -> tuple[str, ...]:
    """The field names that a query can have before a colon."""
    return tuple(field.name for field in searched_fields(portal.kinds))


def make_facet_label(portal: ServedPortal, facet: str) -> str:
    """The label of a facet for visitors: the label of the field, or of the kind that other things are
    part of.
    """
    if facet in ("kind", "topic"):
        return capitalize(facet)
    field = next((each for each in ("kind", "topic") if facet == name_facet(each)), facet)
    shown = (get_display(kind).shown(field) for kind in portal.kinds)
    whole = next((kind for kind in portal.kinds if kind.name == facet), None)
    label = next((each.label for each in shown if each), None)
    return label or (capitalize(get_display(whole).singular) if whole else make_label(facet))


def _name_parameter(facet: str) -> str:
    own = ("kind", "topic", name_facet("kind"), name_facet("topic"))
    return facet if facet in own else name_parameter(facet)


def _find_facet(parameter: str) -> str:
    """The facet that a URL parameter filters by; the inverse of `_name_parameter`."""
    field = parameter.removesuffix("_")
    return field if _name_parameter(field) == parameter else parameter


def _make_kind_choice(kind: Kind, count: int) -> Choice:
    display = get_display(kind)
    words = display.singular if count == 1 else display.plural
    return Choice(words, make_search_url("", kind=kind.name), count=count)


def _list_newest(portal: ServedPortal) -> Mapping[str, tuple[Entity, ...]]:
    """The most recently found things, by kind."""
    found: dict[str, tuple[Entity, ...]] = {}
    for kind in portal.kinds:
        ids = portal.things.newest(kind.name, limit=FRONT_LIST)
        entities = portal.view.entities.many(ids)
        found[kind.name] = tuple(entities[name] for name in ids if name in entities)
    return found


def _list_facets(portal: ServedPortal) -> list[tuple[str, str, Sequence[tuple[str, int]]]]:
    """The name, label and most frequent values of each facet that has more than one value."""
    searcher = portal.index.current()
    if searcher is None:
        return []
    try:
        counted = searcher.count()
    except PortalError:
        return []
    return [
        (name, make_facet_label(portal, name), values[:_MOST_VALUES])
        for name, values in counted
        if name not in ("kind", "topic") and len(values) > 1
    ]


def _list_examples(
    portal: ServedPortal,
    facets: Sequence[tuple[str, str, Sequence[tuple[str, int]]]],
    newest: Mapping[str, tuple[Entity, ...]],
) -> tuple[Choice, ...]:
    """Queries that find something in this portal, as examples of what can be searched for."""
    queries = [make_query(name, values[0][0]) for name, _, values in facets[:2]]
    first = [entity for kind in portal.kinds for entity in newest[kind.name][:1]]
    queries += [portal.naming.title(entity).split()[-1].lower() for entity in first[-1:]]
    return tuple(Choice(query, make_search_url(query)) for query in queries)


def _say_count(portal: ServedPortal, search: Search, total: int) -> str:
    kind = next((kind for kind in portal.kinds if kind.name == search.value("kind")), None)
    if kind is None and len(portal.kinds) == 1:
        kind = portal.kinds[0]
    if kind is None:
        return translate_count("{n} result", "{n} results", total)
    return f"{format_number(total)} {get_display(kind).singular if total == 1 else get_display(kind).plural}"


def _list_kinds(portal: ServedPortal, search: Search, counts: Mapping[str, int]) -> tuple[Choice, ...]:
    """The kinds to choose between; empty if there is only one."""
    if len(portal.kinds) < 2:
        return ()
    chosen = search.value("kind")
    kinds = (
        Choice(
            capitalize(get_display(kind).plural),
            search.url(kind=kind.name),
            kind.name == chosen,
            counts.get(kind.name),
        )
        for kind in portal.kinds
    )
    return (Choice(translate("All"), search.url(kind=None), chosen=not chosen), *kinds)


def _list_filters(portal: ServedPortal, search: Search) -> tuple[Choice, ...]:
    """The active filters, each with a link that removes it. The kind is left out: it is chosen above the
    list.
    """
    return tuple(
        Choice(
            f"{make_facet_label(portal, _find_facet(parameter))}: {value}", search.url(**{parameter: None})
        )
        for parameter, value in search.narrowed
        if parameter != "kind"
    )


def _list_narrowing(
    portal: ServedPortal, search: Search, facets: Mapping[str, Sequence[tuple[str, int]]]
) -> Iterator[tuple[str, tuple[Choice, ...]]]:
    for name, values in facets.items():
        if name == "kind" or search.value(_name_parameter(name)) or len(values) < 2:
            continue
        url = search.url_by(_name_parameter(name))
        top = [(value, count) for value, count in values if name != "topic" or "/" not in value]
        most = _MOST_TOPICS if name == "topic" else _MOST_VALUES
        yield (
            make_facet_label(portal, name),
            tuple(Choice(value, url(value), count=count) for value, count in top[:most]),
        )
