"""Raw bodies in object storage, one compressed object each, through fsspec."""

import errno
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryFile

from fsspec.core import url_to_fs
from zstandard import FLUSH_FRAME, ZstdCompressor, ZstdDecompressor, ZstdError

from portico.errors import DiskFull, PortalError, SetupError
from portico.store.documents.folder_blobs import HASH, REPAIR, SUFFIX, read_pieces
from portico.types.page import BodyHash

PEEK_BYTES = 1 << 18
"""Bytes read of an object to get its beginning: zstd cannot decompress less than a block, 128 KB."""

# Exceptions of fsspec's file systems besides OSError, if their packages are loaded.
_FAULTS = (
    ("botocore.exceptions", "BotoCoreError"),
    ("botocore.exceptions", "ClientError"),
    ("aiohttp", "ClientError"),
    ("gcsfs.retry", "HttpError"),
    ("azure.core.exceptions", "AzureError"),
)
# Error codes of a full store: those of S3 and MinIO, and HTTP's "insufficient storage".
_FULL = (
    "quota",
    "storagefull",
    "storage full",
    "insufficient storage",
    "no space",
    "reached its minimum free",
)


class ObjectBlobs:
    """Bodies below a URL like `s3://bucket/prefix`; the file system handles keys and endpoint."""

    def __init__(self, location: str) -> None:
        self.location = location.rstrip("/")
        # Others write meanwhile: a remembered listing would be wrong.
        self._files, self._root = url_to_fs(self.location, use_listings_cache=False)

    def put(self, body: bytes) -> BodyHash:
        return self._put([body], level=3)[0]

    def put_pages(self, bodies: Iterable[bytes]) -> list[BodyHash]:
        return self._put(bodies, level=1)

    def put_documents(self, bodies: Sequence[bytes]) -> list[BodyHash]:
        return self._put(bodies, level=3)

    def _put(self, bodies: Iterable[bytes], *, level: int) -> list[BodyHash]:
        # Nobody is asked whether they are there already: an object is replaced by one of the same content.
        compress = ZstdCompressor(level=level).compress
        packed = [(BodyHash(sha256(body).hexdigest()), compress(body)) for body in bodies]
        if packed:
            with self._faults():
                self._files.pipe({self._path(name): content for name, content in packed})
        return [name for name, _ in packed]

    def put_file(self, path: Path, *, max_bytes: int, within: Sequence[Path] = ()) -> BodyHash:
        checksum = sha256()
        with TemporaryFile() as packed:
            writer = ZstdCompressor().stream_writer(packed, closefd=False)
            for piece in read_pieces(path, max_bytes, within):
                checksum.update(piece)
                writer.write(piece)
            writer.flush(FLUSH_FRAME)
            name = BodyHash(checksum.hexdigest())
            packed.seek(0)
            with self._faults():
                if not self._files.exists(self._path(name)):
                    self._files.pipe_file(self._path(name), packed.read())
        return name

    def get(self, name: BodyHash) -> bytes:
        body = self._read(name)
        if body is None:
            raise PortalError(f"{self._say(name)}: this body is missing. {REPAIR}")
        if sha256(body).hexdigest() != name:
            raise PortalError(f"{self._say(name)}: this body is damaged. {REPAIR}")
        return body

    def stream(self, name: BodyHash) -> tuple[int, Iterator[bytes]]:
        body = self.get(name)  # asking for it twice would cost more than the memory
        return len(body), (piece for piece in (body,))

    def peek(self, name: BodyHash, n_bytes: int) -> bytes:
        with self._faults():
            return _unpack(self._files.cat_file(self._path(name), start=0, end=PEEK_BYTES))[:n_bytes]

    def has(self, name: BodyHash) -> bool:
        with self._faults():
            return bool(self._files.exists(self._path(name)))

    def check(self, name: BodyHash) -> bool:
        body = self._read(name)
        return body is not None and sha256(body).hexdigest() == name

    def names(self) -> Iterator[BodyHash]:
        with self._faults():
            below = self._root.count("/") + 2  # deeper is something else, as the files of an index
            found = sorted(
                path.rpartition("/")[2].removesuffix(SUFFIX)
                for path in self._files.find(self._root)
                if path.count("/") == below
            )
        yield from (BodyHash(name) for name in found if HASH.fullmatch(name))

    def remove(self, name: BodyHash) -> None:
        if self.has(name):
            with self._faults():
                self._files.rm_file(self._path(name))

    def find_faults(self) -> tuple[str, ...]:
        return ()

    def rebuild_indexes(self) -> None:
        pass  # objects are listed by whoever keeps them

    def sweep(self) -> int:
        return 0  # an object is there as a whole or not at all

    def require(self) -> None:
        try:
            with self._faults():
                self._files.exists(self._root)
        except PortalError as error:
            raise SetupError(str(error)) from error

    def close(self) -> None:
        pass  # connections belong to the file system, which others may be using

    def _read(self, name: BodyHash) -> bytes | None:
        with self._faults():
            try:
                return _unpack(self._files.cat_file(self._path(name)))
            except FileNotFoundError:
                return None

    def _path(self, name: BodyHash) -> str:
        return f"{self._root}/{name[:2]}/{name}{SUFFIX}"

    def _say(self, name: BodyHash) -> str:
        return f"{self.location}/{name[:2]}/{name}{SUFFIX}"

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Translate errors of the object store to our own."""
        try:
            yield
        except _list_faults() as fault:
            said = " ".join(str(fault).split()) or type(fault).__name__
            if getattr(fault, "errno", None) == errno.ENOSPC or any(word in said.lower() for word in _FULL):
                raise DiskFull(
                    f"{self.location}: the object store is full ({said}). What was finished is safe: "
                    f"make room and run the same command again; it goes on where it stopped."
                ) from fault
            raise PortalError(
                f"{self.location}: the object store cannot be used ({said}). Check [blobs] url, the keys and "
                f"endpoint of this machine (docs/scale.md), and run the same command again; nothing is lost."
            ) from fault


def _unpack(packed: bytes) -> bytes:
    """As much of a body as there is."""
    try:
        return ZstdDecompressor().decompressobj().decompress(packed)
    except ZstdError:
        return b""  # the checksum will tell


def _list_faults() -> tuple[type[BaseException], ...]:
    loaded = ((sys.modules.get(module), name) for module, name in _FAULTS)
    return (OSError, *(getattr(module, name) for module, name in loaded if module is not None))
