"""For operators: metrics for Prometheus, and an access log."""

import fcntl
import logging
import os
import sys
import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import IPv6Address, ip_address, ip_network
from logging.handlers import WatchedFileHandler
from pathlib import Path

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from portico import __version__
from portico.serve.escaping import strip_hidden
from portico.store.portal_view import MOST_COUNTED, WorkCounts

# Upper bounds of the histogram buckets in seconds; half of all results pages take less than the first.
BUCKETS_S = (0.005, 0.025, 0.1, 0.5, 2.5, 10.0)
OTHER = "other"
"""The name under which requests for unknown URLs are counted, so that visitors cannot create new names."""

_METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS"})
_TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class AnsweredRequest:
    """One request and its outcome."""

    client: str
    method: str
    path: str  # without the query string
    status: int
    n_bytes: int
    seconds: float
    agent: str


class RequestCounts:
    """The number of requests since this process started, by page and status, and how long they took."""

    def __init__(self, pages: Iterable[str]) -> None:
        self._pages = frozenset(pages)
        self._lock = threading.Lock()
        self._n_requests: Counter[tuple[str, int]] = Counter()
        self._n_within: Counter[tuple[str, int]] = Counter()  # by page and number of the bucket
        self._seconds: Counter[str] = Counter()  # in microseconds, which counters count exactly
        self._n_bytes = 0

    def add(self, answered: AnsweredRequest) -> None:
        page = answered.path.split("/", 2)[1] if answered.path.startswith("/") else ""
        page = (page.partition(".")[0] or "home") if page in self._pages else OTHER
        with self._lock:
            self._n_requests[page, answered.status] += 1
            self._n_within[page, bisect_left(BUCKETS_S, answered.seconds)] += 1
            self._seconds[page] += round(answered.seconds * 1_000_000)
            self._n_bytes += answered.n_bytes

    def write(self) -> list[str]:
        """The metrics in Prometheus's text format."""
        with self._lock:
            requests, within = sorted(self._n_requests.items()), dict(self._n_within)
            seconds, n_bytes = sorted(self._seconds.items()), self._n_bytes
        lines = _describe("portico_requests_total", "counter", "Requests answered by this process.")
        lines += [
            f'portico_requests_total{{page="{page}",status="{status}"}} {n}' for (page, status), n in requests
        ]
        lines += _describe("portico_response_bytes_total", "counter", "Bytes of the bodies of answers.")
        lines.append(f"portico_response_bytes_total {n_bytes}")
        name = "portico_request_seconds"
        lines += _describe(name, "histogram", "Seconds from a request to the end of its answer.")
        for page, microseconds in seconds:
            n_all = 0
            for number, bound in enumerate((*map(str, BUCKETS_S), "+Inf")):
                n_all += within.get((page, number), 0)
                lines.append(f'{name}_bucket{{page="{page}",le="{bound}"}} {n_all}')
            lines.append(f'{name}_sum{{page="{page}"}} {microseconds / 1_000_000}')
            lines.append(f'{name}_count{{page="{page}"}} {n_all}')
        return lines


def _describe(name: str, kind: str, words: str) -> list[str]:
    return [f"# HELP {name} {words}", f"# TYPE {name} {kind}"]


class Observed:
    """Middleware that reports every request when its response has ended."""

    def __init__(self, app: ASGIApp, tell: Iterable[Callable[[AnsweredRequest], None]]) -> None:
        self.app, self._tell = app, tuple(tell)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = time.perf_counter()
        status, n_bytes = 500, 0  # for requests that end in an error, which is handled further out

        async def send_counted(message: Message) -> None:
            nonlocal status, n_bytes
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                n_bytes += len(message.get("body", b""))
            await send(message)

        try:
            await self.app(scope, receive, send_counted)
        finally:
            method = scope["method"] if scope["method"] in _METHODS else "OTHER"
            client = (scope.get("client") or ("",))[0]
            agent = Headers(scope=scope).get("user-agent", "")
            seconds = time.perf_counter() - started
            answered = AnsweredRequest(client, method, scope["path"], status, n_bytes, seconds, agent)
            for tell in self._tell:
                tell(answered)


LOG_NAME = Path("logs") / "access.log"
_LOG_BYTES, _LOG_FILES = 20_000_000, 5
# Number of lines after which the size is checked again.
_LOOKED_AT_EVERY = 256
_LONGEST_PATH, _LONGEST_AGENT = 500, 200  # characters
_ASCII_QUOTED = str.maketrans({'"': "%22", "\\": "%5C", " ": "%20"})


