"""Writes the shipped list of journals: names, abbreviations and ISSNs from freely licensed lists."""

import lzma
from collections.abc import Iterator
from pathlib import Path

from portico.domains.papers.journals import Journal, pack_journals

# Maximum length of a name: longer ones are whole title pages of proceedings.
MOST_CHARACTERS = 90
# Minimum length of an abbreviation: shorter ones are words in any text.
FEWEST_LETTERS = 4


def write_journal_names(source: Path, out: Path) -> int:
    """Write the journals in `fields/journals.tsv.xz` that are listed by JabRef or PubMed; returns their
    number.
    """
    with lzma.open(source, "rt", encoding="utf-8") as lines:
        next(lines)
        rows = sorted(set(_kept(lines)))
    journals = [_journal(row) for row in rows]
    out.write_bytes(pack_journals(journals))
    return len(journals)


def _kept(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        name, abbreviations, issn, *_, source = line.rstrip("\n").split("\t")
        is_free = "P" in source.split(",") or "J:" in source
        if is_free and len(name) <= MOST_CHARACTERS and "\\" not in name:
            kept = [one for one in abbreviations.split("|") if len(one) >= FEWEST_LETTERS and "\\" not in one]
            yield "\t".join((name, "|".join(kept), issn))


def _journal(row: str) -> Journal:
    name, *cells = row.split("\t")
    abbreviations, numbers = (tuple(cell.split("|")) if cell else () for cell in cells)
    return Journal(name, abbreviations, numbers)
