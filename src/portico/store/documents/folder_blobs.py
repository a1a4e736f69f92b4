"""Raw bodies in a folder, compressed: one file per document, small pages packed together."""

import os
import re
import secrets
import stat
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from heapq import merge
from itertools import groupby
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import Column, Engine, LargeBinary, MetaData, Table, delete, inspect, select
from sqlalchemy.dialects.sqlite import insert
from zstandard import FLUSH_FRAME, ZstdCompressor, ZstdDecompressor, ZstdError

from portico.errors import FetchError, PortalError, SetupError
from portico.store.bulk import execute_many
from portico.store.database import find_integrity_faults, rebuild_indexes, writing
from portico.store.faults import disk_faults
from portico.store.sqlite import open_sqlite
from portico.types.page import BodyHash

_body = Table(
    "body",
    MetaData(),
    Column("name", LargeBinary, primary_key=True),  # sha256
    Column("packed", LargeBinary, nullable=False),
)
_PUT = insert(_body).on_conflict_do_nothing()


class PackedBlobs:
    """Packed bodies by name in a SQLite file, created with the first; many processes may read it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._engines: dict[bool, Engine] = {}  # by whether they only read

    def put(self, packed: Mapping[BodyHash, bytes]) -> None:
        """Store all of these or none; they are on the disk, not only in its cache, on return."""
        rows = [{"name": bytes.fromhex(name), "packed": body} for name, body in packed.items()]
        if rows:
            with writing(self._writer()) as connection:
                execute_many(connection, _PUT, rows)

    def get(self, name: BodyHash) -> bytes | None:
        """The packed body, None if it is not here."""
        reader = self._reader()
        if reader is None:
            return None
        with reader.connect() as connection:
            return connection.scalar(select(_body.c.packed).where(_body.c.name == bytes.fromhex(name)))

    def has(self, name: BodyHash) -> bool:
        reader = self._reader()
        if reader is None:
            return False
        with reader.connect() as connection:
            found = connection.scalar(select(_body.c.name).where(_body.c.name == bytes.fromhex(name)))
        return found is not None

    def names(self) -> Iterator[BodyHash]:
        """Every body that is kept, in order of name."""
        reader = self._reader()
        if reader is None:
            return
        with reader.connect() as connection:
            for name in connection.scalars(select(_body.c.name).order_by(_body.c.name)):
                yield BodyHash(name.hex())

    def remove(self, name: BodyHash) -> None:
        if self.has(name):
            with writing(self._writer()) as connection:
                connection.execute(delete(_body).where(_body.c.name == bytes.fromhex(name)))

    def find_faults(self) -> tuple[str, ...]:
        """What the database finds wrong with itself."""
        reader = self._reader()
        return () if reader is None else find_integrity_faults(reader)

    def rebuild_indexes(self) -> None:
        rebuild_indexes(self._writer())

    def close(self) -> None:
        for engine in self._engines.values():
            engine.dispose()
        self._engines.clear()

    def _writer(self) -> Engine:
        engine = self._engines.get(False)
        if engine is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            # The rows that name a body are written after it, to another file: it must not vanish
            # in a power cut that they survive.
            engine = self._engines[False] = open_sqlite(self._path, durable=True)
            with writing(engine) as connection:
                _body.create(connection, checkfirst=True)
        return engine

    def _reader(self) -> Engine | None:
        """A connection for reading, None while nothing has been stored."""
        known = self._engines.get(False) or self._engines.get(True)
        if known is not None or not self._path.exists():
            return known
        engine = open_sqlite(self._path, read_only=True)
        if not inspect(engine).has_table(_body.name):  # its making was cut short
            engine.dispose()
            return None
        self._engines[True] = engine
        return engine


# Bodies that are already compressed (most PDFs) grow by a few bytes at most, because zstd keeps blocks it
# cannot shrink. So there is one file format, and one path for each hash.
SUFFIX = ".zst"
_TEMPORARY = ".part-"
_PIECE = 1 << 20  # bytes read at a time from a file on disk
_SENT_AT_ONCE = 1 << 17  # bytes held by each of many readers
HASH = re.compile(r"[0-9a-f]{64}")
_WRITERS = 8  # files written concurrently: each waits for the disk

PACKED_BYTES = 64 * 1024
"""Maximum size of a body that is stored in SQLite with others. According to its documentation, SQLite reads
and writes bodies of up to about 100 KB faster than a file system ("Internal Versus External BLOBs in
SQLite")."""

SHARED = "file://"
"""Prefix of the URL of a folder that several machines write to."""

ABANDONED_S = 86_400.0
"""Age from which an unfinished body in a shared folder is considered abandoned: a day, because clocks of
machines may differ."""

PACKED_FILE = "pages.db"
"""The file in the folder of bodies that contains small pages."""


@dataclass(frozen=True, slots=True)
class FolderBlobs:
    """A folder of bodies; a name in it stands for exactly one content, complete or not there at all.

    In a folder shared by machines every body is a file: SQLite's log requires memory shared by its users.
    """

    folder: Path
    is_shared: bool = False
    _packed_blobs: PackedBlobs = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_packed_blobs", PackedBlobs(self.folder / PACKED_FILE))

    @property
    def location(self) -> str:
        place = str(self.folder.absolute())
        return f"{SHARED}{place}" if self.is_shared else place

    def require(self) -> None:
        """SetupError if the folder does not exist: this may be another machine than the builder's."""
        if not self.folder.is_dir():
            raise SetupError(
                f"{self.folder}: there is no such folder on this machine, and bodies are kept there. "
                f"Name one that all machines share under [blobs] url in portal.toml, or object storage."
            )

    def put(self, body: bytes) -> BodyHash:
        """Keep the body and give its name; nothing happens if it is there already."""
        name = BodyHash(sha256(body).hexdigest())
        if not self.has(name):
            with self._new_file() as file:
                file.write(ZstdCompressor().compress(body))
                self._finish(file, name)
        return name

    def put_pages(self, bodies: Iterable[bytes]) -> list[BodyHash]:
        """Store many bodies at once, the small ones packed together: far faster than one after the other."""
        if self.is_shared:
            return self.put_documents([*bodies])
        # The quickest level: pages become 1.5 % larger than by the usual one, in two thirds of the time.
        compress = ZstdCompressor(level=1).compress
        names: list[BodyHash] = []
        shelved: dict[BodyHash, bytes] = {}
        large: list[bytes] = []
        for body in bodies:
            name = BodyHash(sha256(body).hexdigest())
            names.append(name)
            if len(body) > PACKED_BYTES:
                large.append(body)
            elif name not in shelved:
                shelved[name] = compress(body)
        with disk_faults(self.folder):
            self._packed_blobs.put(shelved)
        self.put_documents(large)
        return names

    def put_documents(self, bodies: Sequence[bytes]) -> list[BodyHash]:
        """Store many bodies, one file each, which together takes hardly longer than one."""
        if len(bodies) < 2:
            return [self.put(body) for body in bodies]
        with ThreadPoolExecutor(_WRITERS) as pool:
            return list(pool.map(self.put, bodies))

    def put_file(self, path: Path, *, max_bytes: int, within: Sequence[Path] = ()) -> BodyHash:
        """Store a copy of a file in pieces; FetchError if it cannot be read, is too large, or is outside
        of the given folders.
        """
        with self._new_file() as file:
            writer = ZstdCompressor().stream_writer(file, closefd=False)
            checksum = sha256()
            for piece in read_pieces(path, max_bytes, within):
                checksum.update(piece)
                writer.write(piece)
            writer.flush(FLUSH_FRAME)
            name = BodyHash(checksum.hexdigest())
            if not self.has(name):
                self._finish(file, name)
        return name

    def get(self, name: BodyHash) -> bytes:
        """The body, proven to be the one that was put; PortalError if it is missing or damaged."""
        body = self._read(name)
        if body is None:
            raise PortalError(f"{self._path(name)}: this body is missing. {REPAIR}")
        if sha256(body).hexdigest() != name:
            raise PortalError(f"{self._path(name)}: this body is damaged. {REPAIR}")
        return body

    def stream(self, name: BodyHash) -> tuple[int, Iterator[bytes]]:
        """Its size and its pieces, proven like `get` before the first is given; holds one piece at a time."""
        if self._packed_blobs.has(name):
            body = self.get(name)
            return len(body), (piece for piece in (body,))
        checksum, n_bytes = sha256(), 0
        for piece in self._stream_file(name):
            checksum.update(piece)
            n_bytes += len(piece)
        if checksum.hexdigest() != name:
            raise PortalError(f"{self._path(name)}: this body is damaged. {REPAIR}")
        return n_bytes, self._stream_file(name)

    def peek(self, name: BodyHash, n_bytes: int) -> bytes:
        """How a body begins; nothing of one that is missing or damaged, which `get` will tell."""
        packed = self._packed_blobs.get(name)
        if packed is not None:
            return _unpack(packed)[:n_bytes]
        try:
            with disk_faults(self._path(name)), self._path(name).open("rb") as file:
                return ZstdDecompressor().stream_reader(file).read(n_bytes)
        except ZstdError:
            return b""

    def has(self, name: BodyHash) -> bool:
        return self._path(name).exists() or self._packed_blobs.has(name)

    def check(self, name: BodyHash) -> bool:
        """Whether the body is there and whole."""
        body = self._read(name)
        return body is not None and sha256(body).hexdigest() == name

    def names(self) -> Iterator[BodyHash]:
        """Every body that is kept, in order of name."""
        yield from (name for name, _ in groupby(merge(self._names_of_files(), self._packed_blobs.names())))

    def remove(self, name: BodyHash) -> None:
        """Forget a body; nothing happens if it is not there."""
        with disk_faults(self._path(name)):
            self._path(name).unlink(missing_ok=True)
        self._packed_blobs.remove(name)

    def find_faults(self) -> tuple[str, ...]:
        """What is wrong with the file of small pages as such, whatever pages it holds."""
        return self._packed_blobs.find_faults()

    def rebuild_indexes(self) -> None:
        """Make the list of names in that file again."""
        self._packed_blobs.rebuild_indexes()

    def close(self) -> None:
        """Close the file of small pages; it is opened again when needed."""
        self._packed_blobs.close()

    def sweep(self) -> int:
        """Remove what killed writers left unfinished; only for the process that holds the build lock."""
        leftovers = [path for path in self.folder.glob(f"{_TEMPORARY}*") if self._is_abandoned(path)]
        for path in leftovers:
            with disk_faults(path):
                path.unlink(missing_ok=True)
        return len(leftovers)

    def _is_abandoned(self, path: Path) -> bool:
        """Whether nobody is writing it any more; in a shared folder only its age shows that."""
        try:
            return not self.is_shared or time.time() - path.stat().st_mtime > ABANDONED_S
        except FileNotFoundError:
            return False

    def _path(self, name: BodyHash) -> Path:
        return self.folder / name[:2] / f"{name}{SUFFIX}"

    def _names_of_files(self) -> Iterator[BodyHash]:
        for folder in sorted(self.folder.glob("??")):
            names = sorted(path.name.removesuffix(SUFFIX) for path in folder.glob(f"*{SUFFIX}"))
            yield from (BodyHash(name) for name in names if HASH.fullmatch(name))

    def _read(self, name: BodyHash) -> bytes | None:
        packed = self._packed_blobs.get(name)
        return self._read_file(name) if packed is None else _unpack(packed)

    def _read_file(self, name: BodyHash) -> bytes | None:
        try:
            with disk_faults(self._path(name)), self._path(name).open("rb") as file:
                return ZstdDecompressor().stream_reader(file).readall()
        except ZstdError:
            return b""  # the checksum will tell, as it does of a body that is cut short
        except PortalError as error:
            if isinstance(error.__cause__, FileNotFoundError):
                return None
            raise

    def _stream_file(self, name: BodyHash) -> Iterator[bytes]:
        with disk_faults(self._path(name)), self._path(name).open("rb") as file:
            reader = ZstdDecompressor().stream_reader(file)
            try:
                while piece := reader.read(_SENT_AT_ONCE):
                    yield piece
            except ZstdError:
                return  # the checksum will tell

    @contextmanager
    def _new_file(self) -> Iterator[BinaryIO]:
        """A temporary file that is deleted unless `_finish` gave it its final name."""
        path = self.folder / f"{_TEMPORARY}{os.getpid()}-{secrets.token_hex(8)}"
        with disk_faults(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            try:
                with path.open("xb") as file:
                    yield file
            finally:
                path.unlink(missing_ok=True)

    def _finish(self, file: BinaryIO, name: BodyHash) -> None:
        # The content reaches the disk before the name does, so that not even a power cut leaves a
        # row of the store naming half a body.
        file.flush()
        os.fsync(file.fileno())
        path = self._path(name)
        path.parent.mkdir(exist_ok=True)
        os.replace(file.name, path)


REPAIR = "Run `portico verify --repair` to obtain it again."


def _unpack(packed: bytes) -> bytes:
    try:
        return ZstdDecompressor().decompress(packed)
    except ZstdError:
        return b""  # the checksum will tell


def read_pieces(path: Path, max_bytes: int, within: Sequence[Path] = ()) -> Iterator[bytes]:
    """A file in pieces; the opened file has to be inside one of the folders `within`."""
    n_bytes = 0
    try:
        # Not blocking: a pipe that somebody named x.pdf would otherwise keep us waiting forever.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise FetchError(f"{path}: cannot be read: it is not a regular file")
            if within and not _is_within(file.fileno(), within):
                raise FetchError(f"{path}: a link led out of the folder while the file was opened")
            while piece := file.read(_PIECE):
                n_bytes += len(piece)
                if n_bytes > max_bytes:
                    raise FetchError(f"{path}: is larger than the limit of {max_bytes:,} bytes")
                yield piece
    except OSError as fault:
        raise FetchError(f"{path}: cannot be read: {fault.strerror or fault}", retryable=True) from fault


def _is_within(descriptor: int, folders: Sequence[Path]) -> bool:
    """Whether the opened file is inside one of the folders: its path may lead elsewhere by now."""
    opened = Path(os.readlink(f"/proc/self/fd/{descriptor}"))
    return any(opened.is_relative_to(os.path.realpath(each)) for each in folders)
