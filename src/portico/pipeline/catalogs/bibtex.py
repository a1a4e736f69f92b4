"""Reads BibTeX with bibtexparser, as reference managers and people write it."""

import logging
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bibtexparser.entrypoint import parse_string
from bibtexparser.library import Library
from bibtexparser.middlewares import default_parse_stack
from bibtexparser.model import Entry, ParsingFailedBlock, String

from portico.pipeline.catalogs.items import (
    CatalogItem,
    find_attached,
    find_month,
    format_day,
    join_name,
    make_told,
)
from portico.text.citation_formats import KINDS
from portico.text.tex import make_readable

# Our names for fields of BibTeX and BibLaTeX; fields not listed keep their names.
_NAMES = {
    "journaltitle": "journal", "school": "institution", "location": "address", "langid": "language",
    "issue": "number", "howpublished": "venue", "organization": "institution",
}  # fmt: skip
_KEPT = frozenset(
    {"journal", "booktitle", "volume", "number", "pages", "publisher", "institution", "doi", "issn", "isbn",
     "language", "abstract", "year", "series", "edition", "address", "note", "venue", "chapter"}
)  # fmt: skip
# Kinds of entries that only BibLaTeX has, and their equivalents.
_KINDS = {
    "report": "techreport", "thesis": "phdthesis", "mvbook": "book", "collection": "book", "online": "misc",
    "electronic": "misc", "conference": "inproceedings", "preprint": "unpublished",
}  # fmt: skip
_INHERITED = ("booktitle", "publisher", "year", "editor", "volume", "series", "journal", "address", "isbn")
_VERBATIM = frozenset({"url", "doi", "eprint", "file", "isbn", "issn"})
# Maximum length of a value shared by entries, through an abbreviation or a cross-reference: longer ones could
# turn a small file into gigabytes.
_LONGEST_SHARED, _LONGEST_JOINED = 500, 2_000
_PARTS = re.compile(r"\s*#\s*")
_PIECE = re.compile(r"\"([^\"]*)\"|\{([^{}]*)\}|([\w.:-]+)")
# The next field right after the end of a value.
_MISSING_COMMA = re.compile(r"\}\s+[A-Za-z]\w*\s*=\s*[\"{\d]")
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_BETWEEN_KEYWORDS = re.compile(r"\s*[;,]\s*")
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?")
_URL_COMMAND = re.compile(r"\\url\s*\{([^{}]*)\}")
# Braces that are printed, unlike those that only group; meanwhile replaced by private-use characters.
_BRACES = {r"\textbraceleft{}": "\ue000", r"\textbraceright{}": "\ue001", r"\{": "\ue000", r"\}": "\ue001",
           r"{\textquotedbl}": '"', r"\textasciicircum{}": "^", r"\textquotesingle{}": "'"}  # fmt: skip


def read_bibtex(text: str, folder: Path) -> Iterator[CatalogItem]:
    """Yield all entries with their line numbers; an unreadable entry yields an error and affects no
    other.
    """
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)  # failures are reported in our own words
    strings: list[String] = []
    entries: list[Entry] = []
    for block in parse_string(text, parse_stack=()).blocks:
        whole = block.ignore_error_block if isinstance(block, ParsingFailedBlock) else block
        if isinstance(whole, Entry):
            entries.append(whole)
        elif isinstance(whole, String):
            if len(whole.value) <= _LONGEST_SHARED:
                strings.append(whole)
        elif isinstance(block, ParsingFailedBlock):
            yield CatalogItem(
                _line(block.start_line),
                error=f"this entry cannot be read: {_say_start(block.raw or '')} has a brace, a quotation "
                "mark or a comma too many or too few",
            )
    names = {string.key.lower(): string.value for string in strings}
    resolved = _resolve(strings, entries)
    parents = {key.lower(): dict(_fields(entry, names)) for entry, key in resolved}
    for entry, key in resolved:
        yield _read_entry(entry, key, names, parents, folder)


def _resolve(strings: list[String], entries: list[Entry]) -> list[tuple[Entry, str]]:
    """Expand the abbreviations in entries and return each with its key; keys may be duplicated."""
    keys = [entry.key for entry in entries]
    for number, entry in enumerate(entries):
        entry.key = f"{number} {entry.key}"  # the library refuses a second entry of the same key
    distinct = {string.key: string for string in strings}
    library = Library([*distinct.values(), *entries])
    for middleware in default_parse_stack():
        library = middleware.transform(library)
    return list(zip(library.entries, keys, strict=True))


