"""Measures a domain declared in TOML and trained on a dozen marked pages: courses at two universities."""

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from portico.config.declaration import read_declaration
from portico.config.template import format_domain_toml
from portico.convert.converter import Converter
from portico.domains.registry import make_declared_domain
from portico.extract.marked_pages import FieldLearner, MarkedPage
from portico.extract.pages import PageExtractor
from portico.lab.datasets.organisations import TRUTHS
from portico.lab.datasets.webs import read_site_files
from portico.lab.measures.organisations import ValueTally
from portico.text.names import fold
from portico.types.document import Document, DocumentId, Span
from portico.types.domain import Domain
from portico.types.record import Record

FIELDS = ("title", "number", "instructor", "term")
_NOISE = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class CoursePage:
    """A converted course page, its true values, and whether it is one of the marked pages."""

    document: Document
    values: dict[str, tuple[str, ...]]
    is_marked: bool


def measure_courses(folder: Path, *, quick: bool = False) -> dict[str, Any]:
    """F1 of each field on pages that were not marked, before and after learning from marks as a portal does;
    `quick`: on half of them.
    """
    domain = read_course_domain()
    pages = read_course_pages(folder)
    kept = [page for page in pages if not page.is_marked][:: 2 if quick else 1]
    marked = [mark_page(page) for page in pages if page.is_marked]
    learner = FieldLearner(domain)
    tried = learner.try_lesson(marked, known=(), unmarked=[page.document for page in kept])
    return {
        "nothing marked": _scores(PageExtractor(domain.kinds, learner.base), kept),
        f"{len(marked)} pages marked": _scores(
            PageExtractor(domain.kinds, learner.make_tag(tried.taught)), kept
        ),
    }


def read_course_domain() -> Domain:
    """The domain in the template that `portico init --domain custom` writes."""
    with TemporaryDirectory(prefix="portico-courses-") as folder:
        file = Path(folder) / "domain.toml"
        file.write_text(format_domain_toml(), encoding="utf-8")
        return make_declared_domain(read_declaration(file), file=file, models=Path(folder) / "models")


def read_course_pages(folder: Path) -> tuple[CoursePage, ...]:
    """The course pages with known values, in the order of the file."""
    with (TRUTHS / "courses.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    bodies = {site: read_site_files(folder, site) for site in {row["site"] for row in rows}}
    pages = []
    with Converter() as convert:
        for row in rows:
            name = f"{row['site']}{row['page']}"
            document = convert.page(
                bodies[row["site"]][row["page"]],
                media_type="text/html",
                name=name,
                document_id=DocumentId(name),
            )
            values = {field: tuple(filter(None, row[field].split("; "))) for field in FIELDS}
            pages.append(CoursePage(document, values, row["part"] == "marked"))
    return tuple(pages)


def mark_page(page: CoursePage) -> MarkedPage:
    """The page as a builder would mark it: the first two occurrences of each value."""
    return MarkedPage(page.document, tuple(_marks(page)), str(page.document.id))


# How often a value is marked on a page: in its title, and in its heading.
MARKED_TIMES = 2


def _marks(page: CoursePage) -> Iterator[tuple[Span, str]]:
    for field, values in page.values.items():
        for value in values:
            pattern = r"(?<!\w)" + r"\s*".join(map(re.escape, value.split())) + r"(?!\w)"
            found = re.finditer(pattern, page.document.text, re.IGNORECASE)
            for _, match in zip(range(MARKED_TIMES), found, strict=False):
                yield Span(match.start(), match.end()), field


def _scores(
    read: Callable[[Document], tuple[Record, ...]], pages: Sequence[CoursePage]
) -> dict[str, dict[str, float]]:
    totals = dict.fromkeys(FIELDS, ValueTally())
    for page in pages:
        records = read(page.document)
        for field in FIELDS:
            given = {_compared(one.value) for record in records for one in record.all(field)}
            true = {_compared(value) for value in page.values[field]}
            totals[field] += ValueTally(len(given & true), len(given), len(true))
    return {field: tally.as_json() for field, tally in totals.items()}


def _compared(text: str) -> str:
    return _NOISE.sub("", fold(text))
