"""Reads a topic tree (paths and keywords) from a TOML file. All mistakes are reported at once."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from portico.config.mistakes import MistakeList, format_hint, quote_value, read_toml
from portico.text.words import find_nearest, split_words
from portico.types.topic import Topic

_BESIDE = ("page", "record")  # other tables of domain.toml, which may include a topic tree
_KEYS = ("path", "keywords", "not", "hidden")
_FORM = '[[topic]] with path = "Field/Subfield" and keywords = ["word", "two words"]'


def read_topics(path: Path) -> tuple[Topic, ...]:
    """Read the leaves of the tree in the file's order; ConfigError names every mistake with its line."""
    toml = read_toml(path, advice="Name an existing file under [topics] in portal.toml, or remove the key.")
    notes = MistakeList(toml)
    for name in toml.values:
        if name not in ("topic", *_BESIDE):
            notes.note(
                f'"{name}" is not allowed; allowed: {_FORM}{format_hint(find_nearest(name, ("topic",)))}',
                name,
            )
    topics = tuple(_read_all(notes))
    notes.finish()
    return topics


def _read_all(notes: MistakeList) -> Iterator[Topic]:
    found = notes.toml.values.get("topic", [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        notes.note(f"topics are a list of tables; write {_FORM}", "topic")
        return
    if not found:
        notes.note(f"there are no topics; write {_FORM}")
    seen: dict[tuple[str, ...], int] = {}
    for number, each in enumerate(found):
        path = _read_path(each, number, notes)
        keywords = _read_words(each, "keywords", number, notes)
        vetoed = _read_vetoed(each, number, notes)
        hidden = each.get("hidden", False)
        if not isinstance(hidden, bool):
            notes.note(f"hidden = {quote_value(hidden)} is not true or false", "topic", number, "hidden")
        if path and _has_room(path, number, seen, notes):
            seen[path] = notes.toml.line("topic", number, "path")
            yield Topic(path, keywords, vetoed, hidden is True)


def _read_path(found: dict[str, Any], number: int, notes: MistakeList) -> tuple[str, ...]:
    for name in found:
        if name not in _KEYS:
            hint = format_hint(find_nearest(name, _KEYS))
            notes.note(
                f'a topic has no key "{name}"; allowed: {", ".join(_KEYS)}{hint}', "topic", number, name
            )
    value = found.get("path")
    if value is None:
        notes.note('this topic has no path; write path = "Field/Subfield"', "topic", number)
        return ()
    names = [name.strip() for name in value.split("/")] if isinstance(value, str) else []
    if not names or not all(names) or any(not name.isprintable() for name in names):
        notes.note(f"path = {quote_value(value)} is not names with / between them", "topic", number, "path")
        return ()
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        message = f'path = {quote_value(value)} goes in a circle: "{twice}" cannot be below itself'
        notes.note(message, "topic", number, "path")
        return ()
    return tuple(names)


def _read_words(found: dict[str, Any], name: str, number: int, notes: MistakeList) -> tuple[str, ...]:
    # A topic may lack keywords: no keyword assigns documents to it, but a trained model may know it.
    value = found.get(name, [])
    if not isinstance(value, list):
        message = f'{name} = {quote_value(value)} is not a list of texts; write ["one", "two words"]'
        notes.note(message, "topic", number, name)
        return ()
    texts: list[str] = []
    for position, word in enumerate(value):
        if isinstance(word, str) and word.strip():
            texts.append(word.strip())
        else:
            notes.note(f"keyword {quote_value(word)} is not text in quotes", "topic", number, name, position)
    return tuple(dict.fromkeys(texts))


def _read_vetoed(found: dict[str, Any], number: int, notes: MistakeList) -> tuple[str, ...]:
    vetoed = _read_words(found, "not", number, notes)
    told = found.get("keywords", ())
    keywords = {
        tuple(split_words(keyword))
        for keyword in (told if isinstance(told, list) else ())
        if isinstance(keyword, str)
    }
    for word in vetoed:
        if len(split_words(word)) != 1:
            message = f'not = "{word}": a topic learns single words, so name one word that it must not learn'
            notes.note(message, "topic", number, "not")
        elif tuple(split_words(word)) in keywords:
            message = f'"{word}" is a keyword of this topic and under "not"; take one of them out'
            notes.note(message, "topic", number, "not")
    return vetoed


def _has_room(
    path: tuple[str, ...], number: int, seen: dict[tuple[str, ...], int], notes: MistakeList
) -> bool:
    """Whether a leaf may be added at this path: it is not taken, and has no leaves below it."""
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
