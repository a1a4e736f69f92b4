"""What `lab matching` shows: every method, published figures, and how far a result owes to its threshold."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from portico.errors import ConfigError
from portico.lab.editions import bibtex_records, fit_editions, works_of
from portico.lab.matching_sets import (
    LabelledPair,
    LabelledRecord,
    Tables,
    read_citations,
    read_pairs,
    read_tables,
)
from portico.lab.measure_authors import measure_authors
from portico.lab.measure_matching import (
    DEFAULT,
    WORDS,
    Methods,
    Scores,
    citation_methods,
    group_by_default,
    in_editions,
    measure,
    measure_blocking,
    pair_methods,
    pairwise,
    scores_of,
    table_methods,
    words_alike,
)
from portico.lab.plots import Chart, svg
from portico.match.editions import EditionScore
from portico.match.scoring import PRIOR
from portico.types.record import Record

QUICK = 300
"""Citations, rows or pairs that a quick look takes, evenly from all."""

STEPS = tuple(step / 20 for step in range(1, 20))
"""Thresholds that are drawn: shares of words in common, or probabilities."""

# F1 as others print it, or as it was measured with their tools, by the name of the set. "At best" is with a
# threshold fitted to the labels, "at worst" with one from another set; Ditto's are on the sets' test parts.
PUBLISHED: Mapping[str, Mapping[str, float]] = {
    "cora_refs.jsonl.gz": {
        "published: canopies (McCallum 2000)": 0.838,
        "elsewhere: splink, labelled fields": 0.91,
        "elsewhere: recordlinkage, labelled fields": 0.91,
        "elsewhere: tf-idf, average link, at worst": 0.64,
        "elsewhere: tf-idf, average link, at best": 0.979,
    },
    "dblp_acm": {
        "published: Ditto (Li 2020), from labels": 0.99,
        "elsewhere: tf-idf, mutual best, at best": 0.987,
    },
    "valid.txt.gz": {"published: Ditto (Li 2020), from labels": 0.956},
}

TRAINING = "dblp_scholar/train.txt.balance.gz"

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Study:
    """One labelled set: how each method does on it, and what else there is to print."""

    name: str
    methods: Methods
    more: Callable[[], Mapping[str, Scores]] = dict

    def figures(self) -> dict[str, Scores]:
        published = {name: {"f1": f1} for name, f1 in PUBLISHED.get(self.name, {}).items()}
        return {**measure(self.methods), **self.more(), **published}

    def chart(self) -> Chart:
        """F1 over the threshold: how much of a result is luck."""
        odds = [math.log(step / (1 - step)) for step in STEPS]
        lines = {
            name: [(step, found["f1"]) for step, found in zip(STEPS, method.sweep(thresholds), strict=True)]
            for name, thresholds in ((WORDS, STEPS), (DEFAULT, odds))
            for method in (self.methods[name],)
        }
        levels = dict(PUBLISHED.get(self.name, {}))
        return Chart("What a threshold is worth", "share of words, or probability", "F1", lines, levels)


def study_of(data: Path, *, quick: bool = False) -> Study:
    """By what the data is: a folder of two tables, a file of citations, or of pairs."""
    if data.is_dir():
        tables = read_tables(data)
        return Study(data.name, table_methods(_fewer_rows(tables) if quick else tables))
    if ".jsonl" in data.name:
        labelled = _some(read_citations(data), quick=quick)
        more = partial(_of_citations, data, labelled, quick=quick)
        return Study(data.name, citation_methods(labelled), more)
    if ".txt" in data.name:
        return Study(data.name, pair_methods(_some(read_pairs(data), quick=quick)))
    raise ConfigError(f"{data}: is no folder of tables, no .jsonl of citations and no .txt of pairs")


def matching_figures(data: Path, *, quick: bool = False) -> dict[str, Scores]:
    """Everything that can be measured on the data; a folder of papers is measured for its authors."""
    if (data / "papers.jsonl.gz").exists():
        return measure_authors(data, limit=QUICK if quick else None)
    return study_of(data, quick=quick).figures()


def write_chart(data: Path, folder: Path, *, quick: bool = False) -> Path:
    """Draws the F1 of the papers' method and of the default over their thresholds."""
    if (data / "papers.jsonl.gz").exists():
        raise ConfigError(f"{data}: there is no chart of how authors are told apart; leave --plot out")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "thresholds.svg"
    path.write_text(svg(study_of(data, quick=quick).chart()), encoding="utf-8")
    return path


