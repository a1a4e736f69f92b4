"""Learn from a lesson, and show what the spider would now do on a site it does not know."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path as File

from portico.crawl.foraging import Forager, Prefix, Prospect
from portico.crawl.path_learning import PathModel, PathOptions, learn_paths
from portico.errors import ConfigError, FetchError, PorticoError
from portico.pipeline.looking import Look
from portico.pipeline.portal import Portal
from portico.text.urls import host_of, registered_domain
from portico.types.lesson import Lesson, Stop
from portico.types.page import Sighting, Url
from portico.types.path import Ending, Path, Step
from portico.types.preview import Foreseen, Preview

N_FETCHES = 10
"""Fetches of a preview: enough to see where the spider is heading, few enough to wait for."""

MODEL = "paths.npz"
"""The name of what was taught, in the portal's folder of models."""

# A builder teaches on two or three sites. Of the observations that are met on one of them alone, which a
# crawl of many sites had better leave out, they cannot spare any: see docs/teach.md.
TAUGHT = PathOptions(widespread=False)

ENOUGH = "It has followed every link it thinks worth following."


class Previews:
    """One preview at a time, in a thread of its own; a new one takes the place of the last."""

    def __init__(self, portal: Portal, look: Look) -> None:
        self._portal, self._look = portal, look
        self._lock = threading.Lock()
        self._current: Preview | None = None

    def start(self, site: Url) -> None:
        """Learn from all examples and begin to try; ConfigError where none of them leads to a goal."""
        lesson = self._portal.store.lessons.lesson()
        if not any(stop.ending is Ending.GOAL for stop in lesson.examples):
            raise ConfigError("no example leads to a goal yet: say “This is it” on at least one page first")
        begun = Preview(site, N_FETCHES, len(lesson.examples))
        with self._lock:
            self._current = begun
        threading.Thread(target=self._run, args=(lesson, begun), daemon=True).start()

    def current(self) -> Preview | None:
        return self._current

    def keep(self) -> File:
        """Write what was learned from all examples to the portal's models."""
        file = self._portal.places.models / MODEL
        self._learn(self._portal.store.lessons.lesson()).save(file)
        return file

    def _run(self, lesson: Lesson, begun: Preview) -> None:
        shown = begun
        try:
            forager = Forager(self._learn(lesson))
            for each in foreseen(forager, self._look, begun.site, n_fetches=N_FETCHES):
                later = replace(shown, fetches=(*shown.fetches, each))
                if not self._replace(shown, later):
                    return
                shown = later
            note = ENOUGH if len(shown.fetches) < N_FETCHES else ""
        except PorticoError as error:
            note = str(error)
        self._replace(shown, replace(shown, finished=True, note=note))

    def _learn(self, lesson: Lesson) -> PathModel:
        return learn_paths(taught_paths(lesson, self._look), TAUGHT)

    def _replace(self, old: Preview, new: Preview) -> bool:
        """Show how far it has come; False where another preview was begun meanwhile."""
        with self._lock:
            if self._current is not old:
                return False
            self._current = new
            return True


def taught_paths(lesson: Lesson, look: Look) -> list[Path]:
    """The examples of a lesson with their pages; one with a page that cannot be had any more is left out."""
    paths = []
    for stop in lesson.examples:
        try:
            steps = tuple(_step(each, look) for each in lesson.way(stop.id))
        except FetchError:
            continue
        paths.append(Path(steps, stop.ending or Ending.DEAD_END))
    return paths


def foreseen(forager: Forager, look: Look, site: Url, *, n_fetches: int) -> Iterator[Foreseen]:
    """The fetches a spider would make from `site` on, each as soon as it is made; it stays on that site."""
    queue = _Queue(site)
    for number in range(n_fetches):
        best = queue.pop()
        if best is None:
            return
        try:
            shown = look(best.url)
        except FetchError as error:
            yield best.fetch(trouble=str(error))
            continue
        outlook = forager.look(shown.view, best.prefix)
        label = max(outlook.chances, key=lambda name: outlook.chances[name])
        yield best.fetch(found=label, chance=outlook.chances[label], title=shown.view.title)
        queue.seen(shown.url)
        queue.add(outlook.prospects, number)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A link that was found, with what it promises over all pages that show it."""

    url: Url
    score: float = 0.0
    label: str = ""
    prefix: Prefix | None = None
    before: int | None = None
    link: Sighting | None = None

    def fetch(self, *, found: str = "", chance: float = 0.0, title: str = "", trouble: str = "") -> Foreseen:
        return Foreseen(
            self.url, self.score, self.label, self.before, self.link, found, chance, title, trouble
        )


class _Queue:
    """Links of one site by their promise; what several pages promise of a link is added up."""

    def __init__(self, site: Url) -> None:
        self._domain = registered_domain(host_of(site))
        self._waiting = {site: _Waiting(site)}
        self._seen: set[Url] = set()

    def pop(self) -> _Waiting | None:
        best = max(self._waiting.values(), key=lambda each: each.score, default=None)
        if best is not None:
            del self._waiting[best.url]
            self._seen.add(best.url)
        return best

    def seen(self, url: Url) -> None:
        """Where a redirect ended: not to be fetched by another name."""
        self._seen.add(url)
        self._waiting.pop(url, None)

    def add(self, prospects: tuple[Prospect, ...], before: int) -> None:
        for prospect in prospects:
            url = prospect.sighting.link.target
            if url not in self._seen and registered_domain(host_of(url)) == self._domain:
                known = self._waiting.get(url)
                self._waiting[url] = _added(known, prospect, before)


def _added(known: _Waiting | None, prospect: Prospect, before: int) -> _Waiting:
    url = prospect.sighting.link.target
    new = _Waiting(url, prospect.score, prospect.label, prospect.prefix, before, prospect.sighting)
    if known is None or known.prefix is None:
        return new
    together = tuple(one + other for one, other in zip(known.prefix, prospect.prefix, strict=True))
    better = new if new.score > known.score else known
    return replace(better, score=known.score + new.score, prefix=together)


def _step(stop: Stop, look: Look) -> Step:
    return Step(look(stop.url).view, stop.link, stop.milestone)
