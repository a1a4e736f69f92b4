"""Small bodies together in one file: a page of a few thousand bytes is not worth a file of its own."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from sqlalchemy import Column, Engine, LargeBinary, MetaData, Table, delete, inspect, select
from sqlalchemy.dialects.sqlite import insert

from portico.store.bulk import execute_many
from portico.store.dialect import sqlite_engine, writing
from portico.types.page import BodyHash

_body = Table(
    "body",
    MetaData(),
    Column("name", LargeBinary, primary_key=True),  # sha256
    Column("packed", LargeBinary, nullable=False),
)
_PUT = insert(_body).on_conflict_do_nothing()


class Shelf:
    """Packed bodies by name in a SQLite file, made when the first is put; may be read by many processes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._engines: dict[bool, Engine] = {}  # by whether they only read

    def put(self, packed: Mapping[BodyHash, bytes]) -> None:
        """Keep all of these or none; they are on the disk, not only in its cache, when this returns."""
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
            engine = self._engines[False] = sqlite_engine(self._path, durable=True)
            with writing(engine) as connection:
                _body.create(connection, checkfirst=True)
        return engine

    def _reader(self) -> Engine | None:
        """Somebody to ask, None while nothing was ever put."""
        known = self._engines.get(False) or self._engines.get(True)
        if known is not None or not self._path.exists():
            return known
        engine = sqlite_engine(self._path, read_only=True)
        if not inspect(engine).has_table(_body.name):  # its making was cut short
            engine.dispose()
            return None
        self._engines[True] = engine
        return engine
