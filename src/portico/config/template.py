"""Generates the portal.toml that `portico init` writes, and its manual page, from the table of settings."""

import json
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portico.config.declaration import FIELD_TABLE, PAGE_TABLE, RECORD_TABLE
from portico.config.keys import CONTACT, WEB_ADDRESS, SettingKey, list_keys
from portico.config.reading import explain_refusal
from portico.config.settings import FOLDER_TABLE, PORTAL_TABLE, TABLES, WEB_TABLE, SettingsTable
from portico.errors import ConfigError

_WIDTH = 100  # columns; comments are wrapped there
_GROUPED = 10_000  # from here on digits are grouped: 20_000 pages, but port 8000


@dataclass(frozen=True, slots=True)
class InitAnswers:
    """The builder's answers so far; the rest of the file keeps its defaults."""

    title: str = ""
    description: str = ""
    domain: str = "papers"
    seeds: tuple[str, ...] = ()
    folder: str = ""
    contact: str = ""
    recipe: str = ""  # of a declared domain: the shipped recipe to begin with


def check_answers(answers: InitAnswers) -> None:
    """Check what a new portal.toml will hold as the file will be checked; ConfigError names every mistake."""
    given = [("--seed", WEB_ADDRESS, seed) for seed in answers.seeds]
    given.append(("--contact", CONTACT, answers.contact))
    refused = [(option, explain_refusal(check, value)) for option, check, value in given]
    mistakes = [f"{option}: {refusal}" for option, refusal in refused if refusal]
    if mistakes:
        raise ConfigError("\n".join(mistakes))


RECIPES = Path(__file__).with_name("recipes")
COURSES = "courses"
"""The recipe that explains every key: what a declared domain begins with where no recipe is named."""


def list_recipes() -> tuple[str, ...]:
    """Return the names of the declared domains that ship with Portico."""
    return (COURSES, *sorted(file.stem for file in RECIPES.glob("*.toml")))


def format_recipe(name: str) -> str:
    """Return the domain.toml of a recipe; ConfigError lists the available names if it does not exist."""
    if name in ("", COURSES):
        return format_domain_toml()
    if name not in list_recipes():
        raise ConfigError(f'there is no recipe "{name}"; there are: {", ".join(list_recipes())}')
    return (RECIPES / f"{name}.toml").read_text("utf-8")


def format_portal_toml(answers: InitAnswers) -> str:
    """Return a commented portal.toml, with keys without an answer commented out at their defaults."""
    given = _group_answers(answers)
    lines = [
        "# The settings of this portal. Lines that begin with # are comments: to change a setting, remove",
        "# the # in front of it. `portico build` reports mistakes with their line.",
        "",
        *_format_table(PORTAL_TABLE, given["portal"]),
        *_format_sources(answers),
    ]
    for table in TABLES[1:]:
        lines += _format_table(table, given.get(table.name, {}))
    return "\n".join(lines)


def format_folder_toml(title: str, folder: str = "..") -> str:
    """Return the smallest portal.toml for a folder of papers."""
    lines = [
        "# The portal of a folder of papers, made by `portico build`. For everything that can be set here,",
        "# see docs/portal-toml.md or run `portico init` in an empty folder.",
        "",
        "[portal]",
        _format_pair("title", title),
        "",
        "[[source]]",
        _format_pair("folder", folder),
        "",
    ]
    return "\n".join(lines)


def format_import_toml(title: str) -> str:
    """Return the smallest portal.toml for records imported from another catalog."""
    lines = [
        "# A portal of records, made by `portico import jsonl`. To crawl or to read folders as well, put",
        "# [[source]] tables (see docs/portal-toml.md) in the place of the next line.",
        "source = []",
        "",
        "[portal]",
        _format_pair("title", title),
        "",
    ]
    return "\n".join(lines)


