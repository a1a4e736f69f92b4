"""Serializes a trained topic model, and adapts it to a tree whose leaves were moved or renamed."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from portico.classify.classifier import TopicModel
from portico.classify.expected_words import LeafNearness, WordCompany
from portico.classify.features import Vocabulary
from portico.classify.field_guide import FieldGuide, find_guide
from portico.classify.fields import FieldModel
from portico.classify.keywords import compile_keywords
from portico.errors import ConfigError
from portico.learn.confidence import CollectionSigns, Confidence
from portico.learn.counts import pack_arrays, unpack_arrays
from portico.learn.naive_bayes import NaiveBayes
from portico.learn.outsiders import OutsideModel
from portico.learn.shrinkage import Tree
from portico.types.topic import Topic

FORMAT = "portico topic model 8"


def to_bytes(model: TopicModel) -> bytes:
    """The model as bytes, with everything needed to assign topics; the same model always gives the same
    bytes.
    """
    header = {
        "format": FORMAT,
        "model_id": model.model_id,
        "topics": [[list(topic.path), list(topic.keywords), list(topic.vetoed)] for topic in model.topics],
        "words": list(model.vocabulary.words),
        "owners": list(model.owners),
        "temper": model.naive_bayes.temper if model.naive_bayes.temper < float("inf") else None,
        "confidence": asdict(model.confidence.signs) if model.confidence else None,
        "company": model.nearness.company.id if model.nearness else None,
        "threshold": model.outside.threshold if model.outside else None,
        "guide": _guide_rows(model.guide),
        "notices": list(model.notices),
    }
    arrays = {"log_prior": model.naive_bayes.log_prior, "log_word": model.naive_bayes.log_word}
    if model.outside:
        arrays["outside"] = model.outside.log_ratio
    if model.nearness:
        arrays |= {"directions": model.nearness.directions, "middle": model.nearness.middle}
    return pack_arrays(json.dumps(header), arrays)


def from_bytes(
    content: bytes, fields: FieldModel | None = None, company: WordCompany | None = None
) -> TopicModel:
    """The model that `to_bytes` wrote; ConfigError if it is damaged, or if the format, the model of fields or
    the word vectors differ.

    `fields` and `company` ship with the software. They are not part of the bytes, so a topic model trained
    with different ones is rejected.
    """
    written, arrays = unpack_arrays(content)
    header = json.loads(written)
    if header.get("format") != FORMAT:
        raise ConfigError(f'a topic model is "{header.get("format")}", not "{FORMAT}"')
    guide = header["guide"]
    if guide and (fields is None or guide[0] != fields.id):
        raise ConfigError("a topic model was learned with another model of fields; build the portal again")
    if header["company"] and (company is None or header["company"] != company.id):
        raise ConfigError("a topic model was learned with other word vectors; build the portal again")
    topics = tuple(
        Topic(tuple(path), tuple(words), tuple(vetoed)) for path, words, vetoed in header["topics"]
    )
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
        confidence=Confidence(CollectionSigns(**header["confidence"])) if header["confidence"] else None,
        nearness=LeafNearness(company, arrays["directions"], arrays["middle"])
        if company and header["company"]
        else None,
        outside=None if threshold is None else OutsideModel(arrays["outside"], threshold),
        guide=_read_guide(guide, topics, fields) if guide and fields else None,
        notices=tuple(header["notices"]),
    )


def _read_guide(rows: list[Any], topics: Sequence[Topic], fields: FieldModel) -> FieldGuide:
    """The guide that `_guide_rows` wrote; in a tree of fields, with the keywords to place documents below
    the fields.
    """
    _, coverage, is_home, tops = rows
    keywords = compile_keywords(topics) if tops else None
    return FieldGuide(fields, tuple(coverage), is_home, tuple(tops), keywords)


def _guide_rows(guide: FieldGuide | None) -> list[object] | None:
    return [guide.model.id, list(guide.coverage), guide.is_home, list(guide.tops)] if guide else None


def move_leaves(model: TopicModel, topics: Sequence[Topic]) -> TopicModel | None:
    """The model for a tree that has the same leaves, moved or renamed.

    Leaves are identified by their keywords and vetoes. None if a leaf is new, gone, or has changed these, or
    if two leaves have the same ones: then the model must be trained again.
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
        guide=_guide_for(model.guide, topics, nodes),
        topics=tuple(topics),
        nodes=nodes,
        tree=tree,
        owners=tree.leaves,
        nearness=replace(model.nearness, directions=model.nearness.directions[order])
        if model.nearness
        else None,
        naive_bayes=replace(bayes, log_prior=bayes.log_prior[rows], log_word=bayes.log_word[rows]),
    )


def _guide_for(
    guide: FieldGuide | None, topics: Sequence[Topic], nodes: Sequence[tuple[str, ...]]
) -> FieldGuide | None:
    """The guide after leaves were moved: in a tree of fields, field names are looked up again; otherwise
    unchanged.
    """
    return find_guide(topics, nodes, guide.model) if guide and guide.tops else guide
