"""Pages of companies and clubs, with hand-written truth."""

import csv
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from portico.convert.converter import Converter
from portico.domains.organisations import OTHER
from portico.domains.readers import PATTERNS
from portico.errors import ConfigError
from portico.extract.page_learning import LabelledPage, label_passages
from portico.lab.datasets.webs import read_site_files
from portico.types.document import Document, DocumentId, Line, Span
from portico.types.domain import Form

TRUTHS = Path(__file__).with_name("truths")
"""Facts from the pages of the hand-out sites: who holds which office, and the organizations' contact data."""

# Maximum number of words in a line that states a role; longer lines are prose about a person.
STATEMENT_WORDS = 20
# The same for the organisation's name, which occurs in many lines of prose.
ORGANISATION_WORDS = 10


@dataclass(frozen=True, slots=True)
class TrueOfficer:
    """A person named on a page, and their role, or "" if the page does not say."""

    name: str
    role: str


@dataclass(frozen=True, slots=True)
class TruePage:
    """A converted page, and the facts on it."""

    site: str
    path: str
    document: Document
    officers: tuple[TrueOfficer, ...]
    contacts: tuple[tuple[str, str], ...]  # label and words

    @property
    def is_officers(self) -> bool:
        """Whether the page is about people; contact pages do not count."""
        return bool(self.officers) and "contact" not in self.path


def read_true_pages(folder: Path, *, sites: Sequence[str] | None = None) -> tuple[TruePage, ...]:
    """The pages with known facts, on all sites or on `sites`."""
    officers, contacts = _officers(), _contacts()
    places = dict.fromkeys((*officers, *contacts))
    pages = []
    with Converter() as convert:
        for site in sorted({site for site, _ in places if sites is None or site in sites}):
            bodies = read_site_files(folder, site)
            for path in (path for name, path in places if name == site):
                if path not in bodies:
                    raise ConfigError(f"{folder}: the site {site} has no page {path}; get the sites again")
                name = f"{site}{path}"
                document = convert.page(
                    bodies[path], media_type="text/html", name=name, document_id=DocumentId(name)
                )
                key = (site, path)
                pages.append(
                    TruePage(site, path, document, tuple(officers.get(key, ())), tuple(contacts.get(key, ())))
                )
    return tuple(pages)


def label_page(page: TruePage) -> LabelledPage:
    """The page with a label for each word, found by searching its text for the facts."""
    return label_passages(page.document, list_passages(page), other=OTHER)


def list_passages(page: TruePage) -> Iterator[tuple[Span, str]]:
    """Positions of the facts in the page, with their labels."""
    taken: list[Span] = []
    for label, text in _statements(page):
        longest = ORGANISATION_WORDS if label == "organisation" else STATEMENT_WORDS
        for span in _found(page.document, text, longest=longest):
            if not any(span.start < other.end and other.start < span.end for other in taken):
                taken.append(span)
                yield span, label
    for match in re.finditer(PATTERNS[Form.EMAIL], page.document.text, re.IGNORECASE):
        yield Span(match.start(), match.end()), "email"


def _statements(page: TruePage) -> Iterator[tuple[str, str]]:
    """The texts to search for, the longest first: "Vice President" before "President"."""
    roles = {officer.role for officer in page.officers if officer.role}
    yield from (("name", officer.name) for officer in page.officers)
    yield from (("role", role) for role in sorted(roles, key=len, reverse=True))
    contacts = [
        contact for contact in page.contacts if contact[0] != "fax"
    ]  # distinguished from telephones by rules
    yield from sorted(contacts, key=lambda contact: -len(contact[1]))


def _found(document: Document, text: str, *, longest: int) -> Iterator[Span]:
    """Where the text occurs in lines that are not too long, with any spaces and line ends between its
    words.
    """
    pattern = r"(?<!\w)" + r"\s*".join(map(re.escape, text.split())) + r"(?!\w)"
    starts = {line.span.start: line for line in document.lines}
    edges = sorted(starts)
    for match in re.finditer(pattern, document.text, re.IGNORECASE):
        line = _line_at(starts, edges, match.start())
        if len(line.span.of(document.text).split()) <= longest:
            yield Span(match.start(), match.end())


def _line_at(starts: Mapping[int, Line], edges: Sequence[int], position: int) -> Line:
    return starts[max(edge for edge in edges if edge <= position)]


def _officers() -> dict[tuple[str, str], list[TrueOfficer]]:
    found: dict[tuple[str, str], list[TrueOfficer]] = defaultdict(list)
    for row in _rows("officers.tsv"):
        found[row["site"], row["page"]].append(TrueOfficer(row["name"], row["role"]))
    return dict(found)


def _contacts() -> dict[tuple[str, str], list[tuple[str, str]]]:
    found: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for row in _rows("contacts.tsv"):
        found[row["site"], row["page"]].append((row["field"], row["value"]))
    return dict(found)


def _rows(name: str) -> Iterable[dict[str, str]]:
    with (TRUTHS / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
