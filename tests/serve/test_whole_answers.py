"""An answer leaves in one piece, and nothing of it is lost when the connection is closed."""

import asyncio
import socket

from portico.serve.whole_answers import Gathered


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
