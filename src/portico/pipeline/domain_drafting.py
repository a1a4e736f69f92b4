"""Drafts a domain.toml from a few example pages: their labels, structured data, and common layout."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from portico.config.declaration import read_declaration
from portico.config.portal_paths import PortalPaths
from portico.config.template import format_toml_value
from portico.convert.converter import Converter
from portico.crawl.single_url import fetch_page
from portico.domains.readers import PATTERNS
from portico.domains.registry import make_declared_domain
from portico.errors import ConfigError, ConversionError, FetchError
from portico.extract.announcements import find_leads
from portico.extract.page_context import read_announcement
from portico.extract.page_rows import HEADING, read_page_rows
from portico.extract.pages import load_extractor
from portico.extract.words import Row
from portico.pipeline.opening import open_for_changes, write_settings
from portico.pipeline.teaching.page_viewer import make_viewing_options
from portico.text.names import fold, fold_letters
from portico.types.document import Document, DocumentId
from portico.types.domain import Form
from portico.types.page import Url

FEWEST_PAGES, MOST_PAGES = 2, 10
# Share of the pages that must have a field, and the most words of its label and of its value.
LEAST_SHARE, CUE_WORDS, VALUE_WORDS = 0.5, 4, 25
MOST_FIELDS = 14
_GUESSED = (Form.EMAIL, Form.URL, Form.PHONE, Form.PRICE, Form.DATE)
_PROPERTY_FORMS = {"image": Form.PICTURE, "price": Form.PRICE, "email": Form.EMAIL, "telephone": Form.PHONE}
_AROUND = ("webpage", "website", "breadcrumblist", "organization", "imageobject", "thing", "listitem")
_NO_FIELDS = frozenset(
    {"name", "url", "description", "headline", "title", "pricecurrency", "mainentityofpage"}
)


@dataclass(frozen=True, slots=True)
class ExamplePage:
    """A page that a domain is drafted from."""

    url: str
    document: Document


@dataclass(frozen=True, slots=True)
class DraftedField:
    """A field that most examples have: its label on the page, values seen, and the form they share."""

    name: str
    label: str
    form: Form
    values: tuple[str, ...]
    n_pages: int
    by_data: bool = False


def draft_from_addresses(folder: Path, addresses: Sequence[str]) -> tuple[str, ...]:
    """Fetches the pages, writes a new domain.toml, and returns what would be read from each page."""
    pages = tuple(_fetch(folder, addresses))
    file = PortalPaths(folder).domain
    write_settings(file, draft_domain(pages))
    return tuple(preview_reading(file, pages))


def _fetch(folder: Path, addresses: Sequence[str]) -> Iterator[ExamplePage]:
    with open_for_changes(folder) as portal, Converter() as convert:
        options = make_viewing_options(portal)
        for address in addresses:
            try:
                got = fetch_page(Url(address), frontier=portal.store.crawl.frontier, options=options)
                document = convert.page(
                    got.body or b"", media_type=got.media_type, name=address, document_id=DocumentId(address)
                )
            except (FetchError, ConversionError) as fault:
                raise ConfigError(f"{address}: {fault}; name another page after --like") from fault
            yield ExamplePage(address, document)


def draft_domain(pages: Sequence[ExamplePage]) -> str:
    """A complete commented domain.toml; ConfigError if there are too few or too many pages to compare."""
    if not FEWEST_PAGES <= len(pages) <= MOST_PAGES:
        raise ConfigError(
            f"{len(pages)} pages after --like; name {FEWEST_PAGES} to {MOST_PAGES} pages of one kind"
        )
    kind = _name_kind(pages)
    fields = _find_fields(pages)
    return "\n".join(
        [
            *_format_head(kind, pages, fields),
            *(line for field in fields for line in _format(field, len(pages))),
        ]
    )


def preview_reading(file: Path, pages: Sequence[ExamplePage]) -> Iterator[str]:
    """What would be read from each page, one line per field."""
    domain = make_declared_domain(read_declaration(file), file=file, models=file.parent / "models")
    read = load_extractor(domain)
    for page in pages:
        yield page.url
        records = read(page.document)
        if not records:
            yield "  nothing: no field of domain.toml is on this page"
        for field in (field for record in records for field in record.fields):
            yield f"  {field.name}: {field.value[:100]}"


def _find_fields(pages: Sequence[ExamplePage]) -> list[DraftedField]:
    """Fields found on at least half of the pages, the most frequent first."""
    announced: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
    by_data: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for number, page in enumerate(pages):
        for cue, value in _announced(read_page_rows(page.document)):
            announced[fold_letters(cue)].append((number, cue, value))
        for prop, value in _properties(page.document):
            by_data[prop].append((number, value))
    found: dict[str, DraftedField] = {}
    for said in announced.values():
        label = Counter(cue for _, cue, _ in said).most_common(1)[0][0]
        values = tuple(value for _, _, value in said)
        _add(
            found,
            DraftedField(_slug(label), label, _guess(values), values, len({number for number, *_ in said})),
        )
    for prop, told in by_data.items():
        label = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", prop).capitalize()
        values = tuple(value for _, value in told)
        form = _PROPERTY_FORMS.get(prop) or _guess(values)
        _add(
            found,
            DraftedField(_slug(prop), label, form, values, len({number for number, _ in told}), by_data=True),
        )
    common = [field for field in found.values() if field.n_pages >= max(2, LEAST_SHARE * len(pages))]
    return sorted(common, key=lambda field: -field.n_pages)[:MOST_FIELDS]


def _add(found: dict[str, DraftedField], field: DraftedField) -> None:
    if (
        field.name
        and field.name not in {"title", "site"}
        and (field.name not in found or found[field.name].n_pages < field.n_pages)
    ):
        found[field.name] = field


def _announced(rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """Yield labels with the values they label: "Venue: Town hall", a term, a cell on the left."""
    for row, leads in zip(rows, find_leads(rows), strict=True):
        if {"in=nav", "in=foot", "in=title"} & set(row.looks):
            continue
        cue, end = read_announcement(row.text)
        value = row.text[end:].strip()
        if cue and value and len(cue.split()) <= CUE_WORDS and len(value.split()) <= VALUE_WORDS:
            yield cue, value
            continue
        lead = next((lead.rstrip(": ") for lead in leads if len(lead.split()) <= CUE_WORDS), "")
        is_label = lead and not any(map(str.isdigit, lead)) and HEADING not in row.looks
        if is_label and len(row.words) <= VALUE_WORDS:
            yield lead, row.text


def _properties(document: Document) -> Iterator[tuple[str, str]]:
    for name, value in document.asides:
        if not name.startswith("data:"):
            continue
        kind, _, prop = name.split(":", 2)[2].partition(".")
        last = prop.rpartition(".")[2]
        if kind not in _AROUND and prop.count(".") <= 1 and last not in _NO_FIELDS and "@" not in prop:
            yield prop.replace(".", "_") if last in ("address",) else last, value
        elif kind not in _AROUND and prop.endswith(".name") and prop.count(".") == 1:
            yield prop.removesuffix(".name"), value


def _guess(values: Sequence[str]) -> Form:
    """The form that most values have."""
    for form in _GUESSED:
        n_alike = sum(re.search(PATTERNS[form], value, re.IGNORECASE) is not None for value in values)
        if n_alike > len(values) / 2:
            return form
    return Form.TEXT


def _name_kind(pages: Sequence[ExamplePage]) -> str:
    """A name for what the pages are about, from their structured data or a folder common to their URLs."""
    kinds = Counter(
        kind
        for page in pages
        for kind in {
            name.split(":", 2)[2].partition(".")[0] for name, _ in page.document.asides if name[:5] == "data:"
        }
        if kind not in _AROUND
    )
    if kinds and kinds.most_common(1)[0][1] >= LEAST_SHARE * len(pages):
        return _slug(kinds.most_common(1)[0][0]) or "item"
    shared = _shared_folders(pages)
    return _slug(shared[-1]).removesuffix("s") if shared and _slug(shared[-1]) else "item"


def _shared_folders(pages: Sequence[ExamplePage]) -> list[str]:
    folders = [urlsplit(page.url).path.split("/")[1:-1] for page in pages]
    return [name for name in folders[0] if name and all(name in other for other in folders)]


def _shared_words(pages: Sequence[ExamplePage]) -> tuple[str, ...]:
    """Words to recognize such pages by: folders common to their URLs, and headings on most pages."""
    headings = Counter(heading for page in pages for heading in set(_list_headings(page.document)))
    common = [
        heading for heading, count in headings.most_common(8) if count > len(pages) / 2 and len(heading) > 2
    ]
    return tuple(dict.fromkeys((*_shared_folders(pages), *common))) or (_name_kind(pages),)


def _list_headings(document: Document) -> Iterator[str]:
    for row in read_page_rows(document):
        is_furniture = {"in=nav", "in=foot"} & set(row.looks)
        if HEADING in row.looks and len(row.words) <= CUE_WORDS and not is_furniture:
            yield fold(row.text).strip(" :")


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", fold(text)).strip("_0123456789")[:30].strip("_")


def _format_head(kind: str, pages: Sequence[ExamplePage], fields: Sequence[DraftedField]) -> Iterator[str]:
    dated = [field.name for field in fields if field.form is Form.DATE][:1]
    yield f"# Drafted from {len(pages)} example pages. Change or delete whatever you like."
    yield from (
        "",
        "# Pages to look for: one of these words is in the title, a heading or the URL.",
    )
    yield from ("[[page]]", f'name = "{kind}"', f"words = {format_toml_value(_shared_words(pages))}", "")
    yield "# What is read from such a page. `title` is its heading, `subtitle` is shown below it in lists."
    yield from ("[[record]]", f'name = "{kind}"', 'title = "title"')
    yield f"subtitle = {format_toml_value(tuple(field.name for field in fields[:2]))}"
    yield '# Two pages describe the same thing if these agree; "site" is the site they come from.'
    yield f"identity = {format_toml_value(('title', *dated, 'site'))}"
    yield from ("", "# The main heading, or else the title of the page.", "[[record.field]]")
    yield from ('name = "title"', 'label = "Title"', 'form = "heading"', "once = true", "")


def _format(field: DraftedField, n_pages: int) -> Iterator[str]:
    where = "in the data of" if field.by_data else "announced on"
    sample = "; ".join(dict.fromkeys(" ".join(value.split())[:40] for value in field.values[:3]))
    yield f"# {where.capitalize()} {field.n_pages} of {n_pages} pages: {sample}"
    yield from ("[[record.field]]", f'name = "{field.name}"', f"label = {format_toml_value(field.label)}")
    if field.form is not Form.TEXT:
        yield f'form = "{"link" if field.form is Form.URL else field.form}"'
    yield f"cues = {format_toml_value((field.label,))}"
    n_values = len({fold(value) for value in field.values})
    if field.form is Form.TEXT and n_values < len(field.values):
        yield from ("# Several pages have the same value, so results can be narrowed by it.", "facet = true")
    yield ""
