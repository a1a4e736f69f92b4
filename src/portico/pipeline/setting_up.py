"""Making portals: a commented one to edit, or none to edit at all for a folder of papers."""

import os
from collections.abc import Iterator
from pathlib import Path

from portico.config.portal_paths import PortalPaths, find_hidden_portal
from portico.config.settings import CUSTOM, DOMAINS, FolderSource
from portico.config.template import InitAnswers, format_domain_toml, format_folder_toml, format_portal_toml
from portico.errors import ConfigError, PortalError
from portico.files import write_whole


def make_portal(folder: Path, answers: InitAnswers) -> Path:
    """Writes a commented portal.toml into a folder that has none; the path of that file."""
    path = PortalPaths(folder).settings
    if path.exists():
        raise ConfigError(f"{path} is there already: edit it, or name another folder")
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder} is a file; name a folder for the portal")
    if answers.domain not in DOMAINS:
        raise ConfigError(f'there is no domain "{answers.domain}"; there are: {", ".join(DOMAINS)}')
    declared = PortalPaths(folder).domain
    if answers.domain == CUSTOM and not declared.exists():
        write_settings(declared, format_domain_toml())
    write_settings(path, format_portal_toml(answers))
    return path


def ensure_folder_portal(path: Path) -> None:
    """A folder with papers and without a portal gets one in `.portico`; anything else is left as it is."""
    if PortalPaths(path).settings.exists() or find_hidden_portal(path).settings.exists():
        return
    if not path.exists():
        raise ConfigError(f"{path}: there is no such folder. For a new portal: portico init {path}")
    if not path.is_dir():
        raise ConfigError(f"{path} is a file; name the folder it is in: portico build {path.parent}")
    if next(_find_papers(path), None) is None:
        kinds = ", ".join(FolderSource("").patterns)
        raise ConfigError(
            f"{path}: no documents ({kinds}) in this folder or below it, and no portal.toml. "
            f"Put papers there, or make a portal with `portico init {path}`."
        )
    title = path.resolve().name or "Papers"
    write_settings(find_hidden_portal(path).settings, format_folder_toml(title))


def _find_papers(folder: Path) -> Iterator[str]:
    endings = tuple(pattern.lstrip("*").lower() for pattern in FolderSource("").patterns)
    for _where, _names, files in os.walk(folder):
        yield from (name for name in files if name.lower().endswith(endings))


def write_settings(path: Path, text: str) -> None:
    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise PortalError(
            f"{path}: cannot be written ({error.strerror}). Choose a folder you may write to."
        ) from error
