"""Trains a topic classifier from keywords alone: initial labels from keywords, then EM over the tree."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from portico.classify.features import Vocabulary
from portico.classify.keywords import Keywords, list_neighbor_titles
from portico.learn import em
from portico.learn.class_components import divide_labels, grow_components, spread_rows
from portico.learn.confidence import Confidence
from portico.learn.counts import (
    Counts,
    Table,
    Vector,
    combine_tables,
    count_columns,
    scale_rows,
    sum_rows,
    to_dense,
)
from portico.learn.naive_bayes import NaiveBayes
from portico.learn.shrinkage import Tree
from portico.types.topic import TopicText

# How much a keyword seen in a neighboring title counts beside one seen in the document itself, where
# every neighbor shows it. 0, .5, 1 and 2 tried on Cora-70: 1 and 2 tie.
SPREAD = 1.0
# How strongly a node is drawn to its parent, in mean leaf sizes (in words). .1, .2, .3, .5 and 1 were
# tried on Cora-70 and arXiv-53: .2 to .5 tie on both.
STRENGTH = 0.4
# See `NaiveBayes.temper`. Few documents a leaf speak for it by chance: .5 to .8 are best on nine trees with
# up to 2,000 documents, 1.2 to 1.5 on the whole of arXiv-53. In between it rises with the logarithm.
TEMPER_OF_FEW, TEMPER_OF_MANY = 0.6, 1.2
FEW_A_LEAF, MANY_A_LEAF = 100.0, 300.0  # documents
# How little the guessed sizes of leaves are trusted, see `estimate_class_prior`. 0 to 3 tried: Cora-70 falls
# and arXiv-53, whose leaves are of one size, rises by a point. On trees of eight sets that start with
# expected words 3 is best with 50 and 500 documents, 1 and 3 tie with more.
PULL, PULL_OF_EXPECTED = 1.0, 3.0
# How often a leaf is taken to have used each word of its keywords. 0 to 30 tie on Cora-70 and arXiv-53;
# in samples of 50 to 200 documents of Cora-70 confidence is nearest to accuracy with 30.
KEYWORD_OCCURRENCES = 30.0
# A label that the builder gave is certain, others are guesses: its document's words count so many times.
GIVEN_WEIGHT = 5.0
# Short texts drift away from their keywords after one round of EM; abstracts go on gaining until five.
SHORT_TEXT_WORDS = 40.0
ROUNDS_SHORT, ROUNDS_LONG = 1, 5
# How much of clear first labels stays in every round. Where keywords are names that authors use, EM drifts
# away from them: with a half hardly any tree of `lab topic-trees` falls behind its keywords alone, and the
# mean is the same as with none.
KEPT_LABELS = 0.5


@dataclass(frozen=True, slots=True)
class Method:
    """Which way to the classifier; the defaults are what measures best, `PAPERS` what the papers did."""

    seeds: Literal["first match", "weighted"] = "weighted"
    shrinkage: Literal["none", "interpolated", "drawn"] = "drawn"
    rounds: int | None = None  # None: by the length of the texts
    kept_labels: float = KEPT_LABELS
    calibrated: bool = True
    outside: bool = True  # whether documents from outside the tree are looked for
    unlabeled: bool = True  # whether documents without first labels take part
    components: int = 1  # of every leaf
    others: bool = False  # whether every inner node has a leaf for what is in none of its leaves


DEFAULT = Method()
PAPERS = Method(
    seeds="first match", shrinkage="interpolated", rounds=7, kept_labels=0.0, calibrated=False, outside=False
)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The keywords of every document, as tables: in it, near it, and which leaf each speaks for."""

    own: Counts
    near: Counts
    owners: Table
    accompanied: tuple[bool, ...]  # whether the document has neighbors at all

    @classmethod
    def of(cls, texts: Sequence[TopicText], keywords: Keywords, n_leaves: int) -> "Evidence":
        n_keywords = len(keywords.all)
        near = count_columns((keywords.near(text) for text in texts), n_keywords)
        return cls(
            own=count_columns((keywords.own(text) for text in texts), n_keywords),
            near=scale_rows(near, [1.0 / max(len(list_neighbor_titles(text)), 1) for text in texts]),
            owners=em.share_signs([keyword.leaves for keyword in keywords.all], n_leaves),
            accompanied=tuple(bool(list_neighbor_titles(text)) for text in texts),
        )

    def strength(self) -> Vector:
        """How much of any leaf's keywords each document shows."""
        return em.measure_strength(self.own, self.near, self.accompanied)

    def labels(self, seeds: Literal["first match", "weighted"]) -> Table:
        if seeds == "first match":
            return em.label_by_first_sign(self.own, self.owners)
        return em.label_by_all_signs(self.own, self.near, self.owners, spread=SPREAD)


