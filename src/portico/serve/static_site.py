"""Exports the portal as static files for any web host: every page, relative links, search in the browser."""

import asyncio
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from starlette.applications import Starlette

from portico.index.schema import split_words
from portico.serve.links import make_author_query
from portico.serve.public_address import INNER_LINK

# Tags that contain the host, which is unknown until the files are published.
_HOST = "static.invalid"
_HOST_TAG = re.compile(rf"<(?:meta|link)[^>]*//{re.escape(_HOST)}[^>]*>\n?")
_LINKED_DATA = re.compile(r'<script type="application/ld\+json">.*?</script>\n?', re.DOTALL)

_COPY, _CITED = re.compile(r"/file/\d+$"), re.compile(r"\.(?:bib|ris|json|png)$")
_PAGES = ("/topic/", "/paper/", "/author/", "/item/", "/page/")
_ALONE = {"/": "index.html", "/topics": "topics.html", "/about": "about.html", "/search": "search.html"}
_NOT_IN_NAMES = re.compile(r'[<>:"\\|?*\x00-\x1f]')
_LONGEST_PART = 120  # bytes of a file name; most systems end at 255


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: dict[str, str]
    body: bytes


def write_static_site(
    app: Starlette, starts: list[str], folder: Path, *, progress: Callable[[int], None] | None = None
) -> int:
    """Write every page that can be reached from `starts` as a file. Returns the number of files."""
    app.state.renderer.offer(static=True)
    site = _Writer(app, folder)
    files = [file.url for file in app.state.theme.files.values()]  # style sheets refer to fonts and images
    for start in ("/", *app.state.collection.static_pages, "/about", "/search?static", *starts, *files):
        site.name(start)
    n_written = 0
    while site.waiting:
        site.write(site.waiting.pop())
        n_written += 1
        if progress:
            progress(n_written)
    return n_written


class _Writer:
    """Assigns file names to URLs as it meets them, and writes each file once."""

    def __init__(self, app: Starlette, folder: Path) -> None:
        self._app, self._folder = app, folder
        self._names: dict[str, str] = {}
        self.waiting: list[str] = []

    def name(self, address: str) -> str:
        """The file name for a URL, relative to the top folder. URLs without a file of their own lead to
        the search.
        """
        parts = urlsplit(address)
        if parts.path == "/author":
            return "search.html?q=" + quote(make_author_query(parse_qs(parts.query).get("name", [""])[0]))
        if parts.path == "/search" and "static" not in parts.query:
            return "search.html" + _words_of(parse_qs(parts.query))
        key = parts.path + (
            f"?{parts.query}" if parts.query and not parts.path.startswith(("/static/", "/theme/")) else ""
        )
        if key not in self._names:
            self._names[key] = _make_file_name(parts.path, parts.query) + self._ending(key)
            self.waiting.append(key)
        return quote(self._names[key])

    def write(self, address: str) -> None:
        answer = asyncio.run(_ask(self._app, address))
        path = self._folder / self._names[address]
        path.parent.mkdir(parents=True, exist_ok=True)
        if answer.headers.get("content-type", "").startswith("text/html"):
            up = "../" * self._names[address].count("/")
            path.write_text(self._relative(answer.body.decode(), up), encoding="utf-8")
        elif answer.status == 200:
            path.write_bytes(answer.body)

    def _ending(self, address: str) -> str:
        """The file extension of a paper's copy, the one it would be saved with; "" for other URLs."""
        if not _COPY.search(address):
            return ""
        disposition = asyncio.run(_ask(self._app, address)).headers.get("content-disposition", "")
        return re.sub(r'.*?(\.[a-z.]+)"?$', r"\1", disposition) if "." in disposition else ""

    def _relative(self, html: str, up: str) -> str:
        plain = _LINKED_DATA.sub("", _HOST_TAG.sub("", html))

        def rewritten(match: re.Match[str]) -> str:
            address, _, place = unescape(match["address"]).partition("#")
            target = up + self.name(address) + (f"#{place}" if place else "")
            return f'{match["name"]}="{target}"'

        return INNER_LINK.sub(rewritten, plain)


def _words_of(asked: Mapping[str, list[str]]) -> str:
    """The search as words only: the values of its filters become words, too."""
    narrowed = [
        value for name, values in asked.items() if name not in ("q", "sort", "page") for value in values
    ]
    words = " ".join([*asked.get("q", []), *narrowed])
    return f"?q={quote(words)}" if words else ""


