"""The external catalogs: how to query each about a paper, and how to read its answers.

The answers are documented by Crossref (https://api.crossref.org/swagger-ui), OpenAlex
(https://docs.openalex.org), arXiv (https://info.arxiv.org/help/api) and Unpaywall
(https://unpaywall.org/products/api).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from urllib.parse import quote, urlencode

from lxml import etree

from portico.errors import InputError
from portico.pipeline.catalogs.formats import parse_json
from portico.pipeline.catalogs.items import make_told, strip_doi
from portico.pipeline.catalogs.json_records import adapt_object, list_objects
from portico.text.names import parse_cited_name
from portico.types.enrichment import ARXIV, CATALOGS, CROSSREF, OPENALEX, UNPAYWALL
from portico.types.record import Record

Told = Mapping[str, Any]

MOST_RECORDS = 5
"""Maximum number of search results examined."""

_LONGEST_TITLE = 300  # characters of a title that are searched for


@dataclass(frozen=True, slots=True)
class Query:
    """A question about a paper, made from its header."""

    doi: str = ""
    arxiv: str = ""
    title: str = ""
    surname: str = ""  # of the first author

    @classmethod
    def from_header(cls, header: Record) -> "Query":
        doi = strip_doi(header.value("doi") or "").lower()
        names = header.all("author") or header.all("authors")
        title = " ".join((header.value("title") or "").split())[:_LONGEST_TITLE]
        surname = parse_cited_name(names[0].value).surname if names else ""
        found = _ARXIV_DOI.fullmatch(doi) or _ARXIV_ID.search(header.value("arxiv") or "")
        return cls(doi, found[1] if found else "", title, surname)


_ARXIV_DOI = re.compile(r"10\.48550/arxiv\.(.+)", re.IGNORECASE)
_ARXIV_ID = re.compile(r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})")
_NOT_IN_WORDS = re.compile(r"[^\w]+")


@dataclass(frozen=True, slots=True)
class CatalogService:
    """One external catalog; `make_path` returns None if the query lacks what the catalog needs."""

    name: str
    url: str
    make_path: Callable[[Query, str], str | None]
    read: Callable[[bytes], list[Told]]
    find_address: Callable[[Told], str]  # where people can read the record
    least_delay_s: float = 0.0  # between two requests, as its terms of use ask for


def _ask_crossref(query: Query, contact: str) -> str | None:
    if query.doi:
        return f"/works/{quote(query.doi, safe='/')}?{_encode(mailto=contact)}"
    words = {"query.bibliographic": query.title, "query.author": query.surname}
    return f"/works?{_encode(**words, rows=MOST_RECORDS, mailto=contact)}" if query.title else None


def _ask_openalex(query: Query, contact: str) -> str | None:
    if query.doi:
        return f"/works/doi:{quote(query.doi, safe='/')}?{_encode(mailto=contact)}"
    words = _NOT_IN_WORDS.sub(" ", query.title).strip()  # commas and pipes have a meaning of their own
    searched = _encode(filter=f"title.search:{words}", **{"per-page": MOST_RECORDS}, mailto=contact)
    return f"/works?{searched}" if words else None


def _ask_arxiv(query: Query, contact: str) -> str | None:
    if query.arxiv:
        return f"/api/query?{_encode(id_list=query.arxiv)}"
    words = _NOT_IN_WORDS.sub(" ", query.title).strip()
    if not words or not query.surname:
        return None
    surname = _NOT_IN_WORDS.sub(" ", query.surname).strip()
    search = f'ti:"{words}" AND au:"{surname}"'
    return f"/api/query?{_encode(search_query=search, max_results=MOST_RECORDS)}"


def _ask_unpaywall(query: Query, contact: str) -> str | None:
    return f"/v2/{quote(query.doi, safe='/')}?{_encode(email=contact)}" if query.doi else None


def _encode(**asked: str | int) -> str:
    return urlencode({name: value for name, value in asked.items() if value})


def _read_json(body: bytes) -> list[Told]:
    document = parse_json(body)
    if isinstance(document, dict) and isinstance(document.get("message"), list):
        return []  # Crossref's errors
    adapted = (adapt_object(told) for told in list_objects(document))
    found: list[Told] = [told for told in adapted if isinstance(told, dict) and told.get("title")]
    return found[:MOST_RECORDS]


def _read_unpaywall(body: bytes) -> list[Told]:
    document = parse_json(body)
    if not isinstance(document, dict) or not isinstance(document.get("title"), str):
        return []
    told = {name: value for name, value in document.items() if isinstance(value, str | int)}
    location = document.get("best_oa_location")
    place = location if isinstance(location, dict) else {}
    open_access = place.get("url_for_pdf") or place.get("url")
    people = document.get("z_authors")
    return [
        make_told(
            title=str(told["title"]),
            authors=[
                f"{person.get('given') or ''} {person['family']}".strip()
                for person in (people if isinstance(people, list) else ())
                if isinstance(person, dict) and isinstance(person.get("family"), str)
            ],
            fields={
                "doi": str(told.get("doi", "")),
                "year": str(told.get("year", "")),
                "journal": str(told.get("journal_name", "")),
                "publisher": str(told.get("publisher", "")),
                "open_access": open_access if isinstance(open_access, str) else "",
            },
        )
    ]


_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"


def _read_arxiv(body: bytes) -> list[Told]:
    try:
        parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
        feed = etree.fromstring(body, parser)
    except etree.XMLSyntaxError as error:
        raise InputError(f"the answer is no XML: {error.msg}") from error
    return [_read_arxiv_entry(entry) for entry in feed.findall(f"{_ATOM}entry")[:MOST_RECORDS]]


def _read_arxiv_entry(entry: Any) -> Told:
    def text(name: str) -> str:
        return " ".join((entry.findtext(name) or "").split())

    address = text(f"{_ATOM}id").replace("http://", "https://")
    pdf = [link.get("href", "") for link in entry.findall(f"{_ATOM}link") if link.get("title") == "pdf"]
    return make_told(
        title=text(f"{_ATOM}title"),
        authors=[" ".join(each.text.split()) for each in entry.iterfind(f".//{_ATOM}name") if each.text],
        fields={
            "year": text(f"{_ATOM}published")[:4],
            "abstract": text(f"{_ATOM}summary"),
            "doi": text(f"{_ARXIV}doi"),
            "journal": "",
            "open_access": pdf[0].replace("http://", "https://") if pdf else "",
        },
        urls=[address],
    )


def _find_crossref(told: Told) -> str:
    return f"https://api.crossref.org/works/{quote(_find_doi(told), safe='/')}"


def _find_unpaywall(told: Told) -> str:
    return f"https://unpaywall.org/{quote(_find_doi(told), safe='/')}"


def _find_openalex(told: Told) -> str:
    return str(told.get("id", ""))


def _find_arxiv(told: Told) -> str:
    sources: Sequence[str] = told.get("sources", ())
    return sources[0] if sources else ""


def _find_doi(told: Told) -> str:
    return str(next(iter(told.get("fields", {}).get("doi", ())), ""))


_ARXIV_DELAY_S = 3.0  # what its terms of use ask for

_ALL = (
    CatalogService(CROSSREF, "https://api.crossref.org", _ask_crossref, _read_json, _find_crossref),
    CatalogService(OPENALEX, "https://api.openalex.org", _ask_openalex, _read_json, _find_openalex),
    CatalogService(
        ARXIV, "https://export.arxiv.org", _ask_arxiv, _read_arxiv, _find_arxiv, least_delay_s=3.0
    ),
    CatalogService(UNPAYWALL, "https://api.unpaywall.org", _ask_unpaywall, _read_unpaywall, _find_unpaywall),
)
BY_NAME: Mapping[str, CatalogService] = MappingProxyType({each.name: each for each in _ALL})
assert tuple(BY_NAME) == CATALOGS
