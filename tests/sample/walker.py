"""A breadth-first walk over a sample server that obeys robots.txt: what a polite crawler could find."""

import http.client
from collections import deque
from dataclasses import dataclass, field
from urllib.parse import urldefrag, urljoin, urlsplit

import ada_url
from protego import Protego
from selectolax.lexbor import LexborHTMLParser
from w3lib.url import canonicalize_url

# Deep enough for every page with a purpose; the calendar goes on for ever.
DEEPEST = 14
LONGEST_REDIRECT = 5


@dataclass
class Walk:
    """Bodies by the address they were finally found at, and the statuses of the rest."""

    port: int
    hosts: frozenset[str]
    bodies: dict[str, bytes] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)
    _robots: dict[str, Protego] = field(default_factory=dict)
    _connection: http.client.HTTPConnection | None = None

    def get(self, url: str) -> tuple[int, dict[str, str], bytes]:
        if self._connection is None:
            self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        self._connection.request("GET", url)
        response = self._connection.getresponse()
        return (
            response.status,
            {name.lower(): value for name, value in response.getheaders()},
            response.read(),
        )

    def run(self, seeds: tuple[str, ...]) -> None:
        queue = deque((seed, 0) for seed in seeds)
        seen = set(seeds)
        while queue:
            url, depth = queue.popleft()
            for found in self._visit(url):
                if found not in seen and depth < DEEPEST and urlsplit(found).hostname in self.hosts:
                    seen.add(found)
                    queue.append((found, depth + 1))

    def _visit(self, url: str) -> list[str]:
        for _ in range(LONGEST_REDIRECT):
            if not self._allowed(url):
                return []
            status, headers, body = self.get(url)
            if status == 503:
                status, headers, body = self.get(url)
            if status not in (301, 302):
                break
            url = urljoin(url, headers["location"])
        self.statuses[url] = status
        if status != 200:
            return []
        self.bodies[url] = body
        return links(url, body) if headers["content-type"].startswith("text/html") else []

    def _allowed(self, url: str) -> bool:
        host = urlsplit(url).hostname or ""
        if host not in self._robots:
            status, _, body = self.get(f"http://{host}/robots.txt")
            self._robots[host] = Protego.parse(body.decode("utf-8-sig") if status == 200 else "")
        return bool(self._robots[host].can_fetch(url, "PorticoTest"))


def links(url: str, body: bytes) -> list[str]:
    """Absolute addresses of everything an HTML page points to."""
    tree = LexborHTMLParser(body)
    base = tree.css_first("base[href]")
    start = urljoin(url, base.attributes["href"] or "") if base else url
    targets = [node.attributes.get("href") for node in tree.css("a[href]")]
    targets += [node.attributes.get("src") for node in tree.css("frame[src]")]
    for node in tree.css("meta[http-equiv=refresh]"):
        targets.append((node.attributes.get("content") or "").partition("url=")[2])
    found = []
    for target in targets:
        try:
            absolute = urldefrag(urljoin(start, target or "")).url
        except ValueError:
            continue
        if absolute.startswith("http://"):
            found.append(canonicalize_url(str(ada_url.URL(absolute))))
    return found
