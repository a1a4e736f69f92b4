"""Trains a topic classifier from keywords alone: initial labels from keywords, then EM over the tree."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from portico.classify.features import Vocabulary
from portico.classify.keywords import Keywords, list_neighbor_titles
from portico.learn import em
from portico.learn.class_components import divide_labels, grow_components, spread_rows
from portico.learn.confidence import CollectionSigns
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

# Weight of a keyword that every neighboring title contains, relative to one in the document itself.
# 0, .5, 1 and 2 were tried on Cora-70: 1 and 2 tie.
SPREAD = 1.0
# How strongly a node is shrunk towards its parent, in mean leaf sizes (in words). .1, .2, .3, .5 and 1
# were tried on Cora-70 and arXiv-53: .2 to .5 tie on both.
STRENGTH = 0.4
# See `NaiveBayes.temper`. With few documents per leaf, words are often evidence only by chance: .5 to .8 are
# best on nine trees with up to 2,000 documents, 1.2 to 1.5 on all of arXiv-53; logarithmic in between.
TEMPER_OF_FEW, TEMPER_OF_MANY = 0.6, 1.2
FEW_A_LEAF, MANY_A_LEAF = 100.0, 300.0  # documents
# How little the estimated sizes of leaves are trusted, see `estimate_class_prior`. From 0 to 3, Cora-70 loses
# and arXiv-53, whose leaves have equal sizes, gains a point. On trees of eight sets that start with
# expected words, 3 is best with 50 and 500 documents, 1 and 3 tie with more.
PULL, PULL_OF_EXPECTED = 1.0, 3.0
# Initial count of each word of a leaf's keywords. 0 to 30 tie on Cora-70 and arXiv-53;
# in samples of 50 to 200 documents of Cora-70 confidence is closest to accuracy with 30.
KEYWORD_OCCURRENCES = 30.0
# The words of documents that the builder labeled count this many times: other labels are guesses.
GIVEN_WEIGHT = 5.0
# With short texts, EM drifts away from the keywords after one round; abstracts improve for up to five.
SHORT_TEXT_WORDS = 40.0
ROUNDS_SHORT, ROUNDS_LONG = 1, 5
# The share of a clear initial label that is kept in every round. If keywords are names that authors use, EM
# drifts away from them: with .5 hardly any tree of `lab topic-trees` is worse than its keywords alone, and
# the mean is the same as with 0.
KEPT_LABELS = 0.5


@dataclass(frozen=True, slots=True)
class Method:
    """Options of the training; the defaults give the best measured results, `PAPERS` does what the
    original papers did.
    """

    seeds: Literal["first match", "weighted"] = "weighted"
    shrinkage: Literal["none", "interpolated", "drawn"] = "drawn"
    rounds: int | None = None  # None: by the length of the texts
    kept_labels: float = KEPT_LABELS
    calibrated: bool = True
    outside: bool = True  # whether to detect documents that belong nowhere in the tree
    unlabeled: bool = True  # whether to train on documents without initial labels, too
    components: int = 1  # of every leaf
    others: bool = False  # whether every inner node gets a leaf for documents in none of its leaves


DEFAULT = Method()
PAPERS = Method(
    seeds="first match", shrinkage="interpolated", rounds=7, kept_labels=0.0, calibrated=False, outside=False
)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The keywords of every document as tables: those in the document, those in neighboring titles, and
    the leaves each keyword belongs to.
    """

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
        """The total strength of the keywords in and near each document, whichever leaf they belong to."""
        return em.measure_strength(self.own, self.near, self.accompanied)

    def labels(self, seeds: Literal["first match", "weighted"]) -> Table:
        if seeds == "first match":
            return em.label_by_first_sign(self.own, self.owners)
        return em.label_by_all_signs(self.own, self.near, self.owners, spread=SPREAD)


@dataclass(frozen=True, slots=True, eq=False)
class LearningStart:
    """The input of the training: initial labels, known word counts of the leaves, and people's labels and
    vetoes.
    """

    labels: Table
    known: Table
    given: tuple[tuple[int, int], ...] = ()  # document and leaf
    vetoed: tuple[tuple[int, int], ...] = ()  # leaf and word
    pull: float = PULL


@dataclass(frozen=True, slots=True, eq=False)
class LearnedClassifier:
    """A classifier, the tree node of each of its classes, and the labels it was last trained on.

    The classifier may have one extra class at the end, "elsewhere": see `em.DirichletSmoothing`.
    """

    model: NaiveBayes
    owners: tuple[int, ...]
    labels: Table


def bootstrap(
    counts: Counts, start: LearningStart, tree: Tree, *, method: Method = DEFAULT
) -> LearnedClassifier:
    """Train a classifier from initial labels."""
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
    kept = method.kept_labels if rounds > 1 else 0.0  # a single round cannot drift
    model, labels = em.run_em(counts, labels, learn, rounds=rounds, kept=kept, given=held)
    return LearnedClassifier(model, grown.owners, labels)


def gather_signs(
    counts: Counts, start: LearningStart, tree: Tree, learned: LearnedClassifier
) -> CollectionSigns:
    """What these documents show of how well they are classified."""
    return em.gather_signs(learned.model, counts, start.labels, list_leaves(tree, learned))


def list_leaves(tree: Tree, learned: LearnedClassifier) -> list[int]:
    """The leaf of each class of a classifier, -1 for a class that is no leaf's."""
    leaf_of = {node: leaf for leaf, node in enumerate(tree.leaves)}
    return [leaf_of.get(node, -1) for node in learned.owners]


def choose_temper(documents_a_leaf: float) -> float:
    """How much to trust the words of documents, given the number of documents per leaf."""
    span = math.log(MANY_A_LEAF / FEW_A_LEAF)
    share = min(max(math.log(max(documents_a_leaf, 1.0) / FEW_A_LEAF) / span, 0.0), 1.0)
    return TEMPER_OF_FEW + share * (TEMPER_OF_MANY - TEMPER_OF_FEW)


def choose_rounds(counts: Counts) -> int:
    """How many rounds of EM to run: fewer for short texts."""
    words_a_document = sum(sum_rows(counts)) / max(counts.shape[0], 1)
    return ROUNDS_SHORT if words_a_document < SHORT_TEXT_WORDS else ROUNDS_LONG


def count_keywords(
    keywords: Keywords, words: Vocabulary, n_leaves: int, languages: Sequence[str] = ()
) -> Table:
    """The words of the keywords as word counts of their leaves, so that no leaf starts empty.

    Keywords are stemmed by the rules of English and of each of the other `languages`.
    """
    rows: list[list[int]] = [[] for _ in range(n_leaves)]
    for keyword, stems in keywords.list_stems(languages):
        for leaf in keyword.leaves:
            rows[leaf].extend(words.columns.get(stem, -1) for stem in stems)
    return to_dense(combine_tables([(KEYWORD_OCCURRENCES, count_columns(rows, len(words.words)))]))
