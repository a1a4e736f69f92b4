"""Reads GROBID's training data: headers with layout, references, and reference sections line by line."""

import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from portico.extract.header_looks import LARGEST
from portico.extract.reference_lines import SeenLine
from portico.extract.splitting import BEGIN, INSIDE, OUTSIDE
from portico.extract.words import Row, Word
from portico.lab.datasets.sequences import LabelledSequence, require_path
from portico.types.document import Span

_HEADER_LABELS = {
    "titlePart": "title",
    "docAuthor": "author",
    "affiliation": "affiliation",
    "address": "address",
    "email": "email",
    "date": "date",
    "keyword": "keyword",
    "keywords": "keyword",
    "idno": "pubnum",
    "ptr": "web",
    "phone": "phone",
    "degree": "degree",
}
_OTHER = "note"  # Cora's label for all other words
_ABSTRACT_HEADING = re.compile(r"^(?:abstract|summary|résumé|zusammenfassung)\W*$", re.IGNORECASE)
_KEYWORD_HEADING = re.compile(r"^(?:key|words|keywords?|index|terms)\W*$", re.IGNORECASE)

# Columns of the layout files.
_TEXT, _BLOCK, _SIZE_CHANGE, _BOLD, _ITALIC, _LARGEST = 0, 10, 14, 15, 16, 28
_INDENT, _LIST_BLOCK = 11, 25


def read_grobid_headers(folder: Path) -> tuple[LabelledSequence, ...]:
    """Headers with the labels of the Cora set and layout features; without these if text and layout
    cannot be aligned.
    """
    layouts = dict(read_members(folder / "header_raw.tar.gz", ".training.header"))
    found = []
    for name, text in sorted(read_members(folder / "header_tei.tar.gz", ".training.header.tei.xml")):
        rows, labels = _header_rows(text)
        if labels:
            found.append(LabelledSequence(name, _with_looks(rows, layouts.get(name, "")), labels))
    return tuple(found)


def _header_rows(text: str) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    pieces = _pieces(_parsed(text).find(".//front"), _OTHER)
    rows: list[list[Word]] = [[]]
    labels: list[str] = []
    position = 0
    for piece, label in pieces:
        if piece == "\n":
            rows.append([])
            continue
        for word in piece.split():
            rows[-1].append(Word(word, Span(position, position + len(word))))
            labels.append(label)
            position += len(word) + 1
    words = [word.text for row in rows for word in row]
    return tuple(Row(tuple(row)) for row in rows if row), tuple(_mend(words, labels))


def _pieces(element: ElementTree.Element | None, label: str) -> Iterator[tuple[str, str]]:
    """Pieces of text with their labels, in order; "\\n" at the ends of printed lines."""
    if element is None:
        return
    if element.tag == "lb":
        yield "\n", label
        return
    inner = "abstract" if element.get("type") == "abstract" else _HEADER_LABELS.get(element.tag, label)
    inner = "intro" if element.get("type") in {"intro", "introduction"} else inner
    if element.text:
        yield element.text, inner
    for child in element:
        yield from _pieces(child, inner)
        if child.tail:
            yield child.tail, inner


def _mend(words: list[str], labels: list[str]) -> list[str]:
    """The labels, with those of Cora for headings and single punctuation marks, which are outside the
    tags.
    """
    mended = list(labels)
    for idx, (word, label) in enumerate(zip(words, labels, strict=True)):
        if label != _OTHER:
            continue
        if _ABSTRACT_HEADING.match(word):
            mended[idx] = "abstract"
        elif _KEYWORD_HEADING.match(word):
            mended[idx] = "keyword"
        elif not any(character.isalnum() for character in word) and idx:
            mended[idx] = mended[idx - 1]
    return mended


def _with_looks(rows: tuple[Row, ...], layout: str) -> tuple[Row, ...]:
    """The rows with layout features of their tokens, found by aligning both texts."""
    tokens = [line.split() for line in layout.splitlines() if line.strip()]
    position = 0
    changed = []
    for row in rows:
        row_text = "".join(word.text for word in row.words)
        start = _find(tokens, position, row_text)
        if start is None:
            changed.append(row)
            continue
        end = start
        n_characters = 0
        while end < len(tokens) and n_characters < len(row_text):
            n_characters += len(tokens[end][_TEXT])
            end += 1
        changed.append(Row(row.words, _looks(tokens[start:end])))
        position = end
    return tuple(changed)


# How many tokens ahead to look for a line's first token when the texts are out of sync.
_RESYNC_TOKENS = 40


def _find(tokens: list[list[str]], position: int, row_text: str) -> int | None:
    for start in range(position, min(position + _RESYNC_TOKENS, len(tokens))):
        following = "".join(token[_TEXT] for token in tokens[start : start + 4])
        if following and (row_text.startswith(following[:8]) or following.startswith(row_text[:8])):
            return start
    return None


