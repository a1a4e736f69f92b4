"""A trained topic model as bytes, and back; and the same model for a tree whose leaves were moved."""

import json
from collections.abc import Sequence
from dataclasses import replace

from portico.classify.classifier import TopicModel
from portico.classify.features import Vocabulary
from portico.errors import ConfigError
from portico.learn.counts import pack_arrays, unpack_arrays
from portico.learn.naive_bayes import NaiveBayes, TemperBlend
from portico.learn.outside import OutsideModel
from portico.learn.shrinkage import Tree
from portico.types.topic import Topic

FORMAT = "portico topic model 3"


def to_bytes(model: TopicModel) -> bytes:
    """Everything placing needs; the same model gives the same bytes."""
    blend = model.calibration
    header = {
        "format": FORMAT,
        "model_id": model.model_id,
        "topics": [[list(topic.path), list(topic.keywords), list(topic.vetoed)] for topic in model.topics],
        "words": list(model.vocabulary.words),
        "owners": list(model.owners),
        "temper": model.naive_bayes.temper if model.naive_bayes.temper < float("inf") else None,
        "calibration": [blend.sharp, blend.broad, blend.broad_share] if blend else None,
        "threshold": model.outside.threshold if model.outside else None,
        "notices": list(model.notices),
    }
    arrays = {"log_prior": model.naive_bayes.log_prior, "log_word": model.naive_bayes.log_word}
    if model.outside:
        arrays["outside"] = model.outside.log_ratio
    return pack_arrays(json.dumps(header), arrays)


def from_bytes(content: bytes) -> TopicModel:
    """The model that `to_bytes` wrote; ConfigError where the bytes are damaged or of another format."""
    written, arrays = unpack_arrays(content)
    header = json.loads(written)
    if header.get("format") != FORMAT:
        raise ConfigError(f'a topic model is "{header.get("format")}", not "{FORMAT}"')
    topics = tuple(Topic(*map(tuple, topic)) for topic in header["topics"])
    tree, nodes = Tree.of_paths([topic.path for topic in topics])
    temper = float("inf") if header["temper"] is None else header["temper"]
    threshold = header["threshold"]
    return TopicModel(
        model_id=header["model_id"],
        topics=topics,
        nodes=nodes,
        tree=tree,
        vocabulary=Vocabulary(tuple(header["words"])),
        naive_bayes=NaiveBayes(arrays["log_prior"], arrays["log_word"], temper),
        owners=tuple(header["owners"]),
        calibration=TemperBlend(*header["calibration"]) if header["calibration"] else None,
        outside=None if threshold is None else OutsideModel(arrays["outside"], threshold),
        notices=tuple(header["notices"]),
    )


def move_leaves(model: TopicModel, topics: Sequence[Topic]) -> TopicModel | None:
    """The model for a tree with the same leaves at other places or under other names.

    A leaf is known by its keywords and vetoes. None where a leaf is new, gone, or has others, or where two
    leaves have the same: then the tree must be learned again.
    """
    if model.topics == tuple(topics):
        return model
    known = {(topic.keywords, topic.vetoed): leaf for leaf, topic in enumerate(model.topics)}
    order = [known.get((topic.keywords, topic.vetoed), -1) for topic in topics]
    if sorted(order) != list(range(len(model.topics))) or model.owners != model.tree.leaves:
        return None
    tree, nodes = Tree.of_paths([topic.path for topic in topics])
    rows = [*order, *range(len(order), len(model.naive_bayes.log_prior))]
    bayes = model.naive_bayes
    return replace(
        model,
        topics=tuple(topics),
        nodes=nodes,
        tree=tree,
        owners=tree.leaves,
        naive_bayes=replace(bayes, log_prior=bayes.log_prior[rows], log_word=bayes.log_word[rows]),
    )
