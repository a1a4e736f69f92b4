"""Raw bodies by content hash, in a folder, a shared folder, or object storage."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from portico.errors import ConfigError
from portico.store.documents.folder_blobs import SHARED, FolderBlobs
from portico.types.page import BodyHash


class Blobs(Protocol):
    """A name stands for exactly one content, whole or not there at all."""

    @property
    def location(self) -> str:
        """What `open_blobs` takes to open them again, in another process or on another machine."""

    def put(self, body: bytes) -> BodyHash:
        """Keep the body and give its name; nothing happens if it is there already."""

    def put_pages(self, bodies: Iterable[bytes]) -> list[BodyHash]:
        """Keep many bodies at once, small ones above all; their names."""

    def put_documents(self, bodies: Sequence[bytes]) -> list[BodyHash]:
        """Keep many bodies; their names."""

    def put_file(self, path: Path, *, max_bytes: int, within: Sequence[Path] = ()) -> BodyHash:
        """Keep a copy of a file; FetchError if it cannot be read, is too large, or is in none of the folders
        it has to be in.
        """

    def get(self, name: BodyHash) -> bytes:
        """The body, proven to be the one that was put; PortalError if it is missing or damaged."""

    def stream(self, name: BodyHash) -> tuple[int, Iterator[bytes]]:
        """Its size and its pieces, proven like `get` before the first is given; holds one piece at a time."""

    def peek(self, name: BodyHash, n_bytes: int) -> bytes:
        """How a body begins; nothing of one that is missing or damaged, which `get` will tell."""

    def has(self, name: BodyHash) -> bool: ...

    def check(self, name: BodyHash) -> bool:
        """Whether the body is there and whole."""

    def names(self) -> Iterator[BodyHash]:
        """Every body that is kept, in order of name."""

    def remove(self, name: BodyHash) -> None:
        """Forget a body; nothing happens if it is not there."""

    def find_faults(self) -> tuple[str, ...]:
        """What is wrong with where they are kept, whatever bodies are there."""

    def rebuild_indexes(self) -> None:
        """Make the lists of names there again, as far as there are any."""

    def sweep(self) -> int:
        """Remove what killed writers left unfinished; only for the process that holds the build lock."""

    def require(self) -> None:
        """SetupError where this machine cannot see them."""

    def close(self) -> None: ...


def open_blobs(location: str) -> Blobs:
    """The bodies at a folder of this machine, a shared one (`file:///…`) or an address of fsspec (`s3://…`)."""
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