def _make_file_name(path: str, query: str) -> str:
    if path in _ALONE:
        return _ALONE[path]
    clean = "/".join(_clean_part(part) for part in unquote(path).strip("/").split("/"))
    if path.startswith(_PAGES) and not _COPY.search(path) and not _CITED.search(path):
        asked = _clean_part(query.replace("&", "~")) if query else ""
        return f"{clean}~{asked}.html" if asked else f"{clean}.html"
    return clean


def _clean_part(text: str) -> str:
    """Part of a URL as a file name that is valid on every file system."""
    safe = _NOT_IN_NAMES.sub("_", text).encode("utf-8", "replace")[:_LONGEST_PART].decode("utf-8", "ignore")
    return safe if safe.strip(". ") else "_"


async def _ask(app: Starlette, address: str) -> _Answer:
    """The response to a request, obtained from the app directly, without a server."""
    path, _, query = address.partition("?")
    sent: list[dict[str, Any]] = []
    asked = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> dict[str, Any]:
        message: dict[str, Any] | None = next(asked, None)
        if message is None:  # a streaming response waits for a disconnect, which never comes
            await asyncio.Event().wait()
        return message or {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(dict(message))

    scope = {
        "type": "http", "http_version": "1.1", "method": "GET", "scheme": "http", "server": (_HOST, 80),
        "path": unquote(path), "raw_path": path.encode(), "root_path": "", "query_string": query.encode(),
        "headers": [(b"host", _HOST.encode())], "client": ("127.0.0.1", 0),
    }  # fmt: skip
    await app(scope, receive, send)
    headers = {name.decode().lower(): value.decode("latin-1") for name, value in sent[0]["headers"]}
    body = b"".join(part.get("body", b"") for part in sent[1:])
    return _Answer(int(sent[0]["status"]), headers, body)


PAPERS_IN_FILE = 500
"""Papers per file: few enough that a page of results loads several files quickly."""

# Words are grouped into files by their first letters.
_FIRST_LETTERS = 2


def write_static_files(
    listings: Iterable[tuple[dict[str, float], list[object]]], folder: Path, **told: object
) -> int:
    """Write the search terms of each thing with their weights, and what a list shows of it. Returns the
    number of things.

    The values in `told` are added to the file that a search reads first.
    """
    folder.mkdir(parents=True, exist_ok=True)
    postings: dict[str, list[float]] = defaultdict(list)
    shown: list[list[object]] = []
    n_papers = 0
    for weights, listed in listings:
        for word, weight in sorted(weights.items()):
            postings[word] += (n_papers, round(weight, 1))
        shown.append(listed)
        n_papers += 1
        if len(shown) == PAPERS_IN_FILE:
            _write(folder / f"papers-{(n_papers - 1) // PAPERS_IN_FILE}.json", shown)
            shown = []
    if shown:
        _write(folder / f"papers-{(n_papers - 1) // PAPERS_IN_FILE}.json", shown)
    _write_words(postings, folder)
    _write(folder / "index.json", {"papers": n_papers, "in_file": PAPERS_IN_FILE, **told})
    return n_papers


def weigh_words(texts: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Logarithmic term frequencies over all texts, multiplied by each text's weight."""
    weights: defaultdict[str, float] = defaultdict(float)
    for text, weight in texts:
        for word, count in Counter(split_words(text)).items():
            weights[word] += weight * (1 + math.log(count))
    return dict(weights)


def _write_words(postings: dict[str, list[float]], folder: Path) -> None:
    files: dict[str, dict[str, list[float]]] = defaultdict(dict)
    for word in sorted(postings):
        files[choose_file(word)][word] = postings[word]
    for name, words in files.items():
        _write(folder / name, words)


def choose_file(word: str) -> str:
    """The file that contains a word. Letters are written as numbers, because not every file system
    distinguishes all of them.
    """
    return "words-" + "-".join(f"{ord(letter):x}" for letter in word[:_FIRST_LETTERS]) + ".json"


def _write(path: Path, value: object) -> None:
    path.write_text(
        json.dumps(value, ensure_ascii=False, separators=(",", ":")), encoding="utf-8", errors="replace"
    )
