"""Parses fetched pages: small ones at once, large ones in a child process with a deadline.

The time of a parser can grow with the square of a page's length. Pages are parsed while others are being
fetched: a slow one must not delay them, and one that is too slow is given up.
"""

import asyncio
import json
import resource
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from struct import Struct

import portico
from portico.crawl.links import find_links, view_page
from portico.errors import FetchError
from portico.text.markup import decode
from portico.types.page import Link, PageLink, PageView, Url

LARGE_BYTES = 100_000
"""Smaller pages are read in this process, because sending them to a child costs more. Chosen, not
measured."""

DEADLINE_S = 10.0  # chosen, not measured on real pages
START_S = 30.0  # for the child to start, on a busy machine
MAX_MEMORY = 2 << 30  # bytes, of the child
TOO_SLOW = f"could not be read within {DEADLINE_S:g} s; it may be an attack"
CRASHED = "crashes the reader of pages, or needs more memory than is allowed; it may be an attack"

_LENGTH = Struct(">Q")
_READY = b"R"
_PROGRAM = (
    f"import sys; sys.path[:0] = {[str(Path(portico.__file__).resolve().parents[1])]!r};"
    " from portico.crawl.page_reading import answer_requests; answer_requests()"
)


class ReadingDepth(StrEnum):
    """How much of a page is read: as much as the ranker of its links needs."""

    LINKS = "links"  # only their targets
    PLACES = "places"  # and the elements they are in
    HEADINGS = "headings"  # and the headings above them
    TEXT = "text"  # and the text of the whole page


@dataclass(frozen=True, slots=True)
class HtmlBody:
    """A page as received: its bytes, and its declared type."""

    url: Url
    content_type: str
    body: bytes

    @property
    def is_large(self) -> bool:
        return len(self.body) > LARGE_BYTES


def read_page(page: HtmlBody, look: ReadingDepth) -> PageView:
    """The page and its links, parsed in this process however long it takes."""
    html = decode(page.body, page.content_type)
    if look is ReadingDepth.LINKS:
        return PageView(page.url, sightings=tuple(PageLink(link) for link in find_links(html, page.url)))
    with_headings = look is not ReadingDepth.PLACES
    return view_page(html, page.url, with_text=look is ReadingDepth.TEXT, with_headings=with_headings)


class PageReader:
    """Reads pages for a spider. Owns one child process: started when first needed, replaced when it
    fails.
    """

    def __init__(self, look: ReadingDepth, *, deadline_s: float = DEADLINE_S) -> None:
        self._look = look
        self._deadline_s = deadline_s
        self._child: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    async def read(self, page: HtmlBody) -> PageView:
        """The parsed page; FetchError, not retryable, if it takes too long."""
        if not page.is_large:
            return read_page(page, self._look)
        async with self._turn:
            if self._child is None:
                self._child = await asyncio.wait_for(_start_child(), START_S)
            try:
                return await asyncio.wait_for(self._ask(self._child, page), self._deadline_s)
            except TimeoutError:
                await self.close()
                raise FetchError(TOO_SLOW) from None
            except (OSError, asyncio.IncompleteReadError):
                await self.close()
                raise FetchError(CRASHED) from None
            except asyncio.CancelledError:
                await self.close()
                raise

    async def close(self) -> None:
        """Kill the child, whatever it is doing; the next large page starts another."""
        child, self._child = self._child, None
        if child is not None:
            if child.returncode is None:
                child.kill()
            await child.wait()

    async def _ask(self, child: asyncio.subprocess.Process, page: HtmlBody) -> PageView:
        assert child.stdin is not None
        assert child.stdout is not None
        wanted = json.dumps([self._look, page.url, page.content_type, self._deadline_s]).encode()
        for payload in (wanted, page.body):
            child.stdin.write(_LENGTH.pack(len(payload)) + payload)
        await child.stdin.drain()
        (length,) = _LENGTH.unpack(await child.stdout.readexactly(_LENGTH.size))
        return _decode_view(page.url, json.loads(await child.stdout.readexactly(length)))


async def _start_child() -> asyncio.subprocess.Process:
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-X", "utf8", "-c", _PROGRAM),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for the crawl, which ends the child
    )
    assert child.stdout is not None
    await child.stdout.readexactly(len(_READY))  # loading its modules is not the first page's time
    return child


def answer_requests() -> None:
    """The program of the child: reads pages from its input until that ends."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    answers.write(_READY)
    answers.flush()
    while head := requests.read(_LENGTH.size):
        look, url, content_type, seconds = json.loads(requests.read(_LENGTH.unpack(head)[0]))
        body = requests.read(_LENGTH.unpack(requests.read(_LENGTH.size))[0])
        _allow_cpu(seconds)
        view = read_page(HtmlBody(url, content_type, body), ReadingDepth(look))
        answer = json.dumps(_encode_view(view)).encode()
        answers.write(_LENGTH.pack(len(answer)) + answer)
        answers.flush()


def _allow_cpu(seconds: float) -> None:
    """Limit the processor time of this page, even if the parent no longer exists."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(usage.ru_utime + usage.ru_stime + seconds) + 2, hard))


_Encoded = tuple[str, str, str, list[list[str]]]


def _encode_view(view: PageView) -> _Encoded:
    sightings = [
        [each.link.target, each.link.anchor, each.link.context, each.heading, each.tags]
        for each in view.sightings
    ]
    return view.title, view.headings, view.text, sightings


def _decode_view(url: Url, encoded: _Encoded) -> PageView:
    title, headings, text, sightings = encoded
    links = tuple(
        PageLink(Link(Url(target), url, anchor, context), heading, tags)
        for target, anchor, context, heading, tags in sightings
    )
    return PageView(url, title, headings, text, links)
