"""Read a topic tree: paths and keywords from a TOML file, or every mistake in it at once."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from portico.config.mistakes import Notebook, did_you_mean, read_toml, shown
from portico.text.nearest import nearest
from portico.types.topic import Topic

_KEYS = ("path", "keywords")
_FORM = '[[topic]] with path = "Field/Subfield" and keywords = ["word", "two words"]'


def read_topics(path: Path) -> tuple[Topic, ...]:
    """The leaves of the tree in the file's order; ConfigError names every mistake with its line."""
    toml = read_toml(path, advice="Name an existing file under [topics] in portal.toml, or remove the key.")
    notes = Notebook(toml)
    for name in toml.values:
        if name != "topic":
            notes.note(
                f'"{name}" is not allowed; allowed: {_FORM}{did_you_mean(nearest(name, ("topic",)))}', name
            )
    topics = tuple(_topics(notes))
    notes.finish()
    return topics


def _topics(notes: Notebook) -> Iterator[Topic]:
    found = notes.toml.values.get("topic", [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        notes.note(f"topics are a list of tables; write {_FORM}", "topic")
        return
    if not found:
        notes.note(f"there are no topics; write {_FORM}")
    seen: dict[tuple[str, ...], int] = {}
    for number, each in enumerate(found):
        path = _path(each, number, notes)
        keywords = _keywords(each, number, notes)
        if path and _has_room(path, number, seen, notes):
            seen[path] = notes.toml.line("topic", number, "path")
            yield Topic(path, keywords)


def _path(found: dict[str, Any], number: int, notes: Notebook) -> tuple[str, ...]:
    for name in found:
        if name not in _KEYS:
            hint = did_you_mean(nearest(name, _KEYS))
            notes.note(
                f'a topic has no key "{name}"; allowed: {", ".join(_KEYS)}{hint}', "topic", number, name
            )
    value = found.get("path")
    if value is None:
        notes.note('this topic has no path; write path = "Field/Subfield"', "topic", number)
        return ()
    names = [name.strip() for name in value.split("/")] if isinstance(value, str) else []
    if not names or not all(names) or any(not name.isprintable() for name in names):
        notes.note(f"path = {shown(value)} is not names with / between them", "topic", number, "path")
        return ()
    return tuple(names)


def _keywords(found: dict[str, Any], number: int, notes: Notebook) -> tuple[str, ...]:
    # A topic without keywords is allowed: nothing starts it, but a trained model may know it.
    value = found.get("keywords", [])
    if not isinstance(value, list):
        notes.note(
            f'keywords = {shown(value)} is not a list of texts; write ["one", "two words"]',
            "topic",
            number,
            "keywords",
        )
        return ()
    keywords: list[str] = []
    for position, word in enumerate(value):
        if isinstance(word, str) and word.strip():
            keywords.append(word.strip())
        else:
            notes.note(f"keyword {shown(word)} is not text in quotes", "topic", number, "keywords", position)
    return tuple(dict.fromkeys(keywords))


def _has_room(path: tuple[str, ...], number: int, seen: dict[tuple[str, ...], int], notes: Notebook) -> bool:
    """Whether a leaf can stand at this path: none does yet, and it is no node with leaves below it."""
    name = "/".join(path)
    for other, line in seen.items():
        if other == path:
            message = f'"{name}" stands already in line {line}'
        elif other[: len(path)] == path or path[: len(other)] == other:
            container = "/".join(path if len(path) < len(other) else other)
            message = f'"{name}": see line {line}; "{container}" cannot be a leaf and have leaves below it'
        else:
            continue
        notes.note(message, "topic", number, "path")
        return False
    return True
