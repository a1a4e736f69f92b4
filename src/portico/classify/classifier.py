"""The topic classifier: trained from a topic tree with keywords, it assigns documents to topics."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from portico.classify import VERSION
from portico.classify.background import Background
from portico.classify.bootstrap import (
    DEFAULT,
    PULL,
    PULL_OF_EXPECTED,
    Evidence,
    LearningStart,
    Method,
    bootstrap,
    count_keywords,
    gather_signs,
    list_leaves,
)
from portico.classify.expected_words import LeafNearness, WordCompany, is_expectation_due
from portico.classify.features import AUTHOR_SIGN, Vocabulary, build_vocabulary
from portico.classify.field_guide import FieldGuide, FieldJudgment, find_guide
from portico.classify.fields import FieldModel
from portico.classify.keywords import compile_keywords, write_notices
from portico.errors import ConfigError
from portico.learn.class_components import gather_chances
from portico.learn.confidence import Confidence
from portico.learn.counts import Counts, Table, count_rows_with, sum_rows
from portico.learn.naive_bayes import NaiveBayes
from portico.learn.outsiders import OutsideModel, find_outside
from portico.learn.shrinkage import PlacementThresholds, Tree, settle_rows
from portico.text.stemming import list_stemmed, split_stems
from portico.types.document import DocumentId
from portico.types.topic import Assignment, Topic, TopicText

# Nodes must be at least this likely. On Cora-70, .25 for leaves assigns nine in ten documents to a leaf, more
# than half of them to the right one; most of the others stay at the right inner node.
THRESHOLDS = PlacementThresholds(leaf=0.25, inner=0.5)
# A field at .3 is far more likely than all others: on wild_pdf most of those below .5 are right, too.
FIELD_THRESHOLDS = PlacementThresholds(leaf=0.3, inner=0.3)

# A document that probably belongs nowhere in the tree gets no topic.
ELSEWHERE = 0.5

TELLING_WORDS = 12  # in an explanation, on each side


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a document was assigned as it was: the most likely leaf, the runner-up, and the words that
    decided between them.
    """

    best: tuple[str, ...]
    probability: float
    runner_up: tuple[str, ...] | None
    runner_up_probability: float
    speaks_for: tuple[tuple[str, float], ...]
    speaks_against: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True, eq=False)
