"""Raw bodies by content hash, in a folder, a shared folder, or object storage."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from portico.errors import ConfigError
from portico.store.documents.folder_blobs import SHARED, FolderBlobs
from portico.types.page import BodyHash


class Blobs(Protocol):
    """Bodies by name; a name stands for exactly one content, complete or not there at all."""

    @property
    def location(self) -> str:
        """The argument with which `open_blobs` opens them again, in another process or on another
        machine.
        """

    def put(self, body: bytes) -> BodyHash:
        """Store the body and return its name; nothing happens if it is there already."""

    def put_pages(self, bodies: Iterable[bytes]) -> list[BodyHash]:
        """Store many bodies at once, small ones in particular; returns their names."""

    def put_documents(self, bodies: Sequence[bytes]) -> list[BodyHash]:
        """Store many bodies; returns their names."""

    def put_file(self, path: Path, *, max_bytes: int, within: Sequence[Path] = ()) -> BodyHash:
        """Store a copy of a file; FetchError if it cannot be read, is too large, or is outside of the
        given folders.
        """

    def get(self, name: BodyHash) -> bytes:
        """The body, verified against its name; PortalError if it is missing or damaged."""

    def stream(self, name: BodyHash) -> tuple[int, Iterator[bytes]]:
        """Its size and its pieces, verified like `get` before the first is returned; holds one piece at a
        time.
        """

    def peek(self, name: BodyHash, n_bytes: int) -> bytes:
        """The beginning of a body; empty if it is missing or damaged, which `get` will report."""

    def has(self, name: BodyHash) -> bool: ...

    def check(self, name: BodyHash) -> bool:
        """Whether the body is there and complete."""

    def names(self) -> Iterator[BodyHash]:
        """The name of every body, in order."""

    def remove(self, name: BodyHash) -> None:
        """Remove a body; nothing happens if it is not there."""

    def find_faults(self) -> tuple[str, ...]:
        """Faults of the storage itself, whatever bodies it holds."""

    def rebuild_indexes(self) -> None:
        """Rebuild the indexes of the storage, if it has any."""

    def sweep(self) -> int:
        """Remove unfinished files of killed writers; only for the process that holds the build lock."""

    def require(self) -> None:
        """SetupError if this machine cannot access the storage."""

    def close(self) -> None: ...


def open_blobs(location: str) -> Blobs:
    """The bodies in a local folder, a shared one (`file:///…`) or an fsspec URL (`s3://…`)."""
    scheme, is_address, rest = location.partition("://")
    if not is_address:
        return FolderBlobs(Path(location))
    if f"{scheme}://" == SHARED:
        return FolderBlobs(Path(rest), is_shared=True)
    try:
        # Imported here: fsspec takes half a second to load, which most portals need not spend.
        from portico.store.documents.object_blobs import ObjectBlobs

        return ObjectBlobs(location)
    except ImportError as error:
        raise ConfigError(
            f"[blobs] url = {location!r} needs what is not installed ({error}). "
            f"Install it with `pip install 'portico[cluster]'`, or the package of fsspec for {scheme}://."
        ) from error
    except ValueError as error:
        raise ConfigError(f"[blobs] url = {location!r}: {error}") from error
