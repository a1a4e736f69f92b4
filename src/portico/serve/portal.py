"""One portal as its pages see it: its name, its store, its index, and its tree."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from portico.index.searcher import RANKINGS
from portico.serve.live import CHECK_EVERY_S, LiveIndex, Remembered
from portico.serve.naming import Naming
from portico.store.catalog.things import Things
from portico.store.catalog.topics import TopicCount
from portico.store.documents.blobs import Blobs
from portico.store.opening import Store
from portico.store.portal_view import Counts, PortalView
from portico.types.domain import Kind
from portico.types.record import Entity

# Tree, numbers and front page lists read whole tables; a visitor does not mind numbers this old.
_OVERVIEW_AGE_S = 5.0
FRONT_LIST = 8
"""Entries of a list on the front page."""


@dataclass(frozen=True, slots=True)
class About:
    """What the builder says about the portal in portal.toml."""

    title: str
    description: str = ""
    contact: str = ""
    ranking: str = RANKINGS[0]
    copies: bool = True  # whether visitors get the portal's copies of files, or only where they were found


@dataclass(frozen=True, slots=True)
class Holding:
    """What a portal holds, in the words of its pages."""

    naming: Naming
    damaged: str
    kinds: tuple[Kind, ...] = ()


@dataclass(frozen=True, slots=True)
class Overview:
    """The portal at a glance."""

    counts: Counts
    tree: tuple[TopicCount, ...]
    most_cited: tuple[Entity, ...]
    newest: tuple[Entity, ...]
    first: tuple[Entity, ...]  # by title, where nothing is known to be cited and no year was read

    @property
    def n_topics(self) -> int:
        """Topics that have papers."""
        return sum(node.n_papers > 0 for node in self.tree)


@dataclass(frozen=True, slots=True)
class ServedPortal:
    """Everything a page may ask."""

    about: About
    view: PortalView
    blobs: Blobs
    index: LiveIndex
    overview: Remembered[Overview]
    overtaken: Remembered[bool]  # whether papers may have changed since they were indexed
    things: Things
    naming: Naming
    damaged: str  # what is said where the index cannot be searched
    kinds: tuple[Kind, ...] = ()  # as the domain declares them; pages of declared kinds alone ask for them


def open_portal(
    store: Store, index_folder: Path, about: About, holding: Holding, *, clock: Callable[[], float]
) -> ServedPortal:
    view = PortalView(store.engine)
    return ServedPortal(
        about=about,
        view=view,
        blobs=store.blobs,
        index=LiveIndex(index_folder, view.index_generation, clock=clock, ranking=about.ranking),
        overtaken=Remembered(store.catalog.staleness.is_stale, max_age_s=CHECK_EVERY_S, clock=clock),
        overview=Remembered(lambda: _overview(view), max_age_s=_OVERVIEW_AGE_S, clock=clock),
        things=store.catalog.things,
        naming=holding.naming,
        damaged=holding.damaged,
        kinds=holding.kinds,
    )


def _overview(view: PortalView) -> Overview:
    most_cited = view.entities.papers(order="citations", limit=FRONT_LIST)
    newest = view.entities.papers(order="date", limit=FRONT_LIST)
    first = () if most_cited or newest else view.entities.papers(order="title", limit=FRONT_LIST)
    return Overview(view.counts(), view.topics.tree(), most_cited, newest, first)
