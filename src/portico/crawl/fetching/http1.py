"""HTTP/1.1 on the wire (RFC 9112): builds requests and parses responses incrementally."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from portico.errors import FetchError

MAX_HEAD_BYTES = 64 * 1024
"""Limit on status line and headers together. Most servers send under 8 kB, some with many cookies and
policies 20."""

NOT_HTTP = "the response is not valid HTTP"
BROKE_OFF = "the response ended early"
NOT_AN_ADDRESS = "the URL cannot be requested"

HEAD_END = re.compile(rb"\n\r?\n")
"""Some servers end lines without a carriage return."""


@dataclass(frozen=True, slots=True)
class AnswerHead:
    """Status and headers, with lower-case names; a repeated header counts once, unless it is a list."""

    status: int
    fields: Mapping[str, str]
    persistent: bool  # whether the connection can be used again

    @property
    def is_interim(self) -> bool:
        """Whether the final response is still to come."""
        return 100 <= self.status < 200

    @property
    def keeps_s(self) -> float | None:
        """The time the host promises to keep the connection open, if it does."""
        found = _KEEPS.search(self.fields.get("keep-alive", ""))
        return float(found[1]) if found else None


class BodyFraming(Protocol):
    """Determines where a body ends on the wire."""

    def take(self, piece: bytes) -> bytes:
        """The part of the received bytes that belongs to the body."""

    @property
    def done(self) -> bool:
        """Whether the body is complete."""

    @property
    def excess(self) -> bool:
        """Whether more than the body was received: the connection cannot be trusted any more."""

    def hang_up(self) -> None:
        """The connection has ended; FetchError if the body is incomplete."""


def build_request(target: str, host: str, fields: Mapping[str, str]) -> bytes:
    """A GET request; FetchError for a URL that could smuggle in something else."""
    if not _is_one_word(target) or not _is_one_word(host):
        raise FetchError(NOT_AN_ADDRESS)
    lines = [f"{name}: {value}\r\n" for name, value in fields.items() if value.isprintable()]
    return f"GET {target} HTTP/1.1\r\nHost: {host}\r\n{''.join(lines)}\r\n".encode()


def build_connect_request(authority: str, fields: Mapping[str, str]) -> bytes:
    """Asks a proxy for a tunnel to a host and port."""
    return build_request(authority, authority, fields).replace(b"GET ", b"CONNECT ", 1)


def read_head(block: bytes) -> AnswerHead:
    """Status line and headers up to the empty line; FetchError for anything that is not HTTP."""
    try:
        text = block.decode()
    except UnicodeDecodeError:
        text = block.decode("latin-1")
    first, *lines = text.split("\n")
    status = _STATUS.match(first)
    if status is None:
        raise FetchError(NOT_HTTP)
    fields = _fields(lines)
    connection = fields.get("connection", "").lower()
    persistent = "close" not in connection and (status[1] == "1" or "keep-alive" in connection)
    return AnswerHead(int(status[2]), fields, persistent)


def choose_framing(head: AnswerHead) -> BodyFraming:
    """How the body after this head ends (RFC 9112, section 6.3)."""
    if head.is_interim or head.status in _WITHOUT_BODY:
        return SizedBody(0)
    codings = [part.strip().lower() for part in head.fields.get("transfer-encoding", "").split(",")]
    codings = [part for part in codings if part not in ("", "identity")]
    if codings == ["chunked"]:
        return ChunkedBody()
    if codings:
        raise FetchError(f"is sent in an encoding that was not requested ({', '.join(codings)[:40]})")
    lengths = {part.strip() for part in head.fields.get("content-length", "").split(",")} - {""}
    if not lengths:
        return BodyUntilClose()
    length = lengths.pop()
    if lengths or not _NUMBER.fullmatch(length):
        raise FetchError(NOT_HTTP)
    return SizedBody(int(length))


class SizedBody:
    """A body whose length was declared."""

    def __init__(self, n_bytes: int) -> None:
        self._n_left = n_bytes
        self.excess = False

    def take(self, piece: bytes) -> bytes:
        self.excess = len(piece) > self._n_left
        part = piece[: self._n_left] if self.excess else piece
        self._n_left -= len(part)
        return part

    @property
    def done(self) -> bool:
        return self._n_left == 0

    def hang_up(self) -> None:
        if not self.done:
            raise FetchError(BROKE_OFF, retryable=True)


class BodyUntilClose:
    """A body that ends with the connection, so that its completeness is unknown."""

    excess = False
    done = False

    def take(self, piece: bytes) -> bytes:
        return piece

    def hang_up(self) -> None:
        self.done = True


class ChunkedBody:
    """A chunked body."""

    def __init__(self) -> None:
        self._rest = b""
        self._n_left = 0  # of the present chunk
        self._ends_chunk = False  # whether the next line is the empty one behind a chunk
        self._in_trailer = False
        self._n_trailer_bytes = 0
        self.done = False

    def take(self, piece: bytes) -> bytes:
        wire = self._rest + piece
        parts: list[bytes] = []
        at = 0  # an index: cutting off what was read would copy the rest for every line
        while not self.done:
            if self._n_left:
                part = wire[at : at + self._n_left]
                self._n_left -= len(part)
                at += len(part)
                parts.append(part)
                self._ends_chunk = True
            end = wire.find(b"\n", at)
            if self._n_left or end < 0:
                break
            line, at = wire[at:end].strip(), end + 1
            self._read_line(line)
        self._rest = wire[at:]
        if not self._n_left and len(self._rest) > MAX_HEAD_BYTES:
            raise FetchError(NOT_HTTP)
        return b"".join(parts)

    @property
    def excess(self) -> bool:
        return self.done and bool(self._rest)

    def hang_up(self) -> None:
        if not self.done:
            raise FetchError(BROKE_OFF, retryable=True)

    def _read_line(self, line: bytes) -> None:
        """A line between chunks: the end of the last, the length of the next, or a trailer."""
        if self._in_trailer:
            self.done = not line
            self._n_trailer_bytes += len(line)
            if self._n_trailer_bytes > MAX_HEAD_BYTES:
                raise FetchError(NOT_HTTP)
        elif self._ends_chunk:
            if line:
                raise FetchError(NOT_HTTP)
            self._ends_chunk = False
        else:
            size = line.partition(b";")[0].strip()
            if not _HEXADECIMAL.fullmatch(size):
                raise FetchError(NOT_HTTP)
            self._n_left = int(size, 16)
            self._in_trailer = self._n_left == 0


_WITHOUT_BODY = (204, 304)
_STATUS = re.compile(r"HTTP/1\.([01])[ \t]+(\d{3})(?!\d)")
_KEEPS = re.compile(r"timeout\s*=\s*(\d{1,6})", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,18}")
_HEXADECIMAL = re.compile(rb"[0-9a-fA-F]{1,15}")
_LISTS = frozenset({"connection", "content-encoding", "content-length", "transfer-encoding", "x-robots-tag"})


def _is_one_word(text: str) -> bool:
    return text.isascii() and text.isprintable() and " " not in text


def _fields(lines: list[str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    name = ""
    for line in lines:
        if line[:1] in (" ", "\t") and name in fields:
            fields[name] += f" {line.strip()}"  # a line that goes on, as was allowed once
            continue
        name, colon, value = _field(line)
        if not colon:
            continue
        if name not in fields:
            fields[name] = value
        elif name in _LISTS:
            fields[name] += f", {value}"
    return fields


@lru_cache(maxsize=1000)  # most of what a host says in its headers it says every time
def _field(line: str) -> tuple[str, str, str]:
    name, colon, value = line.partition(":")
    return name.strip().lower(), colon, value.strip()
