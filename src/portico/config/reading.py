"""Reads portal.toml. All mistakes are reported at once."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from portico.config.keys import WEB_ADDRESS, SettingKey, ValueCheck, is_web_address, list_keys
from portico.config.mistakes import MistakeList, format_hint, quote_value, read_text, read_toml
from portico.config.portal_paths import PortalPaths
from portico.config.settings import (
    DASK_ENGINE,
    FOLDER_TABLE,
    SOURCE,
    TABLES,
    WEB_TABLE,
    FolderSource,
    Settings,
    SettingsTable,
    Source,
    WebSource,
)
from portico.errors import ConfigError
from portico.text.words import find_nearest

_FORMS = 'seeds = ["https://…"], sites = "file" or folder = "…"'


_NAMES = (SOURCE, *(table.name for table in TABLES))


def read_settings(folder: Path, *, for_building: bool = True) -> Settings:
    """Read the settings of the portal in `folder`; ConfigError names every mistake with its line.

    Without `for_building`, the files and folders that portal.toml names need not exist: a copied portal can
    be served and inspected without its sources.
    """
    toml = read_toml(PortalPaths(folder).settings, advice=f"Run `portico init {folder}` to make one.")
    notes = MistakeList(toml)
    for name, value in toml.values.items():
        if name not in _NAMES:
            notes.note(_explain_unknown(name, value), name)
    tables = {table.name: _read_single_table(table, notes) for table in TABLES}
    settings = Settings(sources=_read_sources(notes, must_exist=for_building), **tables)
    if for_building and settings.topics.file:
        _check_topics(settings.topics.file, notes)
    if settings.engine.kind == DASK_ENGINE and not settings.engine.scheduler:
        notes.note(
            f'kind = "{DASK_ENGINE}" needs a scheduler; add scheduler = "tcp://host:8786"', "engine", "kind"
        )
    if settings.enrich.sources and not settings.fetch.contact:
        notes.note(
            'these services ask for a contact; add contact = "you@example.org" under [fetch]',
            "enrich",
            "sources",
        )
    notes.finish()
    return settings


def _read_single_table(table: SettingsTable, notes: MistakeList) -> Any:
    found = notes.toml.values.get(table.name, {})
    if not isinstance(found, dict):
        notes.note(f"{table.name} is a single table; write [{table.name}]", table.name)
        found = {}
    return read_table(table, found, (table.name,), notes)


def _check_topics(name: str, notes: MistakeList) -> None:
    path = notes.beside(name)
    if not os.path.isfile(path):
        notes.note(f"there is no file {path}; relative names start at the portal's folder", "topics", "file")


def _explain_unknown(name: str, value: object) -> str:
    if isinstance(value, dict | list):
        tables = ", ".join(f"[{known}]" for known in _NAMES)
        return f"there is no table [{name}]; allowed: {tables}{format_hint(find_nearest(name, _NAMES))}"
    homes = [table.name for table in TABLES if name in {key.name for key in list_keys(table.settings_class)}]
    where = f"; write it under [{homes[0]}]" if homes else ""
    return f'the key "{name}" is before the first table{where}'


def _read_sources(notes: MistakeList, *, must_exist: bool) -> tuple[Source, ...]:
    """All valid sources; mistakes are noted. `must_exist`: files and folders have to exist."""
    found = notes.toml.values.get(SOURCE, [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        notes.note(f"sources are a list of tables; write [[{SOURCE}]] with two brackets", SOURCE)
        return ()
    if SOURCE not in notes.toml.values and must_exist:  # `source = []` says that records are imported
        notes.note(f"there is nothing to collect from; add a table [[{SOURCE}]] with {_FORMS}")
    sources = (_read_source(each, number, notes, must_exist=must_exist) for number, each in enumerate(found))
    return tuple(source for source in sources if source is not None)


def _read_source(
    found: dict[str, Any], number: int, notes: MistakeList, *, must_exist: bool
) -> Source | None:
    place = (SOURCE, number)
    is_web, is_folder = "seeds" in found or "sites" in found, "folder" in found
    if is_web and is_folder:
        notes.note(f"a source is on the web or a folder, not both; make two [[{SOURCE}]] of it", *place)
        return None
    if is_web:
        return _read_web_source(found, number, notes, must_exist=must_exist)
    if is_folder:
        return _read_folder_source(found, number, notes, must_exist=must_exist)
    notes.note(f"a source needs {_FORMS}", *place)
    check_names(
        found, list_keys(WEB_TABLE.settings_class) + list_keys(FOLDER_TABLE.settings_class), place, notes
    )
    return None


def _read_folder_source(
    found: dict[str, Any], number: int, notes: MistakeList, *, must_exist: bool
) -> FolderSource | None:
    source: FolderSource | None = read_table(FOLDER_TABLE, found, (SOURCE, number), notes)
    if source is not None and must_exist:
        path = notes.beside(source.folder)
        if not os.path.isdir(path):
            message = f"there is no folder {path}; relative names start at the portal's folder"
            notes.note(message, SOURCE, number, "folder")
    return source


def _read_web_source(
    found: dict[str, Any], number: int, notes: MistakeList, *, must_exist: bool
) -> WebSource:
    n_mistakes = len(notes.mistakes)
    source: WebSource = read_table(WEB_TABLE, found, (SOURCE, number), notes)
    path = notes.beside(source.sites)
    if source.sites and (must_exist or os.path.isfile(path)):
        sites = _read_site_list(path, (SOURCE, number, "sites"), notes)
        source = replace(source, seeds=(*source.seeds, *sites))
    if must_exist and not source.seeds and len(notes.mistakes) == n_mistakes:
        notes.note("this source has no URL to start from", SOURCE, number)
    return source


def _read_site_list(path: Path, place: tuple[str | int, ...], notes: MistakeList) -> Iterator[str]:
    try:
        text = read_text(path, advice="Relative names start at the portal's folder.")
    except ConfigError as error:
        notes.note(str(error), *place)
        return
    for number, line in enumerate(text.splitlines(), start=1):
        address = line.partition(" #")[0].strip()
        if not address or address.startswith("#"):
            continue
        if is_web_address(address):
            yield address
        else:
            hint = format_hint(WEB_ADDRESS.suggest(address))
            notes.note(
                f"{path}:{number}: {quote_value(address)} is not allowed; "
                f"allowed: {WEB_ADDRESS.allowed}{hint}",
                *place,
            )


Place = tuple[str | int, ...]

_TYPES: dict[Any, tuple[tuple[type, ...], str]] = {
    str: ((str,), "text in quotes"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    bool: ((bool,), "true or false"),
    tuple[str, ...]: ((list,), "a list of texts"),
}


def read_table(table: SettingsTable, found: dict[str, Any], place: Place, notes: MistakeList) -> Any:
    """The table's settings, with defaults for invalid values; None if a required key is invalid."""
    keys = list_keys(table.settings_class)
    check_names(found, keys, place, notes)
    given = {key.name: _read_value(key, found[key.name], place, notes) for key in keys if key.name in found}
    right = {name: value for name, value in given.items() if value is not None}
    if any(key.required and key.name not in right for key in keys):
        return None
    return table.settings_class(**right)


