"""How fast results pages are made under load, against Datasette's search on the same rows in the same run.

    python benchmarks/serve.py PORTAL [--workers 2] [--users 50] [--seconds 20] [--pause 1.0]
    python benchmarks/serve.py PORTAL --costs

PORTAL is a built portal (`portico import jsonl papers.jsonl.xz PORTAL`). Datasette is no dependency of ours:
it is installed into a virtual environment that is thrown away, unless `--datasette PROGRAM` names one that is
there, or `--datasette none` leaves it out.

So many users at once each ask for a results page with facets, read it for PAUSE seconds (by chance between
half and one and a half times as long), and ask again, first at ours and then at Datasette's full-text table
of the same titles and abstracts. This is a closed loop with time to think: 50 users who read for a second
make about 50 requests a second, spread by chance, and a server that falls behind is asked less often; it is
not 50 requests at one moment, nor a fixed rate of arrivals. Prints the median and the 99th percentile of
the milliseconds from request to last byte, and the processor time a page took the server, which holds
better than the times on a machine that is busy with other things. With --costs it prints the processor time
of the most expensive requests that a visitor can make, instead. A query is two words of a random title,
each query of 2,000 as likely, so few pages are asked for twice.
"""

import argparse
import os
import random
import re
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from string import ascii_lowercase
from urllib.parse import quote_plus

from portico.pipeline.opening import open_portal

SEED = 1


def titles_and_abstracts(portal: Path) -> list[tuple[str, str]]:
    """From the store itself: an export follows every citation as well, which takes minutes."""
    with open_portal(portal) as opened:
        entities = [entity for entity in opened.store.catalog.entities.all() if entity.documents]
    return [(entity.value("title") or "", entity.value("abstract") or "") for entity in entities]


def write_rows(rows: list[tuple[str, str]], path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE papers (id INTEGER PRIMARY KEY, title TEXT, abstract TEXT)")
        database.executemany("INSERT INTO papers (title, abstract) VALUES (?, ?)", rows)
        database.execute("CREATE VIRTUAL TABLE papers_fts USING fts5(title, abstract, content='papers')")
        database.execute(
            "INSERT INTO papers_fts (rowid, title, abstract) SELECT id, title, abstract FROM papers"
        )


@contextmanager
def running(command: list[str]) -> Iterator[tuple[int, int]]:
    """Port and process of a server that says its address on standard output or error once it listens."""
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, **pipe) as process:  # type: ignore[call-overload]
        try:
            for line in process.stdout:
                found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
                if found:
                    yield int(found[1]), process.pid
                    break
        finally:
            process.terminate()


@contextmanager
def datasette(named: str) -> Iterator[str]:
    """Datasette's program: the one named, or one installed for this run alone."""
    if named:
        yield named
        return
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        subprocess.run([f"{folder}/bin/pip", "install", "--quiet", "datasette"], check=True)
        yield f"{folder}/bin/datasette"


class Visitor:
    """One connection that is kept. By hand: what http.client takes to read an answer would be counted too."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)

    def get(self, address: str) -> int:
        """The status of the answer, once its last byte is here."""
        self._socket.sendall(f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        answer = self._more(b"")
        while (head := answer.find(b"\r\n\r\n") + 4) < 4:
            answer = self._more(answer)
        length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", answer[:head])
        while len(answer) < head + int(length[1]) if length else not answer.endswith(b"\r\n0\r\n\r\n"):
            answer = self._more(answer)
        return int(answer.split(maxsplit=2)[1])

    def _more(self, answer: bytes) -> bytes:
        received = self._socket.recv(1 << 18)
        if not received:
            raise ConnectionError("the server ended the connection within an answer")
        return answer + received


def processor_s(parent: int) -> float:
    """Seconds of processor time of a process and its children so far, from /proc."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    used = 0.0
    for pid in (str(parent), *children):
        values = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        used += (int(values[11]) + int(values[12])) / os.sysconf("SC_CLK_TCK")
    return used


def measure(
    server: tuple[int, int], address: Callable[[str], str], queries: list[str], options: argparse.Namespace
) -> None:
    """Prints how long answers took, for so many users at once."""
    seconds: list[float] = []
    bad: list[int] = []
    port, process = server
    warm_up(port, address, queries)
    before = processor_s(process)
    until = time.monotonic() + options.seconds

    def user(number: int) -> None:
        rng = random.Random(number)
        visitor = Visitor(port)
        time.sleep(rng.uniform(0, options.pause))
        while time.monotonic() < until:
            wanted = address(rng.choice(queries))
            started = time.perf_counter()
            status = visitor.get(wanted)
            seconds.append(time.perf_counter() - started)
            if status != 200:
                bad.append(status)
            time.sleep(rng.uniform(0.5, 1.5) * options.pause)

    users = [threading.Thread(target=user, args=(number,)) for number in range(options.users)]
    for each in users:
        each.start()
    for each in users:
        each.join()
    ordered = sorted(seconds)
    p50, p99 = 1000 * statistics.median(ordered), 1000 * ordered[int(0.99 * (len(ordered) - 1))]
    each_ms = 1000 * (processor_s(process) - before) / len(ordered)
    say(f"  {len(ordered)} pages, {len(bad)} not answered with 200: p50 {p50:.1f} ms, p99 {p99:.1f} ms")
    say(f"  {each_ms:.1f} ms of processor time a page")


