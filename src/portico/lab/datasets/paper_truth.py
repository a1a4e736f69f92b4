"""Reads sets of real papers with their true values."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from portico.errors import ConfigError
from portico.lab.publication_scores import PublicationTruth, read_publication

_MACROS = re.compile(
    r"ibfield(?:author|title|journal|booktitle|editor)?|rldef \S+ |hrefhttps?:\S+ ?|howpublished|"
    r"ibinfo(?:person|year|title|journal|booktitle|series|volume|number|pages|publisher|address|editor|"
    r"institution|type|school|edition|note|numpages|articleno|month|day|location|isbn|issn|doi|url)?"
)

_TAG = re.compile(r"<[^>]+>")


@dataclass(frozen=True, slots=True)
class ReferenceFields:
    """Title and year of one reference; `text` is all of it if known, or else ""."""

    title: str
    year: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class PaperTruth:
    """One file and its true values; None for those that the set does not have.

    `references` are whole strings; `reference_titles` are only titles, for sets that have nothing more.
    """

    path: Path
    title: str | None = None
    authors: tuple[str, ...] | None = None
    abstract: str | None = None
    references: tuple[str, ...] | None = None
    reference_titles: tuple[str, ...] | None = None
    garbled: bool = False
    reference_fields: tuple[ReferenceFields, ...] = ()
    field: str | None = None  # of research, as named in the set: "social_sciences"
    publication: PublicationTruth | None = None  # None if the set has no publication data


def list_sets(folder: Path) -> tuple[Path, ...]:
    """The sets in a folder: subfolders with a truth.jsonl, or the folder itself if it has one."""
    if (folder / "truth.jsonl").exists():
        return (folder,)
    found = tuple(sorted(path.parent for path in folder.glob("*/truth.jsonl")))
    if not found:
        raise ConfigError(f"{folder}: no set of papers here; a set is a folder with a file truth.jsonl")
    return found


def read_truth(folder: Path) -> Iterator[PaperTruth]:
    """The true values of one set, in file order."""
    for line in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        publication = read_publication(record)
        for name in publication.unsure if publication else ():
            record.pop(name, None)
        strings, titles = _references(folder, record)
        yield PaperTruth(
            path=_file(folder, record),
            # Even if "title_found" is false: another program missed it, which does not make the file easier.
            title=record.get("title"),
            authors=tuple(record["authors"]) if record.get("authors") else None,
            abstract=record.get("abstract"),
            references=strings,
            reference_titles=titles,
            garbled=_is_garbled(record),
            reference_fields=tuple(_reference_fields(folder, str(record.get("id")))),
            field=record.get("field"),
            publication=publication,
        )


def _file(folder: Path, record: dict[str, Any]) -> Path:
    for key in ("pdf", "file"):
        if key in record:
            return folder / str(record[key])
    if "dir" in record:
        files = sorted((folder / str(record["dir"])).glob("*.pdf"))
        if files:
            return files[0]
    return folder / "pdf" / f"{record.get('id')}.pdf"


def _is_garbled(record: dict[str, Any]) -> bool:
    return (
        record.get("garbled") is True
        or str(record.get("quality", "")).startswith("garbled")
        or record.get("gs_text_ok") is False
        or record.get("refs_found_in_pdftotext") == 0
    )


def _references(
    folder: Path, record: dict[str, Any]
) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    if record.get("refs"):
        return tuple(_without_macros(str(reference["text"])) for reference in record["refs"]), None
    strings = folder / "refs_strings" / f"{record.get('id')}.txt"
    if strings.exists():
        lines = strings.read_text(encoding="utf-8").splitlines()
        return tuple(line for line in lines if line.strip()), None
    jats = folder / "xml" / f"{record.get('id')}.jats.xml"
    if jats.exists():
        return None, tuple(_jats_titles(jats))
    return None, None


def _without_macros(text: str) -> str:
    """The text without macros of some styles left in the truth: `ibinfopersonAnn Bell` was printed `Ann
    Bell`.
    """
    return _MACROS.sub("", text)


def _reference_fields(folder: Path, name: str) -> Iterator[ReferenceFields]:
    """References whose title and year are both labeled."""
    segmented = folder / "refs_segmented" / f"{name}.xml"
    if segmented.exists():
        for line in segmented.read_text(encoding="utf-8").splitlines():
            title, year = _tagged(line, "title"), _tagged(line, "year")
            if title and year:
                yield ReferenceFields(title, year, _TAG.sub("", line))
    jats = folder / "xml" / f"{name}.jats.xml"
    if jats.exists():
        root = ElementTree.parse(jats).getroot()  # noqa: S314  labelled data chosen by the researcher
        for reference in root.iter("ref"):
            title, year = _text_of(reference, "article-title"), _text_of(reference, "year")
            if title and year:
                yield ReferenceFields(title, year)


def _tagged(line: str, tag: str) -> str:
    found = re.search(f"<{tag}>(.*?)</{tag}>", line)
    return _TAG.sub("", found[1]).strip() if found else ""


def _text_of(element: ElementTree.Element, tag: str) -> str:
    found = next(element.iter(tag), None)
    return " ".join("".join(found.itertext()).split()) if found is not None else ""


def _jats_titles(path: Path) -> Iterator[str]:
    root = ElementTree.parse(path).getroot()  # noqa: S314  labelled data chosen by the researcher
    for reference in root.iter("ref"):
        tags = ("article-title", "chapter-title", "source")
        title = next((text for tag in tags if (text := _text_of(reference, tag))), "")
        if title:
            yield title
