"""Finds the counterparts of marked words on other pages with the same layout."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from portico.extract.announcements import find_columns, find_leads
from portico.extract.page_context import read_announcement
from portico.extract.page_rows import read_page_rows
from portico.extract.words import Row
from portico.text.names import fold
from portico.types.document import Document, Span

Passage = tuple[Span, str]
"""A span of words on a page, and the field it is labeled as."""


@dataclass(frozen=True, slots=True)
class MarkedPlace:
    """Where marked words stand on a page, described so as to find the same place on a similar page."""

    label: str
    cue: str  # the label printed for them, or ""
    look: tuple[str, ...]
    number: int  # position among the lines with this look and label
    of: int  # number of these lines
    before: str  # words of the same line that are printed on every page
    behind: str
    is_last: bool  # whether it is the last of them, because lists grow at their end
    is_led: bool  # whether the label is in the same line: "Maker: Ann Bell"


class PageLines:
    """The lines of one page, each with its label ("Maker: …") and its look."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.rows: Sequence[Row] = read_page_rows(document) if document.lines else ()
        leads, columns = find_leads(self.rows), find_columns(self.rows)
        self._cues = [_find_cue(row, leads[idx]) for idx, row in enumerate(self.rows)]
        self._looks = [_describe_look(row, columns.get(idx)) for idx, row in enumerate(self.rows)]

    @property
    def cues(self) -> frozenset[str]:
        """The possible labels of lines on this page; only those that other pages share are used."""
        return frozenset(self._cues)

    def describe(self, passage: Passage, cues: Collection[str]) -> MarkedPlace | None:
        """Return the place of marked words, or None if they do not lie within one line."""
        span, label = passage
        for idx, row in enumerate(self.rows):
            start, end = row.words[0].span.start, row.words[-1].span.end
            if not (start <= span.start and span.end <= end):
                continue
            cue, look = self._cues[idx] if self._cues[idx] in cues else "", self._looks[idx]
            same = self._list_same(cue, look, cues)
            is_led = (
                bool(read_announcement(row.text)[0]) and cue != "" and self._find_start(row) <= span.start
            )
            lead = self._find_start(row) if is_led else start
            before = self.document.text[lead : span.start]
            behind = self.document.text[span.end : end]
            number = same.index(idx)
            is_last = number == len(same) - 1
            return MarkedPlace(label, cue, look, number, len(same), before, behind, is_last, is_led)
        return None

    def find(self, place: MarkedPlace, cues: Collection[str]) -> Span | None:
        """Return the words at that place on this page, or None if it is missing or ambiguous."""
        same = self._list_same(place.cue, place.look, cues)
        if not same and place.cue:  # with another look, but the same label
            same = [idx for idx, cue in enumerate(self._cues) if cue == place.cue]
        if not same:
            return None
        if len(same) == place.of or place.number == 0:
            idx = same[min(place.number, len(same) - 1)]
        elif place.is_last:
            idx = same[-1]
        else:
            return None
        row, text = self.rows[idx], self.document.text
        start = self._find_start(row) if place.is_led else row.words[0].span.start
        end = row.words[-1].span.end
        if place.before.strip() and text.startswith(place.before, start):
            start += len(place.before)
        elif place.before.strip():
            return None
        if place.behind.strip():
            end = text.rfind(place.behind, start, end)
        return Span(start, end).trim(text) if start < end else None

    def _list_same(self, cue: str, look: tuple[str, ...], cues: Collection[str]) -> list[int]:
        return [
            idx
            for idx, each in enumerate(self._cues)
            if (each if each in cues else "") == cue and self._looks[idx] == look
        ]

    def _find_start(self, row: Row) -> int:
        """Return where a line's text begins after its own label."""
        _, n_characters = read_announcement(row.text)
        n_words = len(row.text[:n_characters].split())
        return row.words[min(n_words, len(row.words) - 1)].span.start


def find_alike(taught: Document, passages: Iterable[Passage], other: Document) -> tuple[Passage, ...]:
    """Return the counterparts on `other` of the passages marked on `taught`, without overlaps."""
    here, there = PageLines(taught), PageLines(other)
    return tuple(_find_each(here, there, passages))


def _find_each(here: PageLines, there: PageLines, passages: Iterable[Passage]) -> Iterator[Passage]:
    taken: list[Span] = []
    cues = here.cues & there.cues
    for passage in passages:
        place = here.describe(passage, cues)
        span = there.find(place, cues) if place is not None else None
        if span is None or any(span.start < one.end and one.start < span.end for one in taken):
            continue
        taken.append(span)
        yield span, passage[1]


def _find_cue(row: Row, leads: Sequence[str]) -> str:
    own, _ = read_announcement(row.text)
    return fold(own or next(iter(leads), ""))


def _describe_look(row: Row, column: tuple[int, int] | None) -> tuple[str, ...]:
    """Return the look of a line, without the features that depend on how many such lines there are."""
    told = (look for look in row.looks if not look.startswith(("alike=", "size=")))
    return (*told, f"column={column[0] if column else ''}")
