"""Reads folders of documents, topic trees and labels, and mixes such sets."""

import gzip
import json
import random
import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from portico.errors import ConfigError
from portico.text.names import split_names
from portico.types.document import DocumentId
from portico.types.topic import Topic, TopicText

OUTSIDE = "other"
"""The label, in any case, of documents that belong nowhere in the tree."""
OUTSIDE_SHARE = 0.2  # of a mixture: what one may expect in a crawl, by the papers' discussion


@dataclass(frozen=True, slots=True)
class TopicSet:
    """Documents, a topic tree, and the leaf number of each labeled document."""

    texts: tuple[TopicText, ...]
    topics: tuple[Topic, ...]
    leaf_of: dict[DocumentId, int]
    outside: frozenset[DocumentId] = frozenset()  # documents known to belong nowhere in the tree

    def under(self, branches: Collection[str]) -> tuple[TopicText, ...]:
        """The documents labeled with a leaf at or below these nodes; all labeled documents if no node is
        given.
        """
        nodes = {"/".join(topic.path[:depth]) for topic in self.topics for depth in (1, len(topic.path))}
        if unknown := set(branches) - nodes:
            tops = sorted({topic.path[0] for topic in self.topics})
            raise ConfigError(f'there is no branch "{sorted(unknown)[0]}"; the tree has {", ".join(tops)}')
        return tuple(
            text
            for text in self.texts
            if text.document in self.leaf_of
            and (not branches or _below(self.topics[self.leaf_of[text.document]], branches))
        )


def mix_in_strangers(labeled: TopicSet, strangers: Sequence[TopicText], rng: random.Random) -> TopicSet:
    """The labeled documents mixed with others, so that these are a fifth of all."""
    inside = [text for text in labeled.texts if text.document in labeled.leaf_of]
    n_strangers = min(len(strangers), round(len(inside) * OUTSIDE_SHARE / (1 - OUTSIDE_SHARE)))
    chosen = [
        replace(text, document=DocumentId(f"outside {text.document}"))
        for text in rng.sample(list(strangers), n_strangers)
    ]
    texts = [*inside, *chosen]
    rng.shuffle(texts)
    return TopicSet(
        tuple(texts), labeled.topics, labeled.leaf_of, frozenset(text.document for text in chosen)
    )


def hold_out_branches(labeled: TopicSet, branches: Collection[str]) -> TopicSet:
    """The set without these nodes of the tree and without the labels of their documents."""
    kept = [leaf for leaf, topic in enumerate(labeled.topics) if not _below(topic, branches)]
    if not kept:
        raise ConfigError("no branch of the tree is left; hold out fewer")
    new = {leaf: position for position, leaf in enumerate(kept)}
    leaf_of = {document: new[leaf] for document, leaf in labeled.leaf_of.items() if leaf in new}
    return TopicSet(labeled.texts, tuple(labeled.topics[leaf] for leaf in kept), leaf_of)


def read_topic_set(folder: Path, default_tree: Sequence[Topic]) -> TopicSet:
    """The set in a folder's documents.jsonl.gz, topics.tsv and labels.tsv; ConfigError if they are
    faulty.
    """
    topics = _read_topics(_existing(folder / "topics.tsv"), default_tree)
    leaves = {topic.path: leaf for leaf, topic in enumerate(topics)}
    papers = _papers(_existing(folder / "documents.jsonl.gz"))
    labels = _rows(_existing(folder / "labels.tsv"))
    outside = {DocumentId(document) for document, path in labels if path.casefold() == OUTSIDE}
    labels = [(document, path) for document, path in labels if path.casefold() != OUTSIDE]
    unknown = {path for _, path in labels if path and _readable(path) not in leaves}
    if unknown:
        raise ConfigError(f"{folder / 'labels.tsv'}: {sorted(unknown)[0]} is not in topics.tsv; add it there")
    return TopicSet(
        texts=_texts(papers),
        topics=topics,
        leaf_of={DocumentId(document): leaves[_readable(path)] for document, path in labels if path},
        outside=frozenset(outside),
    )


def _below(topic: Topic, branches: Collection[str]) -> bool:
    """Whether the topic is one of these nodes, or in one of these branches."""
    return topic.path[0] in branches or str(topic) in branches


def _read_topics(path: Path, default_tree: Sequence[Topic]) -> tuple[Topic, ...]:
    defaults = {topic.path: topic.keywords for topic in default_tree}
    topics = []
    for name, keywords in _rows(path):
        place = _readable(name)
        written = tuple(keyword.strip() for keyword in keywords.split(",") if keyword.strip())
        topics.append(Topic(place, written or defaults.get(place, ())))
    if not topics:
        raise ConfigError(f"{path}: holds no topics; write a path, a tab and keywords a line")
    return tuple(topics)


def _papers(path: Path) -> list[dict[str, Any]]:
    papers = []
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                paper = json.loads(line)
                if not isinstance(paper, dict) or "id" not in paper:
                    raise ConfigError(f"{path}: line {number} is no JSON object with an id")
                papers.append(paper)
    except json.JSONDecodeError as fault:
        raise ConfigError(f"{path}: line {len(papers) + 1} is not JSON: {fault.msg}") from fault
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as fault:
        raise ConfigError(f"{path}: cannot be read as gzipped lines of JSON: {fault}") from fault
    if not papers:
        raise ConfigError(f"{path}: holds no documents")
    return papers


def _readable(path: str) -> tuple[str, ...]:
    """The path as shown in portals: two underscores stand for a comma and a space, one for a space."""
    return tuple(path.replace("__", ", ").replace("_", " ").split("/"))


def _texts(papers: Sequence[dict[str, Any]]) -> tuple[TopicText, ...]:
    titles = {str(paper["id"]): str(paper.get("title") or "") for paper in papers}
    citing: dict[str, list[str]] = {}
    for paper in papers:
        for cited in paper.get("cites", ()):
            citing.setdefault(str(cited), []).append(titles[str(paper["id"])])
    return tuple(
        TopicText(
            document=DocumentId(str(paper["id"])),
            title=titles[str(paper["id"])],
            abstract=str(paper.get("abstract") or ""),
            authors=_authors(paper.get("authors", ())),
            cited_titles=tuple(
                titles[str(cited)] for cited in paper.get("cites", ()) if str(cited) in titles
            ),
            citing_titles=tuple(citing.get(str(paper["id"]), ())),
        )
        for paper in papers
    )


def _authors(written: str | Sequence[str]) -> tuple[str, ...]:
    return split_names(written) if isinstance(written, str) else tuple(written)


def _rows(path: Path) -> list[tuple[str, str]]:
    """First and second column of a file of tab-separated values."""
    lines = path.read_text(encoding="utf-8").splitlines()
    columns = [line.split("\t") for line in lines if line]
    return [(first, rest[0] if rest else "") for first, *rest in columns]


def _existing(path: Path) -> Path:
    if not path.exists():
        raise ConfigError(
            f"there is no file {path}; `lab topics` reads documents.jsonl.gz, topics.tsv and labels.tsv"
        )
    return path
