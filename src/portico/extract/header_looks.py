"""Describes the layout of header lines with the few tokens the header model was trained on."""

from collections.abc import Sequence

from portico.types.document import Document, Line

LARGEST = "size:largest"
"""The style feature of a line in the largest type size of the header."""

# Points by which two sizes must differ to be distinct; converters and scaled fonts vary by less.
SIZE_STEP = 0.6
# A line with fewer letters does not set the largest size: a drop capital, a logo, a mathematical sign.
LETTERS_OF_A_LINE = 4


def describe_looks(document: Document, lines: Sequence[Line]) -> tuple[tuple[str, ...], ...]:
    """Return the look of each line; () for all if the document has no layout."""
    if not any(line.runs for line in lines):
        return tuple(() for _ in lines)
    largest = max(
        (line.size for line in lines if _n_letters(document, line) >= LETTERS_OF_A_LINE), default=0.0
    )
    return tuple(_looks(line, lines[idx - 1] if idx else None, largest) for idx, line in enumerate(lines))


def _looks(line: Line, before: Line | None, largest: float) -> tuple[str, ...]:
    looks = ["layout", "size:" + _change(line, before)]
    if line.size > largest - SIZE_STEP:
        looks.append(LARGEST)
    if line.bold:
        looks.append("bold")
    if line.italic:
        looks.append("italic")
    if before is None or before.block != line.block:
        looks.append("block:start")
    return tuple(looks)


def _change(line: Line, before: Line | None) -> str:
    if before is None:
        return "higher"
    step = line.size - before.size
    return "same" if abs(step) < SIZE_STEP else "higher" if step > 0 else "lower"


def _n_letters(document: Document, line: Line) -> int:
    return sum(character.isalpha() for character in line.span.of(document.text))
