"""How much faster are several crawlers of one portal than one, and does every host keep its rest?

    python benchmarks/crawlers.py [--store postgresql://user@host/name] [--crawlers N] [--hosts N] [--pages N]
                                   [--pace SECONDS]

A generated web of 200 hosts, each page of which leads to the next of its host, answers after a fifth of a
second; on a machine that does other work meanwhile, choose a slower pace. It is crawled by one crawler and
then, anew, by several at once, into the given database, which must be empty, or into one that is started for
it. Each crawler has so few requests under way (16) that it is bound by waiting, not by the processor. Prints
the pages a second of both, the processor time of the crawlers, and the shortest rest between two requests to
one host that the server saw.
"""

import argparse
import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

from sqlalchemy import text

sys.path.insert(0, str(Path(__file__).parents[1]))

from scripts.cluster import Cluster, start_postgresql

from portico.crawl.crawling import crawl
from portico.crawl.options import CrawlOptions, FetchOptions, Politeness
from portico.store.opening import open_store, store_lock

PACE_S = 0.2  # unless told otherwise, after so long a page is answered, and so long a host is left in peace
CONCURRENCY = 16


class GeneratedWeb:
    """A forward proxy for any host, in a thread; writes down when each host was asked and answered."""

    def __init__(self, n_hosts: int, n_pages: int, pace_s: float) -> None:
        self.asked: list[tuple[str, float, float]] = []
        self._n_hosts, self._n_pages, self._pace_s = n_hosts, n_pages, pace_s
        self._ready = threading.Event()
        self.port = 0
        threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True).start()
        self._ready.wait()

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await server.serve_forever()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                while await reader.readline() not in (b"\r\n", b""):
                    pass
                began, url = time.monotonic(), urlsplit(line.split()[1].decode())
                await asyncio.sleep(self._pace_s)
                body = self._page(url.netloc, url.path)
                head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
                self.asked.append((url.netloc, began, time.monotonic()))
                writer.write(head.encode() + body)
                await writer.drain()
        except OSError:
            pass  # a crawler that has left
        finally:
            writer.close()

    def _page(self, host: str, path: str) -> bytes:
        if path == "/robots.txt":
            return b""
        number = int(path[1:] or 0)
        links = [f"/{number + 1}"] if number + 1 < self._n_pages else []
        if host == "h0.test" and number == 0:
            links += [f"http://h{other}.test/" for other in range(1, self._n_hosts)]
        return "".join(f'<a href="{link}">{link}</a>' for link in links).encode()


def crawl_part(url: str, folder: Path, port: int, pace_s: float) -> None:
    options = CrawlOptions(
        fetch=FetchOptions(proxy=f"http://127.0.0.1:{port}", concurrency=CONCURRENCY),
        politeness=Politeness(delay_s=pace_s, obey_robots=False),
        max_depth=10_000,
    )
    with closing(open_store(url, folder, create=True)) as store, store_lock(store, shared=True):
        claims = store.crawl.claims
        crawl(["http://h0.test/"], frontier=store.crawl.frontier, options=options, claims=claims)


def measure(options: argparse.Namespace, n_crawlers: int) -> float:
    """Pages a second, from the first to the last answer."""
    web = GeneratedWeb(options.hosts, options.pages, options.pace)
    with tempfile.TemporaryDirectory() as folder:
        with (
            closing(open_store(options.store, Path(folder), create=True)) as store,
            store.engine.begin() as base,
        ):
            base.execute(text("TRUNCATE link, page, host, host_claim, failure, kinship, family, prefix"))
        where = ["--store", options.store, "--part", folder, "--port", str(web.port)]
        where += ["--pace", str(options.pace)]
        command, used_s = [sys.executable, __file__, *where], read_processor_s()
        running = [subprocess.Popen(command) for _ in range(n_crawlers)]
        if any(tuple(process.wait() for process in running)):
            raise SystemExit("a crawler failed")
    first, last = min(began for _, began, _ in web.asked), max(ended for *_, ended in web.asked)
    rate = len(web.asked) / (last - first)
    sys.stdout.write(
        f"{n_crawlers} crawlers: {len(web.asked)} pages, {rate:.0f} a second, "
        f"{read_processor_s() - used_s:.1f} s of processors in {last - first:.1f} s; "
        f"shortest rest of a host {find_shortest_rest(web):.3f} s of {options.pace} s\n"
    )
    sys.stdout.flush()
    return rate


def read_processor_s() -> float:
    """What the crawlers that have ended used, with their starting."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def find_shortest_rest(web: GeneratedWeb) -> float:
    ends: dict[str, float] = {}
    rests: list[float] = []
    for host, began, ended in sorted(web.asked, key=lambda asked: asked[1]):
        if host in ends:
            rests.append(began - ends[host])
        ends[host] = ended
    return min(rests, default=float("inf"))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", help="an empty database of a PostgreSQL server")
    parser.add_argument("--crawlers", type=int, default=4)
    parser.add_argument("--hosts", type=int, default=200)
    parser.add_argument("--pages", type=int, default=20, help="of each host")
    parser.add_argument("--pace", type=float, default=PACE_S, help="seconds to an answer, and of rest")
    parser.add_argument("--part", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        crawl_part(options.store, options.part, options.port, options.pace)
        return
    if options.store:
        compare(options)
        return
    with tempfile.TemporaryDirectory(prefix="portico-") as folder:
        os.chmod(folder, 0o755)  # noqa: S103 - PostgreSQL runs as another user where we are root
        cluster = Cluster(Path(folder))
        try:
            options.store = start_postgresql(cluster)
            compare(options)
        finally:
            cluster.stop()


def compare(options: argparse.Namespace) -> None:
    alone = measure(options, 1)
    together = measure(options, options.crawlers)
    sys.stdout.write(f"{options.crawlers} crawlers are {together / alone:.2f} times as fast as one\n")


if __name__ == "__main__":
    main()
