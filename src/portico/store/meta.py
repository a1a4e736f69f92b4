"""Named values of a portal, among them suggested topics and kept sources."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Engine, delete, select

from portico.store.build_note import KEPT_SOURCES
from portico.store.database import upsert, writing
from portico.store.schema import meta
from portico.types.topic import Topic, TopicSuggestion, TreeChoice


@dataclass(frozen=True, slots=True)
class Meta:
    """Fingerprints of finished global stages, the index generation being served, the schema's version."""

    engine: Engine

    def get(self, key: str) -> str | None:
        with self.engine.connect() as connection:
            return connection.scalar(select(meta.c.value).where(meta.c.key == key))

    def set(self, key: str, value: str) -> None:
        with writing(self.engine) as connection:
            upsert(connection, meta, [{"key": key, "value": value}])

    def delete(self, key: str) -> None:
        with writing(self.engine) as connection:
            connection.execute(delete(meta).where(meta.c.key == key))


_SUGGESTED, _TURNED_DOWN = "topic_suggestions", "topic_suggestions_turned_down"
_TREE, _UNREAD_KINDS = "topic_tree", "unread_kinds"


def read_suggested(meta: Meta) -> tuple[TopicSuggestion, ...]:
    """The topic suggestions waiting for the builder, in the order in which they were made."""
    return tuple(
        TopicSuggestion(Topic(tuple(path), tuple(keywords)), n_documents, tuple(examples))
        for path, keywords, n_documents, examples in json.loads(meta.get(_SUGGESTED) or "[]")
    )


def keep_suggested(meta: Meta, found: Sequence[TopicSuggestion]) -> None:
    """Replace the suggestions, except those that were rejected before."""
    turned_down = {tuple(path) for path in json.loads(meta.get(_TURNED_DOWN) or "[]")}
    rows = [
        (each.topic.path, each.topic.keywords, each.n_documents, each.examples)
        for each in found
        if each.topic.path not in turned_down
    ]
    meta.set(_SUGGESTED, json.dumps(rows, ensure_ascii=False))


def settle_suggested(meta: Meta, path: tuple[str, ...], *, turned_down: bool) -> None:
    """Remove a suggestion: it was accepted, or must never be made again."""
    if turned_down:
        known = json.loads(meta.get(_TURNED_DOWN) or "[]")
        meta.set(_TURNED_DOWN, json.dumps([*known, path], ensure_ascii=False))
    keep_suggested(meta, [each for each in read_suggested(meta) if each.topic.path != path])


def read_kept_sources(meta: Meta) -> tuple[str, ...]:
    """Sources whose documents the builder decided to keep, whatever they look like."""
    return tuple(json.loads(meta.get(KEPT_SOURCES) or "[]"))


def keep_source(meta: Meta, source: str, *, wanted: bool = True) -> None:
    """Remember permanently that a source is to be kept, or no longer."""
    others = {each for each in read_kept_sources(meta) if each != source}
    meta.set(KEPT_SOURCES, json.dumps(sorted({*others, source} if wanted else others), ensure_ascii=False))


def read_tree_choice(meta: Meta) -> TreeChoice | None:
    """The topic tree that the portal uses; None before its first documents were placed."""
    written = meta.get(_TREE)
    return TreeChoice(*json.loads(written)) if written else None


def keep_tree_choice(meta: Meta, choice: TreeChoice) -> None:
    meta.set(
        _TREE, json.dumps([choice.name, choice.about, choice.reason, choice.n_documents], ensure_ascii=False)
    )


def read_unread_kinds(meta: Meta) -> Counter[str]:
    """Endings of files in the folders whose kind is not read, with how many there are."""
    return Counter(json.loads(meta.get(_UNREAD_KINDS) or "{}"))


def keep_unread_kinds(meta: Meta, found: Counter[str]) -> None:
    meta.set(_UNREAD_KINDS, json.dumps(found, ensure_ascii=False, sort_keys=True))
