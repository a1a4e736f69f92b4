"""Edits single values in a builder's TOML files and leaves everything else as it is."""

import json
import re
import tomllib
from collections.abc import Sequence

from portico.config.locate import locate_keys
from portico.errors import ConfigError
from portico.types.topic import Topic


def change_setting(text: str, table: str, name: str, value: str) -> str:
    """The text with `name = "value"` in a table; ConfigError where it is written so that we cannot."""
    line = f'{name} = "{value}"'
    places, lines = locate_keys(text), text.splitlines()
    if (table, name) in places:
        lines[places[table, name] - 1] = line
    elif (table,) in places:
        lines.insert(places[table,], line)
    else:
        lines += ["", f"[{table}]", line]
    changed = "\n".join(lines) + "\n"
    if not _has_setting(changed, text, table, name, value):
        raise ConfigError(f"write {line} under [{table}] yourself: it stands there in a way of its own")
    return changed


def _has_setting(changed: str, text: str, table: str, name: str, value: str) -> bool:
    """Whether the new text has this value and otherwise the same contents as the old one."""
    wanted = tomllib.loads(text)
    try:
        found = tomllib.loads(changed)
    except tomllib.TOMLDecodeError:
        return False
    before = wanted.get(table, {})
    return isinstance(before, dict) and found == {**wanted, table: {**before, name: value}}


GENERAL = "General"
"""Where a leaf moves, keywords and all, when leaves come to stand below it."""

_STRING = re.compile(r'"(?:\\.|[^"\\])*"|\'[^\']*\'')


def add_topic(text: str, topic: Topic, *, remarks: Sequence[str] = ()) -> str:
    """The text of a topics file with one more topic at its end, after `remarks` as comments.

    Where a leaf stands above the new one, that leaf moves to `GENERAL` below itself.
    """
    paths = [split_path(each) for each in tomllib.loads(text).get("topic", ())]
    if any(path[: len(topic.path)] == topic.path for path in paths):
        raise ConfigError(f'there is a topic "{topic}" already; give the new one another name')
    lines = text.splitlines()
    for number, path in enumerate(paths):
        if path == topic.path[: len(path)]:
            replace_path(lines, locate_keys(text)["topic", number, "path"], (*path, GENERAL))
    return "\n".join([*lines, "", format_topic(topic, remarks=remarks)])


def replace_path(lines: list[str], at: int, path: tuple[str, ...]) -> None:
    """Replaces the path of a topic in the line with that number (from 1); the rest of the line stays."""
    head, equals, value = lines[at - 1].partition("=")
    written = _STRING.search(value)
    assert written is not None, "tomllib has read a text here"
    named = json.dumps("/".join(path), ensure_ascii=False)
    lines[at - 1] = head + equals + value[: written.start()] + named + value[written.end() :]


def format_topic(topic: Topic, *, remarks: Sequence[str] = ()) -> str:
    """The topic as it is written in a file of topics, after `remarks` as comments."""
    keywords = ", ".join(json.dumps(word, ensure_ascii=False) for word in topic.keywords)
    path = json.dumps(str(topic), ensure_ascii=False)
    comments = "".join(f"# {remark}\n" for remark in remarks)
    return f"{comments}[[topic]]\npath = {path}\nkeywords = [{keywords}]\n"


def name_tree_file(text: str, name: str) -> str:
    """The text of a portal.toml that names a file of topics from now on."""
    line = f"file = {json.dumps(name, ensure_ascii=False)}"
    places = locate_keys(text)
    if ("topics",) not in places:
        return f"{text.rstrip()}\n\n[topics]\n{line}\n"
    lines = text.splitlines()
    lines.insert(places["topics",], line)
    return "\n".join(lines) + "\n"


def name_topic_tree(text: str, name: str) -> str:
    """The text of a portal.toml that uses this tree from now on; a `file` of topics is commented out."""
    file = locate_keys(text).get(("topics", "file"))
    lines = text.splitlines()
    if file is not None:
        lines[file - 1] = f"# {lines[file - 1]}"
    return change_setting("\n".join(lines) + "\n", "topics", "tree", name)


def split_path(found: dict[str, str]) -> tuple[str, ...]:
    return tuple(name.strip() for name in found.get("path", "").split("/"))
