"""Measure matching on labelled citations and tables: the papers' method beside the default."""

import csv
import gzip
import json
import math
import re
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from portico.errors import ConfigError
from portico.lab.editions import bibtex_records, fit_editions, works_of
from portico.learn.logistic import train
from portico.match.blocking import KEYS, candidate_pairs
from portico.match.compare import compare
from portico.match.decide import PRIOR, log_odds
from portico.match.editions import EditionScore, editions
from portico.match.matcher import group_records
from portico.match.mention import mention_of
from portico.match.words import group_by_words, weighted_words, word_similarity
from portico.types.document import DocumentId, Span
from portico.types.record import Field, Record, RecordId

Scores = dict[str, float]
Grouping = Callable[[Sequence[Record]], list[int]]

ONE_TO_ONE = "one paper a table"
"""Each of two tables names a paper once: a record matches at most its best partner."""


def measure_citations(path: Path) -> dict[str, Scores]:
    """Pairwise scores of every method on a jsonl of citations (id, raw, fields, cluster).

    `cluster` is read to count what is right and for nothing else.
    """
    labelled = read_citations(path)
    records = [item.record for item in labelled]
    truth = [item.cluster for item in labelled]
    found = {name: _measured(method, records, truth) for name, method in METHODS.items()}
    return found | _learned_elsewhere(path, records, truth) | PUBLISHED


def measure_tables(folder: Path) -> dict[str, Scores]:
    """Scores of the default on two whole tables with known matches (dblp.csv, acm.csv, gt.csv)."""
    left = read_table(folder / "dblp.csv", "left")
    right = read_table(folder / "acm.csv", "right")
    matches = {(row["D1"], row["D2"]) for row in _rows(folder / "gt.csv")}
    found: dict[str, Scores] = {}
    for name, decide in {"papers: words": _word_partners, "default": _default_partners}.items():
        started = time.perf_counter()
        pairs = decide(left, right)
        seconds = time.perf_counter() - started
        n_right = len(pairs & matches)
        found[name] = _scores(n_right, len(pairs), len(matches), seconds)
    return found


def measure_pairs(path: Path) -> dict[str, Scores]:
    """Scores of every method on labelled pairs (DBLP-Scholar's valid.txt.gz), each judged by itself."""
    pairs = read_pairs(path)
    found: dict[str, Scores] = {}
    for name, judge in PAIR_METHODS.items():
        started = time.perf_counter()
        answers = [judge(pair.one, pair.other) for pair in pairs]
        seconds = time.perf_counter() - started
        n_right = sum(answer and pair.same for answer, pair in zip(answers, pairs, strict=True))
        found[name] = _scores(n_right, sum(answers), sum(pair.same for pair in pairs), seconds)
    return found


def measure_blocking(path: Path) -> dict[str, Scores]:
    """Per kind of key and for all together: candidate pairs, and the share of true pairs within reach.

    Two mentions of one paper are within reach if a path of candidate pairs of that paper joins them:
    under a key that hundreds share each meets only its neighbors.
    """
    labelled = read_citations(path)
    cluster_of = {mention_of(item.record): item.cluster for item in labelled}
    mentions = sorted(cluster_of, key=lambda mention: (mention.title or mention.raw, repr(mention)))
    truth = [cluster_of[mention] for mention in mentions]
    menus = {maker.__name__: (maker,) for maker in KEYS} | {"all": KEYS}
    found: dict[str, Scores] = {}
    for name, makers in menus.items():
        pairs = candidate_pairs(mentions, makers)
        parts = _connected(
            len(mentions), (pair for pair in pairs.tolist() if truth[pair[0]] == truth[pair[1]])
        )
        recall = _n_pairs(list(zip(parts, truth, strict=True))) / _n_pairs(truth)
        found[name] = {"pairs": float(len(pairs)), "recall": recall}
    return found


def fit(path: Path) -> Mapping[str, float]:
    """The weights of `decide`, fitted on labelled pairs (DBLP-Scholar's train.txt.balance.gz).

    A field that either side lacks says nothing, so its level is left out.
    """
    pairs = read_pairs(path)
    levels = [compare(mention_of(pair.one), mention_of(pair.other)) for pair in pairs]
    told = [[level for level in row if not level.endswith(":none")] for row in levels]
    return train(told, [pair.same for pair in pairs])


