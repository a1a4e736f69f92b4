"""The interface between the portal's pages and the collection it serves."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from starlette.requests import Request
from starlette.routing import Route

from portico.serve.contributions.corrections import CorrectionSheet
from portico.serve.pages import HomePage, ResultsPage
from portico.serve.portal import Holding, ServedPortal
from portico.serve.rendering import Renderer
from portico.serve.search import Search
from portico.store.catalog.things import Things
from portico.types.record import Entity, EntityId
from portico.types.search import Hit, Results

Json = dict[str, Any]

FindEntity = Callable[[Request, Callable[[EntityId], str]], Entity]
"""Finds the entity of a request. Responds with 301 if the entity now has another URL, and with 404 if there
is none."""


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One thing in a feed."""

    title: str
    summary: str
    authors: Sequence[str] = ()


class SuggestedPage(NamedTuple):
    """A page that somebody may be looking for, with its kind."""

    kind: str
    text: str
    url: str


class ServedCollection(Protocol):
    """What a portal of one type supplies to the shared pages. Each type has a folder (`papers`,
    `declared`); it is chosen once, when a portal is opened (`collections.py`).
    """

    @property
    def holding(self) -> Holding:
        """What the portal's things are called, and the URLs of their pages."""

    @property
    def sheet(self) -> CorrectionSheet:
        """Which fields can be corrected, and how their values are typed."""

    @property
    def templates(self) -> str:
        """The folder of its templates, with a trailing slash; "" for the top folder."""

    @property
    def counted_as(self) -> str:
        """The JSON key under which programs find the number of things."""

    @property
    def counted_in_files(self) -> str:
        """What a static export calls the portal's things, such as "papers"."""

    @property
    def unknown(self) -> str:
        """The error message for an unknown id."""

    @property
    def static_pages(self) -> Sequence[str]:
        """The pages besides the front page at which a static export starts."""

    def template_values(self, portal: ServedPortal) -> Mapping[str, object]:
        """Values available to every template: `wording` for the portal's things, `sections` to link to,
        what to `browse`.
        """

    def ask(self, portal: ServedPortal, parameters: Mapping[str, str]) -> tuple[Search, Results]:
        """The search that the URL's parameters describe, and its results; 503 if the index cannot answer."""

    def read_search(self, portal: ServedPortal, parameters: Mapping[str, str]) -> Search: ...

    def make_home(self, portal: ServedPortal) -> HomePage: ...

    def make_results(self, portal: ServedPortal, search: Search, found: Results) -> ResultsPage: ...

    def about_values(self, portal: ServedPortal, home: HomePage) -> dict[str, object]:
        """The template values of the page about the portal."""

    def make_routes(self, portal: ServedPortal, renderer: Renderer, find: FindEntity) -> list[Route]:
        """The routes that only this type of portal has: the pages of its things, and its part of the API."""

    def suggest_pages(self, portal: ServedPortal, typed: str) -> Sequence[SuggestedPage]:
        """Pages that somebody may be looking for who typed this, the likeliest of each kind first."""

    def list_for_programs(self, portal: ServedPortal, found: Results) -> Json:
        """The results of a search as JSON."""

    def describe_api(self, portal: ServedPortal) -> Json:
        """The OpenAPI 3.1 description of the API."""

    def list_latest(
        self, portal: ServedPortal, parameters: Mapping[str, str], *, most: int
    ) -> Sequence[EntityId]:
        """The ids a search finds, the latest first as far as the index knows their dates."""

    def make_feed_entry(self, portal: ServedPortal, entity: Entity) -> FeedEntry:
        """The feed entry of a thing."""

    def list_dublin_core(
        self, portal: ServedPortal, entities: Sequence[Entity]
    ) -> Iterator[tuple[EntityId, list[tuple[str, str]]]]:
        """The Dublin Core elements of things and their values, without their URLs."""

    def front_paths(self, portal: ServedPortal) -> Sequence[str]:
        """Pages that the sitemap lists before the pages of things."""

    def write_static_index(self, entities: Sequence[Entity], things: Things, folder: Path) -> int:
        """Write the files that let a browser search without a server. Returns how many things they
        contain.
        """


def pair_hits(portal: ServedPortal, found: Results) -> Iterator[tuple[Entity, Hit]]:
    """The hits of a search with their entities from the store. Hits that are no longer in the store are
    left out.
    """
    entities = portal.view.entities.many([hit.entity for hit in found.hits])
    return ((entities[hit.entity], hit) for hit in found.hits if hit.entity in entities)
