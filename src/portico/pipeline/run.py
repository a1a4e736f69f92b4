"""The world of one run: who works, who watches, what time it is."""

from dataclasses import dataclass

from portico.engine.work import Engine
from portico.pipeline.progress import Clock, Watcher


@dataclass(frozen=True, slots=True)
class Run:
    """Handed to every stage; nothing in it is about the portal."""

    engine: Engine
    watcher: Watcher
    clock: Clock
