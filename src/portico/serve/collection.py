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
"""The entity an address names; 301 to the address that is made of its id now, 404 where there is none."""


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One thing in a feed."""

    title: str
    summary: str
    authors: Sequence[str] = ()


class SuggestedPage(NamedTuple):
    """A page that somebody may be looking for, and what it is."""

    kind: str
    text: str
    url: str


class ServedCollection(Protocol):
    """One folder a kind: `papers`, `declared`. Chosen once, when a portal is opened (`collections.py`)."""

    @property
    def holding(self) -> Holding:
        """How things are called and addressed."""

    @property
    def sheet(self) -> CorrectionSheet:
        """Which fields can be corrected, and how they are typed."""

    @property
    def templates(self) -> str:
        """The folder of its templates, with a slash behind it; "" where they stand at the top."""

    @property
    def counted_as(self) -> str:
        """What programs read the number of held things under."""

    @property
    def counted_in_files(self) -> str:
        """What an export as plain files calls its things: "papers"."""

    @property
    def unknown(self) -> str:
        """What is said of an id that nothing has."""

    @property
    def static_pages(self) -> Sequence[str]:
        """Pages that an export as plain files begins with, beside the front page."""

    def template_values(self, portal: ServedPortal) -> Mapping[str, object]:
        """What every page knows: `wording` for what is held, `sections` to link to, what to `browse`."""

    def ask(self, portal: ServedPortal, parameters: Mapping[str, str]) -> tuple[Search, Results]:
        """What an address asks for, and what the index has for it; 503 where it cannot answer."""

    def read_search(self, portal: ServedPortal, parameters: Mapping[str, str]) -> Search: ...

    def make_home(self, portal: ServedPortal) -> HomePage: ...

    def make_results(self, portal: ServedPortal, search: Search, found: Results) -> ResultsPage: ...

    def about_values(self, portal: ServedPortal, home: HomePage) -> dict[str, object]:
        """What the page about the portal shows."""

    def make_routes(self, portal: ServedPortal, renderer: Renderer, find: FindEntity) -> list[Route]:
        """What only such a portal has: the pages of its things, and what programs may ask of them."""

    def suggest_pages(self, portal: ServedPortal, typed: str) -> Sequence[SuggestedPage]:
        """Pages that what is being typed may mean, the likeliest of each kind first."""

    def list_for_programs(self, portal: ServedPortal, found: Results) -> Json:
        """The results of a search as JSON."""

    def describe_api(self, portal: ServedPortal) -> Json:
        """What the API takes and gives, as OpenAPI 3.1."""

    def list_latest(
        self, portal: ServedPortal, parameters: Mapping[str, str], *, most: int
    ) -> Sequence[EntityId]:
        """What a search finds, the latest first as far as the index knows."""

    def make_feed_entry(self, portal: ServedPortal, entity: Entity) -> FeedEntry:
        """What a feed says of a thing."""

    def list_dublin_core(self, portal: ServedPortal, entity: Entity) -> Iterator[tuple[str, str]]:
        """A thing as Dublin Core: elements and their values, without its address."""

    def front_paths(self, portal: ServedPortal) -> Sequence[str]:
        """Pages that the sitemap lists before those of things."""

    def write_static_index(self, entities: Sequence[Entity], things: Things, folder: Path) -> int:
        """Files that a browser searches without a server; how many things they hold."""


def pair_hits(portal: ServedPortal, found: Results) -> Iterator[tuple[Entity, Hit]]:
    """What was found, with what the store has of it; what is gone meanwhile is left out."""
    entities = portal.view.entities.many([hit.entity for hit in found.hits])
    return ((entities[hit.entity], hit) for hit in found.hits if hit.entity in entities)
