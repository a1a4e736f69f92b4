"""Formats a paper as a bibliography entry in plain text: APA (7th edition) and MLA (9th edition)."""

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from portico.text.citation_formats import Citable
from portico.text.names import PersonName, order_as_spoken, parse_cited_name

# APA lists up to twenty authors, of more the first nineteen and the last; MLA two, of more the first with "et
# al."
_MOST_APA, _MOST_MLA = 20, 2
_RANGE = re.compile(r"\s*[-‐-―−]+\s*")


def write_apa(paper: Citable) -> str:
    """ "Young, A., & Nuñez, J. (1996). Growing decision forests. Journal of Trees, 12(3), 34–56."."""
    fields = paper.fields
    people = _list_apa_authors([parse_cited_name(name) for name in paper.authors])
    year = f"({fields.get('year', 'n.d.')})"
    title = fields.get("title", "Untitled")
    issue = fields.get("volume", "") + (f"({fields['number']})" if fields.get("number") else "")
    place = _name_place(paper)
    printed = f"In {place}" if place and paper.kind in ("inproceedings", "incollection") else place
    published = ", ".join(part for part in (printed, issue, _write_pages(fields)) if part)
    opening = f"{people} {year}" if people else f"{_end(title)} {year}"
    sentences = [opening, *([title] if people else []), published]
    return _join_sentences([*sentences, _write_link(fields)])


def write_mla(paper: Citable) -> str:
    """ "Young, Ada, and José Nuñez. “Growing decision forests.” Journal of Trees, vol. 12, no. 3, 1996."."""
    fields = paper.fields
    pages = _write_pages(fields)
    details = (
        _name_place(paper),
        f"vol. {fields['volume']}" if fields.get("volume") else "",
        f"no. {fields['number']}" if fields.get("number") else "",
        fields.get("year", ""),
        f"{'pp.' if '–' in pages else 'p.'} {pages}" if pages else "",
    )
    title = f"“{_end(fields.get('title', 'Untitled'))}”"
    published = ", ".join(part for part in details if part)
    return _join_sentences([_list_mla_authors(paper.authors), title, published, _write_link(fields)])


STYLES: Mapping[str, Callable[[Citable], str]] = MappingProxyType({"APA": write_apa, "MLA": write_mla})
"""Writers by the name of the style."""


def _name_place(paper: Citable) -> str:
    names = ("journal", "booktitle") if paper.kind == "article" else ("booktitle", "journal")
    every = (*names, "howpublished", "institution", "publisher")
    return next((value for name in every if (value := paper.fields.get(name))), "")


def _write_pages(fields: Mapping[str, str]) -> str:
    return _RANGE.sub("–", fields.get("pages", ""))


def _write_link(fields: Mapping[str, str]) -> str:
    return f"https://doi.org/{fields['doi']}" if fields.get("doi") else fields.get("url", "")


def _list_apa_authors(people: Sequence[PersonName]) -> str:
    names = [_invert_to_initials(person) for person in people]
    if len(names) > _MOST_APA:
        return f"{', '.join(names[: _MOST_APA - 1])}, … {names[-1]}"
    return f"{', '.join(names[:-1])}, & {names[-1]}" if len(names) > 1 else "".join(names)


def _invert_to_initials(person: PersonName) -> str:
    initials = " ".join(f"{part[0].upper()}." for name in person.given for part in name.split("-") if part)
    return ", ".join(part for part in (person.surname, initials, person.suffix) if part)


def _list_mla_authors(names: Sequence[str]) -> str:
    if not names:
        return ""
    first = parse_cited_name(names[0])
    inverted = ", ".join(part for part in (first.surname, " ".join(first.given), first.suffix) if part)
    if len(names) > _MOST_MLA:
        return f"{inverted}, et al"
    return f"{inverted}, and {order_as_spoken(names[1])}" if len(names) == _MOST_MLA else inverted


def _end(text: str) -> str:
    """The text as a sentence, with a full stop added if it has none."""
    return text if text.endswith((".", "?", "!", "”")) else f"{text}."


def _join_sentences(parts: Sequence[str]) -> str:
    """Sentences in a row; no full stop after a final URL, because it would become part of it."""
    return " ".join(part if part.startswith(("http:", "https:")) else _end(part) for part in parts if part)
