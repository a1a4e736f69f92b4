"""Columns for text from outside: file names, headers and text layers are not always whole characters."""

from sqlalchemy import Dialect, String
from sqlalchemy.types import TypeDecorator


def make_storable(words: str) -> str:
    """Text as every database can keep it: halves of characters and NUL become U+FFFD."""
    if words.isascii() and "\0" not in words:
        return words
    return words.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")


class SafeText(TypeDecorator[str]):
    """A text column that makes what it is given make_storable, both when writing and when looking it up."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else make_storable(value)
