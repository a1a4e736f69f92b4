"""Read the [[source]] tables of portal.toml: seeds on the web, lists of sites, folders."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from portico.config.checking import check_names, read_table
from portico.config.keys import WEB_ADDRESS, is_web_address, keys_of
from portico.config.mistakes import Notebook, did_you_mean, read_text, shown
from portico.config.settings import FOLDER_TABLE, SOURCE, WEB_TABLE, FolderSource, Source, WebSource
from portico.errors import ConfigError

_FORMS = 'seeds = ["https://…"], sites = "file" or folder = "…"'


def read_sources(notes: Notebook, *, must_exist: bool) -> tuple[Source, ...]:
    """Every source that is right; the rest is noted. `must_exist`: files and folders have to be there."""
    found = notes.toml.values.get(SOURCE, [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        notes.note(f"sources are a list of tables; write [[{SOURCE}]] with two brackets", SOURCE)
        return ()
    if SOURCE not in notes.toml.values and must_exist:  # `source = []` says that records are imported
        notes.note(f"there is nothing to collect from; add a table [[{SOURCE}]] with {_FORMS}")
    sources = (_source(each, number, notes, must_exist=must_exist) for number, each in enumerate(found))
    return tuple(source for source in sources if source is not None)


def _source(found: dict[str, Any], number: int, notes: Notebook, *, must_exist: bool) -> Source | None:
    place = (SOURCE, number)
    is_web, is_folder = "seeds" in found or "sites" in found, "folder" in found
    if is_web and is_folder:
        notes.note(f"a source is on the web or a folder, not both; make two [[{SOURCE}]] of it", *place)
        return None
    if is_web:
        return _web(found, number, notes, must_exist=must_exist)
    if is_folder:
        return _folder(found, number, notes, must_exist=must_exist)
    notes.note(f"a source needs {_FORMS}", *place)
    check_names(found, keys_of(WEB_TABLE.settings_class) + keys_of(FOLDER_TABLE.settings_class), place, notes)
    return None


def _folder(found: dict[str, Any], number: int, notes: Notebook, *, must_exist: bool) -> FolderSource | None:
    source: FolderSource | None = read_table(FOLDER_TABLE, found, (SOURCE, number), notes)
    if source is not None and must_exist:
        path = notes.beside(source.folder)
        if not os.path.isdir(path):
            message = f"there is no folder {path}; a relative name begins at the portal's folder"
            notes.note(message, SOURCE, number, "folder")
    return source


def _web(found: dict[str, Any], number: int, notes: Notebook, *, must_exist: bool) -> WebSource:
    n_mistakes = len(notes.mistakes)
    source: WebSource = read_table(WEB_TABLE, found, (SOURCE, number), notes)
    path = notes.beside(source.sites)
    if source.sites and (must_exist or os.path.isfile(path)):
        sites = _site_list(path, (SOURCE, number, "sites"), notes)
        source = replace(source, seeds=(*source.seeds, *sites))
    if must_exist and not source.seeds and len(notes.mistakes) == n_mistakes:
        notes.note("this source has no address to start from", SOURCE, number)
    return source


def _site_list(path: Path, place: tuple[str | int, ...], notes: Notebook) -> Iterator[str]:
    try:
        text = read_text(path, advice="A relative name begins at the portal's folder.")
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
            hint = did_you_mean(WEB_ADDRESS.suggest(address))
            notes.note(
                f"{path}:{number}: {shown(address)} is not allowed; allowed: {WEB_ADDRESS.allowed}{hint}",
                *place,
            )
