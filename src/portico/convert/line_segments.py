"""Groups characters into segments: parts of a printed line without a gap as wide as a gutter."""

from dataclasses import dataclass
from itertools import pairwise

from portico.convert.fonts import Typeface
from portico.convert.glyphs import Stroke

# All in ems, that is, in type sizes. Justified lines of TeX shrink the word space of 0.33 em to no less than
# 0.22; kerning and side bearings stay under 0.12.
SPACE_EM = 0.16
# The same if pdfium, which knows the font's own space, detects one too: an italic f leans into the space
# after it.
HINTED_SPACE_EM = 0.06
# A gap this wide may be a gutter between columns (two-column styles leave 1.2 to 2.5 em). Words of a badly
# stretched line may be as far apart, so segments are joined again unless a column is found.
GUTTER_EM = 0.9
# An accent is drawn before its letter: the position moves back by less than one em.
BACKSTEP_EM = 1.05
# Superscripts and subscripts are shifted from the baseline by less than this share of the larger size.
SHIFT_EM = 0.62


@dataclass(slots=True)
class PiecePart:
    """Characters of a piece in one typeface, size and height above the line."""

    text: str
    left: float
    right: float
    baseline: float
    size: float
    typeface: Typeface


@dataclass(slots=True)
class LinePiece:
    """Words close together on one line."""

    left: float
    right: float
    top: float
    bottom: float
    parts: list[PiecePart]
    main: PiecePart  # the part with most ink, which determines the line

    @property
    def width(self) -> float:
        return self.right - self.left


def build_pieces(strokes: list[Stroke]) -> list[LinePiece]:
    """Join strokes that continue each other on the page, and cut them at wide gaps."""
    pieces: list[LinePiece] = []
    last: LinePiece | None = None
    for stroke in strokes:
        for part in _parts(stroke):
            if last is not None and _continues(last, part):
                _append(last, part, stroke)
            else:
                last = LinePiece(part.left, part.right, stroke.top, stroke.bottom, [part], part)
                pieces.append(last)
    return [piece for piece in pieces if not piece.main.text.isspace() or _has_ink(piece)]


def _has_ink(piece: LinePiece) -> bool:
    return any(part.text.strip() for part in piece.parts)


def _parts(stroke: Stroke) -> list[PiecePart]:
    """The stroke cut at wide gaps and backward steps, with a space where a gap implies one."""
    text, start, edges, size = stroke.text, stroke.start, stroke.edges, stroke.size
    lefts, rights = edges.lefts, edges.rights
    end = start + len(text)
    if len(text) == 1:  # formulas are full of them
        return [PiecePart(text, lefts[start], rights[start], stroke.baseline, size, stroke.typeface)]
    back, hinted = -BACKSTEP_EM * size, HINTED_SPACE_EM * size
    gaps = edges.gaps[start : end - 1]
    # Most gaps are none at all: they are passed over with one comparison.
    breaks = [i for i, gap in enumerate(gaps, 1) if not back <= gap <= hinted]
    if breaks:
        space, hints = (SPACE_EM + stroke.bearing) * size, edges.hints
        breaks = [i for i in breaks if not back <= gaps[i - 1] <= space or start + i in hints]
    if not breaks:
        return [PiecePart(text, lefts[start], rights[end - 1], stroke.baseline, size, stroke.typeface)]
    gutter = GUTTER_EM * size
    cuts = [i for i in breaks if not back <= gaps[i - 1] < gutter]
    parts = []
    for begin, stop in pairwise([0, *cuts, len(text)]):
        places = [begin, *(i for i in breaks if begin < i < stop), stop] if cuts else [0, *breaks, stop]
        words = " ".join([text[i:j] for i, j in pairwise(places)])
        left, right = lefts[start + begin], rights[start + stop - 1]
        parts.append(PiecePart(words, left, right, stroke.baseline, size, stroke.typeface))
    return parts


def _continues(piece: LinePiece, part: PiecePart) -> bool:
    """Whether the part starts where the piece ends, on the same line or a little above or below."""
    end = piece.parts[-1]
    size = max(end.size, part.size)
    gap = part.left - piece.right
    if not -BACKSTEP_EM * size <= gap < GUTTER_EM * size:
        return False
    anchor = piece.main
    shift = abs(part.baseline - anchor.baseline)
    return shift <= SHIFT_EM * max(anchor.size, part.size)


def _append(piece: LinePiece, part: PiecePart, stroke: Stroke) -> None:
    end = piece.parts[-1]
    if part.left - piece.right > SPACE_EM * min(end.size, part.size) and not end.text.endswith(" "):
        end.text += " "
    same_style = end.typeface is part.typeface and end.size == part.size and end.baseline == part.baseline
    if same_style:
        end.text += part.text
        end.right = part.right
        part = end
    else:
        piece.parts.append(part)
    if len(part.text) * part.size > len(piece.main.text) * piece.main.size:
        piece.main = part
    if part.left < piece.left:
        piece.left = part.left
    if part.right > piece.right:
        piece.right = part.right
    if stroke.top < piece.top:
        piece.top = stroke.top
    if stroke.bottom > piece.bottom:
        piece.bottom = stroke.bottom
