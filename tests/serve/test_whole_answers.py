"""An answer leaves in one piece, nothing of it is lost, and nobody holds a connection by half a request."""

import asyncio
import socket
from pathlib import Path

import pytest

from portico.serve import whole_answers
from portico.serve.whole_answers import Gathered
from tests.serve.conftest import Site, serving_folder


class _Sent(asyncio.Transport):
    """What would go to the network, one item for each time it is asked to send."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 1)})
        self.sent: list[bytes] = []
        self.closed = False

    def writelines(self, list_of_data: list[bytes]) -> None:  # type: ignore[override]
        self.sent.append(b"".join(list_of_data))

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed


def test_what_is_written_in_one_turn_is_sent_at_once() -> None:
    async def answer() -> list[bytes]:
        network = _Sent()
        gathered = Gathered(network, asyncio.get_running_loop())
        gathered.write(b"head ")
        gathered.write(b"body")
        assert network.sent == []
        await asyncio.sleep(0)
        gathered.write(b"next")
        await asyncio.sleep(0)
        return network.sent

    assert asyncio.run(answer()) == [b"head body", b"next"]


def test_closing_sends_what_waits_and_nothing_is_sent_afterwards() -> None:
    async def answer() -> list[bytes]:
        network = _Sent()
        gathered = Gathered(network, asyncio.get_running_loop())
        gathered.write(b"last words")
        gathered.close()
        assert network.closed
        gathered.write(b"too late")
        await asyncio.sleep(0)
        assert gathered.get_extra_info("peername") == ("127.0.0.1", 1)
        return network.sent

    assert asyncio.run(answer()) == [b"last words"]


def test_a_real_connection_gets_everything_in_order() -> None:
    here, there = socket.socketpair()

    async def answer() -> None:
        transport, _ = await asyncio.get_running_loop().create_connection(asyncio.Protocol, sock=here)
        gathered = Gathered(transport, asyncio.get_running_loop())
        for part in (b"a" * 10, b"b" * 100_000):
            gathered.write(part)
        gathered.close()
        await asyncio.to_thread(read)

    received: list[bytes] = []

    def read() -> None:
        while part := there.recv(65536):
            received.append(part)

    with there:
        asyncio.run(answer())
    assert b"".join(received) == b"a" * 10 + b"b" * 100_000


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
    monkeypatch.setattr(whole_answers, "REQUEST_S", 0.1)
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
