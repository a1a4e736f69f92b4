"""Draws a paper's neighborhood in the citation graph: cited papers on the left, citing papers on the right.

Where the page is narrow the same papers stand on one line, from what is cited at the top to who cites at
the foot.
"""

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from portico.serve.page_parts import PaperCard, shorten
from portico.text.names import parse_name

# Papers on each side: what fits on a screen beside its lines. The most cited are shown.
MOST_NODES = 12

# Units of the picture, which is scaled by the page.
_WIDTH, _STEP, _MARGIN = 760, 26, 22
_MIDDLE, _REACH = 380, 80  # where this paper is, and how far from it the others are
_EDGE = 60  # where it is if all others are on one side
_GAP = 12  # between a dot and its words
_SMALLEST, _LARGEST = 3.0, 9.0  # of the dots
_LONGEST_NAME, _LONGEST_LABEL, _LONGEST_ALONE = (
    20,
    46,
    96,
)  # letters that fit beside a dot at the size of the style sheet


@dataclass(frozen=True, slots=True)
class Node:
    """A paper near this one: a dot, its words, and the line to the middle."""

    url: str
    who: str  # and when, as papers are spoken of
    label: str  # as much of the title as has room behind that
    title: str
    x: int
    y: int
    radius: float
    size: int  # of the dot where the style sheet draws it: the radius in whole numbers
    text_x: int
    anchor: str  # of the words: where they begin or end
    line: str  # an SVG path


@dataclass(frozen=True, slots=True)
class CitationMap:
    """The picture; `summary` says the same in words."""

    width: int
    height: int
    middle: tuple[int, int]
    cited: tuple[Node, ...]
    citing: tuple[Node, ...]
    summary: str


def draw_citation_map(
    cited: Sequence[PaperCard], citing: Sequence[PaperCard], *, title: str
) -> CitationMap | None:
    """None where nothing is linked. Each side is ordered by year, the oldest on top."""
    left, right = _chosen(cited), _chosen(citing)
    if not left and not right:
        return None
    height = 2 * _MARGIN + _STEP * (max(len(left), len(right)) - 1)
    middle = (_MIDDLE if left and right else _EDGE if right else _WIDTH - _EDGE, height // 2)
    room = _LONGEST_LABEL if left and right else _LONGEST_ALONE
    return CitationMap(
        _WIDTH,
        height,
        middle,
        cited=_side(left, middle, "end", room),
        citing=_side(right, middle, "start", room),
        summary=f"Citation map of {shorten(title, 120)}: {_counted(len(left), 'cited')} first, "
        f"then {_counted(len(right), 'citing')}, each from old to new.",
    )


def _counted(n_papers: int, kind: str) -> str:
    return f"{n_papers} {kind} {'paper' if n_papers == 1 else 'papers'}"


def _chosen(cards: Sequence[PaperCard]) -> list[PaperCard]:
    """Each paper once, the most cited, in order of year; those without a year at the end."""
    once = {card.url: card for card in cards}.values()
    most = sorted(once, key=lambda card: (-card.n_citations, card.title))[:MOST_NODES]
    return sorted(most, key=lambda card: (card.year or "9999", card.title))


def _side(cards: Sequence[PaperCard], middle: tuple[int, int], anchor: str, room: int) -> tuple[Node, ...]:
    outward = -1 if anchor == "end" else 1
    x, top = middle[0] + outward * _REACH, middle[1] - _STEP * (len(cards) - 1) // 2
    halfway = (x + middle[0]) // 2
    nodes = []
    for place, card in enumerate(cards):
        y = top + place * _STEP
        radius = min(_LARGEST, _SMALLEST + math.log1p(card.n_citations))
        who = say_who(card)
        nodes.append(
            Node(
                url=f"{card.url}#map",
                who=who,
                label=_fitting(f"{who} {card.title}", room).removeprefix(who).strip(),
                title=card.title,
                x=x,
                y=y,
                radius=round(radius, 1),
                size=round(radius),
                text_x=x + outward * _GAP,
                anchor=anchor,
                line=f"M{x} {y}C{halfway} {y} {halfway} {middle[1]} {middle[0]} {middle[1]}",
            )
        )
    return tuple(nodes)


def say_who(card: PaperCard) -> str:
    """Who and when, as papers are spoken of."""
    surname = shorten(parse_name(card.authors[0].text).surname, _LONGEST_NAME) if card.authors else ""
    others = " et al." if len(card.authors) > 1 else ""
    return " ".join(part for part in (surname + others, card.year) if part)


def _fitting(words: str, room: int) -> str:
    """As much as has room beside a dot; Chinese and Japanese take two places a letter."""
    widths = (2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in words)
    return shorten(words, sum(reached <= room for reached in accumulate(widths)))
