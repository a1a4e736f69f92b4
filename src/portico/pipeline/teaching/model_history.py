"""The history of a portal's learned models: those in use, and earlier ones to go back to."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from portico.config.portal_paths import PortalPaths
from portico.errors import ConfigError
from portico.files import forget_model, write_model, write_whole

_EARLIER = "earlier"  # the folder inside models/ that keeps every model that was learned
_CARD = ".json"
_DIGITS = 12

SHIPPED = "shipped"
"""The name of the model shipped with the domain, or of none if it has none."""


@dataclass(frozen=True, slots=True)
class KeptVersion:
    """One model that was learned."""

    name: str  # the file it is used as: "fields.zip"
    version: str
    at: float  # seconds since the epoch; 0 if unknown
    n_bytes: int
    told: tuple[str, ...]  # messages from when it was learned
    is_in_use: bool

    @property
    def address(self) -> str:
        """Its name on the command line: `fields@1a2b3c4d5e6f`"""
        return f"{Path(self.name).stem}@{self.version}"


def keep_model(file: Path, content: bytes, *, told: tuple[str, ...], at: float) -> Path:
    """Put a model into use; the previous one is kept in the history."""
    if file.is_file():
        _archive(file, file.read_bytes(), told=(), at=0.0)
    _archive(file, content, told=told, at=at)
    write_model(file, content)
    return file


def list_versions(places: PortalPaths) -> Iterator[KeptVersion]:
    """Every model the portal has learned, by name, the latest first."""
    earlier = places.models / _EARLIER
    names = {path.name for path in earlier.iterdir()} if earlier.is_dir() else set()
    names |= {path.name for path in places.models.glob("*") if _is_model(path)}
    for name in sorted(names):
        yield from sorted(_list_of(places.models / name), key=lambda each: (-each.at, each.version))


def _list_of(file: Path) -> Iterator[KeptVersion]:
    in_use = _digest(file.read_bytes()) if file.is_file() else ""
    folder = file.parent / _EARLIER / file.name
    known = {path.name: path for path in folder.iterdir() if path.suffix != _CARD} if folder.is_dir() else {}
    if in_use and in_use not in known:
        known[in_use] = file
    for version, path in known.items():
        card = _read_card(folder / f"{version}{_CARD}")
        yield KeptVersion(
            file.name, version, card[0], path.stat().st_size, card[1], is_in_use=version == in_use
        )


def use_version(places: PortalPaths, address: str) -> str:
    """Switch to a model, `fields@1a2b` or `fields@shipped`; return a sentence about what was done."""
    stem, _, wanted = address.partition("@")
    if wanted == SHIPPED:
        file = _find_file(places, stem)
        if file.is_file():
            _archive(file, file.read_bytes(), told=(), at=0.0)
            forget_model(file)
        return f"{stem}: what comes with the domain is used from the next build on."
    found = find_version(places, address)
    content = _find_content(places, found).read_bytes()
    keep_model(places.models / found.name, content, told=found.told, at=found.at)
    return f"{found.address} is used from the next build on."


def forget_version(places: PortalPaths, address: str) -> str:
    """Delete a model; if it is in use, the shipped one replaces it."""
    found = find_version(places, address)
    if found.is_in_use:
        forget_model(places.models / found.name)
    folder = places.models / _EARLIER / found.name
    (folder / found.version).unlink(missing_ok=True)
    (folder / f"{found.version}{_CARD}").unlink(missing_ok=True)
    said = "; what comes with the domain is used from the next build on" if found.is_in_use else ""
    return f"{found.address} is forgotten{said}."


def find_version(places: PortalPaths, address: str) -> KeptVersion:
    """Find the model with this name and (abbreviated) version; ConfigError unless there is exactly one."""
    stem, _, wanted = address.partition("@")
    all_known = [*list_versions(places)]
    found = [each for each in all_known if Path(each.name).stem == stem and each.version.startswith(wanted)]
    if len(found) == 1 and wanted:
        return found[0]
    names = ", ".join(each.address for each in all_known) or "none yet"
    what = "several models are called so" if wanted and found else "there is no such model"
    raise ConfigError(f'"{address}": {what}; this portal has learned: {names}')


def read_version(places: PortalPaths, found: KeptVersion) -> bytes:
    return _find_content(places, found).read_bytes()


def _find_content(places: PortalPaths, found: KeptVersion) -> Path:
    kept = places.models / _EARLIER / found.name / found.version
    return kept if kept.is_file() else places.models / found.name


def _find_file(places: PortalPaths, stem: str) -> Path:
    names = {each.name for each in list_versions(places) if Path(each.name).stem == stem}
    if not names:
        raise ConfigError(f'"{stem}": this portal has learned no such model: portico models lists them')
    return places.models / names.pop()


def _archive(file: Path, content: bytes, *, told: tuple[str, ...], at: float) -> None:
    folder = file.parent / _EARLIER / file.name
    version = _digest(content)
    card = folder / f"{version}{_CARD}"
    if not told and card.is_file():
        return
    write_whole(folder / version, content)
    write_whole(card, json.dumps({"at": at, "told": told}, ensure_ascii=False).encode())


def _read_card(path: Path) -> tuple[float, tuple[str, ...]]:
    if not path.is_file():
        return 0.0, ()
    told = json.loads(path.read_text(encoding="utf-8"))
    return float(told["at"]), tuple(told["told"])


def _is_model(path: Path) -> bool:
    return path.is_file() and path.suffix in (".zip", ".npz") and not path.name.startswith(".")


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()[:_DIGITS]
