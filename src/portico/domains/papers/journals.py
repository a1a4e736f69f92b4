"""Names of journals as they are printed, in full or abbreviated, and the ISSN they are published under."""

import lzma
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from unicodedata import category, normalize

JOURNALS = Path(__file__).with_name("lexicons") / "journals.tsv.xz"
"""One journal a line: name, abbreviations, ISSN, divided by "|"; from the lists of JabRef and PubMed."""

# Words of a name at most.
MOST_WORDS = 14
# What stands behind the name itself: "Evidence-based … medicine : eCAM", "Science (New York, N.Y.)".
_BEHIND_NAME = (" : ", " = ", " / ", " (", ". ")
# Of all 90,000 names: one table is many times as fast as asking every character.
_LETTERS = {code: None for code in range(128) if not chr(code).isalnum()} | {ord("&"): "and"}


@cache
def journal_names() -> Mapping[str, str]:
    """The letters of every name and abbreviation → the name; read once, when first needed."""
    names: dict[str, str] = {}
    for name, abbreviations, _ in _rows():
        for printed in (name, *abbreviations):
            names.setdefault(journal_key(printed), name)
        for mark in _BEHIND_NAME:
            short = name.partition(mark)[0]
            if short != name and len(short.split()) > 1:
                names.setdefault(journal_key(short), short)
    return MappingProxyType(names)


@cache
def journals_by_issn() -> Mapping[str, str]:
    """ISSN → the name of the journal, without what stands behind it."""
    return MappingProxyType({issn: _short(name) for name, _, numbers in _rows() for issn in numbers})


def journal_key(printed: str) -> str:
    """What two prints of one name have in common: letters and digits without accents, case and "The"."""
    plain = printed.lower().removeprefix("the ").translate(_LETTERS)
    if plain.isascii():
        return plain
    apart = normalize("NFKD", plain)
    return "".join([character for character in apart if character.isalnum() and category(character) != "Mn"])


def _short(name: str) -> str:
    return min((name.partition(mark)[0] for mark in _BEHIND_NAME), key=len)


def _rows() -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    with lzma.open(JOURNALS, "rt", encoding="utf-8") as lines:
        for line in lines:
            name, abbreviations, numbers = line.rstrip("\n").split("\t")
            yield name, _listed(abbreviations), _listed(numbers)


def _listed(cell: str) -> tuple[str, ...]:
    return tuple(cell.split("|")) if cell else ()