def warm_up(port: int, address: Callable[[str], str], queries: list[str]) -> None:
    """Both servers read their files into memory before anyone measures."""
    visitor = Visitor(port)
    for query in queries[-100:]:
        visitor.get(address(query))


_COMMON = (
    "the", "of", "and", "we", "in", "a", "to", "is", "for", "that", "with", "on", "this", "are", "by", "as",
    "be", "an", "which", "can", "from", "it",
)  # fmt: skip
_COSTLY = {
    "an ordinary search": "/search?q=decision+trees",
    "the most frequent words": f"/search?q={'+OR+'.join(_COMMON)}",
    "150 different words": f"/search?q={'+'.join(f'word{number}' for number in range(150))}",
    "26 beginnings of words": f"/search?q={'+OR+'.join(f'{letter}*' for letter in ascii_lowercase)}",
    "64 phrases": f"/search?q={'+OR+'.join(f'%22{a}+{b}%22' for a in _COMMON[:8] for b in _COMMON[:8])}",
    "52 misspelt words": f"/search?q={'+'.join(f'lerninng{letter}' for letter in 2 * ascii_lowercase)}",
    "the last page of results": "/search?q=the&page=500",
    "a search as a feed": "/feed?q=the",
    "1,000 papers of the API": "/api/papers?limit=1000",
    "100 records over OAI-PMH": "/oai?verb=ListRecords&metadataPrefix=oai_dc",
    "the sitemap": "/sitemap.xml",
    "all papers, JSON lines": "/download/papers.jsonl",
    "all papers, CSV": "/download/papers.csv",
    "all papers, SQLite": "/download/papers.sqlite",
}


def measure_costs(server: tuple[int, int]) -> None:
    """Prints the processor time of each of the costly requests, the least of three."""
    port, process = server
    visitor = Visitor(port)
    for name, address in _COSTLY.items():
        if (status := visitor.get(address)) != 200:
            raise SystemExit(f"{address}: answered {status}")
        costs: list[float] = []
        for _ in range(3):
            before, n_asked = processor_s(process), 0
            # The kernel counts in hundredths of a second.
            while processor_s(process) - before < 0.1 and n_asked < 50:
                visitor.get(address)
                n_asked += 1
            costs.append(1000 * (processor_s(process) - before) / n_asked)
        say(f"  {min(costs):8.1f} ms  {name}")


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("portal", type=Path)
    parser.add_argument(
        "--datasette", default="", help="Datasette's program, or none; installed for this run without it"
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--costs", action="store_true", help="print what single requests cost, instead")
    parser.add_argument("--pause", type=float, default=1.0, help="seconds a user reads a page")
    options = parser.parse_args()
    serve = [sys.executable, "-m", "portico", "serve", str(options.portal), "--port", "0"]
    if options.costs:
        with running([*serve, "--workers", "1"]) as ours:
            measure_costs(ours)
        return
    rows, rng = titles_and_abstracts(options.portal), random.Random(SEED)
    words = [re.findall(r"[A-Za-z]{4,}", title) for title, _ in rows]
    queries = [" ".join(rng.sample(each, 2)) for each in rng.sample(words, len(words)) if len(each) > 1][
        :2000
    ]
    say(f"{len(rows)} papers, {options.users} users who read each page for about {options.pause} s")
    with running([*serve, "--workers", str(options.workers)]) as ours:
        say(f"portico with {options.workers} workers, results page with facets")
        measure(ours, lambda query: f"/search?q={quote_plus(query)}", queries, options)
    if options.datasette == "none":
        return
    with datasette(options.datasette) as program, tempfile.TemporaryDirectory() as folder:
        database = Path(folder, "rows.db")
        write_rows(rows, database)
        with running([program, "serve", str(database), "--port", "8917"]) as theirs:
            say("datasette, search in the same titles and abstracts")
            rows_page = "/rows/papers?_search={}&_size=20"
            measure(theirs, lambda query: rows_page.format(quote_plus(query)), queries, options)


if __name__ == "__main__":
    main()
