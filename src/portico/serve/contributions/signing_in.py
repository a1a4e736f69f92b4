"""Signs the builder in with one password; every change to the portal requires the session and its token."""

import hashlib
import hmac
import json
import os
import secrets
import threading
from base64 import b64decode, b64encode
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from portico.errors import ConfigError
from portico.serve.contributions.forms import Form, Throttle, hold_back, identify_visitor, post
from portico.serve.contributions.writable_portal import WritablePortal
from portico.serve.languages import mark
from portico.serve.rendering import Renderer

BUILDER = "/builder"
SIGN_IN, SIGN_OUT = f"{BUILDER}/sign-in", f"{BUILDER}/sign-out"

_COOKIE = "portico_session"
_SESSIONS = "builder_sessions"  # key in `meta` of the active sessions
_SESSION_S = 12 * 3600.0
_MOST_SESSIONS = 20
LEAST_CHARACTERS = 8

# OWASP's parameters for scrypt with 16 MB: a few tenths of a second on one core.
_COST, _BLOCK, _PARALLEL = 2**14, 8, 5
_KIND = "scrypt"
# A person who mistypes needs a few attempts, a program that guesses needs millions.
_ATTEMPTS, _ATTEMPTS_WITHIN_S = 5, 15 * 60.0
# For all visitors together, so that a thousand IP addresses guess no faster. Active sessions stay valid.
_ATTEMPTS_OF_ALL = 50
_ALL = "everybody"


@dataclass(frozen=True, slots=True)
class Session:
    """A browser in which the builder is signed in. It ends on signing out, when the password changes, or
    after half a day.
    """

    token: str  # for forms: another site may cause the cookie to be sent, but cannot know this


class Guard:
    """Knows who is signed in. Sessions are in the store, so that several processes can serve one portal."""

    def __init__(self, writable: WritablePortal) -> None:
        self._writable = writable
        self._one_at_a_time = threading.Lock()  # so that guessing cannot take every core
        events = writable.store.contributions.rate_events
        self._attempts = Throttle(events, "signed in", _ATTEMPTS, _ATTEMPTS_WITHIN_S, writable.now)
        self._all_attempts = Throttle(
            events, "tried to sign in", _ATTEMPTS_OF_ALL, _ATTEMPTS_WITHIN_S, writable.now
        )

    @property
    def has_password(self) -> bool:
        return self._writable.password_hash() is not None

    def session(self, request: Request) -> Session | None:
        """The session of this browser; None if the builder is not signed in there."""
        secret = request.cookies.get(_COOKIE)
        if not secret or _digest(secret) not in self._living():
            return None
        return Session(_digest(f"form {secret}"))

    def require(self, request: Request, form: Form | None = None) -> Session:
        """The session. Redirects to the sign-in page if there is none, and refuses forms without the
        session's token.
        """
        found = self.session(request)
        if found is None:
            where = f"{SIGN_IN}?next={quote(request.url.path)}"
            raise HTTPException(303, "Sign in first.", headers={"Location": where})
        if form is not None and not hmac.compare_digest(form.get("token", "").encode(), found.token.encode()):
            raise HTTPException(
                403,
                "The form has expired or is not from this portal; nothing was changed. Load the page again.",
            )
        return found

    def attempt(self, request: Request, password: str) -> str | None:
        """The secret of a new session; None if the password is wrong. Responds with 429 after too many
        wrong passwords.
        """
        stored, visitor = self._writable.password_hash(), identify_visitor(request)
        hold_back(self._attempts, visitor, mark("Too many wrong passwords."))
        hold_back(self._all_attempts, _ALL, mark("Too many wrong passwords, from many addresses."))
        self._all_attempts.count(_ALL)
        self._attempts.count(visitor)  # before comparing, or simultaneous attempts would not be counted
        with self._one_at_a_time:
            if stored is None or not matches_password(password, stored):
                return None
            self._attempts.forgive(visitor)
            self._all_attempts.forgive(_ALL)
            secret = secrets.token_urlsafe(32)
            self._keep(self._living() | {_digest(secret): self._writable.now() + _SESSION_S})
            return secret

    def end(self, request: Request) -> None:
        living = self._living()
        living.pop(_digest(request.cookies.get(_COOKIE, "")), None)
        self._keep(living)

    def _living(self) -> dict[str, float]:
        """The digests of valid session secrets, with their expiry times. A new password invalidates all
        of them.
        """
        kept = json.loads(self._writable.store.meta.get(_SESSIONS) or "{}")
        if kept.get("password") != _digest(self._writable.password_hash() or ""):
            return {}
        now = self._writable.now()
        return {secret: until for secret, until in kept["until"].items() if until >= now}

    def _keep(self, living: dict[str, float]) -> None:
        latest = dict(sorted(living.items(), key=lambda one: one[1])[-_MOST_SESSIONS:])
        kept = {"password": _digest(self._writable.password_hash() or ""), "until": latest}
        self._writable.store.meta.set(_SESSIONS, json.dumps(kept))


