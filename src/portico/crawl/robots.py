"""robots.txt according to RFC 9309."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from protego import Protego

from portico.crawl.fetching.fetcher import HostAnswer
from portico.errors import FetchError
from portico.text.urls import canonical, get_host
from portico.types.frontier import HostNote
from portico.types.page import Url

PRODUCT = "portico"
"""Our name in robots.txt files."""

MAX_AGE_S = 24 * 3600.0  # RFC 9309, section 2.4
MAX_BYTES = 500 * 1024  # RFC 9309, section 2.5
MAX_REDIRECTS = 5  # RFC 9309, section 2.3.1.2

DISALLOWED = "its robots.txt asks not to fetch it"

Get = Callable[[Url], Awaitable[HostAnswer]]


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """The rules of one host's robots.txt for us; `parsed` None is a host without rules."""

    expires_at: float
    parsed: Protego | None = None

    def allows(self, url: Url) -> bool:
        return self.parsed is None or bool(self.parsed.can_fetch(url, PRODUCT))

    @property
    def delay_s(self) -> float:
        """Crawl-delay in seconds, 0 if there is none."""
        return float(self.parsed.crawl_delay(PRODUCT) or 0.0) if self.parsed is not None else 0.0


def find_authority(url: Url) -> str:
    """The scheme, host and port whose rules apply to a URL (RFC 9309, 2.3); http is omitted."""
    return _HTTPS + get_host(url) if url.startswith(_HTTPS) else get_host(url)


def list_authorities(host: str) -> tuple[str, str]:
    """All authorities whose rules may apply on one host."""
    return host, _HTTPS + host


def find_product_name(user_agent: str) -> str:
    """The name by which robots.txt may address this user agent (RFC 9309, section 2.2.1)."""
    found = _TOKEN.match(user_agent)
    return found[0].lower() if found else PRODUCT


def recall_rules(note: HostNote, now: float, name: str = PRODUCT) -> RobotsRules | None:
    """The rules stored for a host, None if there are none or they are too old.

    They must have been fetched for `name`, or for all users of this software.
    """
    if note.robots_status is None or note.robots_at is None or now >= note.robots_at + MAX_AGE_S:
        return None
    text = _addressed(note.robots, name) if note.robots else ""
    return RobotsRules(note.robots_at + MAX_AGE_S, Protego.parse(text) if text else None)


async def fetch_rules(get: Get, like: Url, note: HostNote, now: float) -> HostNote:
    """Fetch the robots.txt that applies to the URL `like`; FetchError while nothing may be fetched.

    A host that answers "not found" has no rules; one that fails or cannot be reached allows nothing until it
    answers (sections 2.3.1.3 and 2.3.1.4).
    """
    answer = await _answer(get, like)
    if answer is None or (400 <= answer.status < 500 and answer.status != 429):
        return replace(note, robots=None, robots_status=404, robots_at=now)
    if not 200 <= answer.status < 300:
        raise FetchError(f"its robots.txt answers with an error ({answer.status})", retryable=True)
    text = (answer.body or b"")[:MAX_BYTES].decode("utf-8-sig", "replace")
    return replace(note, robots=text, robots_status=answer.status, robots_at=now)


async def _answer(get: Get, like: Url) -> HostAnswer | None:
    """The response for robots.txt after redirects, None if they never end, which counts as no file."""
    url = canonical("/robots.txt", like)
    for _ in range(MAX_REDIRECTS + 1):
        if url is None:
            return None
        answer = await get(url)
        if answer.location is None:
            return answer
        url = canonical(answer.location, url)
    return None


_HTTPS = "https://"
_TOKEN = re.compile(r"[a-z_-]+", re.IGNORECASE)
_ADDRESSEE = re.compile(r"^([ \t]*user[- ]?agent[ \t]*[: \t][ \t]*)([^\r\n]*)", re.IGNORECASE | re.MULTILINE)
_NOBODY = "-"


def _addressed(text: str, name: str) -> str:
    """The file with each group addressed to us, to all, or to nobody.

    The standard compares whole product tokens and ignores what follows ("name/1.0"); the parser would take a
    group for "por" to be meant for "portico".
    """

    def addressee(line: re.Match[str]) -> str:
        token = _TOKEN.match(line[2])
        if token is not None and token[0].lower() in (name, PRODUCT):
            return line[1] + PRODUCT
        return line[1] + ("*" if _ALL.match(line[2]) else _NOBODY)

    return _ADDRESSEE.sub(addressee, text)


_ALL = re.compile(r"\*(?:\s|#|$)")
