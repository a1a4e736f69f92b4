"""Breaks typeset lines into the columns of pages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from portico.sample.printing.pdf import Face, PdfPage
from portico.sample.printing.typesetting import Strip


@dataclass(frozen=True, slots=True)
class PageShape:
    """A page's size, margins and columns, in points."""

    size: tuple[float, float]
    left: float
    right: float
    top: float
    bottom: float
    n_columns: int = 1
    gutter: float = 0.0

    @property
    def text_width(self) -> float:
        return self.size[0] - self.left - self.right

    @property
    def column_width(self) -> float:
        return (self.text_width - self.gutter * (self.n_columns - 1)) / self.n_columns


@dataclass(frozen=True, slots=True)
class PageCopy:
    """The content to lay out: strips across the whole first page, strips in columns, and notes at the
    first page's foot.
    """

    across: Sequence[Strip]
    columns: Sequence[Strip]
    foot: Sequence[Strip] = ()


Margin = Callable[[int], Sequence[tuple[float, Strip]]]
"""Returns the running heads and folios of a page, counted from 1, each with the height of its baseline."""


def pour_pages(copy: PageCopy, shape: PageShape, margin: Margin) -> tuple[PdfPage, ...]:
    """The content laid out on pages."""
    canvas = _Canvas(shape, margin)
    canvas.open_page()
    y = shape.size[1] - shape.top
    for strip in copy.across:
        y -= strip.height
        canvas.place(strip, shape.left, y)
    floor = shape.bottom + sum(strip.height for strip in copy.foot)
    foot_y = floor
    for strip in copy.foot:
        foot_y -= strip.height
        canvas.place(strip, shape.left, foot_y)
    _pour_columns(canvas, copy.columns, shape, ceiling=y, first_floor=floor)
    canvas.close_page()
    return tuple(canvas.sheets)


def _pour_columns(
    canvas: "_Canvas", strips: Sequence[Strip], shape: PageShape, *, ceiling: float, first_floor: float
) -> None:
    column, y, floor = 0, ceiling, first_floor
    empty = True
    for idx, strip in enumerate(strips):
        if y - _needed(strips, idx) < floor and not empty:
            column += 1
            if column == shape.n_columns:
                canvas.close_page()
                canvas.open_page()
                column, ceiling = 0, shape.size[1] - shape.top
            on_first_page = len(canvas.sheets) == 0
            y, empty = ceiling, True
            floor = first_floor if on_first_page and column == 0 else shape.bottom
        if empty and not strip.runs and not strip.drawing:
            continue  # no white space at the top of a column
        y -= strip.height
        canvas.place(strip, shape.left + column * (shape.column_width + shape.gutter), y)
        empty = False


def _needed(strips: Sequence[Strip], idx: int) -> float:
    """The height of a strip together with those that must stay with it."""
    height = strips[idx].height
    while strips[idx].keep and idx + 1 < len(strips):
        idx += 1
        height += strips[idx].height
    return height


@dataclass(slots=True)
class _Canvas:
    """The page being filled, and those that are finished."""

    shape: PageShape
    margin: Margin
    sheets: list[PdfPage] = field(default_factory=list)
    _operators: list[bytes] = field(default_factory=list)
    _faces: set[Face] = field(default_factory=set)

    def open_page(self) -> None:
        self._operators, self._faces = [], set()
        for y, strip in self.margin(len(self.sheets) + 1):
            self.place(strip, self.shape.left, y)

    def close_page(self) -> None:
        self.sheets.append(PdfPage(self.shape.size, b"".join(self._operators), frozenset(self._faces)))

    def place(self, strip: Strip, x: float, y: float) -> None:
        for run in strip.runs:
            self._faces.add(run.face)
            self._operators.append(
                b"BT /%s %.2f Tf 1 0 0 1 %.2f %.2f Tm "
                % (run.face.resource.encode(), run.size, x + run.dx, y + run.dy)
                + run.operator
                + b"ET\n"
            )
        if strip.drawing:
            self._operators.append(b"q 1 0 0 1 %.2f %.2f cm\n" % (x, y) + strip.drawing + b"Q\n")
