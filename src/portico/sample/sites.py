"""What a sample web answers at each address: files, redirects, errors, and a calendar without end."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from portico.errors import PortalError

MEDIA_TYPES = {
    ".html": "text/html",
    ".pdf": "application/pdf",
    ".ps": "application/postscript",
    ".gz": "application/x-gzip",
    ".txt": "text/plain",
}
LAST_MODIFIED = "Thu, 01 Jun 2000 12:00:00 GMT"


@dataclass(frozen=True, slots=True)
class Answer:
    """One response: status, headers, body."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


class Sites:
    """The files and rules of a sample web. Remembers only which of the flaky addresses have failed once."""

    def __init__(self, folder: Path) -> None:
        try:
            rules: dict[str, Any] = json.loads((folder / "rules.json").read_text("utf-8"))
        except (OSError, ValueError) as problem:
            raise PortalError(f"{folder} is not a sample web ({problem}): generate it first") from problem
        self._root = (folder / "sites").resolve()
        self._redirects: dict[str, tuple[int, str]] = rules["redirects"]
        self._statuses: dict[str, int] = rules["statuses"]
        self._types: dict[str, str] = rules["types"]
        self._charsets: dict[str, str] = rules["charsets"]
        self._calendars = tuple(rules["calendars"])
        self._flaky = set(rules["flaky"])
        self._hosts = frozenset(item.name for item in self._root.iterdir())
        self._bodies: dict[Path, tuple[bytes, str]] = {}

    def answer(self, host: str, path: str, known_tag: str = "") -> Answer:
        """The answer to GET of a path (query included) at a host; 304 if the client has that version."""
        if host not in self._hosts:
            return _plain(502, f"no such host: {host}")
        bare = unquote(path.split("?", 1)[0])
        url = f"http://{host}{bare}"
        if url in self._redirects:
            status, target = self._redirects[url]
            return Answer(status, (("Location", target),))
        if url in self._statuses:
            return _plain(self._statuses[url], "sorry")
        if url in self._flaky:
            self._flaky.remove(url)
            return Answer(503, (("Retry-After", "0"),), b"try again")
        if url.startswith(self._calendars):
            return Answer(200, (("Content-Type", "text/html"),), calendar_page(bare).encode())
        return self._file(host, bare, url, known_tag)

    def _file(self, host: str, path: str, url: str, known_tag: str) -> Answer:
        file = self._root / host / path.lstrip("/")
        if ".." in file.parts or "\0" in path:
            return _plain(400, "no way up")
        if file.is_dir():
            if not path.endswith("/"):
                return Answer(301, (("Location", f"{path}/"),))
            file = file / "index.html"
        if not file.is_file():
            return _plain(404, "not found")
        body, tag = self._body(file)
        media_type = self._media_type(host, file, url)
        headers = (("ETag", tag), ("Last-Modified", LAST_MODIFIED), ("Content-Type", media_type))
        return Answer(304, headers) if known_tag == tag else Answer(200, headers, body)

    def _body(self, file: Path) -> tuple[bytes, str]:
        if file not in self._bodies:
            body = file.read_bytes()
            self._bodies[file] = (body, f'"{hashlib.sha256(body).hexdigest()[:20]}"')
        return self._bodies[file]

    def _media_type(self, host: str, file: Path, url: str) -> str:
        if url in self._types:
            return self._types[url]
        media_type = MEDIA_TYPES.get(file.suffix, "application/octet-stream")
        charset = self._charsets.get(host) if file.suffix == ".html" else None
        return f"{media_type}; charset={charset}" if charset else media_type


def calendar_page(path: str) -> str:
    """One month, with links to the next and the one before, for ever."""
    try:
        year, month = (int(part) for part in path.rstrip("/").split("/")[-2:])
    except ValueError:
        year, month = 2000, 6
    month = min(max(month, 1), 12)
    after = f"/calendar/{year + month // 12}/{month % 12 + 1:02d}/"
    before = f"/calendar/{year - (month == 1)}/{(month - 2) % 12 + 1:02d}/"
    return (
        f"<html><head><title>Calendar {year}/{month:02d}</title></head><body>\n"
        f"<h1>Events in {year}/{month:02d}</h1>\n<p>No events have been announced.</p>\n"
        f'<a href="{before}">previous month</a> <a href="{after}">next month</a>\n</body></html>\n'
    )


def _plain(status: int, text: str) -> Answer:
    return Answer(status, (("Content-Type", "text/plain"),), text.encode())
