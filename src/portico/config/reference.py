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
    parts = [_OPENING, _format_section(PORTAL_TABLE, "`[portal]`")]
    parts.append(_format_section(WEB_TABLE, "`[[source]]` on the web"))
    parts.append(_format_section(FOLDER_TABLE, "`[[source]]` that is a folder"))
    parts += [_format_section(table, f"`[{table.name}]`") for table in TABLES if table is not PORTAL_TABLE]
    return "\n".join(parts)


def _format_section(table: SettingsTable, title: str) -> str:
    return "\n".join([f"## {title}", "", table.help, "", *_format_rows(table), ""])


def _format_rows(table: SettingsTable) -> Iterator[str]:
    yield "| key | default | allowed | meaning |"
    yield "|---|---|---|---|"
    for key in list_keys(table.settings_class):
        allowed, meaning = _escape_cell(key.check.allowed), _escape_cell(key.help)
        yield f"| `{key.name}` | {_format_default(key)} | {allowed} | {meaning} |"


def _format_default(key: SettingKey) -> str:
    return "needed" if key.required else f"`{_escape_cell(format_toml_value(key.default))}`"


def _escape_cell(words: str) -> str:
    return words.replace("|", "\\|")


if __name__ == "__main__":
    import sys

    sys.stdout.write(describe_settings())
