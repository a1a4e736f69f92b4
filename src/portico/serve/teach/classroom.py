"""What all teaching pages share: the lesson, page access, trials, and messages."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response

from portico.serve.rendering import Renderer
from portico.store.contributions.teaching import Marks, TeachingLog
from portico.text.urls import canonical, get_host
from portico.types.document import Document
from portico.types.lesson import AlikePage, FieldMark, LessonOutcome
from portico.types.outline import ShownPage
from portico.types.page import Url
from portico.types.path import KeptModel, Preview
from portico.types.record import Field, Record

Look = Callable[[Url], ShownPage]
"""Shows a page of any site; FetchError says in plain words why it cannot."""


class Previews(Protocol):
    """Who learns from a lesson and tries it; the one that really does is in the pipeline."""

    def start(self, site: Url) -> None:
        """Learn from all examples and begin to try on a site; ConfigError where there is nothing to learn."""

    def current(self) -> Preview | None:
        """How far it has come; None where nothing was tried."""

    def keep(self) -> KeptModel:
        """Write what was learned to the portal; ConfigError where there is nothing to learn."""


class Fields(Protocol):
    """Who reads fields from pages and learns from marks on them; the real one is in the pipeline."""

    @property
    def labels(self) -> tuple[str, ...]:
        """What a passage can be marked as; none where the portal reads no fields from web pages."""

    def read(self, url: Url) -> Document:
        """The page as the extractor sees it; an InputError says why it cannot be."""

    def learn(self) -> LessonOutcome:
        """Train from all marks, and keep what reads better. ConfigError where nothing is marked."""

    def find_alike(self, url: Url) -> tuple[AlikePage, ...]:
        """Pages printed like a marked one, with what would be marked in the same places."""

    def make_mark(self, url: Url, kind: str, field: Field) -> FieldMark | None:
        """A value that was read as a mark of its words."""

    def find_next_page(self) -> Url | None:
        """The page nobody marked that is read least surely."""

    def records(self, url: Url) -> tuple[Record, ...]:
        """What is read from a page by now; an InputError says why nothing is."""


@dataclass(frozen=True, slots=True)
class Classroom:
    """What the teaching pages work with."""

    lessons: TeachingLog
    marks: Marks
    look: Look
    previews: Previews
    fields: Fields
    sites: tuple[Url, ...] = ()  # to begin at, or to try on
    now: Callable[[], float] = time.time

    def site_to_try(self) -> Url | None:
        """Where to try what was learned: where it was tried last, unless that was taught on meanwhile."""
        tried = self.previews.current()
        known = (*((tried.site,) if tried is not None else ()), *self.sites)
        taught = {get_host(stop.url) for stop in self.lessons.lesson().stops.values()}
        return next((site for site in known if get_host(site) not in taught), next(iter(known), None))


@dataclass(frozen=True, slots=True)
class Board:
    """Where pages are shown: everything stands below `root`, an address nobody else knows."""

    renderer: Renderer
    root: str

    def page(self, template: str, *, status: int = 200, **values: object) -> Response:
        answer = self.renderer.page(template, status=status, root=self.root, **values)
        answer.headers["Cache-Control"] = "no-store"
        return answer

    def to(self, place: str, **said: str) -> Response:
        """Go on at another page of ours."""
        words = {name: value for name, value in said.items() if value}
        return RedirectResponse(
            f"{self.root}{place}" + (f"?{urlencode(words)}" if words else ""), status_code=303
        )

    def to_stop(self, stop: int, **said: str) -> Response:
        return self.to(f"/stop/{stop}", **said)


def read_address(typed: str) -> Url | None:
    """The address somebody typed, with or without http:// before it; None where it is none."""
    return canonical(typed if "://" in typed else f"http://{typed}") if typed else None
