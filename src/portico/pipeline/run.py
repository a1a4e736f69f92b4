"""One run: what was asked for, who works, who watches, what time it is."""

from dataclasses import dataclass

from portico.engine.work import Engine
from portico.pipeline.progress import Clock, Watcher
from portico.types.stages import StageName


@dataclass(frozen=True, slots=True)
class Wish:
    """What the builder asked for: no stages named means all of them."""

    stages: tuple[StageName, ...] = ()
    retry: bool = False
    forget: bool = False
    refresh: bool = False
    workers: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """Handed to every stage; nothing in it is about one portal."""

    engine: Engine
    watcher: Watcher
    clock: Clock
    forget: bool = False  # let papers go even where a whole folder has become empty
    refresh: bool = False  # ask for every page again
