"""What any citation format needs to know of one paper, and keys that are unique within a list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase

from portico.text.bibtex import citation_key, entry_kind


@dataclass(frozen=True, slots=True)
class Citable:
    """Plain text as people read it; `fields` are named as in BibTeX (title, year, journal, pages, ...)."""

    id: str
    authors: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The BibTeX entry type that fits what is known."""
        return entry_kind(self.fields)


def unique_keys(papers: Sequence[Citable]) -> list[str]:
    """A sensible key for each, as `utgoff1989incremental`; a second one of a name gets a letter behind it."""
    taken: set[str] = set()
    found: list[str] = []
    for paper in papers:
        plain = citation_key(paper.authors, paper.fields.get("year"), paper.fields.get("title", ""))
        key, number = plain, 0
        while key in taken:
            number += 1
            key = plain + _letters(number)
        taken.add(key)
        found.append(key)
    return found


def _letters(number: int) -> str:
    """b for the second, c for the third, and after z aa, ab and so on."""
    letters = ""
    number += 1
    while number:
        number, place = divmod(number - 1, len(ascii_lowercase))
        letters = ascii_lowercase[place] + letters
    return letters