def words_threshold(path: Path) -> float:
    """The threshold of the papers' method with the best F1 on labelled training pairs."""
    pairs = read_pairs(path)
    scored = [(_word_similarity(pair.one, pair.other), pair.same) for pair in pairs]
    n_same = sum(pair.same for pair in pairs)
    # The training pairs are balanced; among candidates pairs of two papers are commoner by far.
    n_rivals = n_same / (len(pairs) - n_same) / math.exp(PRIOR)

    def f1(threshold: float) -> float:
        answers = [same for similarity, same in scored if similarity >= threshold]
        n_found = sum(answers) + n_rivals * (len(answers) - sum(answers))
        return _scores(sum(answers), n_found, n_same, 0.0)["f1"]

    return max((step / 100 for step in range(1, 100)), key=f1)


@dataclass(frozen=True, slots=True)
class LabelledRecord:
    """A citation and the paper it is known to mean."""

    record: Record
    cluster: str


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """Two records that are known to mean one paper, or two."""

    one: Record
    other: Record
    same: bool


def read_citations(path: Path) -> list[LabelledRecord]:
    """A cora_refs-like jsonl, plain or gzipped."""
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


def read_table(path: Path, side: str) -> list[Record]:
    return [
        _record(f"{side}-{row['id']}", " ".join(row.values()), _authors_apart(row)) for row in _rows(path)
    ]


def read_pairs(path: Path) -> list[LabelledPair]:
    """Pairs as "COL title VAL ... COL authors VAL ...", a tab, the other side, a tab, 0 or 1."""
    found: list[LabelledPair] = []
    for number, line in enumerate(_lines(path)):
        one, other, label = line.rstrip("\n").split("\t")
        records = [_record(f"{number}-{side}", *_columns(text)) for side, text in enumerate((one, other))]
        found.append(LabelledPair(records[0], records[1], label == "1"))
    return found


def group_by_default(records: Sequence[Record]) -> list[int]:
    """The number of the entity of every record."""
    home = {
        record.id: number
        for number, cluster in enumerate(group_records(sorted(records, key=lambda record: record.id)))
        for record in cluster.records
    }
    return [home[record.id] for record in records]


def group_by_papers(records: Sequence[Record]) -> list[int]:
    return group_by_words([weighted_words(record) for record in records])


def group_by_editions(records: Sequence[Record], score: EditionScore | None = None) -> list[int]:
    """The number of the edition of every record: entities taken apart by where they were published."""
    homes = group_by_default(records)
    members: dict[int, list[int]] = {}
    for idx, home in enumerate(homes):
        members.setdefault(home, []).append(idx)
    found = [0] * len(records)
    n_found = 0
    for positions in members.values():
        numbers = editions([mention_of(records[idx]) for idx in positions], score)
        for idx, number in zip(positions, numbers, strict=True):
            found[idx] = n_found + number
        n_found += max(numbers) + 1
    return found


METHODS: Mapping[str, Grouping] = {
    "papers: words": group_by_papers,
    "default": group_by_editions,
    "default, all editions of a work as one": group_by_default,
}

PUBLISHED: dict[str, Scores] = {
    "published: canopies, McCallum, Nigam and Ungar 2000": {"f1": 0.838},
}
"""Pairwise F1 as printed elsewhere, for comparison."""
PAIR_METHODS: Mapping[str, Callable[[Record, Record], bool]] = {
    "papers: words": lambda one, other: group_by_papers([one, other]) == [0, 0],
    "default": lambda one, other: log_odds(mention_of(one), mention_of(other)) > 0,
}


def pairwise(found: Sequence[Hashable], truth: Sequence[Hashable], seconds: float = 0.0) -> Scores:
    """Precision, recall and F1 over pairs of items that a grouping puts together."""
    n_right = _n_pairs(list(zip(found, truth, strict=True)))
    return _scores(n_right, _n_pairs(found), _n_pairs(truth), seconds)