def check_names(
    found: dict[str, Any], keys: tuple[SettingKey, ...], place: Place, notes: MistakeList
) -> None:
    """Note every key that is not allowed, with the nearest one that is."""
    names = [key.name for key in keys]
    for name in found:
        if name not in names:
            hint = _find_home(name) or format_hint(find_nearest(name, names))
            message = f'[{place[0]}] has no key "{name}"; allowed: {", ".join(names)}{hint}'
            notes.note(message, *place, name)


def _read_value(key: SettingKey, value: Any, place: Place, notes: MistakeList) -> Any:
    """Return the validated value; if it is wrong, note a mistake and return None."""
    types, words = _TYPES[key.type_]
    if not _has_type(value, types):
        notes.note(
            f"{key.name} = {quote_value(value)} is not {words}; allowed: {key.check.allowed}",
            *place,
            key.name,
        )
        return None
    if isinstance(value, list):
        items = [
            _check_item(key, item, (*place, key.name, number), notes) for number, item in enumerate(value)
        ]
        return tuple(item for item in items if item is not None)
    checked = _check_item(key, value, (*place, key.name), notes)
    return float(checked) if key.type_ is float and checked is not None else checked


def _check_item(key: SettingKey, item: Any, place: Place, notes: MistakeList) -> Any:
    if key.type_ == tuple[str, ...] and not isinstance(item, str):
        notes.note(
            f"{key.name}: {quote_value(item)} is not text in quotes; allowed: {key.check.allowed}", *place
        )
        return None
    refusal = explain_refusal(key.check, item)
    if refusal:
        notes.note(f"{key.name}: {refusal}", *place)
        return None
    return item


def explain_refusal(check: ValueCheck, value: Any) -> str:
    """Say why a value is not allowed, and what is; empty if it is allowed."""
    if check.holds(value):
        return ""
    return f"{quote_value(value)} is not allowed; allowed: {check.allowed}{format_hint(check.suggest(value))}"


def _has_type(value: Any, types: tuple[type, ...]) -> bool:
    # In Python a bool is an int; in a file it is not.
    return isinstance(value, types) and (isinstance(value, bool) == (bool in types))


def _find_home(name: str) -> str:
    """Return a hint naming the table to which a misplaced key belongs, or ""."""
    for table in (*TABLES, WEB_TABLE, FOLDER_TABLE):
        if any(key.name == name for key in list_keys(table.settings_class)):
            return f"; it belongs under [{table.name}]"
    return ""