def make_sign_in_routes(guard: Guard, renderer: Renderer) -> list[Route]:
    """The routes for signing in and out."""

    def show(request: Request) -> Response:
        if guard.session(request):
            return RedirectResponse(BUILDER, status_code=303)
        return _page(renderer, guard, request.query_params.get("next", ""))

    def sign_in(request: Request, form: Form) -> Response:
        secret = guard.attempt(request, form.get("password", ""))
        if secret is None:
            return _page(renderer, guard, form.get("next", ""), wrong=True)
        answer = RedirectResponse(_inside(form.get("next", "")), status_code=303)
        secure = request.url.scheme == "https"
        answer.set_cookie(_COOKIE, secret, httponly=True, samesite="strict", secure=secure, path="/")
        return answer

    def sign_out(request: Request, form: Form) -> Response:
        guard.require(request, form)
        guard.end(request)
        answer = RedirectResponse("/", status_code=303)
        answer.delete_cookie(_COOKIE, httponly=True, samesite="strict", path="/")
        return answer

    return [Route(SIGN_IN, show), post(SIGN_IN, sign_in), post(SIGN_OUT, sign_out)]


def _page(renderer: Renderer, guard: Guard, after: str, *, wrong: bool = False) -> Response:
    status = 403 if wrong else 200
    answer = renderer.page(
        "sign_in.html", status=status, has_password=guard.has_password, wrong=wrong, next=_inside(after)
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _inside(address: str) -> str:
    """Where to redirect after signing in: a builder's page or a paper's page, never another site."""
    inside = address.startswith((f"{BUILDER}/", "/paper/")) and "\\" not in address and "//" not in address
    return address if inside and address.isascii() and address.isprintable() else BUILDER


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def hash_password(password: str, *, cost: int = _COST) -> str:
    """The password's hash for storing, with the salt and cost needed to compare it. A higher cost makes
    guessing slower.
    """
    if len(password) < LEAST_CHARACTERS:
        raise ConfigError(f"the builder's password needs at least {LEAST_CHARACTERS} characters")
    salt = os.urandom(16)
    key = _key(password, salt, cost)
    return "$".join((_KIND, str(cost), b64encode(salt).decode(), b64encode(key).decode()))


def matches_password(password: str, stored: str) -> bool:
    """Whether this is the password. The comparison takes the same time either way. A malformed hash
    matches nothing.
    """
    kind, _, rest = stored.partition("$")
    cost, _, keys = rest.partition("$")
    salt, _, key = keys.partition("$")
    if kind != _KIND or not cost.isdecimal() or not key:
        return False
    return hmac.compare_digest(_key(password, b64decode(salt), int(cost)), b64decode(key))


def _key(password: str, salt: bytes, cost: int) -> bytes:
    secret = password.encode("utf-8", "surrogatepass")
    memory = 2 * 128 * cost * _BLOCK  # twice what scrypt needs, in bytes
    return hashlib.scrypt(secret, salt=salt, n=cost, r=_BLOCK, p=_PARALLEL, maxmem=max(memory, 2**20))
