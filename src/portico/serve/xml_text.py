"""Text from outside as XML can say it."""

from datetime import UTC, datetime
from xml.sax.saxutils import escape, quoteattr

from portico.serve.escaping import visible


def words(text: str) -> str:
    return escape(_shown(text))


def quoted(text: str) -> str:
    """The same as the value of an attribute, quotation marks included."""
    return quoteattr(_shown(text))


def moment(seconds: float) -> str:
    """A time as XML writes it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _shown(text: str) -> str:
    return str(visible(text)).translate({0xFFFE: None, 0xFFFF: None})
