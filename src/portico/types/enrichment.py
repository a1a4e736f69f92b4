"""The answer of an external catalog about one document."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from portico.types.record import Field

CROSSREF, OPENALEX, ARXIV, UNPAYWALL = "crossref", "openalex", "arxiv", "unpaywall"
CATALOGS = (CROSSREF, OPENALEX, ARXIV, UNPAYWALL)
"""The sources that [enrich] may name."""

_NAMES = {
    "api.crossref.org": "Crossref",
    "openalex.org": "OpenAlex",
    "arxiv.org": "arXiv",
    "unpaywall.org": "Unpaywall",
}


@dataclass(frozen=True, slots=True)
class CatalogAnswer:
    """The record that a catalog has of a document; without fields where it knows none."""

    catalog: str
    probability: float = 0.0  # that the record speaks of the document
    fields: tuple[Field, ...] = ()  # each says at which address it can be read
    asked: str = ""  # the address that was asked
    etag: str = ""  # to ask whether the answer has changed


def name_listing(address: str) -> str:
    """What people call the place at which a paper is listed; "a page that lists it" where it has no name."""
    return _NAMES.get(urlsplit(address).hostname or "", "a page that lists it")
