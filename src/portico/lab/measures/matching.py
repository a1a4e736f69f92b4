"""`lab matching`: all methods, published figures, and how results depend on the threshold."""

import gzip
import json
import math
import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TypeVar

from portico.errors import ConfigError
from portico.lab.datasets.bibtex import read_archive
from portico.lab.datasets.matching_sets import (
    LabelledPair,
    LabelledRecord,
    TablePair,
    read_citations,
    read_pairs,
    read_tables,
)
from portico.lab.measures.matching_methods import (
    DEFAULT,
    WORDS,
    Methods,
    Scores,
    compare_words,
    compute_scores,
    group_by_default,
    make_citation_methods,
    make_pair_methods,
    make_table_methods,
    measure_blocking,
    measure_methods,
    score_pairwise,
    split_into_editions,
)
from portico.lab.plots import Chart, draw_svg
from portico.learn.linkage import Linkage, count_patterns, fit_linkage
from portico.match.authors import identify_authors
from portico.match.editions import FIRST_GUESS, EditionScore, compare_editions
from portico.match.mention import Mention, parse_mention
from portico.match.scoring import PRIOR
from portico.text.names import parse_name
from portico.types.document import DocumentId, Span
from portico.types.record import EntityId, Field, Record, RecordId, Signature

STRENGTH = 20.0
"""The weight of the initial guess, in pairs; the .bib files have 2,440 works with pairs."""

SHORTEST_TITLE = 24
"""Minimum letters of a title that identifies a work together with the first author."""

MOST_OF_A_WORK = 60
"""Maximum number of different mentions of one work that are compared with each other."""


def fit_editions(works: Iterable[Sequence[Mention]], start: Linkage = FIRST_GUESS) -> Linkage:
    """Fit Fellegi and Sunter's model of editions by EM; all pairs of a work together count as one pair."""
    groups = []
    for mentions in works:
        different = list(dict.fromkeys(mentions))[:MOST_OF_A_WORK]
        if len(different) > 1:
            groups.append([compare_editions(one, other) for one, other in combinations(different, 2)])
    return fit_linkage(count_patterns(groups), start, strength=STRENGTH)


def group_works(records: Iterable[Record]) -> list[list[Mention]]:
    """Groups of mentions with exactly the same title and first author, which are very probably one work."""
    found: Mapping[tuple[str, str], list[Mention]] = defaultdict(list)
    for record in records:
        mention = parse_mention(record)
        if len(mention.letters) >= SHORTEST_TITLE and mention.people:
            found[mention.letters, mention.surnames[0]].append(mention)
    return [mentions for mentions in found.values() if len(mentions) > 1]


def read_bibtex_records(path: Path) -> list[Record]:
    """The entries in an archive of .bib files as references."""
    return [_record(number, entry.fields) for number, entry in enumerate(read_archive(path))]


def _record(number: int, fields: Sequence[tuple[str, str]]) -> Record:
    raw = " ".join(value for _, value in fields)
    whole = Span(0, len(raw))
    found = tuple(Field(name, value, whole, 1.0) for name, value in fields if value.strip())
    return Record(RecordId(f"bib-{number}"), "reference", DocumentId("lab"), raw, whole, found)


QUICK = 300
"""Citations, rows or pairs of a quick run, evenly spaced."""

STEPS = tuple(step / 20 for step in range(1, 20))
"""Thresholds on the plotted curves: shares of common words, or probabilities."""

# F1 as published by others or measured with their tools, by the name of the set. "At best" means a threshold
# fitted to the labels, "at worst" one from another set; Ditto's figures are for the sets' test parts.
PUBLISHED: Mapping[str, Mapping[str, float]] = {
    "cora_refs.jsonl.gz": {
        "published: canopies (McCallum 2000)": 0.838,
        "not computed here: splink, labelled fields": 0.91,
        "not computed here: recordlinkage, labelled fields": 0.91,
        "not computed here: tf-idf, average link, at worst": 0.64,
        "not computed here: tf-idf, average link, at best": 0.979,
    },
    "dblp_acm": {
        "published: Ditto (Li 2020), from labels": 0.99,
        "not computed here: tf-idf, mutual best, at best": 0.987,
    },
    "valid.txt.gz": {"published: Ditto (Li 2020), from labels": 0.956},
}