def format_domain_toml() -> str:
    """Return a commented domain.toml for course pages, as a starting point for other domains."""
    return "\n".join(
        [
            "# What this portal collects: kinds of pages, records that are read from them, how to show them.",
            "# Change names and fields to those of your domain; `portico build` says what is wrong.",
            "",
            *_format_example(PAGE_TABLE, {"name": "course", "words": _COURSE_WORDS}),
            *_format_example(
                RECORD_TABLE,
                {
                    "name": "course",
                    "plural": "courses",
                    "title": "title",
                    "subtitle": ("number", "instructor", "term"),
                    "identity": ("number", "term", "site"),
                },
            ),
            *_format_example(FIELD_TABLE, {"name": "title", "label": "Title", "once": True}),
            *_format_plain(
                FIELD_TABLE, {"name": "number", "label": "Number", "like": _NUMBERS, "once": True}
            ),
            *_format_plain(
                FIELD_TABLE,
                {
                    "name": "instructor",
                    "label": "Instructor",
                    "form": "names",
                    "cues": ("Instructors", "Professor", "Lecturer", "Taught by"),
                    "facet": True,
                },
            ),
            *_format_plain(
                FIELD_TABLE,
                {
                    "name": "term",
                    "label": "Term",
                    "like": _TERMS,
                    "cues": ("Semester", "Quarter"),
                    "once": True,
                    "facet": True,
                },
            ),
            "# A tree of topics, if records are to be placed in one:",
            "# [[topic]]",
            '# path = "Systems/Networks"',
            '# keywords = ["network", "protocol"]',
            "",
        ]
    )


_COURSE_WORDS = (
    *("course", "course description", "course information", "course home page"),
    *("syllabus", "instructor", "prerequisites", "homework assignments"),
)
_NUMBERS = ("CS 101", "CS101", "CS 304P", "CS304P", "MATH 204")
_TERMS = (
    "Fall 2023",
    "Spring 2024",
    "Summer 2024",
    "Autumn 2023",
    "Winter 2024",
    "Fall, 1996",
    "Spring, 1997",
)


def format_toml_value(value: Any) -> str:
    """Format a value as TOML."""
    if isinstance(value, tuple):
        return f"[{', '.join(format_toml_value(item) for item in value)}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value:_}" if value >= _GROUPED else str(value)
    if isinstance(value, str):
        # JSON's escapes are valid in TOML, except that TOML also requires one for DEL.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)


def _group_answers(answers: InitAnswers) -> dict[str, dict[str, Any]]:
    return {
        "portal": {"title": answers.title, "description": answers.description, "domain": answers.domain},
        "fetch": {"contact": answers.contact},
    }


def _format_example(table: SettingsTable, given: Mapping[str, Any]) -> Iterator[str]:
    """Format one table of an array of tables, with every key it may have."""
    yield from _format_table(table, given, many=True)


def _format_plain(table: SettingsTable, given: Mapping[str, Any]) -> Iterator[str]:
    """Format a table without help, for tables after the first of their kind."""
    yield f"[[{table.name}]]"
    yield from (_format_pair(name, value) for name, value in given.items())
    yield ""


def _format_sources(answers: InitAnswers) -> Iterator[str]:
    if answers.seeds:
        yield from _format_table(WEB_TABLE, {"seeds": answers.seeds}, many=True)
    if answers.folder:
        yield from _format_table(FOLDER_TABLE, {"folder": answers.folder}, many=True)
    if not answers.seeds:
        yield from _format_table(WEB_TABLE, {}, many=True, off=True)
    if not answers.folder:
        yield from _format_table(FOLDER_TABLE, {}, many=True, off=True)


def _format_table(
    table: SettingsTable, given: Mapping[str, Any], *, many: bool = False, off: bool = False
) -> Iterator[str]:
    """Format one table; `off` comments out even its header, as an example."""
    header = f"[[{table.name}]]" if many else f"[{table.name}]"
    yield from _format_comment(table.help)
    yield f"# {header}" if off else header
    for key in list_keys(table.settings_class):
        yield from _format_comment(
            key.help if key.check.plain else f"{key.help} Allowed: {key.check.allowed}."
        )
        yield _format_key(key, given.get(key.name))
    yield ""


def _format_key(key: SettingKey, value: Any) -> str:
    if value:
        return _format_pair(key.name, value)
    shown = key.example if key.required or (not key.default and key.example) else key.default
    return f"# {_format_pair(key.name, shown)}"


def _format_pair(name: str, value: Any) -> str:
    return f"{name} = {format_toml_value(value)}"


def _format_comment(words: str) -> list[str]:
    return textwrap.wrap(words, _WIDTH, initial_indent="# ", subsequent_indent="# ", break_long_words=False)


_OPENING = """\
# portal.toml

All settings of a portal. Only a `[[source]]` is required; every other key has a default.
Mistakes are reported all at once, each with its line, the allowed values and the closest valid name.

This page is generated from `src/portico/config/settings.py`:
`python -m portico.config.template > docs/portal-toml.md`.
"""


def describe_settings() -> str:
    """Return the whole manual page of portal.toml."""
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
