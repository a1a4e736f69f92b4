"""What is true of the sample web: one line for each paper, and one for each document that is none."""

import json
from collections.abc import Iterable

from portico.sample.building import OtherDocument
from portico.sample.front import department_of
from portico.sample.manuscript import Manuscript
from portico.sample.placement import Placement
from portico.sample.references import Reference


def paper_lines(papers: Iterable[tuple[Placement, Manuscript]]) -> str:
    """The text of truth.jsonl."""
    return "".join(_line(_paper(placement, manuscript)) for placement, manuscript in papers)


def other_lines(others: Iterable[OtherDocument]) -> str:
    """The text of truth_other.jsonl."""
    return "".join(_line({"url": str(other.address), "kind": other.kind}) for other in others)


def _line(row: dict[str, object]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


def _paper(placement: Placement, manuscript: Manuscript) -> dict[str, object]:
    work = placement.work
    homes = (department_of(key) for key in dict.fromkeys(author.department for author in work.authors))
    return {
        "id": work.id,
        "urls": [str(address) for file in placement.files for address in file.addresses],
        "formats": [file.extension for file in placement.files],
        "reachable": placement.reachable,
        "shelf": placement.shelf,
        "title": work.title,
        "authors": [author.full_name for author in work.authors],
        "affiliations": [f"{home.name}, {home.university}" for home in homes],
        "abstract": manuscript.abstract,
        "keywords": list(manuscript.keywords),
        "year": work.year,
        "venue": work.venue.full,
        "topic": work.bank.topic,
        "cites": [
            reference.entry.work.id for reference in manuscript.references if reference.entry.work.held
        ],
        "references": [_reference(reference) for reference in manuscript.references],
    }


def _reference(reference: Reference) -> dict[str, object]:
    entry = reference.entry
    return {
        "raw": reference.raw,
        "title": entry.title,
        "authors": list(reference.authors),
        "year": entry.year,
        "venue": reference.venue,
        "cites": entry.work.id if entry.work.held else None,
    }
