"""Read GROBID's segmented documents: every printed line, how it is set, and the zone it belongs to."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from portico.extract.zone_lines import APPENDIX, ASIDE, BACK, BODY, HEADER, REFERENCES, ZoneLine
from portico.lab.datasets.grobid import read_members

_ZONES = {"front": HEADER, "body": BODY, "listBibl": REFERENCES, "note": ASIDE, "titlePage": ASIDE}
_DIVISIONS = {"annex": APPENDIX, "toc": ASIDE}  # others are thanks, funding, where the data are
_PAGE_NUMBER = "page"
_ENDING = ".training.segmentation"
_SPACE = re.compile(r"\s+")
# Columns of the layout files.
_FIRST, _SECOND, _BLOCK, _PAGE, _SIZE, _BOLD, _ITALIC = 0, 1, 7, 8, 10, 11, 12
# Lines ahead in which a line of the text is looked for when text and layout have come apart.
_RESYNC_LINES = 30
# Share of lines not found in the layout from which on it is not that of the text.
MOST_LOST = 0.2


@dataclass(frozen=True, slots=True)
class SegmentedDocument:
    """The lines of one document, page numbers left out, and the zone of each."""

    id: str
    lines: tuple[ZoneLine, ...]
    zones: tuple[str, ...]


def read_segmented_documents(folder: Path) -> tuple[SegmentedDocument, ...]:
    """The documents of `segmentation.tar.gz` whose lines and layout go together."""
    archive = folder / "segmentation.tar.gz"
    layouts = dict(read_members(archive, _ENDING))
    found = []
    for name, text in sorted(read_members(archive, _ENDING + ".tei.xml")):
        layout = layouts.get(name)
        if layout:
            printed = [(line, zone) for line, zone in _printed(text) if zone != _PAGE_NUMBER]
            lines = _with_layout([line for line, _ in printed], layout)
            if lines:
                found.append(SegmentedDocument(name, lines, _in_place([zone for _, zone in printed])))
    return tuple(found)


def _in_place(zones: list[str]) -> tuple[str, ...]:
    """What journals print of a header behind the text (who the authors are, how to cite) is back matter."""
    half = len(zones) // 2
    return tuple(BACK if zone == HEADER and idx > half else zone for idx, zone in enumerate(zones))


def _printed(text: str) -> Iterator[tuple[str, str]]:
    """Each printed line with its zone."""
    root = ElementTree.fromstring(text).find("text")  # noqa: S314  labelled data chosen by the researcher
    line: list[str] = []
    line_zone = BODY
    for piece, zone in _pieces(root, BODY):
        if piece == "\n":
            whole = _SPACE.sub(" ", "".join(line)).strip()
            if whole:
                yield whole, line_zone
            line = []
            continue
        if piece.strip() and not "".join(line).strip():
            line_zone = zone
        line.append(piece)


def _pieces(element: ElementTree.Element | None, zone: str) -> Iterator[tuple[str, str]]:
    if element is None:
        return
    if element.tag == "lb":
        yield "\n", zone
        return
    inner = _zone_of(element, zone)
    if element.text:
        yield element.text, inner
    for child in element:
        yield from _pieces(child, inner)
        if child.tail:
            yield child.tail, inner


def _zone_of(element: ElementTree.Element, zone: str) -> str:
    if element.tag == _PAGE_NUMBER:
        return _PAGE_NUMBER
    if element.tag == "div":
        return _DIVISIONS.get(element.get("type", ""), BACK)
    return _ZONES.get(element.tag, zone)


def _with_layout(texts: list[str], layout: str) -> tuple[ZoneLine, ...]:
    """The lines with what the layout says of them; () where too many are not found in it."""
    rows = [line.split() for line in layout.splitlines() if line.strip()]
    lines: list[ZoneLine] = []
    position = page = n_lost = 0
    for text in texts:
        ahead = range(position, min(position + _RESYNC_LINES, len(rows)))
        found = next((idx for idx in ahead if _opens(text, rows[idx])), None)
        if found is None:
            n_lost += 1
            lines.append(ZoneLine(text, page))
            continue
        page += sum(row[_PAGE] == "PAGESTART" for row in rows[position : found + 1])
        row = rows[found]
        flags = row[_BLOCK] == "BLOCKSTART", row[_BOLD] == "1", row[_ITALIC] == "1"
        lines.append(ZoneLine(text, page, {"H": 1, "L": -1}.get(row[_SIZE][0], 0), *flags))
        position = found + 1
    return tuple(lines) if n_lost <= MOST_LOST * len(texts) else ()


def _opens(text: str, row: list[str]) -> bool:
    """Whether a line begins with the tokens of a row; the row cuts words at punctuation."""
    bare = text.replace(" ", "")
    return bare.startswith(row[_FIRST]) and bare[len(row[_FIRST]) :].startswith(row[_SECOND][:3])
