"""Metadata in a paper's page, for Google Scholar, Zotero, link previews and harvesters."""

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from portico.serve.escaping import strip_hidden
from portico.serve.links import make_paper_url
from portico.serve.page_parts import shorten
from portico.serve.papers.paper_page import PaperPage
from portico.text.citation_formats import FORMATS

MetaTag = tuple[str, str, str]
"""The naming attribute ("name", or "property" for Open Graph), the name, and the content."""

# Search engines show about this many characters of a description.
_DESCRIPTION = 300
_LONGEST_NAME = 200

# The tag for where it was published, by kind of entry.
_CONTAINER_TAGS: Mapping[str, str] = {
    "article": "citation_journal_title",
    "inproceedings": "citation_conference_title",
    "incollection": "citation_inbook_title",
    "inbook": "citation_inbook_title",
    "techreport": "citation_technical_report_institution",
    "phdthesis": "citation_dissertation_institution",
    "mastersthesis": "citation_dissertation_institution",
}
_SCHEMA_KINDS: Mapping[str, str] = {
    "book": "Book",
    "phdthesis": "Thesis",
    "mastersthesis": "Thesis",
    "techreport": "Report",
    "incollection": "Chapter",
    "inbook": "Chapter",
}
_COINS_GENRES: Mapping[str, str] = {"article": "article", "inproceedings": "proceeding"}
_SCHOLARLY = (
    ("volume", "citation_volume"),
    ("number", "citation_issue"),
    ("publisher", "citation_publisher"),
    ("issn", "citation_issn"),
    ("isbn", "citation_isbn"),
    ("doi", "citation_doi"),
    ("language", "citation_language"),
)
_PAGES = re.compile(r"(\w+)(?:\s*[-‐-―−]+\s*(\w+))?")


def list_meta_tags(page: PaperPage, base_url: str) -> list[MetaTag]:
    """All <meta> tags, in order. Uncertain values are left out."""
    said = [
        *(("name", name, value) for name, value in _list_scholarly_tags(page, base_url)),
        *(("name", name, value) for name, value in _list_dublin_core(page, base_url)),
        *(("property", name, value) for name, value in _list_open_graph(page, base_url)),
    ]
    return [(attribute, name, str(strip_hidden(value))) for attribute, name, value in said if value]


def _list_scholarly_tags(page: PaperPage, base_url: str) -> Iterator[tuple[str, str]]:
    """The tags that Google Scholar asks for, which reference managers also read."""
    known = page.citable.fields
    yield "description", shorten(page.abstract, _DESCRIPTION)
    yield "citation_title", page.title
    yield from (("citation_author", name) for name in list_names(page))
    if "year" in known:
        yield "citation_publication_date", page.date.replace("-", "/")
    container = find_container(page)
    yield _CONTAINER_TAGS.get(page.citable.kind, "citation_journal_title"), container
    for field, tag in _SCHOLARLY:
        yield tag, known.get(field, "")
    first, last = split_pages(known.get("pages", ""))
    yield "citation_firstpage", first
    yield "citation_lastpage", last
    yield "citation_abstract_html_url", base_url + make_paper_url(page.id)
    yield "citation_pdf_url", _find_pdf(page, base_url)
    yield from (("citation_keywords", topic.trail[-1].text) for topic in page.topics)


def _list_dublin_core(page: PaperPage, base_url: str) -> Iterator[tuple[str, str]]:
    known = page.citable.fields
    yield "DC.title", page.title
    yield from (("DC.creator", name) for name in list_names(page))
    yield "DC.date", page.date if "year" in known else ""
    yield "DC.description", page.abstract
    yield "DC.relation.ispartof", find_container(page)
    yield "DC.publisher", known.get("publisher", "")
    yield "DC.language", known.get("language", "")
    yield "DC.identifier", f"doi:{known['doi']}" if known.get("doi") else base_url + make_paper_url(page.id)
    yield from (("DC.subject", topic.trail[-1].text) for topic in page.topics)
    yield "DC.type", "Text"


def _list_open_graph(page: PaperPage, base_url: str) -> Iterator[tuple[str, str]]:
    yield "og:type", "article"
    yield "og:title", page.title
    yield "og:description", shorten(page.abstract, _DESCRIPTION)
    yield "og:url", base_url + make_paper_url(page.id)
    yield "og:image", base_url + page.picture.url if page.picture else ""