class TopicModel:
    """A trained classifier. `model_id` identifies the data it was trained on; `notices` are messages for
    the builder.
    """

    model_id: str
    topics: tuple[Topic, ...]
    nodes: tuple[tuple[str, ...], ...]
    tree: Tree
    vocabulary: Vocabulary
    naive_bayes: NaiveBayes
    owners: tuple[int, ...]  # the node of every class; an extra class is "elsewhere"
    confidence: Confidence | None
    nearness: LeafNearness | None = None  # None without word vectors
    outside: OutsideModel | None = None  # None if no part of the documents stands out
    guide: FieldGuide | None = None  # None if the tree cannot be related to fields of research
    notices: tuple[str, ...] = ()

    def assign(self, text: TopicText) -> tuple[Assignment, ...]:
        """The nodes one document belongs to, the most likely first; empty if all are too uncertain."""
        return self.assign_all((text,))[0]

    def assign_all(self, texts: Sequence[TopicText]) -> list[tuple[Assignment, ...]]:
        """The nodes each document belongs to; much faster than calling `assign` for each."""
        if not texts:
            return []
        counts = self.vocabulary.count(texts)
        judged = self.guide.judge(texts) if self.guide else None
        thresholds = FIELD_THRESHOLDS if self.guide and self.guide.tops else THRESHOLDS
        places = settle_rows(self._node_chances(texts, counts, judged), self.tree, thresholds)
        has_place = [
            n_words > 0 and elsewhere < ELSEWHERE
            for n_words, elsewhere in zip(sum_rows(counts), self._elsewhere(counts, judged), strict=True)
        ]
        return [
            tuple(Assignment(text.document, self.nodes[node], chance) for node, chance in nodes)
            if has
            else ()
            for text, nodes, has in zip(texts, places, has_place, strict=True)
        ]

    def elsewhere(self, texts: Sequence[TopicText]) -> list[float]:
        """The probability of each document that it belongs nowhere in the tree."""
        return self._elsewhere(self.vocabulary.count(texts), self.guide.judge(texts) if self.guide else None)

    def chances(self, texts: Sequence[TopicText]) -> Table:
        """The probability of every leaf, in the order of `topics`; one row per document.

        A row may sum to less than one: the rest is the probability that the document belongs nowhere in the
        tree.
        """
        judged = self.guide.judge(texts) if self.guide else None
        return self._node_chances(texts, self.vocabulary.count(texts), judged)[:, list(self.tree.leaves)]

    def explain(self, text: TopicText) -> Explanation:
        """The two most likely leaves of a document, and the words that favor one or the other."""
        chances = self.chances((text,))[0].tolist()
        best, *others = sorted(range(len(chances)), key=lambda leaf: (-chances[leaf], leaf))
        if not others:
            return Explanation(self.topics[best].path, chances[best], None, 0.0, (), ())
        first, second = self._class_of(best), self._class_of(others[0])
        voices = self.naive_bayes.contrast(self.vocabulary.count((text,)), first, second)
        named = [(self.vocabulary.words[column], weight) for column, weight in voices]
        return Explanation(
            best=self.topics[best].path,
            probability=chances[best],
            runner_up=self.topics[others[0]].path,
            runner_up_probability=chances[others[0]],
            speaks_for=tuple(voice for voice in named if voice[1] > 0)[:TELLING_WORDS],
            speaks_against=tuple(voice for voice in named if voice[1] < 0)[:TELLING_WORDS],
        )

    def learned(self, leaf: int, *, n_words: int) -> tuple[str, ...]:
        """The words that best distinguish a leaf (by its number) from the last class, "elsewhere".

        Author names are left out.
        """
        # Twice as many as needed: some are author names, but never more than half.
        columns = self.naive_bayes.telling(self._class_of(leaf), -1, least=2 * n_words)
        found = (self.vocabulary.words[column] for column in columns)
        return tuple(word for word in found if not word.startswith(AUTHOR_SIGN))[:n_words]

    def _node_chances(
        self, texts: Sequence[TopicText], counts: Counts, judged: FieldJudgment | None
    ) -> Table:
        if self.confidence:
            chances = self.naive_bayes.calibrated(
                counts,
                self.confidence,
                n_classes=len(self.owners),
                nearness=self.nearness.measure(counts, self.vocabulary) if self.nearness else None,
            )
        else:
            chances = self.naive_bayes.posterior(counts)
        chances = gather_chances(chances, self.owners, len(self.nodes))
        if self.outside:
            chances = self.outside.left_over(counts, chances)
        return self.guide.place(texts, judged, chances, self.tree) if self.guide and judged else chances

    def _class_of(self, leaf: int) -> int:
        """The first class of a leaf."""
        return self.owners.index(self.tree.leaves[leaf])

    def _elsewhere(self, counts: Counts, judged: FieldJudgment | None) -> list[float]:
        outside = self.outside.chances(counts).tolist() if self.outside else [0.0] * counts.shape[0]
        belonging = judged.belonging.tolist() if judged else [1.0] * counts.shape[0]
        return [1.0 - (1.0 - out) * inside for out, inside in zip(outside, belonging, strict=True)]


def train_topics(
    texts: Sequence[TopicText],
    topics: Sequence[Topic],
    *,
    background: Background | None = None,
    fields: FieldModel | None = None,
    company: WordCompany | None = None,
    method: Method = DEFAULT,
    labels: Mapping[DocumentId, tuple[str, ...]] | None = None,
) -> TopicModel:
    """Train a classifier from the tree's keywords, the documents and the background; the result is
    deterministic.

    `company` predicts the words of leaves if the tree has no background, and tells how near documents are to
    the keywords of their leaves. `fields` determines which documents belong in the tree; the others are not
    used for training. `labels` are leaves that a person assigned to documents; labels with an unknown leaf or
    document are ignored.
    """
    _check(topics)
    tree, nodes = Tree.of_paths([topic.path for topic in topics])
    guide = find_guide(topics, nodes, fields) if fields and method.outside else None
    if guide:
        texts = _inside(texts, guide, labels or {})
    given = _given(texts, topics, labels or {})
    keywords = compile_keywords(topics)
    background = background if background and background.knows(topics) else None
    languages = list_stemmed([text.language for text in texts])
    always = {stem for _, stems in keywords.list_stems(languages) for stem in stems}
    known_words = build_vocabulary(texts, always.union(background.words if background else ()))
    evidence = Evidence.of(texts, keywords, len(topics))
    known = count_keywords(keywords, known_words, len(topics), languages)
    counts = known_words.count(texts)
    if background:
        known = known + background.known(topics, known_words)
    is_expecting = company is not None and background is None and is_expectation_due(len(texts), len(topics))
    if company and is_expecting:
        n_words = sum(sum_rows(counts)) / len(topics)
        known = known + company.expect(keywords, known_words, n_leaves=len(topics), n_words=n_words)
    pull = PULL_OF_EXPECTED if is_expecting else PULL
    vetoed = _vetoed(topics, known_words, languages)
    start = LearningStart(evidence.labels(method.seeds), known, given, vetoed, pull)
    learned = bootstrap(counts, start, tree, method=method)
    signs = replace(gather_signs(counts, start, tree, learned), known=_share_known(topics, background))
    return TopicModel(
        model_id=_model_id(texts, topics, (background, fields, company), method, given),
        topics=tuple(topics),
        nodes=nodes,
        tree=tree,
        vocabulary=known_words,
        naive_bayes=learned.model,
        owners=learned.owners,
        confidence=Confidence(signs) if method.calibrated else None,
        nearness=company.lead_to_leaves(keywords, list_leaves(tree, learned), counts, known_words)
        if company and method.calibrated
        else None,
        outside=find_outside(counts, evidence.strength()) if method.outside else None,
        guide=guide,
        notices=write_notices(topics, keywords, count_rows_with(evidence.own).tolist(), len(texts)),
    )


