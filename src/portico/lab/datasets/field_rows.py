"""Texts with a known field of research: abstracts, descriptions from a taxonomy, names of journals."""

import gzip
import json
import lzma
import random
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from portico.errors import ConfigError
from portico.types.document import DocumentId
from portico.types.topic import TopicText

FIELDS = (
    "agriculture", "arts", "astronomy", "biology", "business", "chemistry", "computer science",
    "earth sciences", "ecology", "economics", "education", "engineering", "history", "law", "linguistics",
    "literature", "mathematics", "medicine", "philosophy", "physics", "psychology", "religion",
    "social sciences",
)  # fmt: skip

# Fields in OpenAlex's taxonomy and in lists of journals, and subfields that we assign to other fields.
_OTHER_NAMES = {
    "agricultural and biological sciences": "agriculture", "arts and humanities": "arts",
    "biochemistry, genetics and molecular biology": "biology",
    "business, management and accounting": "business",
    "chemical engineering": "engineering", "decision sciences": "business", "dentistry": "medicine",
    "earth and planetary sciences": "earth sciences", "economics, econometrics and finance": "economics",
    "energy": "engineering", "environmental science": "ecology", "health professions": "medicine",
    "immunology and microbiology": "biology", "materials science": "engineering", "neuroscience": "biology",
    "nursing": "medicine", "pharmacology, toxicology and pharmaceutics": "medicine",
    "physics and astronomy": "physics", "veterinary": "medicine",
}  # fmt: skip
_SUBFIELDS = {
    "animal science and zoology": "biology", "aquatic science": "biology", "insect science": "biology",
    "ecology, evolution, behavior and systematics": "ecology", "plant science": "biology",
    "archeology": "history", "classics": "history", "history": "history", "museology": "arts",
    "conservation": "arts", "history and philosophy of science": "philosophy", "philosophy": "philosophy",
    "language and linguistics": "linguistics", "linguistics and language": "linguistics",
    "literature and literary theory": "literature", "music": "arts", "religious studies": "religion",
    "visual arts and performing arts": "arts", "space and planetary science": "astronomy",
    "astronomy and astrophysics": "astronomy", "education": "education", "law": "law",
    "developmental and educational psychology": "psychology", "environmental engineering": "engineering",
    "catalysis": "chemistry", "materials chemistry": "chemistry",
    "theoretical computer science": "computer science",
    "statistics, probability and uncertainty": "mathematics",
    "water science and technology": "earth sciences", "global and planetary change": "earth sciences",
}  # fmt: skip
_ARXIV = {
    "cs": "computer science", "math": "mathematics", "stat": "mathematics", "math-ph": "mathematics",
    "q-bio": "biology", "eess": "engineering", "astro-ph": "astronomy", "q-fin": "economics",
    "econ": "economics",
}  # fmt: skip
_POOL = "arxiv_cs_pool.jsonl.xz"
_NOT_A_JOURNAL = "arts and humanities"  # too broad to be mapped to one of our fields


@dataclass(frozen=True, slots=True)
class FieldRow:
    """A text with its fields and their shares, its source, and its weight in training."""

    text: TopicText
    shares: tuple[tuple[str, float], ...]
    source: str
    weight: float = 1.0
    subfield: str = ""  # as named by the source

    @property
    def field(self) -> str:
        return max(self.shares, key=lambda share: share[1])[0]


def read_abstracts(data: Path) -> Iterator[FieldRow]:
    """The texts in fields/abstracts.jsonl.xz; labels from library catalogs are automatic and have half
    the weight.
    """
    for row in _json_lines(data / "fields" / "abstracts.jsonl.xz"):
        source = _source(row["src"])
        text = _text(row["title"] or "", row["abstract"] or "")
        weight = 0.5 if source == "finna" else 1.0
        yield FieldRow(text, ((row["field"], 1.0),), source, weight, row["subfield"] or "")


