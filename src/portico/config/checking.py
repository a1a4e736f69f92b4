"""Check one table of portal.toml against its menu: names, types and values."""

from typing import Any

from portico.config.keys import SettingKey, list_keys
from portico.config.mistakes import MistakeList, format_hint, quote_value
from portico.config.settings import FOLDER_TABLE, TABLES, WEB_TABLE, SettingsTable
from portico.text.words import find_nearest

Place = tuple[str | int, ...]

_TYPES: dict[Any, tuple[tuple[type, ...], str]] = {
    str: ((str,), "text in quotes"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    bool: ((bool,), "true or false"),
    tuple[str, ...]: ((list,), "a list of texts"),
}


def read_table(table: SettingsTable, found: dict[str, Any], place: Place, notes: MistakeList) -> Any:
    """The table's settings, with defaults in place of what is wrong; None where a needed key is wrong."""
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
    """Note every key that is not on the menu, with the nearest that is."""
    names = [key.name for key in keys]
    for name in found:
        if name not in names:
            hint = _find_home(name) or format_hint(find_nearest(name, names))
            message = f'[{place[0]}] has no key "{name}"; allowed: {", ".join(names)}{hint}'
            notes.note(message, *place, name)


def _read_value(key: SettingKey, value: Any, place: Place, notes: MistakeList) -> Any:
    """The value as settings hold it; None, and a note, where it is wrong."""
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
    if not key.check.holds(item):
        hint = format_hint(key.check.suggest(item))
        notes.note(
            f"{key.name}: {quote_value(item)} is not allowed; allowed: {key.check.allowed}{hint}", *place
        )
        return None
    return item


def _has_type(value: Any, types: tuple[type, ...]) -> bool:
    # In Python true is a number; in a file it is not.
    return isinstance(value, types) and (isinstance(value, bool) == (bool in types))


def _find_home(name: str) -> str:
    """Where a key that stands in the wrong table belongs."""
    for table in (*TABLES, WEB_TABLE, FOLDER_TABLE):
        if any(key.name == name for key in list_keys(table.settings_class)):
            return f"; it belongs under [{table.name}]"
    return ""
