"""Edits topics in a builder's file (rename, move, merge, hide) and leaves everything else as it is."""

import json
import re
import tomllib
from collections.abc import Collection, Sequence

from portico.config.editing import replace_path, split_path
from portico.config.locate import locate_keys
from portico.errors import ConfigError
from portico.types.topic import TreeChange

Path = tuple[str, ...]


def change_tree(text: str, change: TreeChange) -> str:
    """Apply a change to the text of a topics file; ConfigError if it is not possible."""
    paths = _read_paths(text)
    if not any(path[: len(change.path)] == change.path for path in paths):
        raise ConfigError(f'there is no topic "{"/".join(change.path)}"; the tree may have changed since')
    match change.kind:
        case "move":
            changed = _move(text, change.path, change.target)
        case "merge":
            changed = _merge(text, change.path, change.target)
        case "hide":
            changed = _set_hidden(text, change.path, hidden=True)
        case "show":
            changed = _set_hidden(text, change.path, hidden=False)
        case _:
            raise ConfigError(f'a tree cannot be changed by "{change.kind}"')
    _check(_read_paths(changed))
    return changed


def _move(text: str, old: Path, new: Path) -> str:
    """Move every leaf at or below `old` to or below `new`."""
    lines = text.splitlines()
    for number, path in enumerate(_read_paths(text)):
        if path[: len(old)] == old:
            replace_path(lines, locate_keys(text)["topic", number, "path"], (*new, *path[len(old) :]))
    return "\n".join(lines) + "\n"


def _merge(text: str, one: Path, into: Path) -> str:
    """Merge the leaves at or below `one` into the leaf `into`, or into leaves of the same name below it."""
    if one[: len(into)] == into or into[: len(one)] == one:
        raise ConfigError("a topic cannot be merged with itself or with one above or below it")
    for path in _read_paths(text):
        if path[: len(one)] == one:
            known = _read_paths(text)
            target = (
                into if into in known else (*into, *path[len(one) :]) if path != one else (*into, path[-1])
            )
            if not any(each[: len(into)] == into for each in known):
                raise ConfigError(f'there is no topic "{"/".join(into)}" to merge it into')
            text = _add_keywords(text, path, target) if target in known else _move(text, path, target)
    return text


def _add_keywords(text: str, one: Path, into: Path) -> str:
    """Add the keywords of a leaf to another leaf and delete the first."""
    tables = tomllib.loads(text)["topic"]
    numbers = {split_path(table): number for number, table in enumerate(tables)}
    words = [*tables[numbers[into]].get("keywords", ()), *tables[numbers[one]].get("keywords", ())]
    lines = text.splitlines()
    keywords = f"keywords = {json.dumps(list(dict.fromkeys(words)), ensure_ascii=False)}"
    _replace_key(lines, text, numbers[into], "keywords", keywords)
    start, end = _find_table("\n".join(lines), numbers[one])
    return "\n".join([*lines[:start], *lines[end:]]) + "\n"


def drop_keywords(text: str, path: Path, words: Collection[str]) -> str:
    """Remove from a leaf keywords that other leaves have, unless it would be left without any."""
    table = next(each for each in tomllib.loads(text)["topic"] if split_path(each) == path)
    dropped = {word.casefold() for word in words}
    kept = [word for word in table.get("keywords", ()) if word.casefold() not in dropped]
    if not kept:
        return text
    lines = text.splitlines()
    keywords = f"keywords = {json.dumps(kept, ensure_ascii=False)}"
    _replace_key(lines, text, _read_paths(text).index(path), "keywords", keywords)
    return "\n".join(lines) + "\n"


def _set_hidden(text: str, path: Path, *, hidden: bool) -> str:
    """Hide every leaf at or below a node, or show it again."""
    for number, each in enumerate(_read_paths(text)):
        if each[: len(path)] == path:
            lines = text.splitlines()
            _replace_key(lines, text, number, "hidden", "hidden = true" if hidden else "")
            text = "\n".join(lines) + "\n"
    return text


def _replace_key(lines: list[str], text: str, number: int, key: str, line: str) -> None:
    """Replace or add a key of a table; an empty line removes it."""
    places = locate_keys(text)
    if ("topic", number, key) in places:
        start = places["topic", number, key] - 1
        end = next(end for end in range(start + 1, len(lines) + 1) if _is_whole(lines[start:end]))
        lines[start:end] = [line] if line else []
    elif line:
        lines.insert(places["topic", number, "path"], line)


def _is_whole(lines: Sequence[str]) -> bool:
    try:
        tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError:
        return False
    return True


def _find_table(text: str, number: int) -> tuple[int, int]:
    """Return where the lines of a table, including the comments above it, begin and end."""
    places, lines = locate_keys(text), text.splitlines()

    def begin(number: int) -> int:
        start = places["topic", number] - 1
        while number and start and _REMARK.match(lines[start - 1]):
            start -= 1
        return start

    return begin(number), begin(number + 1) if ("topic", number + 1) in places else len(lines)


_REMARK = re.compile(r"\s*#")


def _read_paths(text: str) -> list[Path]:
    return [split_path(each) for each in tomllib.loads(text).get("topic", ())]


def _check(paths: Sequence[Path]) -> None:
    """Raise ConfigError if the tree is empty, or if two leaves have one path or one is above another."""
    if not paths:
        raise ConfigError("a tree needs a topic")
    for number, path in enumerate(paths):
        if not all(path) or len(set(path)) < len(path):
            raise ConfigError(f'"{"/".join(path)}" is not names with / between them, each once')
        for other in paths[number + 1 :]:
            short, long = sorted((path, other), key=len)
            if long[: len(short)] == short:
                raise ConfigError(
                    f'there is a topic "{"/".join(short)}" already; merge with it, or take another name'
                )
