"""Marking fields on a page, which is shown as the extractor reads it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from portico.errors import ConfigError, InputError, PortalBusy
from portico.serve.contributions.forms import Form, clean_line, post
from portico.serve.escaping import strip_hidden
from portico.serve.teach.classroom import Board, Classroom, read_address
from portico.serve.teach.pages import number_of
from portico.types.document import Document, Span
from portico.types.lesson import AlikePage, FieldMark, Lesson, LessonOutcome
from portico.types.page import BodyHash, Url
from portico.types.path import Ending
from portico.types.record import Record

MOST_LINES = 2_000
"""Maximum lines shown of a page; the rest can be marked on other pages."""

_LONGEST_SHOWN = 80  # characters of a mark in the list


@dataclass(frozen=True, slots=True)
class PartView:
    """A piece of a line, either marked as a field or not."""

    text: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class LineView:
    """A line of the page and its start position."""

    number: int
    start: int
    parts: tuple[PartView, ...]


@dataclass(frozen=True, slots=True)
class MarkLine:
    """One mark in the list of all marks."""

    number: int
    label: str
    text: str
    page: Url


@dataclass(frozen=True, slots=True)
class ReadField:
    """A value the extractor read, with its confidence."""

    name: str
    value: str
    percent: int
    number: int | None = None  # for confirming it; None if it is already marked or not printed


@dataclass(frozen=True, slots=True)
class RecordView:
    """A record the extractor read."""

    kind: str
    fields: tuple[ReadField, ...]


@dataclass(frozen=True, slots=True)
class ProposedMark:
    """A value that was read, and the mark that would confirm it."""

    number: int
    mark: FieldMark


def make_line_views(document: Document, marks: Sequence[FieldMark]) -> tuple[LineView, ...]:
    here = sorted((mark.start, mark.end, mark.label) for mark in marks if mark.body == BodyHash(document.id))
    return tuple(
        LineView(number, line.span.start, _parts(document.text, line.span, here))
        for number, line in enumerate(document.lines[:MOST_LINES], start=1)
    )


def mark_lines(marks: Sequence[FieldMark]) -> tuple[MarkLine, ...]:
    """All marks, the latest first."""
    lines = [
        MarkLine(number, mark.label, mark.text[:_LONGEST_SHOWN], mark.page)
        for number, mark in enumerate(marks, start=1)
    ]
    return tuple(reversed(lines))


def record_views(
    records: Sequence[Record], proposals: Mapping[tuple[int, int], ProposedMark]
) -> tuple[RecordView, ...]:
    return tuple(
        RecordView(
            record.kind,
            tuple(
                ReadField(
                    field.name,
                    field.value,
                    round(100 * field.confidence),
                    proposed.number if (proposed := proposals.get((idx, place))) else None,
                )
                for place, field in enumerate(record.fields)
            ),
        )
        for idx, record in enumerate(records)
    )


def _parts(text: str, line: Span, marks: Sequence[tuple[int, int, str]]) -> tuple[PartView, ...]:
    """The line split at the starts and ends of marks, which do not overlap."""
    parts: list[PartView] = []
    at = line.start
    for start, end, label in marks:
        if end <= line.start or start >= line.end:
            continue
        start, end = max(start, line.start), min(end, line.end)
        if start > at:
            parts.append(PartView(_shown(text[at:start])))
        parts.append(PartView(_shown(text[start:end]), label))
        at = end
    if at < line.end:
        parts.append(PartView(_shown(text[at : line.end])))
    return tuple(parts)


def _shown(text: str) -> str:
    """The text made safe to show, with the same number of characters: selections are character offsets."""
    return text if text.isascii() and text.isprintable() else "".join(map(_one, text))


def _one(character: str) -> str:
    return str(strip_hidden(character)) or "\N{REPLACEMENT CHARACTER}"


_LONGEST_ADDRESS = 2_000
_LONGEST_PASSAGE = 2_000  # characters; an abstract has fewer

_NOTES = {
    "marked": "Marked.",
    "removed": "The mark was removed.",
    "undone": "The last mark was undone.",
    "nothing": "There is no mark to undo.",
    "none": "Nothing was ticked, so nothing was marked.",
}


@dataclass(frozen=True, slots=True)
class MarkingRoom:
    """The endpoints for marking. Marks are spans of the converted page, which is what the extractor
    learns from.
    """

    room: Classroom
    board: Board

    def routes(self) -> list[Route]:
        root = self.board.root
        return [
            Route(f"{root}/fields", self.show),
            post(f"{root}/fields/mark", self.mark),
            post(f"{root}/fields/remove", self.remove),
            post(f"{root}/fields/undo", self.undo),
            post(f"{root}/fields/learn", self.learn),
            post(f"{root}/fields/confirm", self.confirm),
            post(f"{root}/fields/alike", self.show_alike),
            post(f"{root}/fields/alike/mark", self.mark_alike),
        ]

    def show(self, request: Request) -> Response:
        """The page at a URL with its marks, and beside it what is currently read from it."""
        asked = request.query_params
        typed = clean_line(asked.get("page", ""), _LONGEST_ADDRESS)
        note = _NOTES.get(asked.get("note", ""), "")
        if not self.room.fields.labels:
            raise HTTPException(404, "This portal reads no fields from web pages: there is nothing to mark.")
        if not typed:
            return self._page(None, note=note)
        url = read_address(typed)
        if url is None:
            return self._page(None, trouble=f"“{typed}” is not a URL.")
        return self._page(url, note=note)

    def mark(self, request: Request, form: Form) -> Response:
        """Store a mark: a span of the page, or words of a numbered line."""
        url, document = self._document(form)
        label = form.get("label", "")
        if label not in self.room.fields.labels:
            return self._page(url, trouble="Choose a field.", status=400)
        span = _span(document, form)
        if span is None:
            return self._page(url, trouble=_NOT_THERE, status=400)
        words = document.text[span.start : span.end]
        mark = FieldMark(url, BodyHash(document.id), label, span.start, span.end, words)
        self.room.marks.add(mark, at=self.room.now())
        return self._back(url, note="marked")

    def remove(self, request: Request, form: Form) -> Response:
        number = number_of(form.get("mark", ""))
        marks = self.room.marks.all()
        if not 0 < number <= len(marks):
            raise HTTPException(400, "There is no such mark any more.")
        self.room.marks.remove(marks[number - 1])
        return self._back(Url(form.get("page", "")), note="removed")

    def undo(self, request: Request, form: Form) -> Response:
        undone = self.room.marks.undo()
        page = undone.page if undone is not None else Url(form.get("page", ""))
        return self._back(page, note="undone" if undone else "nothing")

    def learn(self, request: Request, form: Form) -> Response:
        url = read_address(clean_line(form.get("page", ""), _LONGEST_ADDRESS))
        try:
            outcome = self.room.fields.learn()
        except ConfigError as error:
            return self._page(url, trouble=f"Nothing was learned: {error}.", status=400)
        except PortalBusy as error:
            said = f"Nothing was learned yet: {error}. Your marks are kept; learn when it has ended."
            return self._page(url, trouble=said, status=503)
        return self._page(url, outcome=outcome)

    def confirm(self, request: Request, form: Form) -> Response:
        """Mark all values that were read and confirmed as right."""
        url, _ = self._document(form)
        chosen = [each for each in self._propose(url).values() if form.get(f"value-{each.number}")]
        return self._mark_all(url, [each.mark for each in chosen])

    def show_alike(self, request: Request, form: Form) -> Response:
        """Show what would be marked on other pages in the same places."""
        url, _ = self._document(form)
        return self._page(url, alike=self.room.fields.find_alike(url))

    def mark_alike(self, request: Request, form: Form) -> Response:
        """Mark the same places on the other pages that were confirmed as right."""
        url, _ = self._document(form)
        chosen = {value for name, value in form.items() if name.startswith("page-")}
        pages = [page for page in self.room.fields.find_alike(url) if page.url in chosen]
        return self._mark_all(url, [mark for page in pages for mark in page.marks])

    def _mark_all(self, url: Url, marks: Sequence[FieldMark]) -> Response:
        for mark in marks:
            self.room.marks.add(mark, at=self.room.now())
        return self._back(url, note="marked" if marks else "none")

    def _propose(self, url: Url) -> dict[tuple[int, int], ProposedMark]:
        """The values that can be confirmed, by record and field: those that are printed and not marked
        yet.
        """
        marked = {(mark.body, mark.start, mark.end, mark.label) for mark in self.room.marks.all()}
        found: dict[tuple[int, int], ProposedMark] = {}
        for idx, record in enumerate(self.room.fields.records(url)):
            for place, field in enumerate(record.fields):
                mark = self.room.fields.make_mark(url, record.kind, field)
                if mark is not None and (mark.body, mark.start, mark.end, mark.label) not in marked:
                    found[idx, place] = ProposedMark(len(found) + 1, mark)
        return found

    def _document(self, form: Form) -> tuple[Url, Document]:
        url = read_address(clean_line(form.get("page", ""), _LONGEST_ADDRESS))
        if url is None:
            raise HTTPException(400, "The form names no page.")
        try:
            return url, self.room.fields.read(url)
        except InputError as error:
            raise HTTPException(400, f"{url} cannot be read: {error}.") from error

    def _back(self, page: Url, **said: str) -> Response:
        return self.board.to("/fields", page=page, **said)

    def _page(
        self,
        url: Url | None,
        *,
        note: str = "",
        trouble: str = "",
        status: int = 200,
        outcome: LessonOutcome | None = None,
        alike: Sequence[AlikePage] | None = None,
    ) -> Response:
        document, records, proposals = None, None, {}
        try:
            if url is not None:
                document = self.room.fields.read(url)
                records, proposals = self.room.fields.records(url), self._propose(url)
        except InputError as error:
            trouble, status = f"{url} cannot be read: {error}.", 400
        marks = self.room.marks.all()
        lesson = self.room.lessons.lesson()
        return self.board.page(
            "teach_fields.html",
            status=status,
            url=url or "",
            lines=make_line_views(document, marks) if document is not None else (),
            marks=mark_lines(marks),
            n_pages=len({mark.body for mark in marks}),
            labels=self.room.fields.labels,
            records=record_views(records, proposals) if records is not None else None,
            n_proposals=len(proposals),
            is_marked=document is not None and any(mark.body == BodyHash(document.id) for mark in marks),
            alike=alike,
            pages=_goals(lesson),
            note=note,
            trouble=trouble,
            outcome=outcome,
            next_page=self.room.fields.find_next_page(),
        )


def _goals(lesson: Lesson) -> tuple[Url, ...]:
    """The latest pages that were marked as goals of a path."""
    goals = (stop.url for stop in reversed(lesson.examples) if stop.ending is Ending.GOAL)
    return tuple(dict.fromkeys(goals))[:_MOST_PAGES]


_MOST_PAGES = 8  # offered to be marked
_NOT_THERE = "These words are not there. Select them on the page, or copy them from the line."


def _span(document: Document, form: Form) -> Span | None:
    """The span that a form selects, without surrounding white space; None if it is empty."""
    text = document.text
    if form.get("start") and form.get("end"):
        start, end = number_of(form["start"]), number_of(form["end"])
    else:
        line_number, words = number_of(form.get("line", "")), " ".join(form.get("words", "").split())
        if not 0 < line_number <= len(document.lines):
            return None
        line = document.lines[line_number - 1].span
        at = text.find(words, line.start, line.end)
        start, end = (at, at + len(words)) if words else (line.start, line.end)
    if not 0 <= start < end <= len(text) or end - start > _LONGEST_PASSAGE:
        return None
    return Span(start, end).trim(text)
