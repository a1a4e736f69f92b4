"""What visitors did lately that may not be done often, for all processes that serve one portal.

Addresses are written nowhere: a visitor is a fingerprint made with a secret of the portal, and it is gone
once it no longer counts.
"""

import hmac
import secrets
from dataclasses import dataclass
from hashlib import sha256
from math import inf, nextafter

from sqlalchemy import Connection, Engine, delete, insert, select

from portico.store.compared_tables import deed
from portico.store.dialect import writing
from portico.store.meta import Meta

_KEY = "visitor_secret"


@dataclass(frozen=True, slots=True)
class Deeds:
    """Times at which somebody did something of a kind."""

    engine: Engine

    def times(self, kind: str, visitor: str, *, since: float, until: float) -> tuple[float, ...]:
        """When this visitor did it, ascending. What seems to lie ahead was written by another clock."""
        query = select(deed.c.at).where(
            deed.c.kind == kind, deed.c.visitor == self._name(visitor), deed.c.at > since, deed.c.at <= until
        )
        with self.engine.connect() as connection:
            return tuple(connection.scalars(query.order_by(deed.c.at)))

    def add(self, kind: str, visitor: str, *, at: float, since: float) -> None:
        """It was done now; what happened up to `since` counts no more, whoever did it."""
        name = self._name(visitor)
        with writing(self.engine) as connection:
            connection.execute(delete(deed).where(deed.c.kind == kind, deed.c.at <= since))
            connection.execute(
                insert(deed), {"kind": kind, "visitor": name, "at": _free(connection, kind, name, at)}
            )

    def forget(self, kind: str, visitor: str) -> None:
        """Nothing of the kind was done by this visitor."""
        mine = (deed.c.kind == kind) & (deed.c.visitor == self._name(visitor))
        with writing(self.engine) as connection:
            connection.execute(delete(deed).where(mine))

    def _name(self, visitor: str) -> str:
        meta = Meta(self.engine)
        if meta.get(_KEY) is None:
            meta.set(_KEY, secrets.token_hex())
        secret = meta.get(_KEY) or ""
        return hmac.new(secret.encode(), visitor.encode("utf-8", "replace"), sha256).hexdigest()


def _free(connection: Connection, kind: str, name: str, at: float) -> float:
    """The last moment until now at which nothing is written: two deeds at one tick of the clock are two."""
    mine = (deed.c.kind == kind) & (deed.c.visitor == name)
    taken = set(connection.scalars(select(deed.c.at).where(mine)))
    while at in taken:
        at = nextafter(at, -inf)
    return at
