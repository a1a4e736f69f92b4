"""Shows, after each example, what the spider would do on another site."""

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from portico.errors import ConfigError
from portico.serve.contributions.forms import Form, clean_line, post
from portico.serve.teach.classroom import Board, Classroom, read_address
from portico.text.urls import get_path
from portico.types.lesson import Act, ActKind, Lesson
from portico.types.page import Url
from portico.types.path import Ending, KeptModel, Preview, PreviewedFetch

AGAIN_MS = 800  # milliseconds between refreshes of a running preview

_LONGEST_ADDRESS = 2_000
GOAL = "goal"
_CALLED = {GOAL: "a goal", "fail": "leads nowhere", "between": "on the way"}
_ENDINGS = {"goal": Ending.GOAL, "dead end": Ending.DEAD_END}


@dataclass(frozen=True, slots=True)
class FetchLine:
    """One fetch of a preview, as shown to the teacher."""

    number: int
    url: Url
    words: str  # of the link
    title: str
    share: int  # of the best score, in percent: how long its bar is
    score: str
    promised: str
    found: str
    is_goal: bool
    percent: int  # confidence in that
    trouble: str
    said: str  # the teacher's own answer for this page, if any


@dataclass(frozen=True, slots=True)
class TryingRoom:
    """The endpoints for previews. A preview starts with learning, and its fetches can be judged page by
    page.
    """

    room: Classroom
    board: Board

    def routes(self) -> list[Route]:
        root = self.board.root
        return [
            Route(f"{root}/try", self.show),
            post(f"{root}/try", self.start),
            post(f"{root}/try/{{number:int}}", self.judge),
            post(f"{root}/keep", self.keep),
        ]

    def show(self, request: Request) -> Response:
        return self._page()

    def start(self, request: Request, form: Form) -> Response:
        typed = clean_line(form.get("address", ""), _LONGEST_ADDRESS)
        site = read_address(typed)
        if site is None:
            return self._page(trouble=f"“{typed}” is not a URL.", typed=typed)
        try:
            self.room.previews.start(site)
        except ConfigError as error:
            return self._page(trouble=f"Nothing was tried: {error}.", typed=typed)
        return self.board.to("/try")

    def judge(self, request: Request, form: Form) -> Response:
        """Say whether a page the spider fetched is a goal or a dead end. The path to it becomes an
        example, or is opened for editing.
        """
        preview = self.room.previews.current()
        way = preview.way(request.path_params["number"]) if preview is not None else ()
        ending = form.get("ending", "")
        if preview is None or not way or way[-1].trouble or ending not in ("", *_ENDINGS):
            raise HTTPException(400, "There is no such page in the preview any more. Look at it again.")
        stop = self._retrace(way)
        if not ending:
            return self.board.to_stop(stop)
        self.room.lessons.add(Act(ActKind.ENDED, stop, words=_ENDINGS[ending], at=self.room.now()))
        return self.board.to("/try")

    def keep(self, request: Request, form: Form) -> Response:
        try:
            return self._page(kept=self.room.previews.keep())
        except ConfigError as error:
            return self._page(trouble=f"Nothing was kept: {error}.")

    def _retrace(self, way: tuple[PreviewedFetch, ...]) -> int:
        """Follow the spider's path as if by clicking. Returns the id of the last stop."""
        lesson, at = self.room.lessons.lesson(), 0
        for fetch in way:
            url = self.room.look(fetch.url).url
            if at:
                known = lesson.already(at, url)
                act = Act(ActKind.FOLLOWED, at, url, fetch.link, at=self.room.now())
            else:
                known = next((stop for stop in lesson.beginnings if stop.url == url), None)
                act = Act(ActKind.OPENED, url=url, at=self.room.now())
            at = known.id if known is not None else self.room.lessons.add(act)
        return at

    def _page(self, *, trouble: str = "", typed: str = "", kept: KeptModel | None = None) -> Response:
        preview = self.room.previews.current()
        lesson = self.room.lessons.lesson()
        return self.board.page(
            "teach_try.html",
            status=400 if trouble else 200,
            preview=preview,
            lines=_lines(preview, lesson) if preview is not None else (),
            outdated=preview is not None and preview.finished and preview.n_examples != len(lesson.examples),
            at=lesson.stops.get(lesson.at),
            typed=typed or (preview.site if preview is not None else self.room.site_to_try()) or "",
            again_ms=AGAIN_MS,
            trouble=trouble,
            kept=kept,
        )


def _in_words(label: str, names: Mapping[str, str]) -> str:
    """What a page is classified as: a goal, nothing, or a number of links from a goal, like pages the
    teacher named.
    """
    if label.isdecimal():
        like = f" like “{names[label]}”" if label in names else ""
        return f"{label} link{'' if label == '1' else 's'} from a goal{like}"
    return _CALLED.get(label, f"“{label}”") if label else ""


def _lines(preview: Preview, lesson: Lesson) -> tuple[FetchLine, ...]:
    best = max((fetch.score for fetch in preview.fetches), default=0.0) or 1.0
    said = {stop.url: stop.ending for stop in lesson.examples}
    likeliest = preview.likeliest if preview.finished else None
    names = dict(preview.names)
    return tuple(
        FetchLine(
            number=number,
            url=fetch.url,
            words=fetch.link.link.anchor if fetch.link is not None else "",
            title=fetch.title or get_path(fetch.url),
            share=round(100 * max(0.0, fetch.score) / best),
            score=f"{fetch.score:.2f}",
            promised=_in_words(fetch.promised, names),
            found="the likeliest goal here" if number == likeliest else _in_words(fetch.found, names),
            is_goal=fetch.found == GOAL or number == likeliest,
            percent=round(100 * (fetch.goal if number == likeliest else fetch.chance)),
            trouble=fetch.trouble,
            said=said.get(fetch.url) or "",
        )
        for number, fetch in enumerate(preview.fetches)
    )
