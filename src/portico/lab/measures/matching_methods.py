"""Measures matching on labeled citations, tables and pairs: the papers' method and the default."""

import math
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from portico.lab.datasets.matching_sets import LabelledPair, LabelledRecord, TablePair, read_pairs
from portico.learn.logistic import train_logistic
from portico.match import editions as shipped
from portico.match.blocking import KEYS, find_candidate_pairs
from portico.match.compare import AGREEING_PEOPLE, compare, compare_people
from portico.match.editions import EditionScore, Rarity, split_editions
from portico.match.matcher import group_records
from portico.match.mention import PAPERS, Mention, parse_mention
from portico.match.scoring import compute_log_odds
from portico.match.word_groups import THRESHOLD, group_by_words, weighted_words, word_similarity
from portico.types.record import Record, RecordId

MOST = 3.0
"""Maximum log odds that rarity adds or subtracts: a value that occurs once may be misspelled."""

Worth = Callable[[Hashable], float]


def measure_pair_rarity(mentions: Sequence[Mention]) -> Callable[[Mention, Mention], float]:
    """A function for the additional evidence if two mentions agree on a rare title or a rare first
    author.
    """
    title = _worth(mention.letters for mention in mentions)
    surname = _worth(mention.surnames[0] for mention in mentions if mention.surnames)

    def rarity(one: Mention, other: Mention) -> float:
        found = title(one.letters) if one.letters and one.letters == other.letters else 0.0
        if compare_people(one, other) in AGREEING_PEOPLE and one.surnames[0] == other.surnames[0]:
            found += surname(one.surnames[0])
        return found

    return rarity


def measure_edition_rarity(mentions: Sequence[Mention]) -> Rarity:
    """The same for the evidence that distinguishes editions of a work."""
    worth = {level: (value, _worth(filter(None, map(value, mentions)))) for level, value in _VALUES.items()}

    def rarity(level: str, one: Mention) -> float:
        if level not in worth:
            return 0.0
        value, of_value = worth[level]
        return of_value(value(one))

    return rarity


_VALUES: dict[str, Callable[[Mention], Hashable]] = {
    "year:same": lambda mention: mention.year,
    "venue:same": lambda mention: mention.venue,
    "pages:same": lambda mention: mention.pages[:1],
    "volume:same": lambda mention: mention.volume,
    "report:same": lambda mention: mention.report,
}


def _worth(values: Iterable[Hashable]) -> Worth:
    counts = Counter(values)
    total = sum(counts.values())
    by_chance = sum(count * count for count in counts.values()) / max(total * total, 1)

    def worth(value: Hashable) -> float:
        share = max(counts[value], 1) / max(total, 1)
        return max(-MOST, min(MOST, math.log(by_chance / share))) if by_chance else 0.0

    return worth


Scores = dict[str, float]
Sweep = Callable[[Sequence[float]], list[Scores]]
"""Returns the scores at each of the given thresholds."""

WORDS, DEFAULT, WORKS = "papers: words", "default", "default, papers as visitors see them"
RARE = "default, rare values count for more"


@dataclass(frozen=True, slots=True)
class MatchingMethod:
    """A matching method that can be run at any threshold, and its default threshold."""

    sweep: Sweep
    threshold: float  # a share of words in common, or log-odds


Methods = Mapping[str, MatchingMethod]


def measure_methods(methods: Methods) -> dict[str, Scores]:
    """The scores of every method at its default threshold."""
    found: dict[str, Scores] = {}
    for name, method in methods.items():
        started = time.perf_counter()
        (scores,) = method.sweep([method.threshold])
        found[name] = {**scores, "seconds": time.perf_counter() - started}
    return found


def make_citation_methods(labelled: Sequence[LabelledRecord]) -> Methods:
    """Methods for citations, with pairwise scores; the labels are used only for scoring."""
    records = [item.record for item in labelled]
    truth = [item.cluster for item in labelled]

    def by_words(thresholds: Sequence[float]) -> list[Scores]:
        groupings = group_by_words([weighted_words(record) for record in records], thresholds)
        return [score_pairwise(groups, truth) for groups in groupings]

    def by_editions(thresholds: Sequence[float], rarity: Rarity | None = None) -> list[Scores]:
        works = group_by_default(records)
        scores = [EditionScore(shipped.PRIOR - threshold, rarity=rarity) for threshold in thresholds]
        return [score_pairwise(split_into_editions(records, works, score), truth) for score in scores]

    def by_rare_values(thresholds: Sequence[float]) -> list[Scores]:
        return by_editions(thresholds, measure_edition_rarity([parse_mention(record) for record in records]))

    return {
        WORDS: MatchingMethod(by_words, THRESHOLD),
        DEFAULT: MatchingMethod(by_editions, 0.0),
        WORKS: MatchingMethod(
            lambda several: [score_pairwise(group_by_default(records), truth)] * len(several), 0.0
        ),
        RARE: MatchingMethod(by_rare_values, 0.0),
    }


