"""Previews what the spider would fetch on an unknown site, step by step."""

import threading
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path as File

from portico.config.editing import change_setting
from portico.crawl.paths.learning import PathModel, PathOptions, learn_paths
from portico.crawl.paths.scoring import TrainedPathScorer, preview_crawl
from portico.errors import ConfigError, FetchError, PorticoError
from portico.files import write_whole
from portico.pipeline.portal import Portal
from portico.pipeline.sources.path_models import OWN, PATHS
from portico.pipeline.teaching.model_history import keep_model
from portico.pipeline.teaching.page_viewer import Hold, ViewPage
from portico.types.lesson import Lesson, Stop
from portico.types.page import PageView, Url
from portico.types.path import Ending, KeptModel, Path, Preview, Step

N_FETCHES = 10
"""Fetches of a preview: enough to see where the spider is heading, few enough to wait for."""

ENOUGH = "There are no more links to follow."
SCRIPTED = "The site needs JavaScript: without it there are no links to follow."
UNFORESEEN = "It was stopped by an unexpected error: the terminal has it."


class CrawlPreviews:
    """Runs one preview at a time in a thread; a new one replaces the last."""

    def __init__(self, portal: Portal, look: ViewPage, hold: Hold = nullcontext) -> None:
        self._portal, self._look, self._hold = portal, look, hold
        self._now = time.time
        self._lock = threading.Lock()
        self._current: Preview | None = None

    def start(self, site: Url) -> None:
        """Learn from all examples and start a preview; ConfigError if no example leads to a goal."""
        lesson = self._portal.store.contributions.lessons.lesson()
        if not any(stop.ending is Ending.GOAL for stop in lesson.examples):
            raise ConfigError("no example leads to a goal yet: say “This is it” on at least one page first")
        begun = Preview(site, N_FETCHES, len(lesson.examples))
        with self._lock:
            self._current = begun
        threading.Thread(target=self._run, args=(lesson, begun), daemon=True).start()

    def current(self) -> Preview | None:
        return self._current

    def keep(self) -> KeptModel:
        """Save the model learned from all examples to the portal, and make crawls use it."""
        places = self._portal.places
        learned = learn_from_lesson(self._portal.store.contributions.lessons.lesson(), self._look)
        with self._hold():
            n_examples = len(self._portal.store.contributions.lessons.lesson().examples)
            told = (f"Learned ways to sought pages from {n_examples} examples.",)
            keep_model(places.models / OWN, learned.to_bytes(), told=told, at=self._now())
        return KeptModel(f"{places.models.name}/{OWN}", follow_paths(places.settings))

    def _run(self, lesson: Lesson, begun: Preview) -> None:
        shown, note = begun, UNFORESEEN
        try:
            model = learn_from_lesson(lesson, self._look)
            for each in preview_crawl(TrainedPathScorer(model), self._see, begun.site, n_fetches=N_FETCHES):
                later = replace(shown, fetches=(*shown.fetches, each), names=model.names)
                if not self._replace(shown, later):
                    return
                shown = later
            note = self._why_ended(shown)
        except PorticoError as error:
            note = str(error)
        finally:  # also after unexpected errors, so that nobody waits for ever
            self._replace(shown, replace(shown, finished=True, note=note))

    def _see(self, url: Url) -> PageView:
        return self._look(url).view

    def _why_ended(self, shown: Preview) -> str:
        """Explain why a preview found fewer pages than it might have; "" if it did not."""
        if len(shown.fetches) >= N_FETCHES:
            return ""
        only = shown.fetches[0] if len(shown.fetches) == 1 else None
        if only is not None and not only.trouble and self._look(only.url).outline.needs_script:
            return SCRIPTED
        return ENOUGH

    def _replace(self, old: Preview, new: Preview) -> bool:
        """Update the preview shown; False if another one was started meanwhile."""
        with self._lock:
            if self._current is not old:
                return False
            self._current = new
            return True


def follow_paths(settings: File) -> str:
    """Set the path policy in portal.toml; if that is impossible, return what the builder has to do."""
    try:
        changed = change_setting(settings.read_text(encoding="utf-8"), "spider", "policy", PATHS)
        write_whole(settings, changed.encode())
    except ConfigError as error:
        return str(error)
    except OSError as error:
        return f'write policy = "{PATHS}" under [spider], which we cannot ({error.strerror})'
    return ""


# A builder teaches on two or three sites only, so features that occur on just one of them are kept, unlike in
# models of many sites: `portico lab teaching` compares both.
TAUGHT = PathOptions(widespread=False)


def learn_from_lesson(lesson: Lesson, look: ViewPage) -> PathModel:
    """Train a model on all examples; ConfigError if none of them leads to a goal."""
    return learn_paths(read_taught_paths(lesson, look), TAUGHT)


def read_taught_paths(lesson: Lesson, look: ViewPage) -> list[Path]:
    """The examples of a lesson with their pages; examples with unavailable pages are left out."""
    paths = []
    for stop in lesson.examples:
        try:
            steps = tuple(_read_step(each, look) for each in lesson.way(stop.id))
        except FetchError:
            continue
        paths.append(Path(steps, stop.ending or Ending.DEAD_END))
    return paths


def _read_step(stop: Stop, look: ViewPage) -> Step:
    return Step(look(stop.url).view, stop.link, stop.milestone)