def write_coins(page: PaperPage) -> str:
    """The title attribute of a COinS span: the paper as an OpenURL context object."""
    known, kind = page.citable.fields, page.citable.kind
    is_book = kind in ("book", "incollection", "inbook")
    said = [
        ("ctx_ver", "Z39.88-2004"),
        ("rft_val_fmt", f"info:ofi/fmt:kev:mtx:{'book' if is_book else 'journal'}"),
        ("rft.genre", "bookitem" if is_book and kind != "book" else _COINS_GENRES.get(kind, "unknown")),
        ("rft.btitle" if is_book else "rft.atitle", page.title),
        ("rft.title" if is_book else "rft.jtitle", find_container(page)),
        *(("rft.au", name) for name in list_names(page)),
        ("rft.date", page.date if "year" in known else ""),
        *((f"rft.{name}", known.get(field, "")) for name, field in _COINS_FIELDS),
        ("rft_id", f"info:doi/{known['doi']}" if known.get("doi") else ""),
    ]
    return urlencode([(name, strip_hidden(value)) for name, value in said if value])


_COINS_FIELDS = (
    ("volume", "volume"),
    ("issue", "number"),
    ("pages", "pages"),
    ("issn", "issn"),
    ("isbn", "isbn"),
)


def describe_article(page: PaperPage, base_url: str) -> dict[str, Any]:
    """The paper in the vocabulary of schema.org. Unknown properties are left out."""
    known = page.citable.fields
    doi = known.get("doi", "")
    values = {
        "abstract": page.abstract,
        "datePublished": page.date if "year" in known else "",
        "isPartOf": _describe_container(page),
        "pagination": known.get("pages", ""),
        "inLanguage": known.get("language", ""),
        "author": [
            {"@type": "Person", "name": strip_hidden(author.text), "url": base_url + author.url}
            for author in page.authors
        ],
        "about": [topic.trail[-1].text for topic in page.topics],
        "identifier": {"@type": "PropertyValue", "propertyID": "doi", "value": doi} if doi else "",
        "sameAs": f"https://doi.org/{doi}" if doi else "",
        "image": base_url + page.picture.url if page.picture else "",
    }
    return {
        "@context": "https://schema.org",
        "@type": _SCHEMA_KINDS.get(page.citable.kind, "ScholarlyArticle"),
        "@id": base_url + make_paper_url(page.id),
        "url": base_url + make_paper_url(page.id),
        "headline": strip_hidden(page.title),
        "name": strip_hidden(page.title),
        **{name: strip_hidden(value) for name, value in values.items() if value},
    }


def _describe_container(page: PaperPage) -> dict[str, Any] | str:
    """The journal with volume and issue, or the proceedings."""
    container, known = strip_hidden(find_container(page)), page.citable.fields
    if not container:
        return ""
    if page.citable.kind != "article":
        return {"@type": "Book" if page.citable.kind == "incollection" else "CreativeWork", "name": container}
    described: dict[str, Any] = {"@type": "Periodical", "name": container}
    if issn := known.get("issn"):
        described["issn"] = issn
    if volume := known.get("volume"):
        described = {"@type": "PublicationVolume", "volumeNumber": volume, "isPartOf": described}
    if number := known.get("number"):
        described = {"@type": "PublicationIssue", "issueNumber": number, "isPartOf": described}
    return described


def list_names(page: PaperPage) -> list[str]:
    """The authors' names; overlong ones, which cannot be names, are cut."""
    return [shorten(name, _LONGEST_NAME) for name in page.citable.authors]


def find_container(page: PaperPage) -> str:
    """The journal, proceedings or institution that published it."""
    known = page.citable.fields
    names = ("journal", "booktitle", "institution", "howpublished")
    return next((known[name] for name in names if known.get(name)), "")


def split_pages(pages: str) -> tuple[str, str]:
    """First and last page of "34--56"; either may be missing."""
    found = _PAGES.match(pages)
    return (found[1], found[2] or "") if found else ("", "")


def _find_pdf(page: PaperPage, base_url: str) -> str:
    """The URL of our own copy, because scholarly search engines want the file on the same host as the
    page.
    """
    copies = (place.copy_url for place in page.places if place.format == "PDF" and place.copy_url)
    return next((base_url + copy for copy in copies), "")


def list_signposts(page: PaperPage, base_url: str) -> str:
    """The Link header through which programs find what belongs to the page (signposting.org)."""
    here = base_url + make_paper_url(page.id)
    doi = page.citable.fields.get("doi", "")
    links = [
        (f"https://doi.org/{doi}" if doi else here, "cite-as", ""),
        *((f"{here}.{ending}", "describedby", FORMATS[ending][0].partition(";")[0]) for ending in FORMATS),
        *((base_url + place.copy_url, "item", "") for place in page.places if place.copy_url),
        ("https://schema.org/ScholarlyArticle", "type", ""),
        ("https://schema.org/AboutPage", "type", ""),
    ]
    return ", ".join(
        f'<{address}>; rel="{relation}"' + (f'; type="{media_type}"' if media_type else "")
        for address, relation, media_type in links
        if address.isascii() and not re.search(r"[<>\s,;\"]", address)
    )