def _fields(entry: Entry, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for field in entry.fields:
        value = str(field.value)
        if "#" in value:
            value = _join_parts(value, names)
        yield field.key.lower(), value.strip()


def _join_parts(value: str, names: Mapping[str, str]) -> str:
    """Join `"Proc. of " # icml` into one text; a value with a # of its own is left unchanged."""
    pieces = [_PIECE.fullmatch(part.strip()) for part in _PARTS.split(value)]
    if not all(pieces):
        return value
    said = []
    for piece in pieces:
        assert piece is not None
        word = piece[3] or ""
        said.append(piece[1] or piece[2] or names.get(word.lower(), word).strip('"{}'))
    return "".join(said) if sum(map(len, said)) <= max(_LONGEST_JOINED, len(value)) else value


def _read_entry(
    entry: Entry, key: str, names: Mapping[str, str], parents: Mapping[str, Mapping[str, str]], folder: Path
) -> CatalogItem:
    place = _line(entry.start_line)
    given = dict(_fields(entry, names))
    for name, value in given.items():
        if _MISSING_COMMA.search(value, _find_close(value)):
            return CatalogItem(
                place, error=f"{key}: something stands behind the end of {name}; is a comma missing there?"
            )
    parent = parents.get(given.get("crossref", "").strip().lower(), {})
    for name in _INHERITED:
        if name not in given and 0 < len(parent.get(name, "")) <= _LONGEST_SHARED:
            given[name] = parent[name]
    title = parent.get("title", "")
    is_part = entry.entry_type.lower() != "article" and "booktitle" not in given
    if is_part and 0 < len(title) <= _LONGEST_SHARED:
        given["booktitle"] = title
    return CatalogItem(place, _tell(entry.entry_type.lower(), key, given), files=_attached(given, folder))


def _tell(kind: str, key: str, given: Mapping[str, str]) -> dict[str, Any]:
    fields: dict[str, str | tuple[str, ...]] = {}
    for name, value in given.items():
        ours = _NAMES.get(name, name)
        if ours in _KEPT and ours not in fields:
            fields[ours] = _clean_verbatim(value) if name in _VERBATIM else read_tex(value)
    kind = _KINDS.get(kind, kind)
    if kind in KINDS:
        fields["publication_type"] = kind
    when = _DATE.match(given.get("date", "")) or _DATE.match(read_tex(given.get("year", "")))
    if when:
        fields["year"] = when[1]
        month = when[2] or find_month(read_tex(given.get("month", "")))
        if month and (day := format_day(when[1], month, when[3] or given.get("day"))) and "-" in day:
            fields["published"] = day
    fields["keyword"] = tuple(_BETWEEN_KEYWORDS.split(read_tex(given.get("keywords", ""))))
    fields["editor"] = tuple(_names(given.get("editor", "")))
    urls = [_clean_verbatim(given.get("url", ""))]
    eprint = _clean_verbatim(given.get("eprint", ""))
    if eprint and "arxiv" in (given.get("archiveprefix", "") + given.get("eprinttype", "")).lower():
        fields["arxiv"] = eprint
        urls.append(f"https://arxiv.org/abs/{eprint}")
    urls += _URL_COMMAND.findall(given.get("howpublished", "") + given.get("note", ""))
    return make_told(
        name=key, title=read_tex(given.get("title", "")), authors=_names(given.get("author", "")),
        fields=fields, urls=urls,
    )  # fmt: skip


def read_tex(value: str) -> str:
    """Convert TeX to plain text, without the braces that only group."""
    for written, meant in _BRACES.items():
        value = value.replace(written, meant)
    value = make_readable(_URL_COMMAND.sub(r"\1", value))
    value = value.replace("{", "").replace("}", "").replace("~", " ")
    return " ".join(value.replace("\ue000", "{").replace("\ue001", "}").split())


def _clean_verbatim(value: str) -> str:
    return (
        value.replace(r"\_", "_")
        .replace(r"\%", "%")
        .replace(r"\&", "&")
        .replace("{", "")
        .replace("}", "")
        .strip()
    )


def _names(value: str) -> list[str]:
    """Parse the people of a field: "Surname, Jr., Given", "Given Surname", or an organization in braces."""
    return [name for part in _split_names(value) if (name := _read_name(part))]


def _split_names(value: str) -> Iterator[str]:
    """Splits at every "and" outside braces."""
    depth = start = 0
    cuts = {match.start(): match.end() for match in _AND.finditer(value)}
    for place, character in enumerate(value):
        depth += (character == "{") - (character == "}")
        if depth == 0 and place in cuts and place >= start:
            yield value[start:place]
            start = cuts[place]
    yield value[start:]


def _read_name(part: str) -> str:
    part = part.strip()
    if part.lower() in ("", "others"):
        return ""
    if part.startswith("{") and _find_close(part) == len(part) - 1:
        return read_tex(part)
    pieces = [read_tex(piece) for piece in part.split(",")]
    if len(pieces) == 1:
        return pieces[0]
    suffix = pieces[1] if len(pieces) > 2 else ""
    return join_name(pieces[0], pieces[-1], suffix)


def _find_close(value: str) -> int:
    """Return where a brace opening a value is closed; the length of the value if none opens it."""
    depth = 0
    for place, character in enumerate(value if value.startswith("{") else ""):
        depth += (character == "{") - (character == "}")
        if depth == 0:
            return place
    return len(value)


def _attached(given: Mapping[str, str], folder: Path) -> tuple[Path, ...]:
    """Return the attached files.

    Zotero and JabRef write "Title:files/12/a.pdf:application/pdf;…", Mendeley writes ":path:pdf".
    """
    written = given.get("file", "").replace(r"\:", "\ue002")
    parts = [part for one in written.split(";") for part in (one, *one.split(":"))]
    names = (part.replace("\ue002", ":").replace("\\\\", "\\").strip() for part in parts)
    found = find_attached((name for name in names if name), folder)
    return found or find_attached((f"/{name}" for part in parts if (name := part.strip())), folder)


def _line(start: int | None) -> str:
    return str((start or 0) + 1)


def _say_start(raw: str) -> str:
    return " ".join(raw.split())[:60]