@dataclass(frozen=True, slots=True, eq=False)
class LearningStart:
    """What the learning starts from: first labels, words known of the leaves, labels and vetoes of people."""

    labels: Table
    known: Table
    given: tuple[tuple[int, int], ...] = ()  # document and leaf
    vetoed: tuple[tuple[int, int], ...] = ()  # leaf and word
    pull: float = PULL


@dataclass(frozen=True, slots=True, eq=False)
class LearnedClassifier:
    """A classifier, the node of the tree each of its classes belongs to, and its last labels.

    It may have one class more, the last: see `em.Drawn`.
    """

    model: NaiveBayes
    owners: tuple[int, ...]
    labels: Table


def bootstrap(
    counts: Counts, start: LearningStart, tree: Tree, *, method: Method = DEFAULT
) -> LearnedClassifier:
    """The classifier learned from first labels."""
    rounds = choose_rounds(counts) if method.rounds is None else method.rounds
    grown = grow_components(tree, components=method.components, others=method.others)
    given = tuple((row, grown.classes_of(tree.leaves[leaf])[0]) for row, leaf in start.given)
    labels = em.hold_given(divide_labels(start.labels, counts, tree, grown), given)
    known = start.known + GIVEN_WEIGHT * em.count_given_words(counts, start.given, len(tree.leaves))
    known = spread_rows(known, tree, grown)
    if not method.unlabeled:
        counts, labels = em.select_labeled_rows(counts, labels)
    mean_leaf_words = (sum(sum_rows(counts)) + float(known.sum())) / len(tree.leaves)
    learners: dict[str, em.Learn] = {
        "none": em.LaplaceSmoothing(),
        "interpolated": em.ShrinkageSmoothing(grown.tree),
        "drawn": em.DirichletSmoothing(
            grown.tree,
            known,
            strength=STRENGTH * mean_leaf_words,
            temper=choose_temper(counts.shape[0] / len(tree.leaves)),
            pull=start.pull,
            vetoed=tuple(
                (number, column)
                for leaf, column in start.vetoed
                for number in grown.classes_of(tree.leaves[leaf])
            ),
        ),
    }
    learn = learners[method.shrinkage]
    held = given if method.unlabeled else ()
    kept = method.kept_labels if rounds > 1 else 0.0  # one round drifts nowhere
    model, labels = em.run_em(counts, labels, learn, rounds=rounds, kept=kept, given=held)
    return LearnedClassifier(model, grown.owners, labels)


def measure_confidence(
    counts: Counts, start: LearningStart, tree: Tree, learned: LearnedClassifier, *, known: float
) -> Confidence:
    """How sure a classifier may be of these documents; `known` is the share of leaves with a background."""
    leaf_of = {node: leaf for leaf, node in enumerate(tree.leaves)}
    leaves = [leaf_of.get(node, -1) for node in learned.owners]
    signs = em.gather_signs(learned.model, counts, start.labels, leaves)
    return Confidence(replace(signs, known=known))


def choose_temper(documents_a_leaf: float) -> float:
    """How far the words of documents are trusted where there are so many of them."""
    span = math.log(MANY_A_LEAF / FEW_A_LEAF)
    share = min(max(math.log(max(documents_a_leaf, 1.0) / FEW_A_LEAF) / span, 0.0), 1.0)
    return TEMPER_OF_FEW + share * (TEMPER_OF_MANY - TEMPER_OF_FEW)


def choose_rounds(counts: Counts) -> int:
    """Rounds of EM that texts of this length bear."""
    words_a_document = sum(sum_rows(counts)) / max(counts.shape[0], 1)
    return ROUNDS_SHORT if words_a_document < SHORT_TEXT_WORDS else ROUNDS_LONG


def count_keywords(
    keywords: Keywords, words: Vocabulary, n_leaves: int, languages: Sequence[str] = ()
) -> Table:
    """The keywords' own words as word counts of their leaves, so that no leaf starts empty.

    In English, and as documents of other `languages` show them.
    """
    rows: list[list[int]] = [[] for _ in range(n_leaves)]
    for keyword, stems in keywords.list_stems(languages):
        for leaf in keyword.leaves:
            rows[leaf].extend(words.columns.get(stem, -1) for stem in stems)
    return to_dense(combine_tables([(KEYWORD_OCCURRENCES, count_columns(rows, len(words.words)))]))
