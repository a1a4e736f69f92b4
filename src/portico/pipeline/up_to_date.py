"""Recognizes a portal for which a build has nothing to do, without opening it.

A complete build leaves a note of all that decides what is due: the code, the files of the builder, of the
folders that are read and of the index, and the state of the store. If nothing of this has changed, nothing is
due. Portals that may have something to do without such a change (links that wait, pages to revisit, catalogs
to ask), and portals whose store is on a server, get no note.
"""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from portico.config.portal_paths import PortalPaths, find_portal
from portico.errors import ConfigError
from portico.files import write_whole
from portico.store.build_note import NOTE, digest_contributions, read_build_note

if TYPE_CHECKING:
    from portico.store.meta import Meta

_FILE = "up-to-date.json"  # in the portal's folder
_TOPIC_MODEL = "topics.npz"  # written by the build itself
_UNRELATED_CODE = frozenset({"__pycache__", "serve", "lab", "sample", "cli"})
_CODE = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a build depends on besides its store: where it is, and digests of it when the build began."""

    database: str  # paths here and below are relative to the portal's folder, or absolute
    files: tuple[str, ...]  # of the builder, besides those in the portal's folder
    folders: tuple[str, ...]  # which are read
    inputs: str
    contributions: str


@dataclass(frozen=True, slots=True)
class BuildNote:
    """What a complete build leaves: on what it was based, what it made, and what it said in the end."""

    around: Surroundings
    made: str  # a digest of the model of topics and of the index
    lines: tuple[str, ...]


def name_building(places: PortalPaths) -> str:
    """What the store holds instead of a note while somebody may write to it; it names the declarations."""
    return f"building from {_digest_texts((places.settings, places.domain))}"


def look_around(
    places: PortalPaths, database: str, files: Iterable[str], folders: Iterable[str]
) -> Surroundings:
    """Digest what a build is about to read."""
    named, read = tuple(files), tuple(folders)
    contributions = digest_contributions(places.folder / database)
    return Surroundings(database, named, read, _digest_inputs(places, named, read), contributions)


def leave_note(places: PortalPaths, meta: "Meta", around: Surroundings, lines: Iterable[str]) -> None:
    """Record that a build has done everything that was due when it looked around."""
    if meta.get(NOTE) != name_building(places):
        return  # the declarations that it began with have changed
    text = json.dumps(asdict(BuildNote(around, _digest_made(places), tuple(lines))), indent=1)
    write_whole(places.folder / _FILE, text.encode())
    meta.set(NOTE, sha256(text.encode()).hexdigest())


def find_up_to_date(path: Path) -> tuple[str, ...] | None:
    """What the last build said in the end, if a build would have nothing to do; None if it might."""
    try:
        places = find_portal(path)
        text = (places.folder / _FILE).read_bytes()
        note = _read_note(text)
    except (ConfigError, OSError, ValueError, KeyError, TypeError):
        return None
    around = note.around
    if read_build_note(places.folder / around.database) != sha256(text).hexdigest():
        return None
    now = look_around(places, around.database, around.files, around.folders)
    is_same = now == around and now.contributions and _digest_made(places) == note.made
    return note.lines if is_same else None


def _digest_inputs(places: PortalPaths, files: Iterable[str], folders: Iterable[str]) -> str:
    """A digest of the code, and of all files that a builder may have changed."""
    beside = [*sorted(places.folder.glob("*.toml")), places.damage]
    told = sha256(_digest_texts((*beside, *(places.folder / name for name in files))).encode())
    told.update(f"{os.geteuid()}".encode())
    for line in _list_states(_CODE, _UNRELATED_CODE):
        told.update(line)
    for line in _list_states(places.models):
        if not line.startswith(_TOPIC_MODEL.encode()):
            told.update(line)
    for folder in (places.uploads, *(places.folder / name for name in folders)):
        for line in _list_states(folder, own=places.folder):
            told.update(line)
    return told.hexdigest()


def _digest_made(places: PortalPaths) -> str:
    told = sha256(_describe_state(places.models / _TOPIC_MODEL))
    for line in _list_states(places.index):
        told.update(line)
    return told.hexdigest()


def _digest_texts(paths: Iterable[Path]) -> str:
    """A digest of small files by their contents."""
    told = sha256()
    for path in paths:
        content = path.read_bytes() if path.is_file() else b""
        told.update(f"{path.name} {len(content)} ".encode("utf-8", "backslashreplace") + content)
    return told.hexdigest()


def _list_states(
    folder: Path | str, without: frozenset[str] = frozenset(), own: Path | None = None
) -> Iterator[bytes]:
    """Name, size, time and permissions of every file in a folder and below, apart from hidden folders."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        yield f"{error.errno}\n".encode()
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if entry.name in without or entry.name[0] == "." or (own and _is_same(entry.path, own)):
                continue
            yield f"{entry.name}/\n".encode("utf-8", "surrogateescape")
            yield from _list_states(entry.path, without, own)
            yield b"/\n"
        else:
            yield entry.name.encode("utf-8", "surrogateescape") + _describe_state(entry.path)


def _read_note(text: bytes) -> BuildNote:
    told = json.loads(text)
    around = told["around"]
    paths = (str(around["database"]), tuple(around["files"]), tuple(around["folders"]))
    digests = (str(around["inputs"]), str(around["contributions"]))
    return BuildNote(Surroundings(*paths, *digests), str(told["made"]), tuple(told["lines"]))


def _is_same(one: str, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _describe_state(path: Path | str) -> bytes:
    """Size, time and permissions; of a link, its target and the state of that."""
    try:
        link = os.readlink(path) if os.path.islink(path) else ""
        state = os.stat(path)
    except OSError as error:
        return f" {error.errno}\n".encode()
    words = f" {link} {state.st_size} {state.st_mtime_ns} {state.st_mode} {state.st_uid} {state.st_gid}\n"
    return words.encode("utf-8", "surrogateescape")
