"""Read portal.toml: settings, or every mistake in it at once."""

import os
from pathlib import Path
from typing import Any

from portico.config.checking import read_table
from portico.config.keys import keys_of
from portico.config.mistakes import Notebook, did_you_mean, read_toml
from portico.config.places import Places
from portico.config.settings import SOURCE, TABLES, Settings, Table
from portico.config.sources import read_sources
from portico.text.nearest import nearest

_NAMES = (SOURCE, *(table.name for table in TABLES))


def read_settings(folder: Path, *, for_building: bool = True) -> Settings:
    """The settings of the portal in `folder`; ConfigError names every mistake with its line.

    Without `for_building` the files and folders that portal.toml names need not be there: a copied
    portal can be served and looked into without its sources.
    """
    toml = read_toml(Places(folder).settings, advice=f"Run `portico init {folder}` to make one.")
    notes = Notebook(toml)
    for name, value in toml.values.items():
        if name not in _NAMES:
            notes.note(_unknown(name, value), name)
    tables = {table.name: _single(table, notes) for table in TABLES}
    settings = Settings(sources=read_sources(notes, must_exist=for_building), **tables)
    if for_building and settings.topics.file:
        _check_topics(settings.topics.file, notes)
    notes.finish()
    return settings


def _single(table: Table, notes: Notebook) -> Any:
    found = notes.toml.values.get(table.name, {})
    if not isinstance(found, dict):
        notes.note(f"{table.name} is a table that stands once; write [{table.name}]", table.name)
        found = {}
    return read_table(table, found, (table.name,), notes)


def _check_topics(name: str, notes: Notebook) -> None:
    path = notes.beside(name)
    if not os.path.isfile(path):
        notes.note(
            f"there is no file {path}; a relative name begins at the portal's folder", "topics", "file"
        )


def _unknown(name: str, value: object) -> str:
    if isinstance(value, dict | list):
        tables = ", ".join(f"[{known}]" for known in _NAMES)
        return f"there is no table [{name}]; allowed: {tables}{did_you_mean(nearest(name, _NAMES))}"
    homes = [table.name for table in TABLES if name in {key.name for key in keys_of(table.settings_class)}]
    where = f"; write it under [{homes[0]}]" if homes else ""
    return f'the key "{name}" stands before the first table{where}'
