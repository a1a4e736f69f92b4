"""Chooses the language of a page: the one in the URL if there is one, else the one that the browser prefers.

`/de/search?q=trees` is `/search?q=trees` in German, and so are all pages linked from there: the choice is in
the URL alone, so that nothing has to be stored about a visitor. Programs, lists and other sites use URLs
without a language.
"""

from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from portico.serve.headers import is_for_programs
from portico.serve.languages import ENGLISH, get_current_language, get_language, use_language
from portico.serve.public_address import get_base_url, prefix_redirects, strip_prefix

# The builder's view is in English only, except for the sign-in page, which anybody may see.
_BUILDER, _SIGN_IN = "/builder", "/builder/sign-in"


@dataclass(frozen=True, slots=True)
class OtherLanguage:
    """The current page in one of the available languages."""

    code: str
    name: str
    path: str  # relative to the portal's base URL
    is_current: bool


@dataclass(frozen=True, slots=True)
class AskedPage:
    """What a page has to know about its own URL."""

    scope: Scope
    prefix: str  # such as "/de", if the URL names a language
    languages: Sequence[str]

    @property
    def address(self) -> str:
        """The requested path and query, without the language."""
        path = self.scope.get("raw_path", b"").decode("latin-1") or "/"
        asked = self.scope.get("query_string", b"").decode("latin-1")
        return f"{path}?{asked}" if asked else path

    @property
    def base_url(self) -> str:
        """The portal's base URL, including the language of this request."""
        return get_base_url(Request(self.scope)) + self.prefix

    def list_languages(self) -> list[OtherLanguage]:
        """This page in each of the available languages."""
        here, current = self.address, get_current_language().code
        return [
            OtherLanguage(code, get_language(code).name, f"/{code}{here}", code == current)
            for code in self.languages
        ]

    def list_alternates(self) -> list[tuple[str, str]]:
        """The full URLs of the page by language, for search engines, with a default for speakers of other
        languages.
        """
        base = get_base_url(Request(self.scope))
        others = [(other.code, base + other.path) for other in self.list_languages()]
        return [*others, ("x-default", base + self.address)] if others else []


_NOWHERE = AskedPage({"type": "http", "headers": []}, "", ())
_asked: ContextVar[AskedPage] = ContextVar("asked_page", default=_NOWHERE)


def get_asked_page() -> AskedPage:
    """The page of the current request."""
    return _asked.get()


def choose_language(accepted: str, offered: Sequence[str], otherwise: str) -> str:
    """The best of the offered languages according to an Accept-Language header (RFC 9110, 12.5.4)."""
    weights: dict[str, float] = {}
    for part in accepted.split(","):
        tag, _, weight = part.partition(";")
        code = tag.strip().lower().partition("-")[0]
        weights[code] = max(weights.get(code, 0.0), _read_weight(weight))
    best = max(offered, key=lambda code: (weights.get(code, 0.0), code == otherwise), default=otherwise)
    return best if weights.get(best, 0.0) > weights.get("*", 0.0) else otherwise


def _read_weight(text: str) -> float:
    name, _, number = text.strip().partition("=")
    try:
        return min(1.0, float(number)) if name.strip() == "q" else 1.0
    except ValueError:
        return 0.0


def list_choices(otherwise: str, offered: Sequence[str]) -> tuple[str, ...]:
    """The languages that URLs can name; empty if there is only one."""
    everything = tuple(dict.fromkeys([*offered] if otherwise in offered else [otherwise, *offered]))
    return everything if len(everything) > 1 else ()


class Languages:
    """Middleware that removes the language from the path and sets it for the request.

    Data endpoints use the portal's own language unless the URL names another, because programs should get the
    same data wherever they run.
    """

    def __init__(self, app: ASGIApp, offered: Sequence[str], otherwise: str) -> None:
        self.app, self._otherwise = app, otherwise
        self._offered = list_choices(otherwise, offered)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        prefix = self._find_prefix(scope["path"])
        if prefix:
            scope = strip_prefix(scope, prefix)
            send = prefix_redirects(send, prefix)
        path = scope["path"]
        is_chosen_by_browser = bool(self._offered) and not prefix and not is_for_programs(path)
        language = prefix[1:] or self._otherwise
        if is_chosen_by_browser:
            accepted = next((value for name, value in scope["headers"] if name == b"accept-language"), b"")
            if accepted:
                language = choose_language(accepted.decode("latin-1"), self._offered, self._otherwise)
        is_builders = path.startswith(_BUILDER) and path != _SIGN_IN
        use_language(ENGLISH if is_builders else language)
        _asked.set(AskedPage(scope, prefix, () if is_builders else self._offered))

        async def send_with_language(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers["Content-Language"] = get_current_language().code
                    if is_chosen_by_browser:
                        headers.add_vary_header("Accept-Language")
            await send(message)

        await self.app(scope, receive, send_with_language)

    def _find_prefix(self, path: str) -> str:
        """The language prefix of a path, such as "/de"; "" if it does not start with an available
        language.
        """
        code = path[1:3]
        return path[:3] if path[3:4] in ("", "/") and code in self._offered else ""
