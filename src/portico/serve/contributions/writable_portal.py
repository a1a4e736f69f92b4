"""What the server may write, and for whom: only this part of serving does more than read."""

import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from portico.serve.page_parts import UNNAMED, Naming
from portico.store.opening import Store
from portico.types.page_fate import PageFate
from portico.types.record import EntityId
from portico.types.topic import Topic, TopicSuggestion, TreeChange

HASH_KEY = "builder_password"
"""The key in `meta` of the hash of the builder's password."""


@dataclass(frozen=True, slots=True)
class Model:
    """A trained component: its name and version, and the text of its card."""

    name: str
    version: str
    n_bytes: int
    card: str = ""
    is_own: bool = False  # learned by the portal itself


@dataclass(frozen=True, slots=True)
class WritablePortal:
    """A portal's store opened for writing, and what the builder may see of the portal's folder."""

    store: Store
    folder: Path
    reindex: Callable[[Collection[EntityId]], bool]  # whether search now shows these papers as they are
    grow: Callable[[TopicSuggestion], object] | None = None  # writes a topic into the portal's tree
    change_tree: Callable[[TreeChange], object] | None = None  # changes a topic of the portal's tree
    read_tree: Callable[[], tuple[Topic, ...]] = tuple  # the tree as in its file, including hidden topics
    tell_pages: Callable[[], Iterable[PageFate]] = tuple  # the outcome of every fetched page
    models: tuple[Model, ...] = ()
    password: str | None = None  # the hash for this run, instead of the stored one
    now: Callable[[], float] = time.time
    naming: Naming = UNNAMED  # replaced when the portal is opened and it is known what it holds

    def password_hash(self) -> str | None:
        """The hash of the builder's password; None if no password was set, and then there is no builder's
        view.
        """
        return self.password or self.store.meta.get(HASH_KEY)