TRAINING = "dblp_scholar/train.txt.balance.gz"

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class MatchingStudy:
    """A labeled set, the matching methods to measure on it, and further figures to print."""

    name: str
    methods: Methods
    more: Callable[[], Mapping[str, Scores]] = dict

    def figures(self) -> dict[str, Scores]:
        published = {name: {"f1": f1} for name, f1 in PUBLISHED.get(self.name, {}).items()}
        return {**measure_methods(self.methods), **self.more(), **published}

    def chart(self) -> Chart:
        """F1 against the threshold, which shows how much a result depends on the right threshold."""
        odds = [math.log(step / (1 - step)) for step in STEPS]
        lines = {
            name: [(step, found["f1"]) for step, found in zip(STEPS, method.sweep(thresholds), strict=True)]
            for name, thresholds in ((WORDS, STEPS), (DEFAULT, odds))
            for method in (self.methods[name],)
        }
        levels = dict(PUBLISHED.get(self.name, {}))
        return Chart("What a threshold is worth", "share of words, or probability", "F1", lines, levels)


def read_matching_study(data: Path, *, quick: bool = False) -> MatchingStudy:
    """The study for a folder with two tables, a file of citations, or a file of pairs."""
    if data.is_dir():
        tables = read_tables(data)
        return MatchingStudy(data.name, make_table_methods(_fewer_rows(tables) if quick else tables))
    if ".jsonl" in data.name:
        labelled = _some(read_citations(data), quick=quick)
        more = partial(_of_citations, data, labelled, quick=quick)
        return MatchingStudy(data.name, make_citation_methods(labelled), more)
    if ".txt" in data.name:
        return MatchingStudy(data.name, make_pair_methods(_some(read_pairs(data), quick=quick)))
    raise ConfigError(f"{data}: is no folder of tables, no .jsonl of citations and no .txt of pairs")


def measure_matching(data: Path, *, quick: bool = False) -> dict[str, Scores]:
    """All figures that can be measured on the data; for a folder of papers, those of author
    disambiguation.
    """
    if (data / "papers.jsonl.gz").exists():
        return measure_authors(data, limit=QUICK if quick else None)
    return read_matching_study(data, quick=quick).figures()


def write_matching_chart(data: Path, folder: Path, *, quick: bool = False) -> Path:
    """Draw the F1 of the papers' method and of the default against their thresholds."""
    if (data / "papers.jsonl.gz").exists():
        raise ConfigError(f"{data}: there is no chart of how authors are told apart; leave --plot out")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "thresholds.svg"
    path.write_text(draw_svg(read_matching_study(data, quick=quick).chart()), encoding="utf-8")
    return path


def fit_words_threshold(pairs: Sequence[LabelledPair], *, balanced: bool) -> float:
    """The threshold of the papers' method with the best F1 on labeled pairs.

    For balanced pairs, F1 is corrected: among real candidates, pairs of different papers are far more
    frequent.
    """
    scored = [(compare_words(pair), pair.same) for pair in pairs]
    n_same = sum(pair.same for pair in pairs)
    n_rivals = n_same / (len(pairs) - n_same) / math.exp(PRIOR) if balanced else 1.0

    def f1(threshold: float) -> float:
        answers = [same for similarity, same in scored if similarity >= threshold]
        return compute_scores(sum(answers), sum(answers) + n_rivals * (len(answers) - sum(answers)), n_same)[
            "f1"
        ]

    return max((step / 100 for step in range(1, 100)), key=f1)


def _of_citations(path: Path, labelled: Sequence[LabelledRecord], *, quick: bool) -> dict[str, Scores]:
    """Results with thresholds and weights learned on other sets in the same folder, and the recall of
    blocking.
    """
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
        "bibtex.tar.xz": lambda: read_bibtex_records(path.parent / "bibtex.tar.xz"),
        "dblp_acm": lambda: _both(read_tables(path.parent / "dblp_acm")),
        TRAINING: lambda: [
            record for pair in read_pairs(path.parent / TRAINING) for record in (pair.one, pair.other)
        ],
    }
    works, truth = group_by_default(records), [item.cluster for item in labelled]
    found: dict[str, Scores] = {}
    for name, read in sources.items():
        if name.startswith("this") or (path.parent / name).exists():
            model = fit_editions(group_works(read()))
            score = EditionScore(model.prior, model.weights())
            found[f"{DEFAULT}, learned on {name}"] = score_pairwise(
                split_into_editions(records, works, score), truth
            )
    return found


