"""Reads tables (CSV, TSV): the portal's own `papers.csv`, and what reference managers and databases write."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence

from portico.pipeline.catalogs.items import CatalogItem, make_told, reorder_name
from portico.text.languages import find_language_code
from portico.text.names import split_names

_DELIMITERS = ",;\t"
# Names of columns in the tables of others, in lower case; the first that has a value counts.
_TITLE = ("title", "article title", "document title")
_AUTHORS = ("authors", "author", "author(s)")
_URL = ("url", "link", "source", "fulltext url")
_NAME = ("id", "key", "pmid", "eid", "accession number")
_FIELDS: Mapping[str, Sequence[str]] = {
    "year": ("year", "publication year"),
    "venue": ("venue", "publication title", "source title", "journal", "journal/book", "book title"),
    "doi": ("doi",),
    "abstract": ("abstract", "abstract note"),
    "volume": ("volume",),
    "number": ("issue", "number"),
    "pages": ("pages",),
    "publisher": ("publisher",),
    "issn": ("issn",),
    "isbn": ("isbn",),
}
_KEYWORDS = ("keywords", "author keywords", "manual tags", "keyword")
_LANGUAGE = ("language", "language of original document")
_FORMULA_MARK = re.compile(r"^'(?=[=+\-@\t\r])")  # keeps spreadsheets from computing a cell


def read_table(text: str) -> Iterator[CatalogItem]:
    """Yield all rows with their line numbers; the first row names the columns."""
    head = text.partition("\n")[0]
    rows = csv.reader(io.StringIO(text), delimiter=max(_DELIMITERS, key=head.count))
    columns: list[str] = []
    while True:
        place = str(rows.line_num + 1)
        try:
            row = next(rows, None)
        except csv.Error as fault:
            yield CatalogItem(place, error=f"the table cannot be read from here on: {fault}")
            return
        if row is None:
            return
        if not columns:
            columns = [name.strip().lower() for name in row]
            if not set(columns).intersection(_TITLE):
                yield CatalogItem(place, error="the first row names no column Title")
                return
        elif any(map(str.strip, row)):
            yield CatalogItem(place, _tell(dict(zip(columns, map(_clean, row), strict=False))))


def _clean(cell: str) -> str:
    return _FORMULA_MARK.sub("", cell.strip())


def _tell(cells: Mapping[str, str]) -> dict[str, object]:
    fields: dict[str, str | Sequence[str]] = {name: _first(cells, names) for name, names in _FIELDS.items()}
    fields["keyword"] = [each.strip() for each in re.split(r"[;|]", _first(cells, _KEYWORDS))]
    said = _first(cells, _LANGUAGE)
    fields["language"] = find_language_code(said) or said
    people = _first(cells, _AUTHORS)
    names = [each.strip() for each in people.split(";")] if ";" in people else split_names(people)
    return make_told(
        name=_first(cells, _NAME),
        title=_first(cells, _TITLE),
        authors=[reorder_name(name) for name in names],
        fields=fields,
        urls=[_first(cells, _URL)],
    )


def _first(cells: Mapping[str, str], names: Sequence[str]) -> str:
    return next((cells[name] for name in names if cells.get(name)), "")
