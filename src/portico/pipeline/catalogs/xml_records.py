"""Reads XML catalogs: EndNote, JATS, PubMed, and OAI-PMH records in Dublin Core."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from lxml import etree

from portico.pipeline.catalogs.items import (
    CatalogItem,
    find_attached,
    find_month,
    format_day,
    join_name,
    join_pages,
    make_told,
    reorder_name,
)
from portico.store.documents.pages import name_record
from portico.text.languages import find_language_code

Element: TypeAlias = etree._Element

_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_YEAR = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?")
_DOI = re.compile(r"10\.\d{4,9}/\S+")

_MOST_ELEMENTS = 1_000_000  # of one record, some 130 bytes of memory each
_TOO_LARGE = (
    "the record here has more elements than any paper, and nothing is read from here on; it may be built to "
    "fill the memory"
)


def read_xml(stream: BinaryIO, folder: Path, stem: str) -> Iterator[CatalogItem]:
    """Yield all records with their line numbers, one at a time; a truncated file yields those before the cut.

    Entities are not expanded and nothing outside the file is opened.
    """
    number = n_open = n_elements = 0
    try:
        walk = etree.iterparse(
            stream,
            events=("start", "end"),
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
        )
        for event, element in walk:
            read = _READERS.get(etree.QName(element).localname)
            if event == "start":
                n_open += read is not None
                n_elements += 1
                if n_elements > _MOST_ELEMENTS:
                    line = element.sourceline
                    yield CatalogItem(str(line or 1), error=_TOO_LARGE)
                    return
                continue
            n_open -= read is not None
            told = read(element, folder / f"{stem}.Data") if read is not None else None
            if told is not None:
                number += 1
                line = element.sourceline
                yield _place(told, str(line) if line else f"item {number}")
            if told is not None or not n_open:
                # Free the element, so that of a large file there is never more than one record in memory.
                element.clear()
                while element.getprevious() is not None and (parent := element.getparent()) is not None:
                    del parent[0]
                n_elements = 0
    except etree.XMLSyntaxError as fault:
        line = fault.lineno or 1
        yield CatalogItem(
            str(line),
            error=f"the file is not well-formed XML from here on: {fault.msg}; "
            f"{number} records before it were read. Mend the file and import it again",
        )


def _place(item: CatalogItem, place: str) -> CatalogItem:
    return replace(item, place=place)


def _read_endnote(record: Element, data: Path) -> CatalogItem | None:
    if record.find("ref-type") is None and record.find("titles") is None:
        return _read_oai(record, data) if _find(record, "header") is not None else None
    kind = _ENDNOTE_KINDS.get(
        (record.find("ref-type").get("name") or "") if record.find("ref-type") is not None else "", ""
    )
    venue = _say(record.find("titles/secondary-title")) or _say(record.find("periodical/full-title"))
    number = _say(record.find("isbn"))
    digits = re.sub(r"[^\dXx]", "", number)
    year = _say(record.find("dates/year"))[:4]
    fields: dict[str, str | Sequence[str]] = {
        "publication_type": kind,
        (
            "booktitle"
            if kind in ("inproceedings", "incollection")
            else "journal"
            if kind == "article"
            else "venue"
        ): venue,
        "year": year,
        "volume": _say(record.find("volume")),
        "number": _say(record.find("number")),
        "pages": _say(record.find("pages")).replace("-", "–"),
        ("institution" if kind in ("phdthesis", "techreport") else "publisher"): _say(
            record.find("publisher")
        ),
        "address": _say(record.find("pub-location")),
        "doi": _say(record.find("electronic-resource-num")),
        ("isbn" if len(digits) in (10, 13) else "issn"): number,
        "abstract": _say(record.find("abstract")),
        "language": _say(record.find("language")),
        "affiliation": _say(record.find("auth-address")),
        "keyword": [_say(each) for each in record.findall("keywords/keyword")],
        "editor": [
            reorder_name(_say(each)) for each in record.findall("contributors/secondary-authors/author")
        ],
    }
    urls = [_say(each) for each in record.findall("urls/related-urls/url")]
    pdfs = [_say(each).removeprefix("internal-pdf://") for each in record.findall("urls/pdf-urls/url")]
    told = make_told(
        name=_say(record.find("rec-number")), title=_say(record.find("titles/title")),
        authors=[reorder_name(_say(each)) for each in record.findall("contributors/authors/author")],
        fields=fields, urls=urls,
    )  # fmt: skip
    return CatalogItem("", told, files=find_attached(pdfs, data / "PDF"))


_ENDNOTE_KINDS = {
    "Journal Article": "article", "Electronic Article": "article", "Magazine Article": "article",
    "Conference Paper": "inproceedings", "Conference Proceedings": "inproceedings",
    "Book Section": "incollection",
    "Book": "book", "Edited Book": "book", "Electronic Book": "book", "Thesis": "phdthesis",
    "Report": "techreport",
    "Unpublished Work": "unpublished", "Manuscript": "unpublished",
}  # fmt: skip


def _read_jats(article: Element, _data: Path) -> CatalogItem | None:
    meta, journal = _find(article, "article-meta"), _find(article, "journal-meta")
    if meta is None:
        return None
    ids = {each.get("pub-id-type", ""): _say(each) for each in _children(meta, "article-id")}
    dates = {
        each.get("pub-type") or each.get("date-type") or "": each for each in _children(meta, "pub-date")
    }
    when = next((dates[name] for name in ("epub", "ppub", "pub", "collection") if name in dates), None)
    when = when if when is not None else next(iter(dates.values()), None)
    day = _read_day(when)
    abstracts = [each for each in _children(meta, "abstract") if not each.get("abstract-type")]
    language = article.get(_LANGUAGE, "")
    fields: dict[str, str | Sequence[str]] = {
        "publication_type": "article" if journal is not None else "",
        "journal": _say(_find(journal, "journal-title")),
        "year": day[:4],
        "published": day if "-" in day else "",
        "volume": _say(_child(meta, "volume")),
        "number": _say(_child(meta, "issue")),
        "pages": join_pages(_say(_child(meta, "fpage")), _say(_child(meta, "lpage")))
        or _say(_child(meta, "elocation-id")),
        "publisher": _say(_find(journal, "publisher-name")),
        "doi": ids.get("doi", ""),
        "issn": _say(_find(journal, "issn")),
        "language": language[:2].lower(),
        "abstract": " ".join(_say(each) for each in abstracts[:1]),
        "keyword": [_say(each) for each in _all(meta, "kwd")],
        "affiliation": [_without_label(each) for each in _all(meta, "aff")],
    }
    told = make_told(
        name=ids.get("doi") or ids.get("pmid") or ids.get("publisher-id", ""),
        title=_say(_find(meta, "article-title")), authors=[_jats_name(each) for each in _contributors(meta)],
        fields=fields, references=[_jats_reference(each) for each in _all(article, "ref")],
    )  # fmt: skip
    return CatalogItem("", told)


def _contributors(meta: Element) -> Iterator[Element]:
    for each in _all(meta, "contrib"):
        if each.get("contrib-type", "author") == "author":
            yield each


def _jats_name(person: Element) -> str:
    name = _find(person, "name")
    if name is None:
        return _say(_find(person, "collab")) or _say(_find(person, "string-name"))
    return join_name(
        _say(_find(name, "surname")), _say(_find(name, "given-names")), _say(_find(name, "suffix"))
    )


def _jats_reference(ref: Element) -> dict[str, Any]:
    cited = next((each for each in ref if etree.QName(each).localname.endswith("citation")), ref)
    title = _say(_find(cited, "article-title")) or _say(_find(cited, "chapter-title"))
    venue = _say(_find(cited, "source")) or _say(_find(cited, "conf-name"))
    names = [
        join_name(_say(_find(each, "surname")), _say(_find(each, "given-names")))
        for each in (*_all(cited, "name"), *_all(cited, "string-name"))
    ]
    doi = next((_say(each) for each in _all(cited, "pub-id") if each.get("pub-id-type") == "doi"), "")
    found: dict[str, Any] = {
        "title": title or venue,
        "authors": names,
        "year": _say(_find(cited, "year"))[:4],
        "venue": venue if title else "",
        "volume": _say(_find(cited, "volume")),
        "pages": join_pages(_say(_find(cited, "fpage")), _say(_find(cited, "lpage"))),
        "publisher": _say(_find(cited, "publisher-name")),
        "doi": doi,
    }
    parts = [
        ", ".join(names),
        *(found[name] for name in ("title", "venue", "volume", "pages", "publisher", "year")),
    ]
    is_printed = etree.QName(cited).localname == "mixed-citation"
    found["raw"] = _say(cited) if is_printed else ". ".join(part for part in parts if part)
    return {name: value for name, value in found.items() if value}


def _read_pubmed(record: Element, _data: Path) -> CatalogItem | None:
    article = _find(record, "Article")
    if article is None:
        return None
    issue = _find(article, "JournalIssue")
    when = _find(issue, "PubDate")
    year, month = _say(_find(when, "Year")), find_month(_say(_find(when, "Month")))
    day = format_day(year or _say(_find(when, "MedlineDate"))[:4], month, _say(_find(when, "Day")))
    ids = {each.get("IdType", ""): _say(each) for each in _all(record, "ArticleId")}
    parts = [f"{label.capitalize()}: {_say(each)}" if (label := each.get("Label", "")) else _say(each)
             for each in _all(article, "AbstractText")]  # fmt: skip
    fields: dict[str, str | Sequence[str]] = {
        "publication_type": "article",
        "journal": _say(_find(article, "Title")),
        "year": day[:4],
        "published": day if "-" in day else "",
        "volume": _say(_find(issue, "Volume")),
        "number": _say(_find(issue, "Issue")),
        "pages": _say(_find(article, "MedlinePgn")).replace("-", "–"),
        "doi": ids.get("doi", ""),
        "pmid": _say(_find(record, "PMID")),
        "issn": _say(_find(article, "ISSN")),
        "language": find_language_code(_say(_find(article, "Language"))),
        "abstract": " ".join(parts),
        "keyword": [_say(each) for each in (*_all(record, "Keyword"), *_all(record, "DescriptorName"))],
        "affiliation": [_say(each) for each in _all(article, "Affiliation")],
    }
    authors = [
        _say(_find(each, "CollectiveName"))
        or join_name(
            _say(_find(each, "LastName")), _say(_find(each, "ForeName")), _say(_find(each, "Suffix"))
        )
        for each in _all(article, "Author")
    ]
    address = f"https://pubmed.ncbi.nlm.nih.gov/{fields['pmid']}/" if fields["pmid"] else ""
    title = _say(_find(article, "ArticleTitle")).removesuffix(".")
    return CatalogItem(
        "", make_told(name=str(fields["pmid"]), title=title, authors=authors, fields=fields, urls=[address])
    )


def _read_oai(record: Element, data: Path) -> CatalogItem | None:
    header = _find(record, "header")
    name = _say(_find(header, "identifier"))
    if header is not None and header.get("status") == "deleted":
        return CatalogItem("", deleted=name)
    said: dict[str, list[str]] = {}
    for each in record.iter("{http://purl.org/dc/elements/1.1/}*"):
        said.setdefault(etree.QName(each).localname, []).append(_say(each))
    if not said:
        return CatalogItem("", error=f"{name}: the record is not in Dublin Core (oai_dc)")
    places = said.get("identifier", []) + said.get("relation", []) + said.get("source", [])
    dates = [match for words in said.get("date", []) if (match := _YEAR.match(words))]
    day = min((format_day(*match.groups()) for match in dates), default="")
    doi = next((found.group() for words in places if (found := _DOI.search(words))), "")
    fields: dict[str, str | Sequence[str]] = {
        "year": day[:4],
        "published": day if "-" in day else "",
        "publisher": said.get("publisher", [])[:1],
        "venue": [words for words in said.get("source", []) if "://" not in words][:1],
        "doi": doi,
        "language": find_language_code((said.get("language") or [""])[0]),
        "abstract": max(said.get("description", [""]), key=len),
        "keyword": said.get("subject", []),
    }
    authors = [reorder_name(each) for each in said.get("creator", [])]
    urls = [words for words in said.get("identifier", []) if words.startswith("http")]
    told = make_told(
        name=name, title=(said.get("title") or [""])[0], authors=authors, fields=fields, urls=urls[:1]
    )
    # Besides its address: a record that is deleted later is known by its name alone.
    told["sources"] = [*told.get("sources", ()), name_record(data.stem, name)]
    return CatalogItem("", told)


_READERS: Mapping[str, Callable[[Element, Path], CatalogItem | None]] = {
    "record": _read_endnote,
    "article": _read_jats,
    "PubmedArticle": _read_pubmed,
}
"""Readers by the local name of the element that contains one record."""


def _read_day(when: Element | None) -> str:
    if when is None:
        return ""
    month = find_month(_say(_find(when, "month")))
    return format_day(_say(_find(when, "year"))[:4], month, _say(_find(when, "day")))


def _without_label(place: Element) -> str:
    label = _say(_find(place, "label"))
    return _say(place).removeprefix(label).strip()


def _say(element: Element | None) -> str:
    """Return the text of an element and its descendants."""
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def _find(element: Element | None, name: str) -> Element | None:
    return next(iter(_all(element, name)), None)


def _all(element: Element | None, name: str) -> Iterator[Element]:
    if element is not None:
        yield from element.iter(f"{{*}}{name}")


def _child(element: Element, name: str) -> Element | None:
    return next(_children(element, name), None)


def _children(element: Element, name: str) -> Iterator[Element]:
    yield from element.iterchildren(f"{{*}}{name}")
