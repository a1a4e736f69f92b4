"""The manual page of portal.toml, made from the menu that also checks it."""

from collections.abc import Iterator

from portico.config.keys import SettingKey, list_keys
from portico.config.settings import FOLDER_TABLE, PORTAL_TABLE, TABLES, WEB_TABLE, SettingsTable
from portico.config.template import format_toml_value

_OPENING = """\
# portal.toml

Everything that can be set for a portal. Only a `[[source]]` is needed; every other key has a default.
Mistakes are reported all at once, each with its line, what is allowed and the nearest valid name.

This page is made from the menu in `src/portico/config/settings.py`:
`python -m portico.config.reference > docs/portal-toml.md`.
"""


def describe_settings() -> str:
    """The whole page."""
    parts = [_OPENING, _section(PORTAL_TABLE, "`[portal]`")]
    parts.append(_section(WEB_TABLE, "`[[source]]` on the web"))
    parts.append(_section(FOLDER_TABLE, "`[[source]]` that is a folder"))
    parts += [_section(table, f"`[{table.name}]`") for table in TABLES if table is not PORTAL_TABLE]
    return "\n".join(parts)


def _section(table: SettingsTable, title: str) -> str:
    return "\n".join([f"## {title}", "", table.help, "", *_rows(table), ""])


def _rows(table: SettingsTable) -> Iterator[str]:
    yield "| key | default | allowed | meaning |"
    yield "|---|---|---|---|"
    for key in list_keys(table.settings_class):
        yield f"| `{key.name}` | {_default(key)} | {_cell(key.check.allowed)} | {_cell(key.help)} |"


def _default(key: SettingKey) -> str:
    return "needed" if key.required else f"`{_cell(format_toml_value(key.default))}`"


def _cell(words: str) -> str:
    return words.replace("|", "\\|")


if __name__ == "__main__":
    import sys

    sys.stdout.write(describe_settings())
