"""Formats papers as BibTeX (for BibTeX 0.99 and biber), RIS and CSL-JSON."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase
from types import MappingProxyType

from portico.text.names import PARTICLES, PersonName, fold, fold_letters, parse_cited_name, split_names


@dataclass(frozen=True, slots=True)
class Citable:
    """Plain text as people read it; `fields` are named as in BibTeX (title, year, journal, pages, ...)."""

    id: str
    authors: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    told_kind: str = ""  # the BibTeX entry type that its own catalog gave it, if any
    keywords: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The given BibTeX entry type, or else the one that fits the known fields."""
        if self.told_kind == "book" and self.fields.get("booktitle"):
            return "incollection"
        return self.told_kind if self.told_kind in KINDS else choose_entry_kind(self.fields)


def make_unique_keys(papers: Sequence[Citable]) -> list[str]:
    """A citation key for each entry, like `utgoff1989incremental`; repeated keys get a letter at the end."""
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
    """One entry per paper, separated by empty lines; readable by BibTeX 0.99 and biber."""
    return "\n".join(
        format_bibtex(key, paper.kind, _printed_once(paper), paper.authors)
        for key, paper in zip(make_unique_keys(papers), papers, strict=True)
    )


def write_ris(papers: Sequence[Citable]) -> str:
    """RIS as EndNote, Zotero and Mendeley import it: one tag per line, CRLF, each entry ended by ER."""
    return "".join(_ris(paper) for paper in papers)


def write_csl_json(papers: Sequence[Citable]) -> str:
    """A JSON array of CSL items, as pandoc and citeproc read it."""
    items = [_csl(key, paper) for key, paper in zip(make_unique_keys(papers), papers, strict=True)]
    return json.dumps(items, ensure_ascii=False, indent=1)


FORMATS: Mapping[str, tuple[str, Callable[[Sequence[Citable]], str]]] = MappingProxyType(
    {
        "bib": ("application/x-bibtex; charset=utf-8", write_bibtex),
        "ris": ("application/x-research-info-systems; charset=utf-8", write_ris),
        "json": ("application/vnd.citationstyles.csl+json; charset=utf-8", write_csl_json),
    }
)
"""Media type and writer by file name ending."""

_RIS_KINDS = {
    "article": "JOUR", "inproceedings": "CPAPER", "incollection": "CHAP", "inbook": "CHAP", "book": "BOOK",
    "phdthesis": "THES", "mastersthesis": "THES", "techreport": "RPRT", "unpublished": "UNPB",
}  # fmt: skip
_RIS_TAGS = (
    ("title", "TI"), ("journal", "T2"), ("booktitle", "T2"), ("year", "PY"), ("volume", "VL"),
    ("number", "IS"), ("publisher", "PB"), ("institution", "PB"), ("doi", "DO"), ("url", "UR"),
    ("abstract", "AB"), ("issn", "SN"), ("isbn", "SN"), ("language", "LA"),
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
    ("language", "language"), ("keywords", "keyword"),
)  # fmt: skip
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
_RANGE = re.compile(r"(\w+)\s*[-‐-―−]+\s*(\w+)")
_YEAR = re.compile(r"\d{4}")
_REPORT = re.compile(
    r"^(?:(?:technical|research|tech\.?)\s+rep(?:ort|\.)?|tr)\s+(?:no\.?\s+|number\s+)?(?=\S)", re.I
)


def _printed_once(paper: Citable) -> dict[str, str]:
    """Keep one venue: the journal of an article, else the book; a report keeps its number."""
    fields = dict(paper.fields)
    if "journal" in fields and "booktitle" in fields:
        del fields["booktitle" if paper.kind == "article" else "journal"]
    report = _REPORT.sub("", fields.pop("tech", ""))
    if report and paper.kind == "techreport":
        fields.setdefault("number", report)
    if paper.keywords:
        fields["keywords"] = ", ".join(paper.keywords)
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
    lines += [("KW", line) for keyword in paper.keywords if (line := _one_line(keyword))]
    pages = fields.get("pages", "")
    if found := _RANGE.search(pages):
        lines += [("SP", found[1]), ("EP", found[2])]
    elif pages:
        lines.append(("SP", pages))
    return "".join(f"{tag}  - {value}\r\n" for tag, value in [*lines, ("ER", "")])


