"""Describes a paper for readers: title, authors, year and venue."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
from types import MappingProxyType

from portico.index.facets import split_person
from portico.serve.languages import mark, name_language, translate
from portico.serve.links import (
    check_outside_url,
    get_shown_host,
    make_author_url,
    make_name_url,
    make_paper_url,
    make_topic_url,
)
from portico.serve.page_parts import LinkedText, PaperCard, is_uncertain, shorten, split_at_marks
from portico.store.catalog.authors import Byline
from portico.text.names import order_as_spoken, show_capital_name, split_names, split_value
from portico.types.record import AuthorId, Entity, EntityId, Field, Record
from portico.types.search import Hit, ListedPaper

# Field names by role; the first one present is shown.
AUTHOR = ("author", "authors")
VENUE = ("journal", "booktitle", "venue", "tech", "institution", "publisher")
DATE = ("year", "date")

# "vol. 19, no. 4", "19(4)" and "19(4):244--252", as references are printed.
_VOLUME = re.compile(
    r"(?:vol(?:ume)?\.?\s*)?(?P<volume>\d+|[IVXLC]+)"
    r"(?:\s*,?\s*(?:no|nr|number|issue)\.?\s*(?P<named>[\w/–-]+)|\s*\(\s*(?P<bracketed>[\w/–-]+)\s*\))?"
    r"(?:\s*:\s*(?P<pages>\d+(?:\s*[-–—]+\s*\d+)?))?[.,]?",
    re.IGNORECASE,
)

# In lists, a title may take about four lines and a name list about two; the paper's own page shows
# everything that can be a name at all.
_LONGEST_NAME = 120
_LONGEST_TITLE, _MOST_AUTHORS, _LONGEST_VENUE, _LONGEST_LEAD = 300, 8, 120, 220
# Minimum number of words of a title in capitals: one or two may be a name spelled like that.
_FEWEST_CAPITALS = 3
_CAPITAL_WORD = re.compile(r"(?!\b[IVX]+\b)[^\W\d_]{2,}(?:['’][^\W\d_]+)?")
_SMALL_WORDS = frozenset(
    {"a", "an", "and", "as", "at", "by", "for", "from", "in", "into", "of", "on", "or", "the", "to", "with",
     "de", "la", "el", "y", "et", "des", "du", "le", "les", "und", "der", "die", "das", "von", "für", "e",
     "en", "un", "una", "las", "los", "del", "con", "por", "para", "al", "em", "um", "uma", "da", "dos",
     "il", "di", "della", "dei", "dem", "den", "im", "zur", "zum", "mit", "van", "het", "een", "dans", "sur",
     "pour", "par", "aux"}
)  # fmt: skip
_MAILBOX = re.compile(r"[^\s,;@]+@")
_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")
_EXACT_DATE = re.compile(r"(\d{4})-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?")


def make_card(
    entity: Entity, *, topic: Sequence[str] | None = None, bylines: Sequence[Byline] = ()
) -> PaperCard:
    """A card for the paper, with the beginning of its abstract; `bylines` say which people its printed
    names belong to.
    """
    names = list_authors(entity)
    lead = shorten(entity.value("abstract") or "", _LONGEST_LEAD)
    return PaperCard(
        url=make_paper_url(entity.id),
        title=shorten(get_title(entity), _LONGEST_TITLE),
        authors=link_authors(names[:_MOST_AUTHORS], bylines),
        n_more_authors=max(0, len(names) - _MOST_AUTHORS),
        venue=shorten(get_first_value(entity, VENUE), _LONGEST_VENUE),
        year=get_year(entity),
        n_citations=entity.n_citations,
        held=bool(entity.documents),
        topic=LinkedText(topic[-1], make_topic_url(topic)) if topic else None,
        snippet=split_at_marks(lead, ()),
    )


def link_authors(names: Sequence[str], bylines: Sequence[Byline]) -> tuple[LinkedText, ...]:
    """Names that link to the people they belong to, or else to everybody of that name."""
    people = {each.printed: make_author_url(each.author) for each in bylines}
    return tuple(
        LinkedText(shorten(show_name(name), _LONGEST_NAME), people.get(name) or make_name_url(name))
        for name in names
    )


def show_name(printed: str) -> str:
    """One name, given name first, and without capitals throughout."""
    return show_capital_name(order_as_spoken(printed))


def make_hit_card(hit: Hit, title: str, *, copies: bool = True) -> PaperCard:
    """A card for a hit, from what the index stores about it, with the passage that matches. Only the
    title is passed in, because it may have changed since.
    """
    shown = hit.shown
    names = _list_names(shown)
    return PaperCard(
        url=make_paper_url(hit.entity),
        title=shorten(show_capitals(title or shown.title) or name_untitled(hit.entity), _LONGEST_TITLE),
        authors=tuple(names[:_MOST_AUTHORS]),
        n_more_authors=max(0, len(names) - _MOST_AUTHORS),
        venue=shorten(shown.venue, _LONGEST_VENUE),
        year=str(shown.year or ""),
        n_citations=shown.n_citations,
        held=shown.held,
        topic=LinkedText(shown.topics[0][-1], make_topic_url(shown.topics[0])) if shown.topics else None,
        snippet=split_at_marks(hit.snippet, hit.marks),
        source=_find_source(hit, copies=copies),
    )


def _find_source(hit: Hit, *, copies: bool) -> LinkedText | None:
    """A link to the paper where it was found on the web, or else to our copy of the file."""
    is_known = normalize_type(hit.shown.media_type) in COPY_TYPES
    named = get_format_name(hit.shown.media_type) if is_known else translate("source")
    address = check_outside_url(hit.shown.source) if "://" in hit.shown.source else None
    if address is not None:
        return LinkedText(
            translate("{format} at {host}", format=named, host=get_shown_host(address)), address
        )
    is_file = copies and hit.shown.held and is_known
    return LinkedText(named, f"{make_paper_url(hit.entity)}/file/1") if is_file else None


def link_counted_author(value: str) -> LinkedText:
    """An author in the facets of a search, linked to the person, or else to everybody of that name."""
    name, person = split_person(value)
    url = make_author_url(AuthorId(person)) if person else make_name_url(name)
    return LinkedText(show_name(name), url)


def _list_names(shown: ListedPaper) -> list[LinkedText]:
    """The paper's authors, one name each, with links to the people they are. Names of known people need
    no splitting.
    """
    if all(shown.people) and len(shown.people) == len(shown.authors):  # true for nearly every paper
        return [
            LinkedText(show_name(printed), make_author_url(AuthorId(person)))
            for printed, person in zip(shown.authors, shown.people, strict=True)
        ]
    names: list[LinkedText] = []
    for printed, person in zip_longest(shown.authors, shown.people, fillvalue=""):
        if person:
            names.append(LinkedText(show_name(printed), make_author_url(AuthorId(person))))
        else:
            names += [LinkedText(show_name(name), make_name_url(name)) for name in split_names(printed)]
    return names


def get_title(described: Entity | Record) -> str:
    """The title, or the best substitute: the reference as printed, or the id."""
    found = described.value("title")
    if found:
        return show_capitals(found)
    return described.raw if isinstance(described, Record) else name_untitled(described.id)


def name_untitled(entity: EntityId) -> str:
    return translate("Untitled ({id})", id=entity)


def list_authors(described: Entity | Record) -> tuple[str, ...]:
    """The names as printed, one per item, in printed order."""
    for name in AUTHOR:
        fields = described.all(name)
        if fields:
            return tuple(
                person
                for field in fields
                for person in split_value(field.value, is_certain=field.confidence == 1.0)
            )
    return ()


def list_affiliations(described: Entity | Record) -> tuple[str, ...]:
    """The affiliations, each once. Letters that link authors to them, as in "aCharles University bCzech
    Academy", are removed if they form a list a, b, c.
    """
    text = "\n".join(field.value for field in described.all("affiliation"))
    letters = "".join(_NOTE_LETTER.findall(text))
    if len(letters) > 1 and _LETTERS.startswith(letters):
        text = _NOTE_LETTER.sub("\n", text)
    return tuple(dict.fromkeys(line.strip(" ,;") for line in text.split("\n") if line.strip(" ,;")))


_LETTERS = "abcdefghijklmnop"
_NOTE_LETTER = re.compile(r"(?:^|(?<=\s))([a-p])(?=[A-Z][a-z])")


def name_foreign_language(entity: Entity) -> str:
    """The name of the paper's language for use in a sentence; "" if it is English or unknown."""
    code = entity.value("language") or ""
    return name_language(code) if code != "en" else ""