class SharedLogFile(WatchedFileHandler):
    """A log file that several processes write to. The one that finds it too large starts a new file, and
    all continue there.
    """

    def __init__(self, place: Path) -> None:
        place.parent.mkdir(exist_ok=True)
        super().__init__(place, encoding="utf-8")
        self._n_lines = 0

    def emit(self, record: logging.LogRecord) -> None:
        self._n_lines += 1
        if self._n_lines % _LOOKED_AT_EVERY == 1:
            self._begin_another()
        super().emit(record)

    def _begin_another(self) -> None:
        place = self.baseFilename
        with open(f"{place}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not os.path.exists(place) or os.path.getsize(place) < _LOG_BYTES:
                return
            for number in range(_LOG_FILES - 1, 0, -1):
                if os.path.exists(f"{place}.{number}"):
                    os.replace(f"{place}.{number}", f"{place}.{number + 1}")
            os.replace(place, f"{place}.1")


class AccessLog:
    """Logs requests in the Combined Log Format, without search terms, and with networks instead of
    visitors' IP addresses.
    """

    def __init__(self, handler: logging.Handler, now: Callable[[], float] = time.time) -> None:
        self._log, self._now = logging.Logger("portico.access", logging.INFO), now
        self._log.addHandler(handler)

    @classmethod
    def open(cls, kind: str, folder: Path) -> "AccessLog | None":
        """The log that `[serve] access_log` asks for: "off", "file" or "stdout"."""
        if kind == "file":
            return cls(SharedLogFile(folder / LOG_NAME))
        return cls(logging.StreamHandler(sys.stdout)) if kind == "stdout" else None

    def add(self, answered: AnsweredRequest) -> None:
        moment = time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(self._now()))
        path = _clean(answered.path, _LONGEST_PATH).translate(_ASCII_QUOTED)
        agent = _clean(answered.agent, _LONGEST_AGENT).replace("\\", "").replace('"', "'")
        self._log.info(
            f'{hide_visitor(answered.client)} - - [{moment}] "{answered.method} {path} HTTP/1.1" '
            f'{answered.status} {answered.n_bytes} "-" "{agent or "-"}"'
        )


def _clean(text: str, longest: int) -> str:
    """Untrusted text as part of one log line."""
    kept = strip_hidden(text[:longest])
    return "".join(letter if letter.isprintable() else "?" for letter in str(kept))


def hide_visitor(client: str) -> str:
    """The network of an IP address: the last byte of an IPv4 address, and all but the first 48 bits of an
    IPv6 address, are zero.
    """
    try:
        address = ip_address(client)
    except ValueError:
        return "-"
    bits = 48 if isinstance(address, IPv6Address) else 24
    return str(ip_network(f"{address}/{bits}", strict=False).network_address)


@dataclass(frozen=True, slots=True)
class Gauge:
    """A metric of the portal's current state: one value per value of a label, or a single value without a
    label.
    """

    name: str
    words: str
    values: Mapping[str, float]
    label: str = ""  # the label of the values; without one, there is a single value under ""

    def write(self) -> list[str]:
        named = {
            f'{self.name}{{{self.label}="{key}"}}' if self.label else self.name: value
            for key, value in sorted(self.values.items())
        }
        return _describe(self.name, "gauge", self.words) + [f"{key} {num:.15g}" for key, num in named.items()]


def describe_work(work: WorkCounts) -> list[Gauge]:
    """The progress of crawls and builds, which have no metrics endpoint of their own."""
    failed = {stage: each.n_failed for stage, each in work.failures.items()}
    aside = {stage: each.n_set_aside for stage, each in work.failures.items()}
    began = {stage: run.started_at for stage, run in work.runs.items()}
    took = {stage: run.seconds for stage, run in work.runs.items()}
    most = f"Addresses that wait to be fetched; {MOST_COUNTED} stands for more, too."
    return [
        Gauge("portico_links_queued", most, {"": work.n_queued}),
        Gauge("portico_crawlers", "Crawlers that share the frontier now.", {"": work.n_crawlers}),
        Gauge("portico_documents_done", "Documents a stage is done with.", work.n_done, "stage"),
        Gauge("portico_documents_failed", "Documents a stage failed on.", failed, "stage"),
        Gauge("portico_documents_set_aside", "Documents that are not collected.", aside, "stage"),
        Gauge("portico_stage_started_seconds", "When a stage last began, since 1970.", began, "stage"),
        Gauge("portico_stage_seconds", "What that run of the stage took.", took, "stage"),
    ]


def make_metrics_routes(
    counts: RequestCounts, allowed: Iterable[str], gauges: Callable[[], Iterable[Gauge]]
) -> list[Route]:
    """The route `/metrics` for clients in these networks; others get 404."""
    networks = [ip_network(each, strict=False) for each in allowed]
    if not networks:
        return []

    def is_allowed(client: str) -> bool:
        try:
            address = ip_address(client.strip())
        except ValueError:
            return False
        return any(address in network for network in networks)

    def metrics(request: Request) -> Response:
        # Behind an untrusted proxy, the client's address is the proxy's: both must be allowed.
        forwarded = request.headers.get("x-forwarded-for", "").rpartition(",")[2]
        clients = [request.client.host if request.client else "", *([forwarded] if forwarded else [])]
        if not all(map(is_allowed, clients)):
            raise HTTPException(HTTPStatus.NOT_FOUND)
        lines = _describe("portico_info", "gauge", "The version.")
        lines.append(f'portico_info{{version="{__version__}"}} 1')
        for gauge in gauges():
            lines += gauge.write()
        lines += _describe("process_cpu_seconds_total", "counter", "Processor time of this process.")
        lines.append(f"process_cpu_seconds_total {time.process_time()}")
        text = "\n".join((*lines, *counts.write())) + "\n"
        return PlainTextResponse(text, media_type=_TEXT_FORMAT, headers={"Cache-Control": "no-store"})

    return [Route("/metrics", metrics)]