def _inverted(person: PersonName) -> str:
    """A name in the order RIS requires: "Aha, David W., Jr."."""
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


KINDS = (
    "article", "book", "booklet", "inbook", "incollection", "inproceedings", "manual", "mastersthesis",
    "misc", "phdthesis", "proceedings", "techreport", "unpublished",
)  # fmt: skip
"""The entry types that every BibTeX style supports."""


def format_bibtex(key: str, kind: str, fields: Mapping[str, str], authors: Sequence[str]) -> str:
    """One entry, ending in a newline. An unknown kind becomes `misc`; empty values are left out.

    Values are plain text, not TeX: special characters are escaped here.
    """
    safe_kind = kind.lower() if kind.lower() in KINDS else "misc"
    lines = [f"@{safe_kind}{{{_safe_key(key)},"]
    people = _author_list(authors)
    if people:
        lines.append(f"  author = {{{people}}},")
    for name, value in fields.items():
        safe_name = _NOT_IN_NAMES.sub("", name.lower())
        text = _field_text(safe_name, value)
        if safe_name and text:
            lines.append(f"  {safe_name} = {{{text}}},")
    return "\n".join([*lines, "}"]) + "\n"


def make_citation_key(authors: Sequence[str], year: str | int | None, title: str) -> str:
    """Surname, year and first significant word of the title: `mccallum2000automating`.

    ASCII letters and digits only; the caller makes keys unique within a list.
    """
    names = [name for author in authors for name in split_names(author)]
    surname = _ascii(parse_cited_name(names[0]).surname) if names else ""
    digits = re.sub(r"\D", "", str(year or ""))[:4]
    words = [word for word in (_ascii(word) for word in _WORD.findall(title)) if word]
    telling = next((word for word in words if word not in _EMPTY_WORDS), words[0] if words else "")
    return f"{surname or 'anonymous'}{digits}{telling}"[:_LONGEST_KEY]


def choose_entry_kind(fields: Mapping[str, str]) -> str:
    """The entry type that fits the known fields: a paper with a journal is an article, and so on."""
    venue = fold(
        " ".join(fields.get(name, "") for name in ("booktitle", "journal", "venue", "institution", "tech"))
    )
    for kind, pattern in _KIND_SIGNS:
        if pattern.search(venue):
            return kind
    if book := fields.get("booktitle"):
        # Meetings are printed as "AAAI-90" and "NIPS 9"; a book that has a publisher is named in words.
        return "incollection" if fields.get("publisher") and not _ACRONYM.search(book) else "inproceedings"
    if fields.get("journal"):
        return "article"
    if not fields.get("publisher"):
        return "misc"
    return "incollection" if _is_within_another(fields) else "book"


def _is_within_another(fields: Mapping[str, str]) -> bool:
    """Whether a publication without a journal is part of another one: its venue is not its own title."""
    venue = fields.get("venue", "")
    return bool(venue) and fold(venue) != fold(fields.get("title", ""))


_LONGEST_KEY = 60  # characters: longer keys are a nuisance to type and no clearer
_NOT_IN_NAMES = re.compile(r"[^a-z-]")
_NOT_IN_KEYS = re.compile(r"[^A-Za-z0-9:._/+-]")
_WORD = re.compile(r"[^\W_]+")
_EMPTY_WORDS = frozenset(
    {"a", "an", "and", "at", "by", "for", "from", "how", "in", "is", "of", "on", "or", "the", "to", "toward",
     "towards", "using", "with", "what", "why"}
)  # fmt: skip

