"""Trains and measures the models of zones and reference sections, with half for training and half for
testing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from portico.extract.splitting import BEGIN, Splitter, find_labels
from portico.extract.zone_lines import (
    APPENDIX,
    ASIDE,
    BACK,
    BODY,
    HEADER,
    REFERENCES,
    ZoneLine,
    observe_zone_lines,
)
from portico.lab.datasets.grobid import ReferenceSection, read_members, read_reference_sections
from portico.lab.scores import score_labels
from portico.lab.training.taggers import fit_sections, observe_section
from portico.learn import crf
from portico.learn.crf import Crf, CrfOptions

_ZONES = {"front": HEADER, "body": BODY, "listBibl": REFERENCES, "note": ASIDE, "titlePage": ASIDE}
_DIVISIONS = {"annex": APPENDIX, "toc": ASIDE}  # others: acknowledgments, funding, data availability
_PAGE_NUMBER = "page"
_ENDING = ".training.segmentation"
_SPACE = re.compile(r"\s+")
# Columns of the layout files.
_FIRST, _SECOND, _BLOCK, _PAGE, _SIZE, _BOLD, _ITALIC = 0, 1, 7, 8, 10, 11, 12
# How many lines ahead to look for a line of the text when text and layout are out of sync.
_RESYNC_LINES = 30
# If a larger share of lines is not found in the layout, it does not belong to the text.
MOST_LOST = 0.2


@dataclass(frozen=True, slots=True)
class SegmentedDocument:
    """The lines of one document, without page numbers, and the zone of each."""

    id: str
    lines: tuple[ZoneLine, ...]
    zones: tuple[str, ...]


def read_segmented_documents(folder: Path) -> tuple[SegmentedDocument, ...]:
    """The documents in `segmentation.tar.gz` whose lines and layout can be aligned."""
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
    """The zones, with header information after the text (about the authors, how to cite) changed to back
    matter.
    """
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
    """The lines with their layout features; () if too many lines cannot be found in the layout."""
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
    """Whether a line begins with the tokens of a layout row; rows split words at punctuation."""
    bare = text.replace(" ", "")
    return bare.startswith(row[_FIRST]) and bare[len(row[_FIRST]) :].startswith(row[_SECOND][:3])


_QUICK_SECTIONS = 10  # every tenth section


def measure_splitting(data: Path, *, quick: bool = False) -> dict[str, dict[str, float]]:
    """`{model: {"line", "begin_f1"}}`: share of lines labeled right, and F1 of the lines where references
    begin.

    Measured for the model alone, and as it ships: uncertain lines are labeled like others with the same
    layout.
    """
    sections = read_reference_sections(data / "references" / "grobid")[:: _QUICK_SECTIONS if quick else 1]
    halves = ((sections[::2], sections[1::2]), (sections[1::2], sections[::2]))
    models = [(fit_sections(train), test) for train, test in halves]
    alone = [(one.labels, model.tag(observe_section(one)).labels) for model, test in models for one in test]
    shipped = [(one.labels, _decided(Splitter(model), one)) for model, test in models for one in test]
    return {"crf": _scores(alone), "crf, as lines alike": _scores(shipped)}


def _decided(split: Splitter, section: ReferenceSection) -> Sequence[str]:
    return split.decide(section.sightings, find_labels([one.text for one in section.sightings]))


def _scores(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> dict[str, float]:
    scores = score_labels(pairs)
    return {"line": round(scores.word, 4), "begin_f1": round(dict(scores.by_label)[BEGIN], 4)}


# Not tuned: between the options for headers and references. Without rare features, the file stays small.
ZONE_OPTIONS = CrfOptions(c1=0.5, c2=0.5, max_iterations=80, min_frequency=3)
_QUICK_STEP = 20  # every twentieth document


def train_zones(data: Path, out: Path) -> Crf:
    """Train the model of zones on the folder `headers/grobid` of the data and write it to a file."""
    model = fit_zones(read_segmented_documents(data / "headers" / "grobid"))
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(model.body)
    return model


def measure_zones(data: Path, *, quick: bool = False) -> dict[str, dict[str, Any]]:
    """`{"crf": {"n_documents", "n_lines", "line": share of lines right, "f1": {zone: F1 over lines}}}`."""
    documents = read_segmented_documents(data / "headers" / "grobid")[:: _QUICK_STEP if quick else 1]
    halves = (documents[::2], documents[1::2])
    pairs = _predictions(*halves) + _predictions(*reversed(halves))
    scores = score_labels(pairs)
    return {
        "crf": {
            "n_documents": len(documents),
            "n_lines": sum(len(one.lines) for one in documents),
            "line": round(scores.word, 4),
            "f1": {zone: round(value, 4) for zone, value in scores.by_label},
        }
    }


def fit_zones(documents: Sequence[SegmentedDocument]) -> Crf:
    """A model of zones trained on these documents."""
    return crf.train_crf(
        ((observe_zone_lines(one.lines), one.zones) for one in documents), options=ZONE_OPTIONS
    )


def _predictions(
    train: Sequence[SegmentedDocument], test: Sequence[SegmentedDocument]
) -> list[tuple[Sequence[str], Sequence[str]]]:
    model = fit_zones(train)
    return [(one.zones, model.tag(observe_zone_lines(one.lines)).labels) for one in test]