def words_threshold(pairs: Sequence[LabelledPair], *, balanced: bool) -> float:
    """The threshold of the papers' method with the best F1 on labelled pairs.

    Among candidates pairs of two papers are commoner by far than among pairs that were balanced.
    """
    scored = [(words_alike(pair), pair.same) for pair in pairs]
    n_same = sum(pair.same for pair in pairs)
    n_rivals = n_same / (len(pairs) - n_same) / math.exp(PRIOR) if balanced else 1.0

    def f1(threshold: float) -> float:
        answers = [same for similarity, same in scored if similarity >= threshold]
        return scores_of(sum(answers), sum(answers) + n_rivals * (len(answers) - sum(answers)), n_same)["f1"]

    return max((step / 100 for step in range(1, 100)), key=f1)


def _of_citations(path: Path, labelled: Sequence[LabelledRecord], *, quick: bool) -> dict[str, Scores]:
    """What thresholds and weights learned on the sets beside this one reach, and what blocking loses."""
    elsewhere = _default_elsewhere(path, labelled) if not quick else {}
    words = _words_elsewhere(path, labelled) if not quick else {}
    found = {**words, **elsewhere}
    for name, rows in ((f"{WORDS}, learned elsewhere", words), (f"{DEFAULT}, learned elsewhere", elsewhere)):
        if rows:
            f1 = [row["f1"] for row in rows.values()]
            found[f"range of {name}"] = {"lowest": min(f1), "highest": max(f1)}
    blocking = measure_blocking(labelled)
    return found | {f"blocking by {name}": row for name, row in blocking.items()}


def _default_elsewhere(path: Path, labelled: Sequence[LabelledRecord]) -> dict[str, Scores]:
    """The default with weights and threshold learned on other sets, and on this one without its labels."""
    records = [item.record for item in labelled]
    sources: dict[str, Callable[[], Sequence[Record]]] = {
        "this set, unlabelled": lambda: records,
        "bibtex.tar.xz": lambda: bibtex_records(path.parent / "bibtex.tar.xz"),
        "dblp_acm": lambda: _both(read_tables(path.parent / "dblp_acm")),
        TRAINING: lambda: [
            record for pair in read_pairs(path.parent / TRAINING) for record in (pair.one, pair.other)
        ],
    }
    works, truth = group_by_default(records), [item.cluster for item in labelled]
    found: dict[str, Scores] = {}
    for name, read in sources.items():
        if name.startswith("this") or (path.parent / name).exists():
            model = fit_editions(works_of(read()))
            score = EditionScore(model.prior, model.weights())
            found[f"{DEFAULT}, learned on {name}"] = pairwise(in_editions(records, works, score), truth)
    return found


def _words_elsewhere(path: Path, labelled: Sequence[LabelledRecord]) -> dict[str, Scores]:
    """The papers' method with the threshold that is best on another set; it is printed with the scores."""
    method = citation_methods(labelled)[WORDS]
    thresholds: dict[str, float] = {}
    for name, balanced in ((TRAINING, True), ("dblp_scholar/valid.txt.gz", False)):
        if (path.parent / name).exists():
            thresholds[name] = words_threshold(read_pairs(path.parent / name), balanced=balanced)
    tables = path.parent / "dblp_acm"
    if tables.exists():
        found = table_methods(read_tables(tables))[WORDS].sweep(STEPS)
        thresholds["dblp_acm"] = max(zip(STEPS, found, strict=True), key=lambda pair: pair[1]["f1"])[0]
    swept = method.sweep(list(thresholds.values()))
    return {
        f"{WORDS}, learned on {name}": {**scores, "threshold": threshold}
        for (name, threshold), scores in zip(thresholds.items(), swept, strict=True)
    }


def _both(tables: Tables) -> list[Record]:
    return [*tables.left, *tables.right]


def _some(items: Sequence[Item], *, quick: bool) -> Sequence[Item]:
    return items[:: max(1, len(items) // QUICK)] if quick else items


def _fewer_rows(tables: Tables) -> Tables:
    """Some rows of the left table with their partners, and as many others of the right."""
    left = list(_some(tables.left, quick=True))
    names = {record.id for record in left}
    matches = {pair for pair in tables.matches if pair[0] in names}
    partners = {other for _, other in matches}
    strangers = {record.id for record in _some(tables.right, quick=True)}
    right = [record for record in tables.right if record.id in partners | strangers]
    return Tables(left, right, matches)
