"""A portal served for real: uvicorn in a thread, on a port of its own."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPConnection
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser
from starlette.applications import Starlette

from portico.serve.app import create_app
from portico.serve.portal import About
from portico.serve.running import configure
from portico.store.opening import open_store
from tests.serve.browsing import chromium
from tests.serve.made import STORE_URL, make_portal

PATIENCE_S = 60  # on a machine that is busy otherwise


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: Message
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass(frozen=True, slots=True)
class Site:
    """A running portal."""

    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self,
        path: str,
        *,
        method: str = "GET",
        headers: dict[str, str] | None = None,
        body: str | None = None,
    ) -> Answer:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            connection.request(method, path, body or None, headers or {})
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            connection.close()


def find_free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@contextmanager
def serving(app: Starlette) -> Iterator[Site]:
    """The app on a free port of this machine, until the block ends."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(configure(app))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield Site(listening.getsockname()[1])  # connections wait in the socket until it answers
    finally:
        server.should_exit = True
        thread.join(PATIENCE_S)
        listening.close()


@contextmanager
def serving_folder(folder: Path, clock: Callable[[], float] | None = None) -> Iterator[Site]:
    """The portal in that folder, as `portico serve` would open it."""
    store = open_store(STORE_URL, folder, read_only=True)
    app = create_app(
        store,
        index_folder=folder / "index",
        about=About("Trees & Words", "A portal for tests.", "builder@example.org"),
        clock=clock or time.monotonic,
    )
    with serving(app) as site:
        yield site
    store.close()


@pytest.fixture(scope="module")  # not of the session: while it runs nothing else can have an event loop
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def portal_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("portal")
    make_portal(folder)
    return folder


@pytest.fixture(scope="session")
def site(portal_folder: Path) -> Iterator[Site]:
    with serving_folder(portal_folder) as site:
        yield site
