"""Pages that say the same as others but for numbers: a visit counter, the time of day, how deep a maze is."""

from hashlib import blake2b

from portico.types.page import Url

REMEMBERED_PAGES = 10_000
"""Copies without end come soon after each other; the memory of a crawl is not to grow with it."""

_DIGITS = b"0123456789"


class Copies:
    """Remembers what the last pages said; what they said themselves is not kept."""

    def __init__(self, remembered: int = REMEMBERED_PAGES) -> None:
        self._remembered = remembered
        self._first: dict[bytes, Url] = {}  # the address that first said it, the oldest at the beginning

    def is_copy(self, url: Url, body: bytes) -> bool:
        """Whether another address has said the same."""
        digest = blake2b(body.translate(None, _DIGITS), digest_size=16).digest()
        first = self._first.setdefault(digest, url)
        if len(self._first) > self._remembered:
            del self._first[next(iter(self._first))]
        return first != url
