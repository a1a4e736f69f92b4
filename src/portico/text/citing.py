"""Write a list of papers as BibTeX, RIS or CSL-JSON."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase
from types import MappingProxyType

from portico.text.bibtex import choose_entry_kind, format_bibtex, make_citation_key
from portico.text.names import PersonName, parse_cited_name


@dataclass(frozen=True, slots=True)
class Citable:
    """Plain text as people read it; `fields` are named as in BibTeX (title, year, journal, pages, ...)."""

    id: str
    authors: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The BibTeX entry type that fits what is known."""
        return choose_entry_kind(self.fields)


def make_unique_keys(papers: Sequence[Citable]) -> list[str]:
    """A sensible key for each, as `utgoff1989incremental`; a second one of a name gets a letter behind it."""
    taken: set[str] = set()
    found: list[str] = []
    for paper in papers:
        plain = make_citation_key(paper.authors, paper.fields.get("year"), paper.fields.get("title", ""))
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


def write_bibtex(papers: Sequence[Citable]) -> str:
    """One entry a paper, with an empty line between them; BibTeX 0.99 and biber both read it."""
    return "\n".join(
        format_bibtex(key, paper.kind, _printed_once(paper), paper.authors)
        for key, paper in zip(make_unique_keys(papers), papers, strict=True)
    )


def write_ris(papers: Sequence[Citable]) -> str:
    """RIS as EndNote, Zotero and Mendeley import it: a tag a line, CRLF, ER at the end of each."""
    return "".join(_ris(paper) for paper in papers)


def write_csl_json(papers: Sequence[Citable]) -> str:
    """A JSON array of CSL items, what pandoc and citeproc take."""
    items = [_csl(key, paper) for key, paper in zip(make_unique_keys(papers), papers, strict=True)]
    return json.dumps(items, ensure_ascii=False, indent=1)


FORMATS: Mapping[str, tuple[str, Callable[[Sequence[Citable]], str]]] = MappingProxyType(
    {
        "bib": ("application/x-bibtex; charset=utf-8", write_bibtex),
        "ris": ("application/x-research-info-systems; charset=utf-8", write_ris),
        "json": ("application/vnd.citationstyles.csl+json; charset=utf-8", write_csl_json),
    }
)
"""By the ending of a file name: media type and writer."""

_RIS_KINDS = {
    "article": "JOUR", "inproceedings": "CPAPER", "incollection": "CHAP", "inbook": "CHAP", "book": "BOOK",
    "phdthesis": "THES", "mastersthesis": "THES", "techreport": "RPRT", "unpublished": "UNPB",
}  # fmt: skip
_RIS_TAGS = (
    ("title", "TI"), ("journal", "T2"), ("booktitle", "T2"), ("year", "PY"), ("volume", "VL"),
    ("number", "IS"), ("publisher", "PB"), ("institution", "PB"), ("doi", "DO"), ("url", "UR"),
    ("abstract", "AB"), ("issn", "SN"), ("isbn", "SN"),
)  # fmt: skip
_CSL_KINDS = {
    "article": "article-journal", "inproceedings": "paper-conference", "incollection": "chapter",
    "inbook": "chapter", "book": "book", "phdthesis": "thesis", "mastersthesis": "thesis",
    "techreport": "report", "unpublished": "manuscript",
}  # fmt: skip
_CSL_NAMES = (
    ("title", "title"), ("journal", "container-title"), ("booktitle", "container-title"),
    ("volume", "volume"), ("number", "issue"), ("publisher", "publisher"), ("institution", "publisher"),
    ("doi", "DOI"), ("url", "URL"), ("abstract", "abstract"), ("issn", "ISSN"), ("isbn", "ISBN"),
)  # fmt: skip
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
_RANGE = re.compile(r"(\w+)\s*[-‐-―−]+\s*(\w+)")
_YEAR = re.compile(r"\d{4}")
_REPORT = re.compile(
    r"^(?:(?:technical|research|tech\.?)\s+rep(?:ort|\.)?|tr)\s+(?:no\.?\s+|number\s+)?(?=\S)", re.I
)


def _printed_once(paper: Citable) -> dict[str, str]:
    """A paper is printed in one place: the journal of an article, else the book; a report has a number."""
    fields = dict(paper.fields)
    if "journal" in fields and "booktitle" in fields:
        del fields["booktitle" if paper.kind == "article" else "journal"]
    report = _REPORT.sub("", fields.pop("tech", ""))
    if report and paper.kind == "techreport":
        fields.setdefault("number", report)
    return fields


def _one_line(text: str) -> str:
    return " ".join(_CONTROL.sub(" ", text).split())


def _ris(paper: Citable) -> str:
    fields = {name: line for name, value in _printed_once(paper).items() if (line := _one_line(value))}
    lines = [("TY", _RIS_KINDS.get(paper.kind, "GEN")), ("ID", paper.id)]
    lines += [
        ("AU", _inverted(parse_cited_name(author))) for name in paper.authors if (author := _one_line(name))
    ]
    lines += [(tag, fields[name]) for name, tag in _RIS_TAGS if name in fields]
    pages = fields.get("pages", "")
    if found := _RANGE.search(pages):
        lines += [("SP", found[1]), ("EP", found[2])]
    elif pages:
        lines.append(("SP", pages))
    return "".join(f"{tag}  - {value}\r\n" for tag, value in [*lines, ("ER", "")])


def _inverted(person: PersonName) -> str:
    """ "Aha, David W., Jr." as RIS wants it."""
    return ", ".join(part for part in (person.surname, " ".join(person.given), person.suffix) if part)


def _csl(key: str, paper: Citable) -> dict[str, object]:
    fields = {name: line for name, value in _printed_once(paper).items() if (line := _one_line(value))}
    item: dict[str, object] = {"id": key, "type": _CSL_KINDS.get(paper.kind, "document")}
    item |= {csl: fields[name] for name, csl in _CSL_NAMES if name in fields}
    if paper.authors:
        item["author"] = [
            _csl_name(parse_cited_name(_one_line(name))) for name in paper.authors if _one_line(name)
        ]
    if found := _YEAR.search(fields.get("year", "")):
        item["issued"] = {"date-parts": [[int(found.group())]]}
    if "pages" in fields:
        item["page"] = _RANGE.sub(r"\1-\2", fields["pages"])
    return item


def _csl_name(person: PersonName) -> dict[str, str]:
    if not person.given:
        return {"literal": person.surname}
    name = {"family": person.surname, "given": " ".join(person.given)}
    return name | ({"suffix": person.suffix} if person.suffix else {})