def _words_elsewhere(path: Path, labelled: Sequence[LabelledRecord]) -> dict[str, Scores]:
    """Scores of the papers' method with the best threshold of each other set, and that threshold."""
    method = make_citation_methods(labelled)[WORDS]
    thresholds: dict[str, float] = {}
    for name, balanced in ((TRAINING, True), ("dblp_scholar/valid.txt.gz", False)):
        if (path.parent / name).exists():
            thresholds[name] = fit_words_threshold(read_pairs(path.parent / name), balanced=balanced)
    tables = path.parent / "dblp_acm"
    if tables.exists():
        found = make_table_methods(read_tables(tables))[WORDS].sweep(STEPS)
        thresholds["dblp_acm"] = max(zip(STEPS, found, strict=True), key=lambda pair: pair[1]["f1"])[0]
    swept = method.sweep(list(thresholds.values()))
    return {
        f"{WORDS}, learned on {name}": {**scores, "threshold": threshold}
        for (name, threshold), scores in zip(thresholds.items(), swept, strict=True)
    }


def _both(tables: TablePair) -> list[Record]:
    return [*tables.left, *tables.right]


def _some(items: Sequence[Item], *, quick: bool) -> Sequence[Item]:
    return items[:: max(1, len(items) // QUICK)] if quick else items


def _fewer_rows(tables: TablePair) -> TablePair:
    """A sample of the left table with its matches, and a sample of the right table."""
    left = list(_some(tables.left, quick=True))
    names = {record.id for record in left}
    matches = {pair for pair in tables.matches if pair[0] in names}
    partners = {other for _, other in matches}
    strangers = {record.id for record in _some(tables.right, quick=True)}
    right = [record for record in tables.right if record.id in partners | strangers]
    return TablePair(left, right, matches)


def measure_authors(folder: Path, *, limit: int | None = None) -> dict[str, Scores]:
    """Pairwise scores on a folder with papers.jsonl.gz (id, authors, date) and edges.tsv.

    There is no true identity: the same full name is taken for one person, which is wrong for very frequent
    names and when a middle initial is sometimes missing. For the test, first names are cut to initials, and
    the methods must tell the people apart by co-authors, years and citations.
    """
    signatures = read_signatures(folder)[:limit]
    truth = [_full(signature.name) for signature in signatures]
    cut = [_cut(signature) for signature in signatures]
    found: dict[str, Scores] = {}
    for name, method in METHODS.items():
        started = time.perf_counter()
        groups = method(cut)
        found[name] = score_pairwise(groups, truth, time.perf_counter() - started)
    return found


def read_signatures(folder: Path) -> list[Signature]:
    path = folder / "papers.jsonl.gz"
    if not path.exists():
        raise ConfigError(f"{path} does not exist; name a folder with papers.jsonl.gz and edges.tsv")
    cites: dict[str, set[EntityId]] = defaultdict(set)
    for line in (folder / "edges.tsv").read_text(encoding="utf-8").splitlines():
        citing, cited = line.split("\t")[:2]
        cites[citing].add(EntityId(cited))
    found: list[Signature] = []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for row in map(json.loads, file):
            names = list(dict.fromkeys(row["authors"]))
            found += [
                Signature(
                    EntityId(row["id"]), position, name, int(row["date"][-4:]),
                    others=tuple(names[:position] + names[position + 1 :]),
                    cites=frozenset(cites[row["id"]]),
                )
                for position, name in enumerate(names)
                if len(parse_name(name).first) > 1  # without a full given name the truth is not known
            ]  # fmt: skip
    return found


def _people(signatures: Sequence[Signature]) -> list[Hashable]:
    home = {
        (signature.paper, signature.position): author.id
        for author in identify_authors(signatures, {})
        for signature in author.signatures
    }
    places = [(signature.paper, signature.position) for signature in signatures]
    return [home.get(place, place) for place in places]


METHODS: Mapping[str, Callable[[Sequence[Signature]], list[Hashable]]] = {
    "same surname and initial": lambda cut: [_initialed(signature.name) for signature in cut],
    "default": _people,
}


def _full(name: str) -> tuple[str, str]:
    parsed = parse_name(name)
    return parsed.key, parsed.first


def _cut(signature: Signature) -> Signature:
    return Signature(
        signature.paper,
        signature.position,
        _initialed(signature.name),
        signature.year,
        others=tuple(map(_initialed, signature.others)),
        cites=signature.cites,
    )


def _initialed(name: str) -> str:
    parsed = parse_name(name)
    return f"{parsed.first[:1].upper()}. {parsed.surname}"
