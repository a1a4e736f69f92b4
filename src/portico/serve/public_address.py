"""The public URL of a portal, which behind a proxy is not the one it listens on."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

INNER_LINK = re.compile(r'(?P<name>href|src|action)="(?P<address>/(?!/)[^"]*)"')
"""A link of a page to another of the same portal; pages write all of them with double quotes."""

_BASE = "portico.base"


@dataclass(frozen=True, slots=True)
class BaseUrl:
    """`https://library.example/papers`, in its parts."""

    scheme: str
    host: str  # with its port
    prefix: str  # "/papers", or nothing

    @classmethod
    def parse(cls, address: str) -> "BaseUrl":
        parts = urlsplit(address)
        return cls(parts.scheme, parts.netloc, parts.path.rstrip("/"))

    def __str__(self) -> str:
        return f"{self.scheme}://{self.host}{self.prefix}"


def add_prefix(html: str, prefix: str) -> str:
    """The page with its links to other pages of the portal below the prefix: what INNER_LINK finds, in a
    twentieth of the time."""
    if not prefix:
        return html
    for name in ("href", "src", "action"):
        html = html.replace(f'{name}="/', f'{name}="{prefix}/')
    return html.replace(f'="{prefix}//', '="//')  # of other hosts


def get_base_url(request: Request) -> str:
    """Where the portal is for visitors, without a slash behind: as configured, or as it was asked for."""
    return str(request.scope.get(_BASE) or request.base_url).rstrip("/")


class PublicAddress:
    """Serves a portal below a configured address, whether or not the proxy in front takes the prefix off."""

    def __init__(self, app: ASGIApp, base: BaseUrl) -> None:
        self.app, self._base = app, base
        self._host = base.host.lower().encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        inner = {**strip_prefix(scope, self._base.prefix), _BASE: str(self._base)}
        # Only those who come by the public address have its scheme: a builder on the machine itself signs in
        # without TLS, and a cookie for TLS alone would never come back.
        if any(name == b"host" and value.lower() == self._host for name, value in scope["headers"]):
            inner["scheme"] = self._base.scheme
        await self.app(inner, receive, prefix_redirects(send, self._base.prefix))


def strip_prefix(scope: Scope, prefix: str) -> Scope:
    """The request as it would be without the prefix before its path, if there is one."""
    return {
        **scope,
        "path": _strip(scope["path"], prefix),
        "raw_path": _strip(scope.get("raw_path", b"").decode("latin-1"), prefix).encode("latin-1"),
    }


def _strip(path: str, prefix: str) -> str:
    if prefix and path == prefix:
        return "/"
    return path.removeprefix(prefix) if path.startswith(f"{prefix}/") else path


def prefix_redirects(send: Send, prefix: str) -> Send:
    """Redirects to pages of the portal lead below the prefix."""
    if not prefix:
        return send
    before = prefix.encode()

    async def send_redirect(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [
                (name, before + value if name.lower() == b"location" and _is_inner(value) else value)
                for name, value in message["headers"]
            ]
        await send(message)

    return send_redirect


def _is_inner(location: bytes) -> bool:
    return location.startswith(b"/") and not location.startswith(b"//")


class KnownHosts:
    """Refuses requests for names that are not the portal's own.

    A page of another site can have its own name lead to the portal's address; browsers then let it read a
    portal that only this machine or this network can reach. Numbers cannot be led astray.
    """

    def __init__(self, app: ASGIApp, names: Iterable[str]) -> None:
        self.app = app
        self._names = frozenset(name.lower().rstrip(".") for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            asked = Headers(scope=scope).get("host", "")
            name = read_host_name(asked)
            if asked and not self._is_known(name):
                await self._refuse(name)(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _is_known(self, name: str) -> bool:
        return name in self._names or name == "localhost" or name.endswith(".localhost") or _is_number(name)

    def _refuse(self, name: str) -> PlainTextResponse:
        shown = name if re.fullmatch(r"[a-z0-9._-]{1,100}", name) else "that was asked for"
        return PlainTextResponse(
            f"This portal does not answer to the name {shown}. If it is yours, its builder adds the name "
            "under [serve] hosts in portal.toml, or sets base_url.\n",
            status_code=421,
        )


def read_host_name(host: str) -> str:
    """The name or number of a Host header, without its port and brackets."""
    found = re.fullmatch(r"(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?", host.strip().lower())
    return (found[1] or found[2] or "").rstrip(".") if found else ""


def _is_number(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
