"""What all teaching pages share: the lesson, access to pages, previews, and messages."""

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
"""Fetches a page of any site; raises FetchError with a plain explanation if it cannot."""


class Previews(Protocol):
    """Learns from a lesson and tries out the result. The real implementation is in the pipeline."""

    def start(self, site: Url) -> None:
        """Learn from all examples and start a preview on a site. Raises ConfigError if there is nothing
        to learn from.
        """

    def current(self) -> Preview | None:
        """The current preview with its progress; None if none was started."""

    def keep(self) -> KeptModel:
        """Write what was learned to the portal. Raises ConfigError if there is nothing to learn from."""


class Fields(Protocol):
    """Reads fields from pages and learns from marks on them. The real implementation is in the pipeline."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The fields that a passage can be marked as; empty if the portal reads no fields from web pages."""

    def read(self, url: Url) -> Document:
        """The page as the extractor sees it. Raises InputError if it cannot be read."""

    def learn(self) -> LessonOutcome:
        """Train on all marks, and keep the model if it is better. Raises ConfigError if nothing is
        marked.
        """

    def find_alike(self, url: Url) -> tuple[AlikePage, ...]:
        """Pages with the same layout as a marked one, with what would be marked in the same places."""

    def make_mark(self, url: Url, kind: str, field: Field) -> FieldMark | None:
        """The mark for a value that was read; None if it is not printed on the page."""

    def find_next_page(self) -> Url | None:
        """The unmarked page that is read with the least confidence."""

    def records(self, url: Url) -> tuple[Record, ...]:
        """What is currently read from a page. Raises InputError if nothing can be."""


@dataclass(frozen=True, slots=True)
class Classroom:
    """What the teaching pages need to work."""

    lessons: TeachingLog
    marks: Marks
    look: Look
    previews: Previews
    fields: Fields
    sites: tuple[Url, ...] = ()  # to start from, or to run previews on
    now: Callable[[], float] = time.time

    def site_to_try(self) -> Url | None:
        """The site on which to try what was learned: the one tried last, unless it was used for teaching
        meanwhile.
        """
        tried = self.previews.current()
        known = (*((tried.site,) if tried is not None else ()), *self.sites)
        taught = {get_host(stop.url) for stop in self.lessons.lesson().stops.values()}
        return next((site for site in known if get_host(site) not in taught), next(iter(known), None))


@dataclass(frozen=True, slots=True)
class Board:
    """Renders pages; all of them are below `root`, a URL nobody else knows."""

    renderer: Renderer
    root: str

    def page(self, template: str, *, status: int = 200, **values: object) -> Response:
        answer = self.renderer.page(template, status=status, root=self.root, **values)
        answer.headers["Cache-Control"] = "no-store"
        return answer

    def to(self, place: str, **said: str) -> Response:
        """Redirect to another teaching page."""
        words = {name: value for name, value in said.items() if value}
        return RedirectResponse(
            f"{self.root}{place}" + (f"?{urlencode(words)}" if words else ""), status_code=303
        )

    def to_stop(self, stop: int, **said: str) -> Response:
        return self.to(f"/stop/{stop}", **said)


def read_address(typed: str) -> Url | None:
    """The URL that was typed, with or without http://; None if it is not a URL."""
    return canonical(typed if "://" in typed else f"http://{typed}") if typed else None
