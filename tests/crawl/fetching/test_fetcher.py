"""One request: what is refused, what is too much, and what comes through."""

import asyncio
import gzip
import zlib
from dataclasses import replace

import pytest

from portico.crawl.fetching.connections import PRIVATE, Resolve
from portico.crawl.fetching.fetcher import Decompressor, Fetcher, HostAnswer
from portico.crawl.options import FetchOptions
from portico.errors import FetchError
from portico.text.urls import canonical, is_public, is_public_name
from portico.types.page import Url
from tests.crawl.web import Web

OPTIONS = FetchOptions(
    timeout_s=5.0, max_bytes=200_000, max_expanded_bytes=1_000_000, max_html_bytes=50_000, allow_private=True
)


def gz(body: bytes) -> bytes:
    """Without the time of day, which would give a test another name on every run."""
    return gzip.compress(body, mtime=0)


class Names:
    """A name server of our own: each name gives its next list of addresses."""

    def __init__(self, **addresses: list[list[str]]) -> None:
        self._addresses = addresses

    async def __call__(self, name: str) -> list[str]:
        known = self._addresses[name.partition(".")[0]]
        return known.pop(0) if len(known) > 1 else known[0]


def fetch(url: str, options: FetchOptions = OPTIONS, resolve: Resolve | None = None) -> HostAnswer:
    async def ask() -> HostAnswer:
        async with Fetcher(options, resolve=resolve) as fetcher:
            return await fetcher.get(Url(url))

    return asyncio.run(ask())


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"<html>hello", {}),
        (gz(b"<html>hello"), {"Content-Encoding": "gzip"}),
        (gz(b"<html>") + gz(b"hello"), {"Content-Encoding": "x-gzip"}),
        (gz(b"<html>hello") + b"\0" * 9, {"Content-Encoding": "gzip"}),
        (zlib.compress(b"<html>hello"), {"Content-Encoding": "deflate"}),
        (zlib.compress(b"<html>hello")[2:-4], {"Content-Encoding": "deflate"}),
        (gz(gz(b"<html>hello")), {"Content-Encoding": "gzip, gzip"}),
        (b"<html>hello", {"Content-Encoding": "gzip"}),
        (b"<html>hello", {"Content-Encoding": "identity"}),
    ],
)
def test_compressed_bodies(web: Web, body: bytes, headers: dict[str, str]) -> None:
    web.add(f"{web.address}/x", body, headers=headers)
    assert fetch(f"{web.address}/x").body == b"<html>hello"


@pytest.mark.parametrize(
    ("body", "how", "reason"),
    [
        (b"%PDF-" + b"x" * 300_000, {}, "larger than the limit of 200,000 bytes"),
        (b"%PDF-" + b"x" * 70_000, {"endless": True}, "larger than the limit of 200,000 bytes"),
        (
            gz(b"%PDF-" + bytes(50_000_000)),
            {"gzip": True},
            "expands to more than the limit of 1,000,000",
        ),
        (gz(gz(bytes(90_000_000))), {"gzip": True, "twice": True}, "expands to more"),
        (gz(b"<html>" + b" " * 50_000_000), {"gzip": True}, "expands to more"),
        (b"\x1f\x8b\x08garbage" * 99, {"gzip": True}, "the compressed body is broken"),
    ],
    ids=["large", "endless", "bomb", "bomb in a bomb", "bomb of spaces", "broken"],
)
def test_bodies_that_are_too_much(web: Web, body: bytes, how: dict[str, bool], reason: str) -> None:
    encoding = "gzip, gzip" if how.get("twice") else "gzip" if how.get("gzip") else ""
    headers = {"Content-Encoding": encoding}
    web.add(f"{web.address}/x", body, headers=headers, endless=how.get("endless", False))
    with pytest.raises(FetchError, match=reason):
        fetch(f"{web.address}/x")


@pytest.mark.parametrize("endless", [False, True])
def test_html_that_is_too_long_is_cut(web: Web, endless: bool) -> None:
    web.add(f"{web.address}/x", b"<html>" + b"x" * 70_000, endless=endless)
    answer = fetch(f"{web.address}/x")
    assert answer.body is not None
    assert len(answer.body) == OPTIONS.max_html_bytes


