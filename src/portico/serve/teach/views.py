"""Teaching paths: the builder browses sites inside the portal and marks where each path leads."""

from dataclasses import dataclass
from functools import partial
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from portico.errors import ConfigError, FetchError
from portico.serve.contributions.forms import Form, clean_line, post
from portico.serve.teach.classroom import Board, Classroom, read_address
from portico.serve.teach.pages import (
    label,
    list_examples,
    list_path_lines,
    list_unseen_links,
    make_warning,
    number_of,
    render_outline,
    suggest_names,
)
from portico.text.urls import canonical
from portico.text.words import find_nearest
from portico.types.lesson import Act, ActKind, Lesson, Stop
from portico.types.page import Url
from portico.types.path import Ending

_LONGEST_NAME = 40  # characters
_LONGEST_ADDRESS = 2_000

# Messages about what the last click did, if the page does not show it anyway.
_NOTES: dict[str, str] = {
    "loop": "This page is already on your path, so you are back at that point.",
    "goal": "Kept as an example: this path leads to what you are looking for.",
    "dead": "Kept as an example: this path leads nowhere.",
    ActKind.OPENED: "Undone: opening the site.",
    ActKind.FOLLOWED: "Undone: following the link.",
    ActKind.NAMED: "Undone: the name of this page.",
    ActKind.ENDED: "Undone: your answer for this page.",
    "nothing": "There is nothing to undo.",
    "taken": "Goals and dead ends are not named: say “This is it” or “Dead end” instead.",
    "removed": "The example was removed; its path is still here.",
}


_TAKEN = ("goal", "fail", "dead end")  # reserved: they mean the same as the two answers
_AFTER = {Ending.GOAL.value: "goal", Ending.DEAD_END.value: "dead", "": "removed"}


