"""How a converter and its worker talk: frames of bytes, each after its length."""

import struct
from typing import BinaryIO

LENGTH = struct.Struct(">Q")


def make_frame(payload: bytes) -> bytes:
    return LENGTH.pack(len(payload)) + payload


def is_whole(received: bytes | bytearray) -> bool:
    """Has a frame arrived with all of its payload?"""
    return len(received) >= LENGTH.size and len(received) - LENGTH.size >= LENGTH.unpack_from(received)[0]


def read_frame(stream: BinaryIO) -> bytes | None:
    """The next frame; None at the end of the stream, even inside a frame: then nobody waits for an answer."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    payload = stream.read(length)
    return payload if len(payload) == length else None