def read_further(data: Path, rng: random.Random) -> Iterator[FieldRow]:
    """The taxonomy, a quarter of the journal names, and arXiv abstracts from other folders.

    Every second row of arXiv-53 is left for measuring. A paper in the pool with another field's category as
    its first one is taken to be half computer science.
    """
    for _, field, subfield, _, topic, _, about in _table(data / "fields" / "taxonomy.tsv.xz"):
        named = _SUBFIELDS.get(subfield.lower()) or _field_named(field)
        yield FieldRow(_text(f"{topic} {subfield}", about), ((named, 1.0),), "taxonomy")
    for name, _, _, field, *_ in _table(data / "fields" / "journals.tsv.xz"):
        if field != _NOT_A_JOURNAL and _field_named(field) in FIELDS and rng.random() < 0.25:
            yield FieldRow(_text(name, ""), ((_field_named(field), 1.0),), "journals", 0.5)
    for number, row in enumerate(_json_lines(data / "topics" / _POOL)):
        field = _arxiv_field(row["primary"])
        if number % (4 if field == "computer science" else 2) == 0:
            shares = (
                ((field, 1.0),) if field == "computer science" else ((field, 0.5), ("computer science", 0.5))
            )
            yield FieldRow(_text(row["title"], row["abstract"]), shares, "pool")
    yield from _read_arxiv53(data / "topics" / "arxiv53", every_second=0)


def read_unlearned(data: Path) -> Iterator[FieldRow]:
    """The arXiv abstracts that `read_further` leaves for measuring."""
    yield from _read_arxiv53(data / "topics" / "arxiv53", every_second=1)
    for number, row in enumerate(_json_lines(data / "topics" / _POOL)):
        if number % 2 == 1 and _arxiv_field(row["primary"]) == "computer science":
            yield FieldRow(_text(row["title"], row["abstract"]), (("computer science", 1.0),), "pool")


def read_subfields(data: Path) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """For every topic in OpenAlex's taxonomy: its field, its subfield and its keywords."""
    for _, field, subfield, _, _, keywords, _ in _table(data / "fields" / "taxonomy.tsv.xz"):
        yield field, subfield, tuple(each.strip() for each in keywords.split(";") if each.strip())


def read_categories(data: Path) -> Iterator[tuple[str, TopicText]]:
    """Every second paper in the pool, not used to train the word vectors, with its first category."""
    for number, row in enumerate(_json_lines(data / "topics" / _POOL)):
        if number % 2 == 1:
            yield row["primary"], TopicText(DocumentId(row["id"]), row["title"], row["abstract"])


def _read_arxiv53(folder: Path, *, every_second: int) -> Iterator[FieldRow]:
    lines = (folder / "labels.tsv").read_text(encoding="utf-8").splitlines()
    labels = dict(line.split("\t") for line in lines)
    with gzip.open(folder / "documents.jsonl.gz", "rt", encoding="utf-8") as documents:
        for number, line in enumerate(documents):
            row = json.loads(line)
            if number % 2 == every_second and row["id"] in labels:
                field = _arxiv_field(labels[row["id"]].split("/")[0])
                yield FieldRow(_text(row["title"], row["abstract"]), ((field, 1.0),), "arxiv53")


def is_for_measuring(text: TopicText) -> bool:
    """Whether a text of fields/ is in the half that was not used to train word vectors."""
    return zlib.crc32(f"{text.title}\n{text.abstract}".encode()) % 2 == 1


def fold_sources(rows: Sequence[FieldRow], n_folds: int) -> dict[str, int]:
    """The fold of every source, with folds as equal in size as possible."""
    sizes: dict[str, int] = {}
    for row in rows:
        sizes[row.source] = sizes.get(row.source, 0) + 1
    filled = [0] * n_folds
    folds: dict[str, int] = {}
    for source in sorted(sizes, key=lambda name: (-sizes[name], name)):
        folds[source] = filled.index(min(filled))
        filled[folds[source]] += sizes[source]
    return folds


def _source(written: str) -> str:
    """The origin of a row: titles and blurbs of one catalog, or two exports by one author, are one
    source.
    """
    if written.startswith("finna"):
        return "finna"
    kind, _, name = written.partition(":")
    return name if kind in ("wos", "scopus") and name else written


def _field_named(name: str) -> str:
    return _OTHER_NAMES.get(name.lower(), name.lower())


def _arxiv_field(category: str) -> str:
    return _ARXIV.get(category.split(".")[0], "physics")


def _text(title: str, abstract: str) -> TopicText:
    return TopicText(DocumentId(""), title, abstract)


def _json_lines(path: Path) -> Iterator[dict[str, str]]:
    for line in _lines(path):
        yield json.loads(line)


def _table(path: Path) -> Iterator[list[str]]:
    lines = _lines(path)
    next(lines)
    yield from (line.rstrip("\n").split("\t") for line in lines)


def _lines(path: Path) -> Iterator[str]:
    if not path.exists():
        raise ConfigError(f"there is no file {path}; name the folder that holds fields/ and topics/")
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        yield from lines
