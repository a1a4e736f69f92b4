"""Change one setting in a builder's portal.toml without touching anything else in it."""

import tomllib

from portico.config.locate import locate
from portico.errors import ConfigError


def with_setting(text: str, table: str, name: str, value: str) -> str:
    """The text with `name = "value"` in a table; ConfigError where it is written so that we cannot."""
    line = f'{name} = "{value}"'
    places, lines = locate(text), text.splitlines()
    if (table, name) in places:
        lines[places[table, name] - 1] = line
    elif (table,) in places:
        lines.insert(places[table,], line)
    else:
        lines += ["", f"[{table}]", line]
    changed = "\n".join(lines) + "\n"
    if not _says(changed, text, table, name, value):
        raise ConfigError(f"write {line} under [{table}] yourself: it stands there in a way of its own")
    return changed


def _says(changed: str, text: str, table: str, name: str, value: str) -> bool:
    """Whether the new text says this, and otherwise all that the old one said."""
    wanted = tomllib.loads(text)
    try:
        found = tomllib.loads(changed)
    except tomllib.TOMLDecodeError:
        return False
    before = wanted.get(table, {})
    return isinstance(before, dict) and found == {**wanted, table: {**before, name: value}}