def get_year(described: Entity | Record) -> str:
    """The year as four digits, or ""."""
    found = _YEAR.search(get_first_value(described, DATE))
    return found.group() if found else ""


def get_first_value(described: Entity | Record, names: Sequence[str]) -> str:
    return next((value for name in names if (value := described.value(name))), "")


def show_capitals(text: str) -> str:
    """A title printed entirely in capitals, converted to title case; any other title unchanged."""
    words = text.split()
    if len(words) < _FEWEST_CAPITALS or not text.isupper():
        return text
    return " ".join(
        word.lower()
        if idx and word.lower() in _SMALL_WORDS and words[idx - 1][-1] not in ":.?!"
        else _CAPITAL_WORD.sub(lambda match: match[0].capitalize(), word)
        for idx, word in enumerate(words)
    )


def split_volume(known: Mapping[str, str]) -> Mapping[str, str]:
    """Volume, number and pages of a paper, if the volume was printed with them: "19(4):244--252"."""
    found = _VOLUME.fullmatch(known.get("volume", ""))
    if not found:
        return {}
    return {
        "volume": found["volume"],
        "number": known.get("number") or found["named"] or found["bracketed"] or "",
        "pages": known.get("pages") or found["pages"] or "",
    }


def describe_issue(entity: Entity) -> str:
    """Volume, number and pages as in a citation, without doubtful values."""
    known = {
        name: value
        for name in ("volume", "number", "pages")
        if name not in entity.doubtful and (value := entity.value(name))
    }
    known |= split_volume(known)
    number = f"({known['number']})" if known.get("number") and "(" not in known.get("volume", "") else ""
    parts = (known.get("volume", "") + number, known.get("pages", "").replace("-", "–"))
    return ", ".join(part for part in parts if part)


