"""Nobody holds a connection by half a request, and an answer does not wait for its second half."""

import asyncio
import random
import resource
import select
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from starlette.requests import ClientDisconnect
from starlette.types import Message

from portico.serve import running
from portico.serve.papers.files import Download
from portico.store.opening import open_store
from portico.types.document import DocumentId
from portico.types.record import EntityId
from tests.graphs import write_graph
from tests.serve.conftest import PATIENCE_S, Site, serving_folder
from tests.serve.made import STORE_URL, make_portal


def test_a_megabyte_of_query_is_searched_as_far_as_it_goes(site: Site) -> None:
    answer = site.ask("/search?q=" + "trees+" * 170_000)
    assert answer.status == 200
    assert "its first 2,000 characters were searched" in answer.text
    assert len(answer.body) < 300_000, "what was typed stands in every link"


@pytest.mark.parametrize(
    "begun", [b"", b"GET / HTTP/1.1\r\nHost: x", b"POST /search HTTP/1.1\r\nContent-Length: 9\r\n\r\n"]
)
def test_half_a_request_is_given_up(
    portal_folder: Path, monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    monkeypatch.setattr(running, "REQUEST_S", 0.1)
    with serving_folder(portal_folder) as site, socket.create_connection(("127.0.0.1", site.port)) as visitor:
        visitor.settimeout(30)
        visitor.sendall(begun)
        while visitor.recv(65_536):
            pass  # closed by the portal, after whatever it said


def test_a_request_without_end_is_refused(site: Site) -> None:
    endless = b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + b"x" * 100_000_000
    with socket.create_connection(("127.0.0.1", site.port)) as visitor:
        visitor.settimeout(30)
        with pytest.raises(ConnectionError):
            visitor.sendall(endless)


N_VISITORS, N_BODY_BYTES = 16, 24_000_000


def test_slow_readers_take_no_memory_and_are_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They ask for a large copy each and read nothing: held were all of it for all of them."""
    monkeypatch.setattr(running, "STALLED_S", 1.0)
    make_portal(tmp_path)
    body = b"%PDF-1.4 " + random.Random(1).randbytes(N_BODY_BYTES)
    put_document(tmp_path, body)
    with serving_folder(tmp_path) as site, ExitStack() as opened:
        assert site.ask("/paper/forest/file/1").body == body
        before, n_sockets = read_memory(), count_sockets()
        visitors = [
            opened.enter_context(socket.create_connection(("127.0.0.1", site.port)))
            for _ in range(N_VISITORS)
        ]
        for visitor in visitors:
            visitor.settimeout(PATIENCE_S)
            visitor.sendall(b"GET /paper/forest/file/1 HTTP/1.1\r\nHost: x\r\n\r\n")
        select.select(visitors[:1], [], [], PATIENCE_S)  # it is being answered
        most, until = 0, time.monotonic() + PATIENCE_S
        while (
            count_sockets() - n_sockets > N_VISITORS and time.monotonic() < until
        ):  # none is left but theirs
            most = max(most, read_memory())
            time.sleep(0.05)
        assert most - before < 4 * N_BODY_BYTES  # was 16 times the body
        read = sum(len(piece) for piece in iter(partial(receive, visitors[0]), b""))
        assert read < N_BODY_BYTES, "it is cut off, whatever was still to come"
        assert site.ask("/healthz").status == 200


def receive(visitor: socket.socket) -> bytes:
    try:
        return visitor.recv(1 << 20)
    except ConnectionError:
        return b""


def count_sockets() -> int:
    """Of this process, which holds both ends of every connection."""
    found = 0
    for file in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # closed meanwhile
            found += str(file.readlink()).startswith("socket:")
    return found


def read_memory() -> int:
    """Bytes of memory that this process takes, the portal with it."""
    words = Path("/proc/self/statm").read_text().split()
    return int(words[1]) * resource.getpagesize()


def put_document(folder: Path, body: bytes) -> None:
    """Let the forest's document be this body, by writing it under the other's name."""
    store = open_store(STORE_URL, folder, create=True)
    name = store.blobs.put(body)
    forest = store.catalog.entities.get(EntityId("forest"))
    assert forest is not None
    write_graph(store, [replace(forest, documents=(DocumentId(name),))], ())
    store.close()


@pytest.mark.parametrize("fault", [asyncio.CancelledError, OSError], ids=["is cut off", "goes away"])
def test_a_download_ends_with_its_visitor(fault: type[BaseException]) -> None:
    """At once, not when garbage is collected: places for downloads and open files are few."""
    ended: list[str] = []

    def make_pieces() -> Iterator[bytes]:
        try:
            while True:
                yield b"x" * 1_000
        finally:
            ended.append("closed")

    async def send(message: Message) -> None:
        if message["type"] == "http.response.body":
            raise fault

    async def receive() -> Message:
        await asyncio.sleep(60)
        raise AssertionError("nobody waits so long")

    download = Download(make_pieces(), media_type="a/b", headers={}, release=lambda: ended.append("released"))
    kept = [download]  # as a reference cycle would
    with suppress(fault, ClientDisconnect):
        asyncio.run(download({"type": "http", "asgi": {"spec_version": "2.4"}}, receive, send))
    assert kept
    assert ended == ["closed", "released"]
