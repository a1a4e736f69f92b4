"""The teaching server: reachable from this machine only, at a secret URL."""

from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from portico.errors import PorticoError
from portico.serve.headers import SAFE_HEADERS, SafeHeaders
from portico.serve.portal import About
from portico.serve.rendering import STATIC, Renderer, make_static_routes
from portico.serve.teach.classroom import Board, Classroom
from portico.serve.teach.marking import MarkingRoom
from portico.serve.teach.trying import TryingRoom
from portico.serve.teach.views import TeachingRoom

# The host names a browser on this machine may use for us. A site that makes its own name resolve to this
# machine (DNS rebinding) would send that name.
_OUR_NAMES = ("127.0.0.1", "localhost")

_LOST = "Open the address that `portico teach` printed: it has a part that only you know."
_BROKEN = "The page could not be made. The error is in the terminal; what you taught is kept."


def create_teaching_app(room: Classroom, *, title: str, secret: str) -> Starlette:
    """Build the ASGI application that serves the pages of a lesson below `/secret/`, and nothing else."""
    renderer = Renderer(About(title))
    renderer.offer(
        teach_style_url=STATIC["teach.css"].url,
        watch_url=STATIC["watch.js"].url,
        select_url=STATIC["select.js"].url,
        has_fields=bool(room.fields.labels),
    )
    root = f"/{secret}"
    board = Board(renderer, root)
    rooms = (TeachingRoom(room, board), TryingRoom(room, board), MarkingRoom(room, board))

    def refuse(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        said = error.detail if isinstance(error, HTTPException) else ""
        words = _LOST if said in ("", HTTPStatus(status).phrase) else said
        inside = root if request.url.path.startswith(f"{root}/") else ""
        return renderer.page("teach_message.html", status=status, words=words, root=inside)

    def explain(request: Request, error: Exception) -> Response:
        """An error page for what the builder has to fix: an unreachable proxy, a full disk, a missing
        program.
        """
        return renderer.page("teach_message.html", status=500, words=f"{error}.", root=root)

    def fail(request: Request, error: Exception) -> Response:
        # Starlette handles errors outside of all middleware, so the headers are set here.
        return PlainTextResponse(_BROKEN, status_code=500, headers=dict(SAFE_HEADERS))

    app = Starlette(
        routes=[*make_static_routes(), *(route for each in rooms for route in each.routes())],
        middleware=[
            Middleware(SafeHeaders),
            Middleware(TrustedHostMiddleware, allowed_hosts=list(_OUR_NAMES), www_redirect=False),
            Middleware(OwnPagesOnly),
        ],
        exception_handlers={HTTPException: refuse, PorticoError: explain, Exception: fail},
    )
    app.router.redirect_slashes = False
    return app


class OwnPagesOnly:
    """Middleware that refuses requests from pages of other sites. Browsers send where a request comes
    from, and pages cannot fake it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked_for = dict(scope.get("headers", ())).get(b"sec-fetch-site", b"none")
        if scope["type"] == "http" and asked_for not in (b"none", b"same-origin"):
            answer = PlainTextResponse("Another site asked for this page.", status_code=403)
            await answer(scope, receive, send)
            return
        await self.app(scope, receive, send)
