"""Labeled sets for matching: citations of known papers, two tables with known matches, labeled pairs."""

import csv
import gzip
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from portico.errors import ConfigError
from portico.types.document import DocumentId, Span
from portico.types.record import Field, Record, RecordId


@dataclass(frozen=True, slots=True)
class LabelledRecord:
    """A citation and the paper it is known to refer to."""

    record: Record
    cluster: str


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """Two records, and whether they are known to be the same paper."""

    one: Record
    other: Record
    same: bool


@dataclass(frozen=True, slots=True)
class TablePair:
    """Two tables, each with at most one row per paper, and the matching rows by their ids."""

    left: list[Record]
    right: list[Record]
    matches: set[tuple[RecordId, RecordId]]


def read_citations(path: Path) -> list[LabelledRecord]:
    """The citations in a JSON Lines file like cora_refs, plain or gzipped."""
    found: list[LabelledRecord] = []
    for number, line in enumerate(_lines(path), start=1):
        try:
            row = json.loads(line)
            record = _record(f"{row['id']}", row["raw"], row["fields"].items())
            found.append(LabelledRecord(record, str(row["cluster"])))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ConfigError(
                f"{path}, line {number}: {error!r}; a line is an object with id, raw, fields and cluster"
            ) from error
    return found


def read_tables(folder: Path) -> TablePair:
    """The tables dblp.csv and acm.csv in a folder, with matches from gt.csv."""
    return TablePair(
        _read_table(folder / "dblp.csv", "left"),
        _read_table(folder / "acm.csv", "right"),
        {(RecordId(f"left-{row['D1']}"), RecordId(f"right-{row['D2']}")) for row in _rows(folder / "gt.csv")},
    )


def read_pairs(path: Path) -> list[LabelledPair]:
    """Labeled pairs: lines of "COL title VAL ... COL authors VAL ...", a tab, the other side, a tab, 0 or
    1.
    """
    found: list[LabelledPair] = []
    for number, line in enumerate(_lines(path)):
        one, other, label = line.rstrip("\n").split("\t")
        records = [_record(f"{number}-{side}", *_columns(text)) for side, text in enumerate((one, other))]
        found.append(LabelledPair(records[0], records[1], label == "1"))
    return found


def _read_table(path: Path, side: str) -> list[Record]:
    return [
        _record(f"{side}-{row['id']}", " ".join(row.values()), _authors_apart(row)) for row in _rows(path)
    ]


def _lines(path: Path) -> list[str]:
    if not path.exists():
        raise ConfigError(f"{path} does not exist; name the folder or file with the labelled citations")
    if path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8") as file:
            return file.readlines()
    return path.read_text(encoding="utf-8").splitlines()


def _rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(_lines(path), delimiter="%"))


def _columns(text: str) -> tuple[str, list[tuple[str, str]]]:
    columns = dict(re.findall(r"COL (\w+) VAL (.*?)(?=\s*COL |\s*$)", text))
    columns["year"] = columns.get("year", "").removesuffix(".0")
    return " ".join(columns.values()), list(_authors_apart(columns))


def _authors_apart(columns: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    """The fields, with authors split at commas: the tables list them with given names first."""
    for name, value in columns.items():
        if name == "authors":
            yield from (("author", author) for author in value.split(","))
        elif name != "id":
            yield name, value


def _record(name: str, raw: str, fields: Iterable[tuple[str, str]]) -> Record:
    whole = Span(0, len(raw))
    found = tuple(Field(label, value, whole, 1.0) for label, value in fields if value.strip())
    return Record(RecordId(name), "reference", DocumentId("lab"), raw, whole, found)