def _learned_elsewhere(path: Path, records: Sequence[Record], truth: Sequence[str]) -> dict[str, Scores]:
    """The default with weights and threshold learned on other sets, and on this one without its labels.

    How far these differ is how much the result owes to luck. A set that is not beside the measured
    one is left out.
    """
    sources: dict[str, Callable[[], Sequence[Record]]] = {
        "this set, unlabelled": lambda: records,
        "bibtex.tar.xz": lambda: bibtex_records(path.parent / "bibtex.tar.xz"),
        "dblp_acm": lambda: [
            record
            for name in ("dblp", "acm")
            for record in read_table(path.parent / "dblp_acm" / f"{name}.csv", name)
        ],
        "dblp_scholar/train.txt.balance.gz": lambda: [
            record
            for pair in read_pairs(path.parent / "dblp_scholar/train.txt.balance.gz")
            for record in (pair.one, pair.other)
        ],
    }
    found: dict[str, Scores] = {}
    for name, read in sources.items():
        if name.startswith("this") or (path.parent / name).exists():
            model = fit_editions(works_of(read()))
            score = EditionScore(model.prior, model.weights())
            grouped = group_by_editions(records, score)
            found[f"default, learned on {name}"] = pairwise(grouped, truth)
    return found


def _measured(method: Grouping, records: Sequence[Record], truth: Sequence[str]) -> Scores:
    started = time.perf_counter()
    found = method(records)
    return pairwise(found, truth, time.perf_counter() - started)


def _scores(n_right: int, n_found: float, n_true: int, seconds: float) -> Scores:
    precision = n_right / n_found if n_found else 0.0
    recall = n_right / n_true if n_true else 0.0
    f1 = 2 * precision * recall / (precision + recall) if n_right else 0.0
    return {"precision": precision, "recall": recall, "f1": f1, "seconds": seconds}


def _n_pairs(groups: Iterable[Hashable]) -> int:
    return sum(size * (size - 1) // 2 for size in Counter(groups).values())


def _default_partners(left: Sequence[Record], right: Sequence[Record]) -> set[tuple[str, str]]:
    mentions = {record.id: mention_of(record) for record in (*left, *right)}
    order = sorted(mentions, key=lambda name: (mentions[name].title, name))
    pairs = candidate_pairs([mentions[name] for name in order])
    scored: list[tuple[float, str, str]] = []
    for pair in pairs.tolist():
        one, other = sorted(order[position] for position in pair)
        odds = log_odds(mentions[RecordId(one)], mentions[RecordId(other)])
        if odds > 0 and one.startswith("left") and other.startswith("right"):
            scored.append((odds, one, other))
    return _best_partners(scored)


def _word_partners(left: Sequence[Record], right: Sequence[Record]) -> set[tuple[str, str]]:
    records = [*left, *right]
    groups = group_by_papers(records)
    members: dict[int, list[str]] = {}
    for record, group in zip(records, groups, strict=True):
        members.setdefault(group, []).append(record.id)
    return _best_partners(
        [
            (0.0, one, other)
            for names in members.values()
            for one in names
            for other in names
            if one.startswith("left") and other.startswith("right")
        ]
    )


def _best_partners(scored: Sequence[tuple[float, str, str]]) -> set[tuple[str, str]]:
    """Pairs from the most certain down, everyone at most once: see `ONE_TO_ONE`."""
    taken: set[str] = set()
    found: set[tuple[str, str]] = set()
    for _, one, other in sorted(scored, key=lambda pair: (-pair[0], pair[1], pair[2])):
        if one not in taken and other not in taken:
            taken |= {one, other}
            found.add((one.split("-")[1], other.split("-")[1]))
    return found


def _word_similarity(one: Record, other: Record) -> float:
    return word_similarity(weighted_words(one), weighted_words(other))


def _connected(n_items: int, pairs: Iterable[tuple[int, int]]) -> list[int]:
    """The number of the connected part that every item belongs to."""
    parent = list(range(n_items))

    def root(item: int) -> int:
        while parent[item] != item:
            parent[item] = parent[parent[item]]
            item = parent[item]
        return item

    for one, other in pairs:
        parent[root(one)] = root(other)
    return [root(item) for item in range(n_items)]


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
    """The tables list authors in direct order with commas between them."""
    for name, value in columns.items():
        if name == "authors":
            yield from (("author", author) for author in value.split(","))
        elif name != "id":
            yield name, value


def _record(name: str, raw: str, fields: Iterable[tuple[str, str]]) -> Record:
    whole = Span(0, len(raw))
    found = tuple(Field(label, value, whole, 1.0) for label, value in fields if value.strip())
    return Record(RecordId(name), "reference", DocumentId("lab"), raw, whole, found)
