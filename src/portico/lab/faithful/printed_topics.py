"""The papers' topic classifier exactly as published: full words of a document's own text, keywords as
exact phrases.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from portico.classify.bootstrap import PAPERS, LearningStart, Method, bootstrap
from portico.classify.features import SMALL_COLLECTION
from portico.learn import em
from portico.learn.class_components import gather_chances
from portico.learn.counts import Counts, Table, count_columns
from portico.learn.shrinkage import Tree
from portico.text.words import STOP_WORDS, split_tokens
from portico.types.topic import Topic, TopicText

LEAST_DOCUMENTS = 5  # words in fewer documents are left out, unless the collection is small

Chances = Sequence[Sequence[float]]
Classify = Callable[[Sequence[TopicText], Sequence[Topic]], Chances]


def make_printed_models() -> dict[str, Classify]:
    """The models in the papers' Table 8 that learn only from keywords."""
    return {
        "keyword rules, as printed": classify_by_printed_rules,
        "naive Bayes from keyword rules, as printed": _trained(replace(PAPERS, shrinkage="none", rounds=0)),
        "papers: EM + shrinkage, keyword-labeled only, as printed": _trained(
            replace(PAPERS, unlabeled=False)
        ),
        "papers: EM + shrinkage, as printed": _trained(PAPERS),
    }


def classify_by_printed_rules(texts: Sequence[TopicText], topics: Sequence[Topic]) -> Chances:
    """The leaf of the first keyword in each text; documents without keywords get the largest such leaf."""
    return em.fill_with_largest(label_by_phrases(texts, topics)).tolist()


def count_printed_words(texts: Sequence[TopicText]) -> Counts:
    """Unstemmed word counts of each text, without stop words and words in fewer than five texts."""
    tokens = [_split_own_text(text) for text in texts]
    frequency = Counter(word for row in tokens for word in set(row))
    least = LEAST_DOCUMENTS if len(texts) > SMALL_COLLECTION else 1
    known = sorted(word for word, n_texts in frequency.items() if n_texts >= least)
    columns = {word: column for column, word in enumerate(known)}
    return count_columns([[columns.get(word, -1) for word in row] for row in tokens], len(known))


def label_by_phrases(texts: Sequence[TopicText], topics: Sequence[Topic]) -> Table:
    """The leaf of the first keyword, in the order of the tree, that is a phrase in the text."""
    phrases = [
        (f" {' '.join(split_tokens(keyword))} ", leaf)
        for leaf, topic in enumerate(topics)
        for keyword in (topic.keywords or (topic.name,))
        if split_tokens(keyword)
    ]
    labels = np.zeros((len(texts), len(topics)))
    for row, text in enumerate(texts):
        prose = f" {' '.join(split_tokens(_join_own_text(text)))} "
        leaf = next((leaf for phrase, leaf in phrases if phrase in prose), None)
        if leaf is not None:
            labels[row, leaf] = 1.0
    return labels


def _trained(method: Method) -> Classify:
    def classify(texts: Sequence[TopicText], topics: Sequence[Topic]) -> Chances:
        counts = count_printed_words(texts)
        tree, nodes = Tree.of_paths([topic.path for topic in topics])
        start = LearningStart(label_by_phrases(texts, topics), np.zeros((len(topics), counts.shape[1])))
        learned = bootstrap(counts, start, tree, method=method)
        chances = gather_chances(learned.model.posterior(counts), learned.owners, len(nodes))
        found: list[list[float]] = chances[:, list(tree.leaves)].tolist()
        return found

    return classify


def _join_own_text(text: TopicText) -> str:
    """Title, authors, abstract and titles of references, but nothing from the papers that cite the
    document.
    """
    return "\n".join((text.title, *text.authors, text.abstract, *text.cited_titles))


def _split_own_text(text: TopicText) -> list[str]:
    return [word for word in split_tokens(_join_own_text(text)) if word not in STOP_WORDS and len(word) > 1]
