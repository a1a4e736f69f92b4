"""Recognizes the headings that divide a document into zones."""

import re
from functools import lru_cache

_LEAD = re.compile(r"^[\W_]*(?:(?:section|chapter)\s+)?(?:\d{1,2}(?:\.\d{1,2})*|[IVX]{1,5}|[A-Z])?[\s.:)]*")
_SQUEEZE = re.compile(r"[^\w]+")
# A heading is a short line. "References" with a number and a running comment stays well below.
HEADING_CHARACTERS = 60


def is_heading(text: str, pattern: str) -> bool:
    """Whether a line is a heading that matches, ignoring its number, case and letter spacing."""
    if len(text) > HEADING_CHARACTERS:
        return False
    return any(map(compiled(pattern).fullmatch, _squeezed(text)))


@lru_cache(maxsize=64)
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a regular expression, cached."""
    return re.compile(pattern)


@lru_cache(maxsize=4096)  # the same lines are matched against the patterns of several headings
def _squeezed(text: str) -> tuple[str, ...]:
    """Return the letters of a line as a heading could have them, with and without its number."""
    stripped = text.strip()
    whole = _SQUEEZE.sub("", stripped).lower()
    lead = _LEAD.match(stripped)
    bare = _SQUEEZE.sub("", stripped[lead.end() :]).lower() if lead and lead.end() else whole
    # "1 . 1 I N T R O" has spaces within its number, too.
    return tuple(dict.fromkeys((whole, bare, whole.lstrip("0123456789"))))


def has_heading(text: str, pattern: str) -> bool:
    """Whether the first or last word of a line is the heading and begins with a capital."""
    words = text.split()
    matches = compiled(pattern).fullmatch
    return any(
        word[:1].isupper() and matches(_SQUEEZE.sub("", word).lower()) is not None
        for word in (words[:1] + words[-1:])
    )
