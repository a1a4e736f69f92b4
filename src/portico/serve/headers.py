"""Security headers of every response: no content from other origins, no inline scripts, no type sniffing."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; "
    "font-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)

# For copies of outside files that are only to be saved: if one is opened anyway, it runs nothing and
# has no origin.
COPY_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'"

# PDF opens in the browser's own viewer, which Chromium and Safari refuse to start under `sandbox`,
# and which `default-src` leaves blank. The viewer is isolated from our pages; type and nosniff make sure
# that it is PDF.
PDF_POLICY = "frame-ancestors 'none'"

SAFE_HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "Content-Security-Policy": CONTENT_POLICY,
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=(), interest-cohort=()",
        "Cache-Control": "no-cache",
    }
)


_ENCODED = tuple((name.lower().encode(), value.encode()) for name, value in SAFE_HEADERS.items())


class SafeHeaders:
    """Middleware that adds the security headers to every response that does not set them itself."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                said = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *(header for header in _ENCODED if header[0] not in said),
                ]
            await send(message)

        await self.app(scope, receive, send_with_headers)


# Data endpoints, which contain only what public pages show. Forms and the builder's view are not among them.
_FOR_PROGRAMS = ("/api", "/oai", "/feed", "/cite.", "/download/", "/sitemap.xml", "/list.")
_PAPER_FILES = (".bib", ".ris", ".json", ".vcf")
_READING = "GET, HEAD, OPTIONS"
_A_DAY_S = "86400"


class OtherSites:
    """CORS middleware: lets pages of the sites listed in `[serve] cors` read the data endpoints.

    Without it, browsers deny such pages access, which is right for a portal that only this machine or network
    can reach. Cookies are never allowed, so that no other site can read as the builder.
    """

    def __init__(self, app: ASGIApp, allowed: Iterable[str]) -> None:
        self.app = app
        self._allowed = frozenset(each.rstrip("/").lower() for each in allowed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        origin = Headers(scope=scope).get("origin", "") if scope["type"] == "http" else ""
        if not origin or not is_for_programs(scope["path"]):
            await self.app(scope, receive, send)
            return
        everybody = "*" in self._allowed
        said = {} if everybody else {"Vary": "Origin"}
        if everybody or origin.lower() in self._allowed:
            said |= {
                "Access-Control-Allow-Origin": "*" if everybody else origin,
                "Cross-Origin-Resource-Policy": "cross-origin",
            }
        if scope["method"] == "OPTIONS":
            asked = {"Access-Control-Allow-Methods": _READING, "Access-Control-Max-Age": _A_DAY_S}
            await Response(status_code=204, headers=said | asked)(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(said)
            await send(message)

        await self.app(scope, receive, send_with_headers)


def is_for_programs(path: str) -> bool:
    """Whether this path leads to data rather than to a page."""
    return path.startswith(_FOR_PROGRAMS) or (path.startswith("/paper/") and path.endswith(_PAPER_FILES))