def hide_mailbox(field: Field) -> str:
    """A value as it may be published: e-mail addresses are reduced to their host, so that spammers cannot
    harvest them.
    """
    return _MAILBOX.sub("…@", field.value) if field.name == "email" else field.value


def get_date(paper: Entity) -> str:
    """The date of a paper: a month or day only if it is in the paper's year and certain enough to show,
    else the year.
    """
    paper_year = get_year(paper)
    days = (
        field.value
        for field in paper.all("published")
        if not is_uncertain([field]) and _EXACT_DATE.fullmatch(field.value)
    )
    return max((day for day in days if day[:4] == paper_year), default=paper_year)


PDF, BYTES = "application/pdf", "application/octet-stream"

# Media types to serve copies under: only those a browser shows without running anything in them. PDF
# opens in place, the rest is saved; unknown types are served as bytes.
COPY_TYPES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        PDF: ("PDF", ".pdf"),
        "application/postscript": ("PostScript", ".ps"),
        "application/gzip": (mark("compressed PostScript"), ".ps.gz"),
        "text/plain": (mark("text"), ".txt"),
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ("DOCX", ".docx"),
        "application/vnd.oasis.opendocument.text": ("ODT", ".odt"),
        "application/epub+zip": ("EPUB", ".epub"),
        "text/x-tex": ("LaTeX", ".tex"),
    }
)
_UNKNOWN_TYPE = (mark("file"), ".bin")


@lru_cache(maxsize=1_000)
def normalize_type(media_type: str) -> str:
    """The media type without its parameters; types with two names get one of them."""
    plain = media_type.partition(";")[0].strip().lower()
    return "application/gzip" if plain in ("application/x-gzip", "application/gzip") else plain


def get_format_name(media_type: str) -> str:
    return translate(COPY_TYPES.get(normalize_type(media_type), _UNKNOWN_TYPE)[0])


def get_file_ending(media_type: str) -> str:
    return COPY_TYPES.get(normalize_type(media_type), _UNKNOWN_TYPE)[1]
