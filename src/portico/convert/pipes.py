"""Talks to a child process over pipes, with a deadline on every read and write."""

import os
import selectors
import shutil
import struct
import subprocess
import time
import weakref
from collections.abc import Callable
from typing import BinaryIO

CHUNK = 1 << 16


class TooSlow(Exception):
    """The child did not answer in time."""


class TooMuch(Exception):
    """The child sent more than is allowed."""


class Pipes:
    """Our ends of a child's input and output."""

    def __init__(self, process: "subprocess.Popen[bytes]", folder: str = "") -> None:
        """`folder` belongs to the child, and is removed with it."""
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        # Also where nobody closes: at the end of this process.
        self._remove = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True) if folder else None
        self._input, self._output = process.stdin, process.stdout
        os.set_blocking(self._input.fileno(), False)
        os.set_blocking(self._output.fileno(), False)

    def exchange(
        self,
        payload: bytes,
        *,
        timeout_s: float,
        max_answer: int,
        is_whole: Callable[[bytearray], bool] | None = None,
    ) -> bytes:
        """Send the payload and return what comes back until `is_whole` is true, else until the child closes
        its output.

        A child that dies early returns a short answer, which the caller judges. Without `is_whole` our end is
        closed after the payload, for programs that read to the end.
        """
        deadline = time.monotonic() + timeout_s
        answer = bytearray()
        unsent = memoryview(payload)
        while is_whole is None or not is_whole(answer):
            readable, writable = self._wait(deadline, sending=len(unsent) > 0)
            if writable:
                unsent = self._send(unsent)
                if not unsent and is_whole is None:
                    self._input.close()
            if readable:
                chunk = os.read(self._output.fileno(), CHUNK)
                if not chunk:
                    break
                answer += chunk
                if len(answer) > max_answer:
                    raise TooMuch
        return bytes(answer)

    def ended_well(self, *, timeout_s: float) -> bool:
        """Whether the child, having closed its output, exited without an error."""
        try:
            return self._process.wait(timeout_s) == 0
        except subprocess.TimeoutExpired:
            return False

    def close(self) -> None:
        """Kill the child at once; everything it started ends with its namespace."""
        self._input.close()
        self._output.close()
        self._process.kill()
        self._process.wait()
        if self._remove is not None:
            self._remove()

    def _wait(self, deadline: float, *, sending: bool) -> tuple[bool, bool]:
        with selectors.DefaultSelector() as selector:
            selector.register(self._output, selectors.EVENT_READ)
            if sending:
                selector.register(self._input, selectors.EVENT_WRITE)
            ready = selector.select(max(0.0, deadline - time.monotonic()))
        if not ready:
            raise TooSlow
        return (
            any(key.fileobj is self._output for key, _ in ready),
            any(key.fileobj is self._input for key, _ in ready),
        )

    def _send(self, unsent: memoryview) -> memoryview:
        try:
            return unsent[os.write(self._input.fileno(), unsent[:CHUNK]) :]
        except BrokenPipeError:  # the child is gone: its output says so too
            return unsent[len(unsent) :]


LENGTH = struct.Struct(">Q")
ATTACHED = b"\n"
"""Separates an answer, in which it cannot occur, from bytes sent with it."""


def make_frame(payload: bytes) -> bytes:
    return LENGTH.pack(len(payload)) + payload


def is_whole(received: bytes | bytearray) -> bool:
    """Whether a frame has arrived with its complete payload."""
    return len(received) >= LENGTH.size and len(received) - LENGTH.size >= LENGTH.unpack_from(received)[0]


def read_frame(stream: BinaryIO) -> bytes | None:
    """The next frame; None at the end of the stream, even within a frame, because nobody waits for an
    answer then.
    """
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    payload = stream.read(length)
    return payload if len(payload) == length else None
