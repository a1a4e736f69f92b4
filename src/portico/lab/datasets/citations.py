"""Reads labeled references from other collections, with labels mapped to those of the Cora set."""

import gzip
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

from portico.extract.words import Row, Word
from portico.lab.datasets.grobid import read_members
from portico.lab.datasets.sequences import LabelledSequence, require_path
from portico.types.document import Span

_GROBID = {
    "author": "author",
    "editor": "editor",
    "date": "date",
    "pubPlace": "location",
    "publisher": "publisher",
    "orgName": "institution",
    "note": "note",
    "idno": "note",
    "ptr": "note",
    "ref": "note",
}
_SCOPES = {"volume": "volume", "vol": "volume", "issue": "volume", "page": "pages", "pp": "pages"}
_ANYSTYLE = {
    "author": "author",
    "editor": "editor",
    "title": "title",
    "container-title": "booktitle",
    "collection-title": "booktitle",
    "journal": "journal",
    "date": "date",
    "pages": "pages",
    "volume": "volume",
    "publisher": "publisher",
    "location": "location",
    "genre": "tech",
}

_OPENERS = frozenset(
    {"pp", "p", "pages", "page", "vol", "volume", "no", "number", "issue", "in", "ed", "eds", ""}
)

Piece = tuple[str, str]
"""A part of a reference and its label; "" for text between labeled parts."""


def read_grobid_references(folder: Path) -> tuple[LabelledSequence, ...]:
    """The training references of GROBID's citation model."""
    found = []
    for name, text in sorted(read_members(folder / "citation.tar.gz", ".xml")):
        for idx, bibl in enumerate(_elements(text, "bibl")):
            labelled = _labelled(f"{name}-{idx}", list(_bibl_pieces(bibl)))
            if labelled:
                found.append(labelled)
    return tuple(found)


def read_anystyle_references(folder: Path, name: str) -> tuple[LabelledSequence, ...]:
    """The references in one of AnyStyle's sets: core, good, bad or ugly."""
    with gzip.open(require_path(folder / f"{name}.xml.gz"), "rt", encoding="utf-8") as file:
        sequences = _elements(file.read(), "sequence")
    found = []
    for idx, sequence in enumerate(sequences):
        pieces = [("".join(child.itertext()) + " ", _ANYSTYLE.get(child.tag, "note")) for child in sequence]
        numbered = [
            piece for piece, child in zip(pieces, sequence, strict=True) if child.tag != "citation-number"
        ]
        labelled = _labelled(f"{name}-{idx}", numbered)
        if labelled:
            found.append(labelled)
    return tuple(found)


def make_reference_key(reference: LabelledSequence) -> str:
    """A key that copies of a reference share: its first 60 letters and digits."""
    text = "".join(word.text for word in reference.words)
    return "".join(character for character in text.lower() if character.isalnum())[:60]


def drop_overlap(
    references: Sequence[LabelledSequence], tested: Sequence[LabelledSequence]
) -> tuple[LabelledSequence, ...]:
    """The references that are not also in the test set."""
    known = {make_reference_key(reference) for reference in tested}
    return tuple(reference for reference in references if make_reference_key(reference) not in known)


def _bibl_pieces(bibl: ElementTree.Element) -> Iterator[Piece]:
    has_article = any(title.get("level") == "a" for title in bibl.iter("title"))
    yield bibl.text or "", ""
    for child in bibl:
        yield "".join(child.itertext()), _bibl_label(child, has_article=has_article)
        yield child.tail or "", ""


def _bibl_label(element: ElementTree.Element, *, has_article: bool) -> str:
    kind = element.get("type") or element.get("unit") or ""
    if element.tag == "title":
        level = element.get("level")
        if level == "j":
            return "journal"
        return "title" if level == "a" or (level == "m" and not has_article) else "booktitle"
    if element.tag == "biblScope":
        return _SCOPES.get(kind, "note")
    if kind == "report":
        return "tech"
    return _GROBID.get(element.tag, "note")


def _labelled(identifier: str, pieces: list[Piece]) -> LabelledSequence | None:
    """The words of the joined pieces, each with the label of its first labeled character, or else of a
    neighboring word.
    """
    text = "".join(piece for piece, _ in pieces)
    labels = [label for piece, label in pieces for _ in piece]
    words: list[Word] = []
    found: list[str] = []
    for match in re.finditer(r"\S+", text):
        own = next((labels[at] for at in range(match.start(), match.end()) if labels[at]), "")
        words.append(Word(match[0], Span(match.start(), match.end())))
        found.append(own)
    return LabelledSequence(identifier, (Row(tuple(words)),), _filled(found, words)) if any(found) else None


def _filled(labels: list[str], words: Sequence[Word]) -> tuple[str, ...]:
    """Labels for words without one: "pp." and "In" get the next word's label, punctuation that of the
    word before.
    """
    filled = list(labels)
    for idx in range(len(filled) - 2, -1, -1):
        opens = words[idx].text.lower().strip(".:(,") in _OPENERS or not any(labels[:idx])
        if not filled[idx] and opens:
            filled[idx] = filled[idx + 1]
    for idx in range(1, len(filled)):
        filled[idx] = filled[idx] or filled[idx - 1]
    return tuple(filled)


def _elements(text: str, tag: str) -> list[ElementTree.Element]:
    plain = re.sub(r'\sxmlns(?::\w+)?="[^"]*"', "", re.sub(r"<\?xml[^>]*\?>", "", text))
    try:
        root = ElementTree.fromstring(plain)  # noqa: S314  labelled data chosen by the researcher
    except ElementTree.ParseError:
        return []  # a few of the published files are not well formed
    return list(root.iter(tag))
