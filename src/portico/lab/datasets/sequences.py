"""Reads labeled headers and references as rows of words with one label per word."""

import gzip
import json
from dataclasses import dataclass
from pathlib import Path

from portico.errors import ConfigError
from portico.extract.words import Row, Word
from portico.types.document import Span


@dataclass(frozen=True, slots=True)
class LabelledSequence:
    """One labeled sequence with its identifier."""

    id: str
    rows: tuple[Row, ...]
    labels: tuple[str, ...]

    @property
    def words(self) -> tuple[Word, ...]:
        return tuple(word for row in self.rows for word in row.words)


PAGE_MARK = "+PAGE+"
_LAST = -1  # the number of the added last line, which was not printed


def read_cora_headers(folder: Path, split: str, *, page_marks: bool = False) -> tuple[LabelledSequence, ...]:
    """The 500 headers for training or the 435 for testing.

    With `page_marks`, headers that end with their page get a last line that marks this, as in the papers.
    """
    path = folder / "cora_headers.jsonl.gz"
    with gzip.open(require_path(path), "rt", encoding="utf-8") as file:
        headers = [json.loads(line) for line in file]
    return tuple(
        _labelled(
            str(header["id"]),
            header["tokens"]
            + ([(PAGE_MARK, "page", _LAST)] if page_marks and header["ends_at_page"] else []),
        )
        for header in headers
        if header["split"] == split
    )


def read_cora_references(folder: Path) -> tuple[LabelledSequence, ...]:
    """The 500 references in file order."""
    path = require_path(folder / "cora_references.jsonl")
    lines = path.read_text(encoding="utf-8").splitlines()
    references = [json.loads(line) for line in lines]
    return tuple(
        _labelled(str(item["id"]), [(word, label, 0) for word, label in item["tokens"]])
        for item in references
    )


def _labelled(identifier: str, tokens: list[tuple[str, str, int]]) -> LabelledSequence:
    rows: list[list[Word]] = []
    labels: list[str] = []
    last_line = None
    position = 0
    for text, label, line in tokens:
        if line != last_line:
            rows.append([])
            last_line = line
        rows[-1].append(Word(text, Span(position, position + len(text))))
        labels.append(label)
        position += len(text) + 1
    return LabelledSequence(identifier, tuple(Row(tuple(words)) for words in rows), tuple(labels))


def require_path(path: Path) -> Path:
    if not path.exists():
        raise ConfigError(f"{path}: no such file; point --data at a folder laid out like the labelled data")
    return path
