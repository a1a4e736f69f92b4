"""The worker job that assigns papers to topics.

Imported only when there is something to assign, because loading arrays takes a quarter of a second.
"""

from collections.abc import Callable
from dataclasses import dataclass

from portico.classify.classifier import TopicModel
from portico.classify.saving import from_bytes, move_leaves
from portico.domains.registry import find_domain
from portico.engine.work import Job
from portico.errors import SetupError
from portico.pipeline.topics.topic_model import read_topic_model
from portico.pipeline.topics.topic_texts import GraphSources, make_graph_texts
from portico.store.codec import encode
from portico.types.document import DocumentId
from portico.types.topic import Assignment, Topic


@dataclass(frozen=True, slots=True)
class PlacedTexts:
    """Some documents, and the assignments of those that have any."""

    documents: tuple[DocumentId, ...]
    assignments: tuple[Assignment, ...]


@dataclass(frozen=True, slots=True)
class PlaceOptions:
    """The stored model, the current tree, and the domain whose model of research fields is used."""

    model: bytes
    topics: tuple[Topic, ...]
    domain: str  # empty if the domain has no model of research fields


def make_place_job(options: PlaceOptions) -> Job:
    return Job(build_placer, options)


def build_placer(options: PlaceOptions) -> Callable[[GraphSources], bytes]:
    content, domain = options.model, options.domain
    saved = read_topic_model(content, find_domain(domain)) if domain else from_bytes(content)
    model = move_leaves(saved, options.topics)
    if model is None:
        raise SetupError("the topic model is of another tree")
    return lambda sources: encode(place_texts(model, sources))


def place_texts(model: TopicModel, sources: GraphSources) -> PlacedTexts:
    texts = make_graph_texts(sources)
    places = tuple(place for found in model.assign_all(texts) for place in found)
    return PlacedTexts(tuple(text.document for text in texts), places)
