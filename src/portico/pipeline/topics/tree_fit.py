"""Measures how well a portal's documents fit the shipped topic trees, by their fields of research.

Imported only when there is something to look at: arrays take half a second to load.
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

# Documents by which it is seen how a tree would divide a collection; learning from more takes longer.
MOST_DIVIDED = 1000


@dataclass(frozen=True, slots=True)
class TreeFit:
    """How many documents there are, can be judged, fit the tree, clearly have a field, and share one."""

    n_documents: int
    n_judged: int
    n_inside: int
    n_sure: int
    n_largest_field: int


def read_shipped_fields(domain: Domain) -> FieldModel | None:
    """The model of the fields of research that comes with a domain."""
    return _read_fields(domain.models / domain.research_fields) if domain.research_fields else None


def read_shipped_company(domain: Domain) -> WordCompany | None:
    """The shipped word vectors, for trees that are new."""
    return read_company((domain.models / domain.word_vectors).read_bytes()) if domain.word_vectors else None


def measure_fit(portal: Portal, tree: ShippedTree) -> TreeFit | None:
    """How well the portal's documents fit a tree; None if there are none, or nothing to judge them by."""
    fields, texts = read_shipped_fields(portal.domain), read_topic_texts(portal.store)
    if fields is None or not texts:
        return None
    n_inside, n_judged = count_belonging(texts, read_topics(tree.file), fields)
    return TreeFit(len(texts), n_judged, n_inside, *count_sure(texts, fields))


@dataclass(frozen=True, slots=True)
class Division:
    """How a tree divides so many documents: how many have a leaf, and how many are in the largest leaf."""

    n_documents: int
    n_in_leaves: int
    n_in_largest: int
    largest: tuple[str, ...]  # its path


def measure_division(portal: Portal, tree: ShippedTree) -> Division:
    """How a tree that ships would divide the documents of a portal."""
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
    """Leaves of a tree induced from the portal's documents, existing ones first; none if there are too
    few.
    """
    company = read_shipped_company(portal.domain)
    return induce(read_topic_texts(portal.store), earlier=earlier, company=company)


@lru_cache(maxsize=2)
def _read_fields(path: Path) -> FieldModel:
    return read_fields(path.read_bytes())