# Read verbatim by \url and by biber: escapes would become part of the URL.
_VERBATIM = frozenset({"url", "doi", "eprint", "file"})
_URL_UNSAFE = {
    "{": "%7B",
    "}": "%7D",
    "\\": "%5C",
    " ": "%20",
    "^": "%5E",
    '"': "%22",
    "<": "%3C",
    ">": "%3E",
}

# Braces are spelled out because BibTeX counts \{ as an opening brace.
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}", "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"{\textquotedbl}",
    "–": "--", "—": "---", "‘": "`", "’": "'", "“": "``", "”": "''", "\u00a0": "~", "\u00ad": "",
}  # fmt: skip
_SPECIAL_CHAR = re.compile("|".join(re.escape(char) for char in _SPECIAL))
_BIBTEX_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff\ud800-\udfff]+")

# Styles lower-case titles: words with a capital inside, or a single capital, are protected.
_PROTECTED = re.compile(r"(?<![^\W_])(?:[^\W_]+?[A-Z][^\W_]*|[B-Z](?![^\W_]))")

_ACRONYM = re.compile(r"\d|[A-Z]{2}")
_KIND_SIGNS = (
    ("phdthesis", re.compile(r"ph\.? ?d|doctoral|dissertation")),
    ("mastersthesis", re.compile(r"master'?s|m\.? ?sc\.? thesis")),
    ("techreport", re.compile(r"technical report|tech\.? ?rep|research report|\btr\b|working paper")),
    (
        "inproceedings",
        re.compile(r"\bproc|conference|workshop|symposium|meeting|advances in neural|lecture notes in"),
    ),
    ("article", re.compile(r"journal|transactions|letters|magazine|review|annals|\bj\.|trans\.")),
)


def _safe_key(key: str) -> str:
    return _NOT_IN_KEYS.sub("", fold(key)) or "unnamed"


def _ascii(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", fold(text))


def _field_text(name: str, value: str) -> str:
    text = " ".join(_BIBTEX_CONTROL.sub(" ", value).split())
    if name in _VERBATIM:
        return "".join(_URL_UNSAFE.get(char, char) for char in text)
    if name == "pages":
        text = re.sub(r"\s*[-‐-―−]+\s*", "–", text)
    escaped = _escape(text)
    return _protect_capitals(text) if name in ("title", "booktitle") else escaped


def _escape(text: str) -> str:
    return _SPECIAL_CHAR.sub(lambda match: _SPECIAL[match.group()], text)


def _protect_capitals(text: str) -> str:
    """The escaped title, with braces around words that must keep their capitals.

    A title printed entirely in capitals is left alone, because nothing in it distinguishes names from other
    words.
    """
    if text.isupper():
        return _escape(text)
    pieces: list[str] = []
    end = 0
    for match in _PROTECTED.finditer(text):
        pieces += [_escape(text[end : match.start()]), "{", match.group(), "}"]
        end = match.end()
    return "".join(pieces) + _escape(text[end:])


def _author_list(authors: Sequence[str]) -> str:
    names: list[str] = []
    for author in authors:
        cleaned = " ".join(_BIBTEX_CONTROL.sub(" ", author).split())
        if re.fullmatch(r"(?:and )?(?:et\.? al\.?|others)", cleaned, re.IGNORECASE):
            names.append("others")
        elif fold_letters(cleaned):
            names.append(_author(cleaned))
    return " and ".join(names)


def _author(name: str) -> str:
    """One name in the form BibTeX cannot misread: "Surname, Jr., Given", or braced as a whole."""
    if re.search(r"\band\b", name, re.IGNORECASE) or "&" in name:
        return "{" + _escape(name) + "}"
    person = parse_cited_name(name)
    if not person.given and " " in person.surname and person.surname.split()[0] not in PARTICLES:
        return "{" + _escape(person.surname) + "}"
    parts = [person.surname, person.suffix, " ".join(person.given)] if person.suffix else []
    parts = parts or [person.surname, " ".join(person.given)]
    return ", ".join(_escape(part.replace(",", " ").strip()) for part in parts if part.strip())
