"""The neighborhood of a paper in the citation graph as a picture: what it cites left, who cites it right."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from portico.serve.describe import Card, shortened
from portico.text.names import parse_name

# Papers on each side: what fits on a screen beside its lines. The most cited are shown.
MOST_NODES = 12

# Units of the picture, which is scaled by the page.
_WIDTH, _STEP, _MARGIN = 760, 26, 22
_LEFT, _MIDDLE, _RIGHT = 300, 380, 460
_GAP = 12  # between a dot and its words
_SMALLEST, _LARGEST = 3.0, 9.0  # of the dots
_LONGEST_LABEL = 44  # characters that fit beside a dot at the size of the style sheet


@dataclass(frozen=True, slots=True)
class Node:
    """A paper near this one: a dot, its words, and the line to the middle."""

    url: str
    label: str
    title: str
    x: int
    y: int
    radius: float
    text_x: int
    anchor: str  # of the words: where they begin or end
    line: str  # an SVG path


@dataclass(frozen=True, slots=True)
class CitationMap:
    """The picture; `summary` says the same in words."""

    width: int
    height: int
    middle: tuple[int, int]
    nodes: tuple[Node, ...]
    summary: str


def citation_map(cited: Sequence[Card], citing: Sequence[Card], *, title: str) -> CitationMap | None:
    """None where nothing is linked. Each side is ordered by year, the oldest on top."""
    left, right = _chosen(cited), _chosen(citing)
    if not left and not right:
        return None
    height = 2 * _MARGIN + _STEP * (max(len(left), len(right)) - 1)
    middle = (_MIDDLE, height // 2)
    summary = (
        f"Citation map of {shortened(title, 120)}: {len(left)} cited papers on the left, "
        f"{len(right)} citing papers on the right, each side from old to new."
    )
    nodes = _side(left, _LEFT, "end", height) + _side(right, _RIGHT, "start", height)
    return CitationMap(_WIDTH, height, middle, nodes, summary)


def _chosen(cards: Sequence[Card]) -> list[Card]:
    """Each paper once, the most cited, in order of year; those without a year at the end."""
    once = {card.url: card for card in cards}.values()
    most = sorted(once, key=lambda card: (-card.n_citations, card.title))[:MOST_NODES]
    return sorted(most, key=lambda card: (card.year or "9999", card.title))


def _side(cards: Sequence[Card], x: int, anchor: str, height: int) -> tuple[Node, ...]:
    top = (height - _STEP * (len(cards) - 1)) // 2
    outward = -1 if anchor == "end" else 1
    nodes = []
    for place, card in enumerate(cards):
        y = top + place * _STEP
        halfway = (x + _MIDDLE) // 2
        nodes.append(
            Node(
                url=f"{card.url}#map",
                label=shortened(_label(card), _LONGEST_LABEL),
                title=card.title,
                x=x,
                y=y,
                radius=round(min(_LARGEST, _SMALLEST + math.log1p(card.n_citations)), 1),
                text_x=x + outward * _GAP,
                anchor=anchor,
                line=f"M{x} {y}C{halfway} {y} {halfway} {height // 2} {_MIDDLE} {height // 2}",
            )
        )
    return tuple(nodes)


def _label(card: Card) -> str:
    """Who and when as papers are spoken of, then the title."""
    surname = parse_name(card.authors[0].text).surname if card.authors else ""
    others = " et al." if len(card.authors) > 1 else ""
    return " ".join(part for part in (surname + others, card.year, card.title) if part)
