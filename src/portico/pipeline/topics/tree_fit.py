"""Measures how well a portal's documents fit the shipped topic trees, by their fields of research.

Imported only when there is something to measure, because loading arrays takes half a second.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from portico.classify.background import read_background_for
from portico.classify.classifier import train_topics
from portico.classify.expected_words import WordCompany, read_company
from portico.classify.field_guide import count_belonging, count_sure
from portico.classify.fields import FieldModel, read_fields
from portico.classify.inducing import induce
from portico.config.topics import read_topics
from portico.pipeline.portal import Portal
from portico.pipeline.topics.topic_texts import read_topic_texts
from portico.types.domain import Domain, ShippedTree
from portico.types.topic import Topic, TopicSuggestion

# Documents used for measuring how a tree divides a collection; more take longer.
MOST_DIVIDED = 1000


@dataclass(frozen=True, slots=True)
class TreeFit:
    """Counts of documents: all, judgeable, inside the tree, clearly of a field, in the largest field."""

    n_documents: int
    n_judged: int
    n_inside: int
    n_sure: int
    n_largest_field: int


def read_shipped_fields(domain: Domain) -> FieldModel | None:
    """Load the domain's shipped model of research fields, if any."""
    return _read_fields(domain.models / domain.research_fields) if domain.research_fields else None


def read_shipped_company(domain: Domain) -> WordCompany | None:
    """Load the domain's shipped word vectors, which are used for new trees, if any."""
    return _read_company(domain.models / domain.word_vectors) if domain.word_vectors else None


def measure_fit(portal: Portal, tree: ShippedTree) -> TreeFit | None:
    """Measure how well the documents fit a tree; None without documents or a model to judge them by."""
    fields, texts = read_shipped_fields(portal.domain), read_topic_texts(portal.store)
    if fields is None or not texts:
        return None
    n_inside, n_judged = count_belonging(texts, read_topics(tree.file), fields)
    return TreeFit(len(texts), n_judged, n_inside, *count_sure(texts, fields))


@dataclass(frozen=True, slots=True)
class Division:
    """How a tree divides documents: how many have a leaf, and how many are in the largest leaf."""

    n_documents: int
    n_in_leaves: int
    n_in_largest: int
    largest: tuple[str, ...]  # its path


def measure_division(portal: Portal, tree: ShippedTree) -> Division:
    """Measure how a shipped tree would divide the documents of a portal."""
    topics, fields = read_topics(tree.file), read_shipped_fields(portal.domain)
    texts = read_topic_texts(portal.store)[:MOST_DIVIDED]
    background = read_background_for(tree.words.read_bytes(), topics)
    model = train_topics(texts, topics, background=background, fields=fields)
    leaves = {topic.path for topic in topics}
    sizes = Counter(
        places[0].path for places in model.assign_all(texts) if places and places[0].path in leaves
    )
    largest, n_in_largest = sizes.most_common(1)[0] if sizes else ((), 0)
    return Division(len(texts), sizes.total(), n_in_largest, largest)


def induce_leaves(portal: Portal, earlier: Sequence[Topic]) -> tuple[TopicSuggestion, ...]:
    """Induce a tree from the documents, and return its leaves, earlier ones first; () if too few."""
    company = read_shipped_company(portal.domain)
    return induce(read_topic_texts(portal.store), earlier=earlier, company=company)


@lru_cache(maxsize=2)
def _read_company(path: Path) -> WordCompany:
    return read_company(path.read_bytes())


@lru_cache(maxsize=2)
def _read_fields(path: Path) -> FieldModel:
    return read_fields(path.read_bytes())
