"""Draws a paper's neighborhood in the citation graph by year, from what it cites to what cites it."""

import math
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from portico.serve.languages import translate, translate_count
from portico.serve.page_parts import PaperCard, shorten
from portico.text.names import parse_name

# Papers of each kind that are drawn: the most cited ones.
MOST_NODES = 12

# Units of the picture, which is scaled by the page.
_WIDTH, _EDGE, _ROW, _AXIS = 760, 22, 25, 24
_GAP = 11  # between a dot and its label
_LETTER, _YEAR_ROOM = 6.6, 44  # width of a letter, and of a year at the foot
_SMALLEST, _LARGEST = 3.5, 9.0  # radius of the dots
_LONGEST_NAME = 24


@dataclass(frozen=True, slots=True)
class Node:
    """A paper near this one: a dot, its label, and the line that connects it to this paper."""

    url: str
    label: str  # first author and year; the title of a paper that has neither
    title: str
    is_citing: bool
    x: int
    y: int
    radius: float
    text_x: int
    anchor: str  # SVG text-anchor of the label: whether it starts or ends at text_x
    line: str  # an SVG path


@dataclass(frozen=True, slots=True)
class CitationMap:
    """The drawing; `summary` says the same in words."""

    width: int
    height: int
    here: tuple[int, int]
    years: tuple[tuple[int, str], ...]  # labels at the bottom, with their x coordinates
    nodes: tuple[Node, ...]  # in order of year, cited papers before citing ones
    summary: str


@dataclass(frozen=True, slots=True)
class _Dot:
    card: PaperCard
    is_citing: bool
    x: int
    words: str
    is_left: bool  # whether the label is left of the dot

    @property
    def extent(self) -> tuple[float, float]:
        reach = _GAP + _measure(self.words) + _GAP
        return (self.x - reach, self.x + _GAP) if self.is_left else (self.x - _GAP, self.x + reach)


def draw_citation_map(
    cited: Sequence[PaperCard], citing: Sequence[PaperCard], *, title: str, year: str
) -> CitationMap | None:
    """A map of the papers this one cites and is cited by; None if there are none. The years that occur are
    spread evenly from left to right.

    A paper without a year is drawn before all years if it is cited, and after them if it cites.
    """
    left, right = _choose(cited), _choose(citing)
    if not left and not right:
        return None
    known = sorted({card.year for card in (*left, *right) if card.year} | ({year} if year else set()))
    columns = ["", *known, "9999"]
    used = sorted({card.year for card in left} | {card.year or "9999" for card in right} | {year or "9999"})
    columns = [each for each in columns if each in used]
    step = (_WIDTH - 2 * _EDGE) / max(1, len(columns) - 1)
    place = {each: round(_EDGE + number * step) for number, each in enumerate(columns)}
    here_x = place[year or "9999"]
    dots = [_make_dot(card, is_citing=False, x=place[card.year]) for card in left]
    dots += [_make_dot(card, is_citing=True, x=place[card.year or "9999"]) for card in right]
    rows = _assign_rows(dots)
    top = min(0, *rows)
    height = _EDGE + _ROW * (max(0, *rows) - top) + _EDGE + _AXIS
    here = (here_x, _EDGE - _ROW * top)
    return CitationMap(
        _WIDTH,
        height,
        here,
        years=tuple(_space_out((place[each], each) for each in columns if each not in ("", "9999"))),
        nodes=tuple(_make_node(dot, here[1] + _ROW * row, here) for dot, row in zip(dots, rows, strict=True)),
        summary=translate(
            "Citation map of {title}: {cited} first, then {citing}, each from old to new.",
            title=shorten(title, 120),
            cited=translate_count("{n} cited paper", "{n} cited papers", len(left)),
            citing=translate_count("{n} citing paper", "{n} citing papers", len(right)),
        ),
    )


def _choose(cards: Sequence[PaperCard]) -> list[PaperCard]:
    """The most cited of these papers, each once, ordered by year; those without a year come last."""
    once = {card.url: card for card in cards}.values()
    most = sorted(once, key=lambda card: (-card.n_citations, card.title))[:MOST_NODES]
    return sorted(most, key=lambda card: (card.year or "9999", card.title))


def _make_dot(card: PaperCard, *, is_citing: bool, x: int) -> _Dot:
    words = say_who(card) or shorten(card.title, _LONGEST_NAME)
    return _Dot(card, is_citing, x, words, is_left=x + _GAP + _measure(words) > _WIDTH - _GAP)


def _assign_rows(dots: Sequence[_Dot]) -> list[int]:
    """A row for each dot, as close to the row of this paper (row 0, along which the lines run) as its
    label fits.
    """
    taken: dict[int, list[tuple[float, float]]] = {}
    rows = []
    for dot in dots:
        start, end = dot.extent
        row = next(
            row
            for row in (sign * number for number in range(1, len(dots) + 2) for sign in (-1, 1))
            if all(end < other[0] or start > other[1] for other in taken.get(row, ()))
        )
        taken.setdefault(row, []).append((start, end))
        rows.append(row)
    return rows


def _make_node(dot: _Dot, y: int, here: tuple[int, int]) -> Node:
    halfway = (dot.x + here[0]) // 2
    return Node(
        url=f"{dot.card.url}#map",
        label=dot.words,
        title=dot.card.title,
        is_citing=dot.is_citing,
        x=dot.x,
        y=y,
        radius=round(min(_LARGEST, _SMALLEST + math.log1p(dot.card.n_citations)), 1),
        text_x=dot.x - _GAP if dot.is_left else dot.x + _GAP,
        anchor="end" if dot.is_left else "start",
        line=f"M{dot.x} {y}C{halfway} {y} {halfway} {here[1]} {here[0]} {here[1]}",
    )


def _space_out(years: Iterable[tuple[int, str]]) -> Iterable[tuple[int, str]]:
    """The years whose labels fit beside each other."""
    reached = -_YEAR_ROOM
    for x, year in years:
        if x - reached >= _YEAR_ROOM:
            reached = x
            yield x, year


def say_who(card: PaperCard) -> str:
    """A short reference to a paper: the first author's surname and the year."""
    surname = shorten(parse_name(card.authors[0].text).surname, _LONGEST_NAME) if card.authors else ""
    others = " et al." if len(card.authors) > 1 else ""
    return " ".join(part for part in (surname + others, card.year) if part)


def _measure(words: str) -> float:
    """The approximate width of words. Chinese and Japanese characters count twice."""
    return _LETTER * sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in words)
