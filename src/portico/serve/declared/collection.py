"""The collection of a portal of declared kinds, as its pages, feeds and API use it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from portico.serve.collection import FeedEntry, FindEntity, SuggestedPage
from portico.serve.contributions.forms import clean_lines
from portico.serve.declared import api, home_and_results
from portico.serve.declared.describing import get_display, get_kind, list_facts, name_things
from portico.serve.declared.list_files import has_cards, make_list_routes
from portico.serve.declared.thing_page import describe_thing, make_thing_page
from portico.serve.escaping import strip_hidden
from portico.serve.languages import mark
from portico.serve.links import add_parameters, check_outside_url
from portico.serve.page_parts import PortalWords
from portico.serve.pages import HomePage, find_topic
from portico.serve.portal import Holding, ServedPortal
from portico.serve.public_address import get_base_url
from portico.serve.rendering import Renderer
from portico.serve.search import PAGE_SIZE, Search, get_searcher
from portico.serve.static_site import weigh_words, write_static_files
from portico.store.catalog.things import Things
from portico.types.declared_display import kind_named
from portico.types.document import DocumentId
from portico.types.domain import Kind
from portico.types.record import Entity, EntityId

LONGEST_VALUE = 4_000
"""Maximum characters of all values of a field together; the longest are descriptions."""


_DAMAGED = mark(
    "The search index of this portal is damaged. Its builder mends it with `portico verify --repair` and "
    "`portico build`; pages that are known by their address can be read meanwhile."
)


@dataclass(frozen=True, slots=True)
class ThingSheet:
    """The correction form of a thing. Fields are typed one value per line; emptying a field means that
    the thing does not have it.
    """

    kinds: tuple[Kind, ...]
    template: str = "declared/wrong.html"
    doubted: tuple[str, ...] | None = None
    shows_pages: bool = False
    prefix: str = "field-"  # a field may have the same name as another input of the form

    def labels(self, thing: Entity) -> Mapping[str, str]:
        kind = kind_named(self.kinds, thing.kind)
        return {shown.field: shown.label for shown in get_display(kind).fields} if kind else {}

    def values(self, thing: Entity) -> dict[str, str]:
        return {
            name: clean_lines("\n".join(_join_lines(field.value) for field in thing.all(name)), LONGEST_VALUE)
            for name in self.labels(thing)
        }

    def typed(self, name: str, text: str) -> str:
        return "\n".join(filter(None, clean_lines(text, LONGEST_VALUE).split("\n")))

    def documents_removed(self, thing: Entity) -> Sequence[DocumentId]:
        """Always empty: the same page may describe other things, so only the records are removed."""
        return ()


def _join_lines(value: str) -> str:
    return " ".join(value.split())


@dataclass(frozen=True, slots=True)
class ServedThings:
    """The collection of things whose kinds a domain declares."""

    kinds: tuple[Kind, ...]
    templates: str = "declared/"
    counted_as: str = "things"
    counted_in_files: str = "entries"
    unknown: str = mark("The portal knows nothing of this id. It may have been removed.")
    static_pages: Sequence[str] = ()

    @property
    def holding(self) -> Holding:
        return Holding(name_things(self.kinds), _DAMAGED, self.kinds)

    @property
    def sheet(self) -> ThingSheet:
        return ThingSheet(self.kinds)

    ask = staticmethod(home_and_results.ask)
    make_home = staticmethod(home_and_results.make_home)
    make_results = staticmethod(home_and_results.make_results_page)
    list_for_programs = staticmethod(api.describe_hits)

    def suggest_pages(self, portal: ServedPortal, typed: str) -> Sequence[SuggestedPage]:
        return ()

    describe_api = staticmethod(api.describe_things_api)

    def template_values(self, portal: ServedPortal) -> Mapping[str, object]:
        return {
            "wording": PortalWords(),
            "sections": home_and_results.list_kind_links(portal),
            "has_cards": has_cards(portal.kinds),
        }

    def read_search(self, portal: ServedPortal, parameters: Mapping[str, str]) -> Search:
        return home_and_results.read_search(parameters, list(get_searcher(portal).facet_fields))

    def about_values(self, portal: ServedPortal, home: HomePage) -> dict[str, object]:
        n_sources = portal.overview.get().counts.n_sources
        return {"page": home, "n_sources": n_sources, "fields": home_and_results.list_searched_names(portal)}

    def make_routes(self, portal: ServedPortal, renderer: Renderer, find: FindEntity) -> list[Route]:
        pages = _ThingPages(portal, renderer, find)
        return [
            Route("/topic/{path:path}", pages.topic),
            *make_list_routes(portal, find),  # before things, whose ids may be anything
            Route(portal.naming.path + "{id}", pages.thing),
            *api.make_api_routes(portal, find),
        ]

    def list_latest(
        self, portal: ServedPortal, parameters: Mapping[str, str], *, most: int
    ) -> Sequence[EntityId]:
        found: list[EntityId] = []
        for page in range(1, most // PAGE_SIZE + 1):
            _, results = self.ask(portal, {**parameters, "sort": "newest", "page": str(page)})
            found += [hit.entity for hit in results.hits]
            if len(results.hits) < PAGE_SIZE:
                break
        return found

    def make_feed_entry(self, portal: ServedPortal, entity: Entity) -> FeedEntry:
        facts = "; ".join(list_facts(entity, get_kind(portal, entity)))
        return FeedEntry(portal.naming.title(entity), facts)

    def list_dublin_core(
        self, portal: ServedPortal, entities: Sequence[Entity]
    ) -> Iterator[tuple[EntityId, list[tuple[str, str]]]]:
        topics = portal.view.topics.best([entity.id for entity in entities])
        sources = portal.view.sources_of(entities)
        for each in entities:
            kind = get_kind(portal, each)
            yield (
                each.id,
                [
                    ("title", portal.naming.title(each)),
                    ("description", "; ".join(list_facts(each, kind))),
                    ("subject", " / ".join(topics.get(each.id, ()))),
                    ("type", get_display(kind).singular),
                    *(("source", check_outside_url(source.name) or "") for source in sources[each.id]),
                ],
            )

    def front_paths(self, portal: ServedPortal) -> Sequence[str]:
        return ("/", "/about")

    def write_static_index(self, entities: Sequence[Entity], things: Things, folder: Path) -> int:
        return write_thing_files(entities, self.kinds, things, folder)


class _ThingPages:
    """The endpoints that only portals of declared kinds have."""

    def __init__(self, portal: ServedPortal, renderer: Renderer, find: FindEntity) -> None:
        self._portal, self._render, self._find = portal, renderer, find

    def topic(self, request: Request) -> Response:
        """A topic with its subtopics and everything assigned to it."""
        path = request.path_params["path"].strip("/")
        place = find_topic(self._portal.overview.get().tree, path.split("/"))
        if self._render.is_static:  # if search runs in the browser, lists are made there, too
            return RedirectResponse(add_parameters("/search", {"topic": path}), status_code=303)
        asked = home_and_results.ask(self._portal, {**request.query_params, "topic": path})
        page = home_and_results.make_results_page(self._portal, *asked)
        return self._render.page("declared/topic.html", page=page, place=place)

    def thing(self, request: Request) -> Response:
        entity = self._find(request, self._portal.naming.url)
        page = make_thing_page(self._portal, entity)
        host = get_base_url(request)
        described = describe_thing(self._portal, entity, host)
        card = "" if self._render.is_static or not has_cards(self._portal.kinds) else f"{page.url}.vcf"
        return self._render.page("declared/thing.html", page=page, host=host, described=described, card=card)


# A word in the heading says more about a thing than one in its values or in what it is part of.
_HEADING, _VALUE, _WHOLE, _KIND = 3.0, 1.0, 0.5, 0.5


def write_thing_files(entities: Sequence[Entity], kinds: Sequence[Kind], things: Things, folder: Path) -> int:
    """Write things, with their search terms, to `folder`. Returns how many things there are."""
    title = name_things(kinds).title
    titles = {entity.id: title(entity) for entity in entities}
    wholes = things.wholes(titles)

    def made() -> Iterator[tuple[dict[str, float], list[object]]]:
        for entity in entities:
            whole = titles.get(wholes.get(entity.id, EntityId("")), "")
            kind = kind_named(kinds, entity.kind) or kinds[0]
            values = ((field.value, _VALUE) for field in entity.fields)
            kinds_ = f"{kind.name} {get_display(kind).singular} {get_display(kind).plural}"
            weights = weigh_words([(titles[entity.id], _HEADING), *values, (whole, _WHOLE), (kinds_, _KIND)])
            facts = [strip_hidden(fact) for fact in (*list_facts(entity, kind), whole) if fact]
            yield weights, [entity.id, strip_hidden(titles[entity.id]), facts]

    nouns = (
        ("result", "results")
        if len(kinds) > 1
        else (get_display(kinds[0]).singular, get_display(kinds[0]).plural)
    )
    return write_static_files(made(), folder, things=True, nouns=nouns)
