"""Steps from each version of the tables to the next, in order."""

from collections.abc import Callable, Sequence

from sqlalchemy import Connection, delete, insert, inspect, select

from portico.errors import PortalError, StoreTooNew
from portico.store import schema

Step = Callable[[Connection], None]

STEPS: tuple[Step, ...] = ()
"""`STEPS[0]` takes version 1 to 2, and so on; there is one fewer than `schema.VERSION`."""

_VERSION_KEY = "schema_version"


def create(connection: Connection) -> None:
    """Make every table, and write down their version."""
    schema.metadata.create_all(connection)
    _write_version(connection, schema.VERSION)


def migrate(connection: Connection, steps: Sequence[Step] = STEPS) -> int:
    """Bring the tables up to date, inside the caller's transaction; returns how many steps that took."""
    target = 1 + len(steps)
    found = read_version(connection)
    if found is None:
        raise PortalError("the database holds no portal")
    if found > target:
        raise StoreTooNew(
            f"was written by a newer Portico: store version {found}, and this one knows only up to {target}. "
            f"Upgrade Portico, or build the portal anew in another folder."
        )
    for step in steps[found - 1 :]:
        step(connection)
    if found < target:
        _write_version(connection, target)
    return target - found


def read_version(connection: Connection) -> int | None:
    """The version of the tables; None where this is not a store of ours."""
    if not inspect(connection).has_table(schema.meta.name):
        return None
    value = connection.scalar(select(schema.meta.c.value).where(schema.meta.c.key == _VERSION_KEY))
    return int(value) if value is not None and value.isdecimal() else None


def is_empty(connection: Connection) -> bool:
    """Whether nothing was ever stored: a new file, or one whose making was cut short."""
    return not inspect(connection).get_table_names()


def _write_version(connection: Connection, version: int) -> None:
    connection.execute(delete(schema.meta).where(schema.meta.c.key == _VERSION_KEY))
    connection.execute(insert(schema.meta), {"key": _VERSION_KEY, "value": str(version)})