def test_body_of_no_use_is_not_read(web: Web) -> None:
    web.add(f"{web.address}/x", b"\x89PNG\r\n" * 10_000, media_type="image/png", endless=True)
    answer = fetch(f"{web.address}/x")
    assert (answer.body, answer.media_type) == (None, "image/png")


def test_never_answering_host_times_out(web: Web) -> None:
    web.add(f"{web.address}/x", silent=True)
    with pytest.raises(FetchError, match=r"timed out after 0\.1 s") as caught:
        fetch(f"{web.address}/x", replace(OPTIONS, timeout_s=0.1))
    assert caught.value.retryable


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0177.1/",
        "http://10.1.2.3/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/",
        "http://[fe80::1]/",
        "http://0.0.0.0/",
        "http://224.0.0.1/",
        "http://localhost/",
        "http://foo.localhost/",
        "http://printer.local/",
        "http://intranet/",
    ],
)
@pytest.mark.parametrize("proxy", [None, "http://127.0.0.1:9"])
def test_private_hosts_are_refused_by_name(url: str, proxy: str | None) -> None:
    spelled = canonical(url)
    assert spelled is not None
    with pytest.raises(FetchError, match="private address"):
        fetch(spelled, replace(OPTIONS, allow_private=False, proxy=proxy))


@pytest.mark.parametrize(
    ("addresses", "refused"),
    [
        ([["127.0.0.1"]], True),
        ([["10.0.0.1", "192.168.1.1"]], True),
        ([["::ffff:10.0.0.1"]], True),
    ],
)
def test_private_hosts_are_refused_by_what_their_name_resolves_to(
    web: Web, addresses: list[list[str]], refused: bool
) -> None:
    url = web.address.replace("127.0.0.1", "rebound.test") + "/"
    with pytest.raises(FetchError) as caught:
        fetch(url, replace(OPTIONS, allow_private=False), Names(rebound=addresses))
    assert (str(caught.value) == PRIVATE) is refused
    assert web.requests == []


def test_a_name_cannot_turn_private_between_check_and_connection(web: Web) -> None:
    """The first answer is public and unreachable, the next one private: it must never be connected to."""
    url = web.address.replace("127.0.0.1", "rebound.test") + "/"
    options = replace(OPTIONS, allow_private=False, connect_timeout_s=0.2, timeout_s=0.3)
    names = Names(rebound=[["192.0.0.9"], ["127.0.0.1"]])
    for _ in range(2):
        with pytest.raises(FetchError):
            fetch(url, options, names)
    assert web.requests == []


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1::1", True),
        ("100.64.0.1", False),
        ("fe80::1%eth0", False),
        ("x", False),
        ("192.0.0.8", False),
        ("192.88.99.1", False),
        ("198.19.255.255", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::", False),
        ("::1", False),
        ("::8.8.8.8", False),
        ("::ffff:10.0.0.1", False),
        ("::ffff:8.8.8.8", True),
        ("::ffff:0:10.0.0.1", False),
        ("::ffff:0:8.8.8.8", False),
        ("64:ff9b::10.0.0.1", False),
        ("64:ff9b::8.8.8.8", True),
        ("64:ff9b:1::8.8.8.8", False),
        ("100::1", False),
        ("2001:2::1", False),
        ("2001:db8::1", False),
        ("2002:7f00:1::", False),
        ("2002:808:808::", True),
        ("3fff::1", False),
        ("5f00::1", False),
        ("fc00::1", False),
        ("fec0::1", False),
        ("ff02::1", False),
    ],
)
def test_public_addresses(address: str, public: bool) -> None:
    assert is_public(address) is public


@pytest.mark.parametrize(
    ("name", "public"), [("www.example.org", True), ("example", False), ("1.2.3.4", True)]
)
def test_public_names(name: str, public: bool) -> None:
    assert is_public_name(name) is public


def test_expander_gives_pieces_as_they_come() -> None:
    expander = Decompressor("gzip", max_bytes=1000)
    body = gz(b"a" * 900)
    pieces = [expander.expand(body[index : index + 1]) for index in range(len(body))]
    assert b"".join(pieces) == b"a" * 900
    assert expander.complete
