"""Reads submitted forms: limited in size, from our own pages only, and rate-limited per visitor."""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from portico.serve.escaping import strip_hidden
from portico.serve.languages import translate, translate_count
from portico.store.contributions.visitors import RateEvents

Form = Mapping[str, str]
Handler = Callable[[Request, Form], Response]

# Maximum bytes of a form: twice the longest abstract with everything else in the form.
_MOST_BYTES = 100_000
_MOST_FIELDS = 100


@dataclass(frozen=True, slots=True)
class Throttle:
    """A rate limit per visitor. Counts are in the store, so the limit holds for all processes that serve
    the portal together.
    """

    events: RateEvents
    kind: str
    most: int
    within_s: float
    clock: Callable[[], float]

    def wait_s(self, visitor: str) -> float:
        """Seconds until this visitor may try again; 0 if they may now."""
        now = self.clock()
        times = self.events.times(self.kind, visitor, since=now - self.within_s, until=now)
        return times[-self.most] + self.within_s - now if len(times) >= self.most else 0.0

    def count(self, visitor: str) -> None:
        """Count one more event for this visitor."""
        now = self.clock()
        self.events.add(self.kind, visitor, at=now, since=now - self.within_s)

    def forgive(self, visitor: str) -> None:
        """Reset this visitor's count."""
        self.events.forget(self.kind, visitor)


class MistakenForm(Exception):
    """What was typed cannot be stored; the message is meant for the person who typed it."""


def post(path: str, handler: Handler) -> Route:
    """A POST route for a form on one of our own pages; the handler runs in a thread."""

    async def endpoint(request: Request) -> Response:
        check_origin(request)
        return await run_in_threadpool(handler, request, dict(await read_form(request)))

    received: Callable[[Request], Coroutine[Any, Any, Response]] = endpoint
    return Route(path, received, methods=["POST"])


async def read_form(request: Request) -> list[tuple[str, str]]:
    """The names and values of a form. The size of the body and the number of fields are limited."""
    try:
        text = (await _read_body(request)).decode("ascii")
        return parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="replace")
    except ValueError as error:
        raise HTTPException(400, "The form could not be read.") from error


def identify_visitor(request: Request) -> str:
    """The key that identifies a visitor for rate limits: the IP address of the connection.

    Whoever has one IPv6 address has at least 2^64 of them, so for IPv6 the /64 network is the key.
    """
    host = request.client.host if request.client else ""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or IPv6Network((address, 64), strict=False))
    return str(address)


def hold_back(throttle: Throttle, visitor: str, words: str) -> None:
    """Respond with 429 and a time to retry if this visitor has reached the limit."""
    wait_s = throttle.wait_s(visitor)
    if wait_s > 0:
        minutes = round(wait_s / 60) or 1
        again = translate_count(
            "Please try again in {n} minute.", "Please try again in {n} minutes.", minutes
        )
        raise HTTPException(429, f"{translate(words)} {again}", headers={"Retry-After": str(int(wait_s) + 1)})


def clean_line(text: str, most: int) -> str:
    """The content of a text field as one line of limited length."""
    return " ".join(_keep_shown(text).split())[:most].strip()


def clean_lines(text: str, most: int) -> str:
    """The content of a text box, each line trimmed, of limited length in all."""
    kept = (" ".join(line.split()) for line in _keep_shown(text).replace("\r", "\n").split("\n"))
    return "\n".join(line for line in kept if line)[:most].strip()


def _keep_shown(text: str) -> str:
    """The text without characters that would change how other text is shown or that cannot be stored."""
    return str(strip_hidden(text))


async def _read_body(request: Request) -> bytes:
    body = b""
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > _MOST_BYTES:
                raise HTTPException(413, "This is too long for the form.")
    except ClientDisconnect as gone:  # nobody is left to respond to; nothing was changed
        raise HTTPException(400, "The form arrived incomplete.") from gone
    return body


def check_origin(request: Request) -> None:
    """Refuse forms from other sites. Browsers send the origin of a form, and pages cannot fake it."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        ours = site in ("same-origin", "none")
    else:
        ours = origin is None or urlsplit(origin).netloc == request.headers.get("host")
    if not ours:
        raise HTTPException(403, "This form came from another site, so nothing was changed.")
