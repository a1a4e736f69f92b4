"""Reads JSON catalogs: CSL-JSON, Crossref, OpenAlex, and lists of them."""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from portico.errors import InputError
from portico.pipeline.catalogs.items import format_day, join_name, join_pages, make_told

Told = Mapping[str, Any]

_TAG = re.compile(r"<[^<>]{1,200}>")
_KINDS = {
    "article-journal": "article", "journal-article": "article", "article": "article", "review": "article",
    "paper-conference": "inproceedings", "proceedings-article": "inproceedings", "chapter": "incollection",
    "book-chapter": "incollection", "book": "book", "monograph": "book", "edited-book": "book",
    "thesis": "phdthesis", "dissertation": "phdthesis", "report": "techreport", "manuscript": "unpublished",
    "posted-content": "unpublished", "preprint": "unpublished",
}  # fmt: skip
_BOOKS = ("inproceedings", "incollection")
# Keys of lists of records: in responses of Crossref and OpenAlex, in exports of Zotero and others.
_LISTS = ("items", "results", "records", "works", "data", "references")


def list_objects(document: object) -> Iterator[object]:
    """The records of a JSON file: a list, the list in an API response, or a single record."""
    if isinstance(document, list):
        yield from document
    elif isinstance(document, dict):
        message = document.get("message")
        if isinstance(message, dict) and "title" not in document:
            yield from list_objects(message)
            return
        listed = next((document[name] for name in _LISTS if isinstance(document.get(name), list)), None)
        if listed is not None and "title" not in document:
            yield from listed
        else:
            yield document
    else:
        raise InputError("the file holds neither an object nor a list of objects")


def adapt_object(told: object) -> object:
    """Convert an object to the common form of imports; an object of unknown form is returned unchanged."""
    if not isinstance(told, dict):
        return told
    if str(told.get("id", "")).startswith("https://openalex.org/"):
        return _from_openalex(told)
    if isinstance(told.get("title"), list) or ("DOI" in told and "prefix" in told):
        return _from_crossref(told)
    if "title" in told and told.get("type") in _CSL_TYPES and not told.keys() & {"authors", "fields"}:
        return _from_csl(told)
    return told


_CSL_TYPES = frozenset(
    {"article", "article-journal", "article-magazine", "article-newspaper", "book", "broadcast", "chapter",
     "collection", "dataset", "document", "entry", "entry-dictionary", "entry-encyclopedia", "event",
     "figure", "graphic", "interview", "legal_case", "legislation", "manuscript", "map", "motion_picture",
     "pamphlet", "paper-conference", "patent", "periodical", "personal_communication", "post", "post-weblog",
     "report", "review", "review-book", "software", "speech", "standard", "thesis", "treaty", "webpage"}
)  # fmt: skip


def _from_csl(told: Told) -> dict[str, Any]:
    kind = _KINDS.get(_text(told, "type"), "")
    day = _date(told.get("issued"))
    fields: dict[str, str | Sequence[str]] = {
        "publication_type": kind,
        _venue_name(kind): _text(told, "container-title"),
        "year": day[:4],
        "published": day if "-" in day else "",
        "volume": _text(told, "volume"),
        "number": _text(told, "issue") or _text(told, "number"),
        "pages": _dash(_text(told, "page")),
        ("institution" if kind in ("phdthesis", "techreport") else "publisher"): _text(told, "publisher"),
        "address": _text(told, "publisher-place"),
        "series": _text(told, "collection-title"),
        "edition": _text(told, "edition"),
        "doi": _text(told, "DOI"),
        "issn": _text(told, "ISSN"),
        "isbn": _text(told, "ISBN"),
        "language": _text(told, "language"),
        "abstract": _plain(_text(told, "abstract")),
        "keyword": _keywords(told.get("keyword")),
        "editor": _people(told.get("editor")),
    }
    return make_told(
        name=str(told.get("id", "")), title=_plain(_text(told, "title")), authors=_people(told.get("author")),
        fields=fields, urls=[_text(told, "URL")],
    )  # fmt: skip


def _from_crossref(told: Told) -> dict[str, Any]:
    kind = _KINDS.get(_text(told, "type"), "")
    day = next((found for name in _CROSSREF_DATES if (found := _date(told.get(name)))), "")
    subtitle = _text(told, "subtitle")
    title = _text(told, "title")
    people = _objects(told.get("author"))
    places = [_text(place, "name") for person in people for place in _objects(person.get("affiliation"))]
    fields: dict[str, str | Sequence[str]] = {
        "publication_type": kind,
        _venue_name(kind): _plain(_text(told, "container-title")),
        "year": day[:4],
        "published": day if "-" in day else "",
        "volume": _text(told, "volume"),
        "number": _text(told, "issue"),
        "pages": _dash(_text(told, "page") or _text(told, "article-number")),
        "publisher": _text(told, "publisher"),
        "doi": _text(told, "DOI"),
        "issn": _text(told, "ISSN"),
        "isbn": _text(told, "ISBN"),
        "language": _text(told, "language"),
        "abstract": _plain(_text(told, "abstract")),
        "keyword": _keywords(told.get("subject")),
        "affiliation": places,
        "editor": _people(told.get("editor")),
    }
    return make_told(
        name=_text(told, "DOI"), title=_plain(f"{title}: {subtitle}" if subtitle else title),
        authors=_people(people), fields=fields, urls=[_text(told, "URL")],
        references=[_crossref_reference(each) for each in _objects(told.get("reference"))],
    )  # fmt: skip