def _looks(tokens: list[list[str]]) -> tuple[str, ...]:
    half = len(tokens) / 2
    looks = ["layout", "size:" + {"H": "higher", "L": "lower"}.get(tokens[0][_SIZE_CHANGE][0], "same")]
    if sum(token[_LARGEST] == "1" for token in tokens) > half:
        looks.append(LARGEST)
    if sum(token[_BOLD] == "1" for token in tokens) > half:
        looks.append("bold")
    if sum(token[_ITALIC] == "1" for token in tokens) > half:
        looks.append("italic")
    if tokens[0][_BLOCK] == "BLOCKSTART":
        looks.append("block:start")
    return tuple(looks)


def _parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)  # noqa: S314  labelled data chosen by the researcher, not from the web


def read_members(path: Path, ending: str) -> Iterator[tuple[str, str]]:
    with tarfile.open(require_path(path)) as archive:
        for member in archive.getmembers():
            file = archive.extractfile(member) if member.name.endswith(ending) else None
            if file is not None:
                name = member.name.rsplit("/", 1)[-1].removesuffix(ending)
                yield name, file.read().decode("utf-8", errors="replace")


@dataclass(frozen=True, slots=True)
class ReferenceSection:
    """The lines of a reference section with their layout, and the label of each line."""

    id: str
    sightings: tuple[SeenLine, ...]
    labels: tuple[str, ...]


def read_reference_sections(folder: Path) -> tuple[ReferenceSection, ...]:
    """Reference sections line by line, with indentation and blocks if the layout is known."""
    ending = ".training.references.referenceSegmenter"
    layouts = dict(read_members(folder / "refseg_raw.tar.gz", ending))
    sections = []
    for name, text in sorted(read_members(folder / "reference-segmenter.tar.gz", ending + ".tei.xml")):
        lines = [(line, label) for line, label in _section_lines(text) if line.strip()]
        if len(lines) > 1:
            texts = [line for line, _ in lines]
            sightings = _sighted(texts, layouts.get(name, ""))
            sections.append(ReferenceSection(name, sightings, tuple(label for _, label in lines)))
    return tuple(sections)


def _section_lines(text: str) -> Iterator[tuple[str, str]]:
    """Printed lines with their labels: a line with the start of a reference in it counts as its
    beginning.
    """
    root = _parsed(re.sub(r"&(?!\w+;|#)", "&amp;", text))
    line, label = "", OUTSIDE
    for piece, starts, inside in _marked(root.find(".//listBibl"), inside=False):
        if piece == "\n":
            yield line, label
            line, label = "", INSIDE if inside else OUTSIDE
            continue
        if starts and not line.strip():
            label = BEGIN
        elif starts:
            # Two references on one line, or a heading before the first: the line begins a reference.
            label = BEGIN
        elif inside and label == OUTSIDE and piece.strip():
            label = INSIDE
        elif not inside and piece.strip() and not line.strip():
            label = OUTSIDE
        line += piece
    yield line, label


def _marked(element: ElementTree.Element | None, *, inside: bool) -> Iterator[tuple[str, bool, bool]]:
    """Pieces of text, each with whether a reference starts there, and whether it is in one; "\\n" at line
    ends.
    """
    if element is None:
        return
    if element.tag == "lb":
        yield "\n", False, inside
        return
    is_reference = element.tag == "bibl"
    within = inside or is_reference
    started = False
    for text, child in [(element.text, None), *((child.tail, child) for child in element)]:
        if child is not None:
            for piece, starts, part in _marked(child, inside=within):
                first = is_reference and not started and piece.strip() != ""
                started = started or first
                yield piece, starts or first, part
        if text:
            first = is_reference and not started and text.strip() != ""
            started = started or first
            yield " ".join(text.split("\n")), first, within


def _sighted(texts: list[str], layout: str) -> tuple[SeenLine, ...]:
    tokens = [line.split() for line in layout.splitlines() if line.strip()]
    position = 0
    found = []
    for text in texts:
        squeezed = "".join(text.split())
        start = _find(tokens, position, squeezed) if squeezed else None
        if start is None:
            found.append(SeenLine(text))
            continue
        token = tokens[start]
        found.append(
            SeenLine(
                text, set_in=token[_INDENT] == "LINEINDENT", opens_block=token[_LIST_BLOCK] == "BLOCKSTART"
            )
        )
        n_characters = 0
        position = start
        while position < len(tokens) and n_characters < len(squeezed):
            n_characters += len(tokens[position][_TEXT])
            position += 1
    return tuple(found)
