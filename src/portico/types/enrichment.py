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
    """A catalog's record of a document; without fields if it has none."""

    catalog: str
    probability: float = 0.0  # that the record is about the document
    fields: tuple[Field, ...] = ()  # each with the URL where it can be read
    asked: str = ""  # the URL that was requested
    etag: str = ""  # for asking whether the response has changed


def name_listing(address: str) -> str:
    """The name of the site that lists a paper; "a page that lists it" if unknown."""
    return _NAMES.get(urlsplit(address).hostname or "", "a page that lists it")