@dataclass(frozen=True, slots=True)
class TeachingRoom:
    """The endpoints for browsing, naming pages, ending paths and undoing. Every click is stored at once."""

    room: Classroom
    board: Board

    def routes(self) -> list[Route]:
        root = self.board.root
        return [
            Route(f"{root}/", self.begin),
            Route(f"{root}/stop/{{id:int}}", self.stop),
            Route(f"{root}/go", self.go),
            post(f"{root}/open", self.open),
            post(f"{root}/stop/{{id:int}}/name", self.name),
            post(f"{root}/stop/{{id:int}}/end", self.end),
            post(f"{root}/undo", self.undo),
        ]

    def begin(self, request: Request) -> Response:
        """The start page: sites to begin with, and what was taught so far."""
        return self._begin(note=_NOTES.get(request.query_params.get("note", ""), ""))

    def stop(self, request: Request) -> Response:
        lesson = self.room.lessons.lesson()
        stop = _stop(lesson, request.path_params["id"])
        asked = request.query_params
        offer = asked.get("meant", "")
        return self._shown(
            lesson,
            stop,
            note=_NOTES.get(asked.get("note", ""), ""),
            meant=offer if offer in lesson.milestones and offer != stop.milestone else "",
        )

    def go(self, request: Request) -> Response:
        """Follow a link of a page. Repeating the request changes nothing, so it can be an ordinary link."""
        lesson = self.room.lessons.lesson()
        stop = _stop(lesson, number_of(request.query_params.get("from", "")))
        target = canonical(request.query_params.get("to", ""))
        try:
            here = self.room.look(stop.url)
            link = next((each for each in here.view.sightings if each.link.target == target), None)
            if link is None:
                raise HTTPException(400, "The page has no such link; it may have changed. Load it again.")
            found = self.room.look(link.link.target)
        except FetchError as error:
            trouble = f"{target} cannot be shown: {error}. Your path is as it was."
            return self._shown(lesson, stop, trouble=trouble)
        known = lesson.already(stop.id, found.url)
        if known is not None:
            note = "loop" if known in lesson.way(stop.id) else ""
            return self.board.to_stop(known.id, note=note)
        act = Act(ActKind.FOLLOWED, stop.id, found.url, link, at=self.room.now())
        return self.board.to_stop(self.room.lessons.add(act))

    def open(self, request: Request, form: Form) -> Response:
        """Start a path at a URL, or continue the path that starts there already."""
        typed = clean_line(form.get("address", ""), _LONGEST_ADDRESS)
        url = read_address(typed)
        if url is None:
            return self._begin(trouble=f"“{typed}” is not a URL.", typed=typed)
        try:
            found = self.room.look(url)
        except FetchError as error:
            return self._begin(trouble=f"{url} cannot be shown: {error}.", typed=typed)
        known = (each for each in self.room.lessons.lesson().beginnings if each.url == found.url)
        stop = next(known, None)
        if stop is not None:
            return self.board.to_stop(stop.id)
        return self.board.to_stop(
            self.room.lessons.add(Act(ActKind.OPENED, url=found.url, at=self.room.now()))
        )

    def name(self, request: Request, form: Form) -> Response:
        """Name a page. A name that differs from one in use only in case counts as that name."""
        lesson = self.room.lessons.lesson()
        stop = _stop(lesson, request.path_params["id"])
        typed = clean_line(form.get("name", ""), _LONGEST_NAME)
        if typed.casefold() in _TAKEN:
            return self.board.to_stop(stop.id, note="taken")
        others = [name for name in lesson.milestones if name != stop.milestone]
        name = next((known for known in others if known.casefold() == typed.casefold()), typed)
        meant = find_nearest(name, others) if name and name not in others else None
        if name != stop.milestone:
            self.room.lessons.add(Act(ActKind.NAMED, stop.id, words=name, at=self.room.now()))
        return self.board.to_stop(stop.id, meant=meant or "")

    def end(self, request: Request, form: Form) -> Response:
        """Set what the last page of a path is, or undo that."""
        stop = _stop(self.room.lessons.lesson(), request.path_params["id"])
        ending = form.get("ending", "")
        if ending not in _AFTER:
            raise HTTPException(400, "A path ends at a goal or at a dead end.")
        if ending != (stop.ending or ""):
            self.room.lessons.add(Act(ActKind.ENDED, stop.id, words=ending, at=self.room.now()))
        site = self.room.site_to_try()
        if site is None or not ending:
            return self.board.to_stop(stop.id, note=_AFTER[ending])
        try:
            self.room.previews.start(site)
        except ConfigError:  # only dead ends so far
            return self.board.to_stop(stop.id, note=_AFTER[ending])
        return self.board.to("/try")

    def undo(self, request: Request, form: Form) -> Response:
        undone = self.room.lessons.undo()
        at = self.room.lessons.lesson().at
        note = undone.kind if undone is not None else "nothing"
        return self.board.to_stop(at, note=note) if at else self.board.to("/", note=note)

    def _begin(self, *, note: str = "", trouble: str = "", typed: str = "") -> Response:
        lesson = self.room.lessons.lesson()
        return self.board.page(
            "teach.html",
            status=400 if trouble else 200,
            examples=list_examples(lesson),
            at=lesson.stops.get(lesson.at),
            label=label,
            sites=self.room.sites,
            note=note,
            trouble=trouble,
            typed=typed,
            n_stops=len(lesson.stops),
        )

    def _shown(
        self, lesson: Lesson, stop: Stop, *, note: str = "", trouble: str = "", meant: str = ""
    ) -> Response:
        """A web page next to the teaching panel."""
        try:
            shown = self.room.look(stop.url)
        except FetchError as error:
            return self._begin(trouble=f"{stop.url} cannot be shown any more: {error}.")
        address = partial(_go, self.board.root, stop.id)
        return self.board.page(
            "teach_page.html",
            stop=stop,
            title=shown.view.title or label(stop),
            page=render_outline(shown.outline, address),
            cut=shown.outline.cut,
            unseen=list_unseen_links(shown.outline, address),
            warning=make_warning(shown),
            path=list_path_lines(lesson, stop.id),
            names=suggest_names(lesson),
            examples=list_examples(lesson),
            note=note,
            trouble=trouble,
            meant=meant,
        )


def _go(root: str, stop: int, target: Url) -> str:
    return f"{root}/go?from={stop}&to={quote(target, safe='')}"


def _stop(lesson: Lesson, number: int) -> Stop:
    stop = lesson.stops.get(number)
    if stop is None:
        raise HTTPException(404, "This page is not part of the lesson any more: it was undone.")
    return stop
