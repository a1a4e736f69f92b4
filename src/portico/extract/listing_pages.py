"""Completes a paper's header from the page that links to it: few papers print their year and venue."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from portico.extract.fields import FieldReader
from portico.extract.tagger import Tagger
from portico.extract.words import Row, split_spaced_words
from portico.text.names import fold_letters
from portico.types.document import Span
from portico.types.page import ListingContext, Url
from portico.types.record import Field, Record

ALIKE = 0.9
"""Similarity from which two titles are the same, allowing for a lost ligature or a truncated word."""

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_FORMAT = (
    r"(?:pdf|ps|postscript|dvi|djvu|html?|gz|gzip(?:ped)?|zip|abstract|bib(?:tex)?|slides|talk|poster|video|code|"
    r"preprint|arxiv|doi|link|download|file|full (?:text|paper)|pptx?)"
)
# All repetitions are bounded; otherwise a line of brackets would take quadratic time.
_DOORS = re.compile(
    rf"[(\[{{]\W{{0,8}}{_FORMAT}(?:\W{{1,8}}(?:{_FORMAT}|[\d.]{{1,12}}|[km]?b|bytes|pages)){{0,12}}\W{{0,8}}[)\]}}]|"
    r"\W{1,20}(?:pdf|ps|dvi)\W{0,20}$",
    re.IGNORECASE,
)
_NOWHERE = Span(0, 0)  # the page is not part of the document


@dataclass(frozen=True, slots=True)
class ListingReader:
    """Reads the text around a link as a reference, and uses it only if it is about this paper."""

    tag: Tagger
    read: FieldReader

    def __call__(self, header: Record, listings: Iterable[ListingContext]) -> Record:
        """Return the header with missing fields filled in from the first listing of this paper, if any."""
        for listing in listings:
            for text in filter(_is_one_entry, map(_without_doors, listing.texts)):
                entry = self._entry(text, header)
                if self._is_about(header, entry):
                    return replace(header, fields=header.fields + self._lent(header, entry, listing.page))
        return header

    def _entry(self, text: str, header: Record) -> Record:
        whole = Span(0, len(text))
        fields = self.read(self.tag((Row(split_spaced_words(text, whole)),)), ())
        return Record(header.id, self.read.kind.name, header.document, text, whole, fields)

    def _is_about(self, header: Record, entry: Record) -> bool:
        return all(
            _alike(header.value(name) or "", entry.value(name) or "") for name in self.read.kind.identity
        )

    def _lent(self, header: Record, entry: Record, page: Url) -> tuple[Field, ...]:
        lacking = [group for group in self.read.kind.lends if not any(header.all(name) for name in group)]
        return tuple(
            replace(field, span=_NOWHERE, runner_up="", listed_on=page)
            for group in lacking
            for name in group
            for field in entry.all(name)
        )


def _without_doors(text: str) -> str:
    """Remove links to files such as "[PDF | slides]", which a model mistakes for a venue."""
    return _DOORS.sub(" ", text)


def _is_one_entry(text: str) -> bool:
    """Whether the text may be about one paper; with two years in it, it is unclear whose they are."""
    return bool(text.strip()) and len(set(_YEAR.findall(text))) < 2


def _alike(one: str, other: str) -> bool:
    first, second = fold_letters(one), fold_letters(other)
    return bool(first) and SequenceMatcher(None, first, second, autojunk=False).ratio() >= ALIKE
