"""Kill a crawl with kill -9 again and again: is anything lost, is anything fetched twice?

    python benchmarks/kills.py WEB [--kills N] [--sites NAME ...]

WEB is a folder with `mirror.py` and `sites/`, which is served as a proxy that fails one answer in fifty and
drops one in a hundred. A crawl of the sites is killed N times (100 unless told otherwise) at random moments
and then left to end. Between us and the mirror stands a recorder that writes down every request, with the
time it came. Checked is that every link of the undisturbed crawl was dealt with, and that no page was asked
for after its result had been committed.
"""

import argparse
import asyncio
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from portico.crawl.crawling import crawl
from portico.crawl.options import CrawlOptions, FetchOptions, Politeness, Scope
from portico.store.opening import open_store
from portico.types.page import Url

URL = "sqlite:///portico.db"
SITES = ("lipski", "tbrk", "howard")
ALIVE_S = (0.9, 2.2)  # how long a crawl lives until it is killed; starting Python takes the first 0.7 s


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class Recorder:
    """A proxy before the proxy: writes down what is asked for."""

    def __init__(self, far_port: int) -> None:
        self._far_port = far_port
        self.requests: list[str] = []
        self._ready = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True).start()
        self._ready.wait()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._pass_on, "127.0.0.1", 0)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await server.serve_forever()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._far_port)
            await asyncio.gather(self._ask(reader, far_writer), self._answer(far_reader, writer))
        except (ConnectionError, OSError):
            writer.close()

    async def _ask(self, reader: asyncio.StreamReader, far: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            if found := re.match(rb"GET (\S+) HTTP", line):
                self.requests.append(found[1].decode())
            far.write(line)
        far.close()

    async def _answer(self, far: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await far.read(65536):
            writer.write(piece)
            await writer.drain()
        writer.close()


def run(folder: Path, proxy: str, sites: list[str]) -> None:
    """The crawl that is killed."""
    store = open_store(URL, folder, create=True)
    options = CrawlOptions(
        fetch=FetchOptions(proxy=proxy),
        politeness=Politeness(delay_s=0.0, backoff_s=0.01, max_attempts=8),
        scope=Scope(hosts=tuple(f"{site}.test" for site in sites)),
    )
    crawl(
        [f"http://{site}.test/index.html" for site in sites], frontier=store.crawl.frontier, options=options
    )
    store.close()


def start(folder: Path, proxy: str, sites: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, __file__, str(folder), "--crawl", proxy, "--sites", *sites])


def committed(folder: Path, urls: set[str]) -> set[str]:
    """Those of the addresses whose page is in the store."""
    if not (folder / "portico.db").exists():
        return set()
    store = open_store(URL, folder, create=True)
    kept = {url for url in urls if store.documents.pages.get(url) is not None}
    store.close()
    return kept


def standing(folder: Path, urls: set[str]) -> dict[str, str | None]:
    store = open_store(URL, folder)
    found = {url: store.crawl.frontier.standing(Url(url)) for url in urls}
    store.close()
    return {url: str(state[0]) if state is not None else None for url, state in found.items()}


def kill_again_and_again(folder: Path, recorder: Recorder, options: argparse.Namespace) -> tuple[int, int]:
    """Gives how often it was killed in mid-crawl, and how many pages were asked for once too often."""
    chance = random.Random(options.seed)
    n_killed = n_again = 0
    while n_killed < options.kills:
        done = committed(folder, set(recorder.requests))
        n_before = len(recorder.requests)
        process = start(folder, recorder.address, options.sites)
        time.sleep(chance.uniform(*ALIVE_S))
        ended = process.poll() is not None
        process.kill()
        process.wait()
        n_again += len(done & set(recorder.requests[n_before:]))
        n_killed += not ended
        if ended:
            break
    return n_killed, n_again


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("web", type=Path)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--sites", nargs="+", default=list(SITES))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--crawl", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.crawl:
        run(options.web, options.crawl, options.sites)
        return
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, str(options.web / "mirror.py"), "--fail", "0.02", "--drop", "0.01"]
    mirror = subprocess.Popen([*command, "--delay", "0.005", "--port", str(port)], stdout=subprocess.PIPE)
    try:
        assert mirror.stdout is not None
        mirror.stdout.readline()  # it is ready
        check(options, port)
    finally:
        mirror.terminate()
        mirror.wait()


def check(options: argparse.Namespace, port: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        undisturbed, killed = Path(place) / "undisturbed", Path(place) / "killed"
        recorder = Recorder(port)
        start(undisturbed, recorder.address, options.sites).wait()
        expected = set(recorder.requests)
        say(f"undisturbed: {len(expected):,} addresses asked for")
        recorder = Recorder(port)
        n_kills, n_again = kill_again_and_again(killed, recorder, options)
        start(killed, recorder.address, options.sites).wait()
        first, last = standing(undisturbed, expected), standing(killed, expected)
        lost = {url for url in expected if first[url] != last[url]}
        say(f"killed {n_kills} times: {len(set(recorder.requests)):,} addresses asked for")
        say(f"lost or with another end: {len(lost)}; asked for again after being committed: {n_again}")
        if lost or n_again:
            raise SystemExit("\n".join(sorted(lost)[:20]) or "fetched again")


if __name__ == "__main__":
    main()
