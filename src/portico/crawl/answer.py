"""What a host answered to one request, and who can be asked for such an answer."""

from dataclasses import dataclass
from typing import Protocol

from portico.types.freshness import Revisit
from portico.types.page import Url


@dataclass(frozen=True, slots=True)
class Answer:
    """What a host answered to one request; redirects are not followed here."""

    url: Url
    status: int
    declared_type: str = ""  # the Content-Type header
    media_type: str = ""  # what it really is
    body: bytes | None = None  # None where it is of no use to us: another status, a picture
    location: str | None = None  # where a redirect points, as it was written
    retry_after: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    robots_tag: str = ""


class Fetch(Protocol):
    """Asks the web; the one that really does is in `fetch.py`."""

    async def get(self, url: Url, *, max_bytes: int | None = None, known: Revisit | None = None) -> Answer:
        """One request; FetchError says in plain words why no answer came. `max_bytes` cuts any body.

        A page that is `known` is only wanted if it has changed since: otherwise the status is 304.
        """
