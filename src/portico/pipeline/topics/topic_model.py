"""The topic model of a portal: loads it if it is intact and fits the tree, saves it atomically.

Imported only when there is something to classify, because loading arrays takes a quarter of a second.
"""

import json
from collections.abc import Sequence
from hashlib import sha256

from portico.classify.classifier import TopicModel
from portico.classify.saving import from_bytes, move_leaves, to_bytes
from portico.errors import ConfigError
from portico.files import write_model
from portico.pipeline.portal import Portal
from portico.pipeline.topics.topic_tree import find_topic_model
from portico.pipeline.topics.tree_fit import read_shipped_company, read_shipped_fields
from portico.types.domain import Domain
from portico.types.topic import Topic

MODEL = "topic_model"  # key in the store for what the saved model was trained on

# New documents are classified by the existing model. It is trained again if the tree has changed, or if the
# number of documents has grown or shrunk by this factor.
RETRAIN_GROWTH = 1.2


def load_topic_model(portal: Portal, topics: Sequence[Topic]) -> TopicModel | None:
    """Load the stored model for this tree; None if it is missing, damaged, or for another tree."""
    state = json.loads(portal.store.meta.get(MODEL) or "{}")
    try:
        content = find_topic_model(portal).read_bytes()
        if sha256(content).hexdigest() != state.get("digest"):
            return None
        return move_leaves(read_topic_model(content, portal.domain), topics)
    except (OSError, ConfigError):
        return None


def is_kept_whole(portal: Portal) -> bool:
    """Whether the stored model is intact; also true if none was ever learned."""
    expected = json.loads(portal.store.meta.get(MODEL) or "{}").get("digest")
    try:
        return expected is None or sha256(find_topic_model(portal).read_bytes()).hexdigest() == expected
    except OSError:
        return False


def is_learning_due(portal: Portal, sources: str, n_documents: int) -> bool:
    """Whether the model must be trained (again) for these sources and this number of documents."""
    state = json.loads(portal.store.meta.get(MODEL) or "{}")
    grown = n_documents / max(state.get("n_documents", 0), 1)
    return state.get("sources") != sources or not 1 / RETRAIN_GROWTH <= grown <= RETRAIN_GROWTH


def save_topic_model(portal: Portal, model: TopicModel, sources: str, n_documents: int) -> TopicModel:
    """Save the model, and return it as it will be loaded.

    The file is written before the row that names it, so that a kill in between only means training again.
    """
    path, content = find_topic_model(portal), to_bytes(model)
    write_model(path, content)
    state = {"sources": sources, "n_documents": n_documents, "digest": sha256(content).hexdigest()}
    portal.store.meta.set(MODEL, json.dumps(state, sort_keys=True))
    return read_topic_model(content, portal.domain)


def read_topic_model(content: bytes, domain: Domain) -> TopicModel:
    """Read a saved model with what ships for its domain; ConfigError if it was learned with something
    else.
    """
    return from_bytes(content, read_shipped_fields(domain), read_shipped_company(domain))