def make_table_methods(tables: TablePair) -> Methods:
    """Methods for two tables without duplicates: a record matches its best partner at most."""
    records = [*tables.left, *tables.right]
    mentions = {record.id: parse_mention(record) for record in records}

    def scored(odds: Callable[[Mention, Mention], float]) -> Sweep:
        def sweep(thresholds: Sequence[float]) -> list[Scores]:
            pairs = _across(mentions, odds)
            return [_of_partners([each for each in pairs if each[0] > least], tables) for least in thresholds]

        return sweep

    def by_words(thresholds: Sequence[float]) -> list[Scores]:
        groupings = group_by_words([weighted_words(record) for record in records], thresholds)
        return [_of_partners(_grouped_across(records, groups), tables) for groups in groupings]

    rarity = measure_pair_rarity(list(mentions.values()))
    return {
        WORDS: MatchingMethod(by_words, THRESHOLD),
        DEFAULT: MatchingMethod(scored(compute_log_odds), 0.0),
        RARE: MatchingMethod(
            scored(lambda one, other: compute_log_odds(one, other) + rarity(one, other)), 0.0
        ),
    }


def make_pair_methods(pairs: Sequence[LabelledPair]) -> Methods:
    """Methods for labeled pairs, each judged independently."""
    told = [(parse_mention(pair.one), parse_mention(pair.other)) for pair in pairs]
    rarity = measure_pair_rarity([mention for both in told for mention in both])

    def scored(degrees: Callable[[], Iterable[float]]) -> Sweep:
        def sweep(thresholds: Sequence[float]) -> list[Scores]:
            found = list(degrees())
            return [_of_answers([degree >= least for degree in found], pairs) for least in thresholds]

        return sweep

    return {
        WORDS: MatchingMethod(scored(lambda: map(compare_words, pairs)), THRESHOLD),
        DEFAULT: MatchingMethod(scored(lambda: (compute_log_odds(*both) for both in told)), 0.0),
        RARE: MatchingMethod(scored(lambda: (compute_log_odds(*both) + rarity(*both) for both in told)), 0.0),
    }


def count_own_references(records: Sequence[Record]) -> dict[str, int]:
    """How many papers have a header among the records, how many references were linked to these, and how many
    of the references are in the paper that they were linked to.

    A paper may cite its own report, but a link from a paper to itself is wrong if the reference has another
    title: `of_another_title` counts these.
    """
    counts = Counter({"held": 0, "linked": 0, "own": 0, "of_another_title": 0})
    for found in group_records(sorted(records, key=lambda record: record.id)):
        headers = [record for record in found.records if record.kind == PAPERS.anchor]
        titles = {header.document: parse_mention(header).letters for header in headers}
        references = [record for record in found.records if record.kind != PAPERS.anchor] if headers else []
        own = [record for record in references if record.document in titles]
        counts["held"] += bool(headers)
        counts["linked"] += len(references)
        counts["own"] += len(own)
        counts["of_another_title"] += sum(
            parse_mention(each).letters != titles[each.document] for each in own
        )
    return dict(counts)


def measure_blocking(labelled: Sequence[LabelledRecord]) -> dict[str, Scores]:
    """For each kind of key and for all together: the number of candidate pairs, and the recall of true pairs.

    Two mentions of one paper count as found if they are connected by candidate pairs of that paper, since
    under a frequent key each mention is only compared with its neighbors.
    """
    cluster_of = {parse_mention(item.record): item.cluster for item in labelled}
    mentions = sorted(cluster_of, key=lambda mention: (mention.title or mention.raw, repr(mention)))
    truth = [cluster_of[mention] for mention in mentions]
    menus = {maker.__name__: (maker,) for maker in KEYS} | {"all": KEYS}
    found: dict[str, Scores] = {}
    for name, makers in menus.items():
        pairs = find_candidate_pairs(mentions, makers)
        parts = _connected(
            len(mentions), (pair for pair in pairs.tolist() if truth[pair[0]] == truth[pair[1]])
        )
        recall = _n_pairs(list(zip(parts, truth, strict=True))) / max(_n_pairs(truth), 1)
        found[name] = {"pairs": float(len(pairs)), "recall": recall}
    return found


