"""Topics that could be: what the last build suggests, until the builder accepts or turns it down."""

import json
from collections.abc import Sequence

from portico.store.meta import Meta
from portico.types.topic import Suggestion, Topic

_KEY, _TURNED_DOWN = "topic_suggestions", "topic_suggestions_turned_down"


def suggested(meta: Meta) -> tuple[Suggestion, ...]:
    """The suggestions that wait for the builder, in the order in which they were made."""
    return tuple(
        Suggestion(Topic(tuple(path), tuple(keywords)), n_documents, tuple(examples))
        for path, keywords, n_documents, examples in json.loads(meta.get(_KEY) or "[]")
    )


def keep_suggested(meta: Meta, found: Sequence[Suggestion]) -> None:
    """Make these the suggestions, except those that were turned down before."""
    turned_down = {tuple(path) for path in json.loads(meta.get(_TURNED_DOWN) or "[]")}
    rows = [
        (each.topic.path, each.topic.keywords, each.n_documents, each.examples)
        for each in found
        if each.topic.path not in turned_down
    ]
    meta.set(_KEY, json.dumps(rows, ensure_ascii=False))


def settle_suggested(meta: Meta, path: tuple[str, ...], *, turned_down: bool) -> None:
    """Take a suggestion off the list: it was accepted, or is never to be made again."""
    if turned_down:
        known = json.loads(meta.get(_TURNED_DOWN) or "[]")
        meta.set(_TURNED_DOWN, json.dumps([*known, path], ensure_ascii=False))
    keep_suggested(meta, [each for each in suggested(meta) if each.topic.path != path])
