"""Text columns with the same collation in every database, that store any text from outside."""

from typing import Any

from sqlalchemy import Dialect, String
from sqlalchemy.types import TypeDecorator, TypeEngine

PLAIN_TEXT: TypeEngine[str] = String().with_variant(String(collation="C"), "postgresql")
"""Text compared byte by byte, as in SQLite: equal portals list everything in the same order, and readers that
continue after an id miss none, whatever the language of the database."""


def make_storable(words: str) -> str:
    """Text that every database can store: unpaired surrogates and NUL become U+FFFD."""
    if words.isascii() and "\0" not in words:
        return words
    return words.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")


class SafeText(TypeDecorator[str]):
    """A text column that applies `make_storable` when writing and when looking up.

    File names, headers and text layers are not always valid text.
    """

    impl = String
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(PLAIN_TEXT.dialect_impl(dialect))

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else make_storable(value)
