"""Paths of the parts of a portal, and of the portal that belongs to a folder of documents."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from portico.errors import ConfigError

HIDDEN = ".portico"
"""The folder of the portal inside a folder of papers."""


@dataclass(frozen=True, slots=True)
class PortalPaths:
    """The files and folders of one portal: copying `folder` copies the portal."""

    folder: Path

    @property
    def settings(self) -> Path:
        return self.folder / "portal.toml"

    @property
    def domain(self) -> Path:
        """Where a builder declares a domain of their own."""
        return self.folder / "domain.toml"

    @property
    def database(self) -> Path:
        """The path of the store, unless [store] url names another."""
        return self.folder / "portico.db"

    @property
    def blobs(self) -> Path:
        return self.folder / "blobs"

    @property
    def index(self) -> Path:
        return self.folder / "index"

    def forget_indexes(self, *, keep: str) -> None:
        """Removes all indexes but one; readers keep the files they have open."""
        for path in self.index.iterdir():
            if path.name != keep:
                shutil.rmtree(path, ignore_errors=True)

    @property
    def is_built_here(self) -> bool:
        """Whether a build ever ran in this folder; a portal node only serves from it."""
        return (self.folder / "build.lock").exists()

    @property
    def models(self) -> Path:
        return self.folder / "models"

    @property
    def theme(self) -> Path:
        """The builder's own texts, pages, style sheets and templates."""
        return self.folder / "theme"

    @property
    def uploads(self) -> Path:
        """Documents that the builder has uploaded from a browser."""
        return self.folder / "uploads"

    @property
    def damage(self) -> Path:
        """The file in which `portico verify` records damage that is not yet repaired."""
        return self.folder / "damage.txt"

    def read_damage(self) -> str:
        """The first line of that file; empty if there is no damage."""
        try:
            return self.damage.read_text(encoding="utf-8", errors="replace").partition("\n")[0]
        except OSError:
            return ""

    @property
    def spill(self) -> Path:
        """The folder for data of a stage that does not fit into memory; empty between builds."""
        return self.folder / "spill"


def find_portal(path: Path) -> PortalPaths:
    """The portal in this folder, or the hidden one of a folder of papers; ConfigError if there is none."""
    for folder in (path, path / HIDDEN):
        if PortalPaths(folder).settings.is_file():
            return PortalPaths(folder)
    if path.is_file():
        raise ConfigError(f"{path}: is a file; name the portal's folder, or a folder of papers.")
    if not path.is_dir():
        raise ConfigError(
            f"{path}: there is no such folder. Run `portico init {path}` to create a portal there."
        )
    raise ConfigError(
        f"{path}: is not a portal. If it is a folder of papers, run `portico build {path}`; "
        f"to create a portal there, run `portico init {path}`."
    )


def find_hidden_portal(path: Path) -> PortalPaths:
    """Where the portal of a folder of papers is, or will be."""
    return PortalPaths(path / HIDDEN)