def _check(topics: Sequence[Topic]) -> None:
    if not topics:
        raise ConfigError("the topic tree is empty; give at least one topic with keywords")
    paths = {topic.path for topic in topics}
    if len(paths) < len(topics):
        twice = next(
            topic for idx, topic in enumerate(topics) if topic.path in {t.path for t in topics[:idx]}
        )
        raise ConfigError(f'the topic "{twice}" occurs twice in the tree; merge the two')
    for topic in topics:
        if not topic.path or not all(topic.path):
            raise ConfigError(f'the topic path "{topic}" has an empty name; write it as "Top/Middle/Leaf"')
        for depth in range(1, len(topic.path)):
            if topic.path[:depth] in paths:
                raise ConfigError(
                    f'the topic "{"/".join(topic.path[:depth])}" has keywords and also "{topic}" below it; '
                    "only leaves have keywords: move them to a leaf of their own"
                )


def _share_known(topics: Sequence[Topic], background: Background | None) -> float:
    """The share of leaves that have a background."""
    paths = set(background.paths) if background else set()
    return sum(topic.path in paths for topic in topics) / len(topics)


def _inside(
    texts: Sequence[TopicText], guide: FieldGuide, labels: Mapping[DocumentId, tuple[str, ...]]
) -> list[TopicText]:
    """The documents that belong in the tree, by their field or because a person labeled them."""
    if not texts:
        return []
    return [
        text
        for text, chance in zip(texts, guide.judge(texts).belonging.tolist(), strict=True)
        if chance >= 1.0 - ELSEWHERE or text.document in labels
    ]


def _given(
    texts: Sequence[TopicText], topics: Sequence[Topic], labels: Mapping[DocumentId, tuple[str, ...]]
) -> tuple[tuple[int, int], ...]:
    leaves = {topic.path: leaf for leaf, topic in enumerate(topics)}
    return tuple(
        (row, leaves[labels[text.document]])
        for row, text in enumerate(texts)
        if labels.get(text.document) in leaves
    )


def _vetoed(
    topics: Sequence[Topic], known: Vocabulary, languages: Sequence[str]
) -> tuple[tuple[int, int], ...]:
    return tuple(
        (leaf, known.columns[stem])
        for leaf, topic in enumerate(topics)
        for stem in dict.fromkeys(
            stem for language in ("en", *languages) for stem in split_stems("\n".join(topic.vetoed), language)
        )
        if stem in known.columns
    )


def _model_id(
    texts: Iterable[TopicText],
    topics: Iterable[Topic],
    known: tuple[Background | None, FieldModel | None, WordCompany | None],
    method: Method,
    given: tuple[tuple[int, int], ...],
) -> str:
    """An identifier of the input: the same documents, tree, background and version give the same
    identifier.
    """
    digest = hashlib.sha256(repr((VERSION, method, tuple(topics), given)).encode())
    for text in texts:
        digest.update(repr(text).encode())
    for each in known:
        digest.update(each.id.encode() if each else b"-")
    return f"topics-{VERSION}-{digest.hexdigest()[:16]}"