_CROSSREF_DATES = ("issued", "published", "published-print", "published-online", "created")


def _crossref_reference(cited: Told) -> dict[str, Any]:
    title = _text(cited, "article-title") or _text(cited, "volume-title")
    author, year = _text(cited, "author"), _text(cited, "year")[:4]
    venue = _text(cited, "journal-title") or _text(cited, "series-title")
    parts = [author, title, venue, _text(cited, "volume"), _text(cited, "first-page"), year]
    found = {
        "raw": _plain(_text(cited, "unstructured")) or ". ".join(part for part in parts if part),
        "title": _plain(title),
        "authors": [author] if author else [],
        "year": year,
        "venue": venue,
        "doi": _text(cited, "DOI"),
    }
    return {name: value for name, value in found.items() if value}


def _from_openalex(told: Told) -> dict[str, Any]:
    kind = _KINDS.get(_text(told, "type"), "")
    place = _object(told.get("primary_location"))
    best = _object(told.get("best_oa_location"))
    numbers = _object(told.get("biblio"))
    venue = _object(place.get("source"))
    signed = _objects(told.get("authorships"))
    affiliations = [words for each in signed for words in _keywords(each.get("raw_affiliation_strings"))]
    affiliations = affiliations or [
        _text(each, "display_name") for one in signed for each in _objects(one.get("institutions"))
    ]
    fields: dict[str, str | Sequence[str]] = {
        "publication_type": kind,
        _venue_name(kind): _text(venue, "display_name"),
        "year": str(told.get("publication_year") or ""),
        "published": _text(told, "publication_date"),
        "volume": _text(numbers, "volume"),
        "number": _text(numbers, "issue"),
        "pages": join_pages(_text(numbers, "first_page"), _text(numbers, "last_page")),
        "publisher": _text(venue, "host_organization_name"),
        "doi": _text(told, "doi"),
        "issn": _text(venue, "issn_l"),
        "language": _text(told, "language"),
        "abstract": _in_order(told.get("abstract_inverted_index")),
        "keyword": [_text(each, "display_name") for each in _objects(told.get("keywords"))],
        "affiliation": affiliations,
    }
    authors = [
        _text(_object(each.get("author")), "display_name") or _text(each, "raw_author_name")
        for each in signed
    ]
    urls = [_text(best, "pdf_url"), _text(place, "landing_page_url"), _text(told, "doi"), _text(told, "id")]
    return make_told(
        name=_text(told, "id"), title=_plain(_text(told, "title") or _text(told, "display_name")),
        authors=authors, fields=fields, urls=[url for url in urls if url][:1],
    )  # fmt: skip


_LONGEST_ABSTRACT = 100_000  # characters


def _in_order(places: object) -> str:
    """Restore an abstract that OpenAlex stores as word → positions."""
    if not isinstance(places, dict):
        return ""
    words = [(at, word) for word, found in places.items() if isinstance(found, list) for at in found]
    said, n_characters = list[str](), 0
    for _at, word in sorted((at, word) for at, word in words if isinstance(at, int)):
        n_characters += len(word) + 1
        if n_characters > _LONGEST_ABSTRACT:  # one word could have a million positions
            break
        said.append(word)
    return " ".join(said)


def _venue_name(kind: str) -> str:
    return "booktitle" if kind in _BOOKS else "journal" if kind == "article" else "venue"


def _people(given: object) -> list[str]:
    return [name for each in _objects(given) if (name := _person(each))]


def _person(told: Told) -> str:
    literal = _text(told, "literal") or _text(told, "name")
    if literal:
        return literal
    particle = " ".join(
        part for part in (_text(told, "non-dropping-particle"), _text(told, "family")) if part
    )
    given = " ".join(part for part in (_text(told, "given"), _text(told, "dropping-particle")) if part)
    return join_name(particle, given, _text(told, "suffix"))


def _date(given: object) -> str:
    """Read a CSL date, given as parts or as text with a year in it."""
    if not isinstance(given, dict):
        return ""
    parts = given.get("date-parts")
    if isinstance(parts, list) and parts and isinstance(parts[0], list):
        return format_day(*parts[0][:3]) if parts[0] else ""
    found = re.search(r"\d{4}(?:-\d\d(?:-\d\d)?)?", _text(given, "raw") or _text(given, "literal"))
    return found.group() if found else ""


def _keywords(given: object) -> list[str]:
    listed = re.split(r"\s*[;,]\s*", given) if isinstance(given, str) else given
    return [str(each) for each in listed] if isinstance(listed, list) else []


def _plain(text: str) -> str:
    """Remove the tags that catalogs leave in titles and abstracts."""
    return " ".join(html.unescape(_TAG.sub(" " if "<jats:p" in text or "<p" in text else "", text)).split())


def _dash(pages: str) -> str:
    return re.sub(r"(?<=\w)\s*[-‐-―]+\s*(?=\w)", "–", pages)


def _text(told: Told, name: str) -> str:
    value = told.get(name)
    if isinstance(value, list):
        value = value[0] if value else ""
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _object(value: object) -> Told:
    return value if isinstance(value, dict) else {}


def _objects(value: object) -> list[Told]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
