"""What every response says to the browser: nothing from elsewhere, no inline scripts, no guessed types."""

from collections.abc import Mapping
from types import MappingProxyType

from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; "
    "form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)

# A copy of a file from outside that is only ever saved: were it opened, it would run nothing and
# belong to no origin.
COPY_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'"

# PDF opens in the browser's own viewer, which Chromium and Safari refuse to start under `sandbox`,
# and which `default-src` leaves blank. It runs apart from our pages; type and nosniff keep it PDF.
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
    """Adds the headers to every response that does not set them itself."""

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