def fit_pair_weights(path: Path) -> Mapping[str, float]:
    """The weights of `decide`, fitted on labeled pairs (DBLP-Scholar's train.txt.balance.gz).

    Fields that are missing on either side are not evidence, so their levels are left out.
    """
    pairs = read_pairs(path)
    levels = [compare(parse_mention(pair.one), parse_mention(pair.other)) for pair in pairs]
    told = [[level for level in row if not level.endswith(":none")] for row in levels]
    return train_logistic(told, [pair.same for pair in pairs])


def compare_words(pair: LabelledPair) -> float:
    """The similarity of two records by the papers' method."""
    return word_similarity(weighted_words(pair.one), weighted_words(pair.other))


def group_by_default(records: Sequence[Record]) -> list[int]:
    """For every record, the number of its entity."""
    home = {
        record.id: number
        for number, cluster in enumerate(group_records(sorted(records, key=lambda record: record.id)))
        for record in cluster.records
    }
    return [home[record.id] for record in records]


def split_into_editions(records: Sequence[Record], works: Sequence[int], score: EditionScore) -> list[int]:
    """For every record, the number of its edition: works are split by where they were published."""
    members: dict[int, list[int]] = {}
    for idx, home in enumerate(works):
        members.setdefault(home, []).append(idx)
    found = [0] * len(records)
    n_found = 0
    for positions in members.values():
        numbers = split_editions([parse_mention(records[idx]) for idx in positions], score)
        for idx, number in zip(positions, numbers, strict=True):
            found[idx] = n_found + number
        n_found += max(numbers) + 1
    return found


def score_pairwise(found: Sequence[Hashable], truth: Sequence[Hashable], seconds: float = 0.0) -> Scores:
    """Precision, recall and F1 of the pairs of items that a grouping puts together."""
    n_right = _n_pairs(list(zip(found, truth, strict=True)))
    return compute_scores(n_right, _n_pairs(found), _n_pairs(truth), seconds)


def compute_scores(n_right: int, n_found: float, n_true: int, seconds: float = 0.0) -> Scores:
    precision = n_right / n_found if n_found else 0.0
    recall = n_right / n_true if n_true else 0.0
    f1 = 2 * precision * recall / (precision + recall) if n_right else 0.0
    return {"precision": precision, "recall": recall, "f1": f1, "seconds": seconds}


def _n_pairs(groups: Iterable[Hashable]) -> int:
    return sum(size * (size - 1) // 2 for size in Counter(groups).values())


ScoredPair = tuple[float, RecordId, RecordId]


def _across(
    mentions: Mapping[RecordId, Mention], odds: Callable[[Mention, Mention], float]
) -> list[ScoredPair]:
    """The candidate pairs of a record in the left table and one in the right."""
    order = sorted(mentions, key=lambda name: (mentions[name].title, name))
    found: list[ScoredPair] = []
    for pair in find_candidate_pairs([mentions[name] for name in order]).tolist():
        one, other = sorted(order[position] for position in pair)
        if one.startswith("left") and other.startswith("right"):
            found.append((odds(mentions[one], mentions[other]), one, other))
    return found


def _grouped_across(records: Sequence[Record], groups: Sequence[int]) -> list[ScoredPair]:
    members: dict[int, list[RecordId]] = {}
    for record, group in zip(records, groups, strict=True):
        members.setdefault(group, []).append(record.id)
    return [
        (0.0, one, other)
        for names in members.values()
        for one in names
        for other in names
        if one.startswith("left") and other.startswith("right")
    ]


def _of_partners(pairs: Sequence[ScoredPair], tables: TablePair) -> Scores:
    """Scores of a greedy assignment: the most certain pairs first, each record at most once."""
    taken: set[RecordId] = set()
    found: set[tuple[RecordId, RecordId]] = set()
    for _, one, other in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2])):
        if one not in taken and other not in taken:
            taken |= {one, other}
            found.add((one, other))
    return compute_scores(len(found & tables.matches), len(found), len(tables.matches))


def _of_answers(answers: Sequence[bool], pairs: Sequence[LabelledPair]) -> Scores:
    n_right = sum(answer and pair.same for answer, pair in zip(answers, pairs, strict=True))
    return compute_scores(n_right, sum(answers), sum(pair.same for pair in pairs))


def _connected(n_items: int, pairs: Iterable[tuple[int, int]]) -> list[int]:
    """For every item, the number of its connected component."""
    parent = list(range(n_items))

    def root(item: int) -> int:
        while parent[item] != item:
            parent[item] = parent[parent[item]]
            item = parent[item]
        return item

    for one, other in pairs:
        parent[root(one)] = root(other)
    return [root(item) for item in range(n_items)]
