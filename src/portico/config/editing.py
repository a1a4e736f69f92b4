"""Edits single values in a builder's TOML files and leaves everything else as it is."""

import json
import re
import tomllib
from collections.abc import Sequence

from portico.config.locate import locate_keys
from portico.errors import ConfigError
from portico.types.topic import Topic


def change_setting(text: str, table: str, name: str, value: str) -> str:
    """Set `name = "value"` in a table; ConfigError if the file's notation does not allow the edit."""
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
"""The name under which a leaf, with its keywords, is moved below its old path when topics are added there."""

_STRING = re.compile(r'"(?:\\.|[^"\\])*"|\'[^\']*\'')


def add_topic(text: str, topic: Topic, *, remarks: Sequence[str] = ()) -> str:
    """Append a topic to the text of a topics file, after `remarks` as comments.

    If an existing leaf would become a parent of the new one, it moves to `GENERAL` below itself.
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
    """Replace a topic's path in the given line (counted from 1), leaving the rest of the line as it is."""
    head, equals, value = lines[at - 1].partition("=")
    written = _STRING.search(value)
    assert written is not None, "tomllib has read a text here"
    named = json.dumps("/".join(path), ensure_ascii=False)
    lines[at - 1] = head + equals + value[: written.start()] + named + value[written.end() :]


def format_topic(topic: Topic, *, remarks: Sequence[str] = ()) -> str:
    """Format a topic as TOML, after `remarks` as comments."""
    keywords = ", ".join(json.dumps(word, ensure_ascii=False) for word in topic.keywords)
    path = json.dumps(str(topic), ensure_ascii=False)
    comments = "".join(f"# {remark}\n" for remark in remarks)
    return f"{comments}[[topic]]\npath = {path}\nkeywords = [{keywords}]\n"


def name_tree_file(text: str, name: str) -> str:
    """Set the file of topics in the text of a portal.toml."""
    line = f"file = {json.dumps(name, ensure_ascii=False)}"
    places = locate_keys(text)
    if ("topics",) not in places:
        return f"{text.rstrip()}\n\n[topics]\n{line}\n"
    lines = text.splitlines()
    lines.insert(places["topics",], line)
    return "\n".join(lines) + "\n"


def name_topic_tree(text: str, name: str) -> str:
    """Set the topic tree in the text of a portal.toml, and comment out a `file` of topics."""
    file = locate_keys(text).get(("topics", "file"))
    lines = text.splitlines()
    if file is not None:
        lines[file - 1] = f"# {lines[file - 1]}"
    return change_setting("\n".join(lines) + "\n", "topics", "tree", name)


def split_path(found: dict[str, str]) -> tuple[str, ...]:
    return tuple(name.strip() for name in found.get("path", "").split("/"))
