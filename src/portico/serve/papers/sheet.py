"""What of a paper can be corrected, and how it is typed."""

from collections.abc import Mapping, Sequence

from portico.serve.contributions.forms import MistakenForm, lines, one_line
from portico.serve.papers import describing
from portico.store.catalog.doubts import READ
from portico.types.document import DocumentId
from portico.types.record import Entity

LONGEST: Mapping[str, int] = {"title": 1_000, "author": 20_000, "venue": 500, "year": 4, "abstract": 12_000}
"""Characters a corrected field may have; a paper of a large experiment has thousands of authors."""

_FIRST_YEAR, _LAST_YEAR = 1500, 2099


class PaperSheet:
    """The fields of a paper that can be corrected."""

    template = "wrong.html"
    prefix = ""
    doubted = READ

    def labels(self, thing: Entity) -> Mapping[str, str]:
        return {}

    def values(self, thing: Entity) -> dict[str, str]:
        authors = "\n".join(one_line(field.value, LONGEST["author"]) for field in thing.all("author"))
        return {
            "title": one_line(thing.value("title") or "", LONGEST["title"]),
            "author": lines(authors, LONGEST["author"]),
            "venue": one_line(describing.first_value(thing, describing.VENUE[:3]), LONGEST["venue"]),
            "year": one_line(thing.value("year") or "", LONGEST["year"]),
            "abstract": one_line(thing.value("abstract") or "", LONGEST["abstract"]),
        }

    def typed(self, name: str, text: str) -> str:
        value = lines(text, LONGEST[name]) if name == "author" else one_line(text, LONGEST[name])
        if name == "title" and not value:
            raise MistakenForm("A paper needs a title; if this is no paper, say so below.")
        if name == "year" and value and not (value.isdecimal() and _FIRST_YEAR <= int(value) <= _LAST_YEAR):
            raise MistakenForm("A year has four digits, like 1999.")
        return value

    def documents_removed(self, thing: Entity) -> Sequence[DocumentId]:
        """A document is one paper: it goes with it."""
        return thing.documents
