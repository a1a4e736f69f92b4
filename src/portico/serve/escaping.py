"""Escapes text from outside for HTML and XML, so that nothing in it runs, hides, or reverses other text."""

import re
import unicodedata
from datetime import UTC, datetime
from xml.sax.saxutils import escape, quoteattr

from markupsafe import Markup

# Control characters, embeddings, overrides and isolates (left open, they turn the rest of a line around),
# and lone surrogates, which cannot be sent.
_HIDDEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]").search


def strip_hidden(value: object) -> object:
    """The text without characters that change how other text is shown or that cannot be sent."""
    if type(value) is not str and (isinstance(value, Markup) or not isinstance(value, str)):
        return value
    if value.isascii() and value.isprintable():
        return value
    return value.translate(_SHOWN) if _HIDDEN(value) else value


def escape_html(text: str) -> str:
    """The text escaped for HTML exactly as Jinja does it, for functions that write markup themselves.

    This is called hundreds of times per page, and checking for a character is faster than replacing one that
    is not there.
    """
    if not (text.isascii() and text.isprintable()):
        text = str(strip_hidden(text))
    if "&" in text:
        text = text.replace("&", "&amp;")
    if "<" in text:
        text = text.replace("<", "&lt;")
    if ">" in text:
        text = text.replace(">", "&gt;")
    if "'" in text:
        text = text.replace("'", "&#39;")
    if '"' in text:
        text = text.replace('"', "&#34;")
    return text


class _Shown(dict[int, str]):
    """A translation table: control characters become spaces; direction overrides are removed, lone
    surrogates replaced.
    """

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if character in "\n\t":
            shown = character
        elif category == "Cc":
            shown = " "
        elif category == "Cs":
            shown = "\ufffd"
        else:
            shown = "" if unicodedata.bidirectional(character) in _OVERRIDES else character
        self[code] = shown
        return shown


_OVERRIDES = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
_SHOWN = _Shown()


def escape_xml(text: str) -> str:
    return escape(_keep_xml_characters(text))


def quote_attribute(text: str) -> str:
    """The text as an XML attribute value, including the quotation marks."""
    return quoteattr(_keep_xml_characters(text))


def format_moment(seconds: float) -> str:
    """A time in the format of XML (ISO 8601, UTC)."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _keep_xml_characters(text: str) -> str:
    return str(strip_hidden(text)).translate({0xFFFE: None, 0xFFFF: None})


# What spreadsheets would interpret as a formula; phone numbers may begin with a plus.
_FORMULA = re.compile(r"[=@\t\r]|[+-](?![\d\s()./-]*$)")


def make_cell(value: str) -> str:
    """A value as a table cell for spreadsheets: on one line, and never a formula."""
    plain = " ".join(str(strip_hidden(value)).split())
    return f"'{plain}" if _FORMULA.match(plain) else plain
