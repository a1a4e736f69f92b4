"""How fast results pages are made under load, against Datasette's search on the same rows in the same run.

    python benchmarks/serve.py PORTAL [--datasette PROGRAM] [--users 50] [--seconds 20] [--pause 1.0]

PORTAL is a built portal (`portico import jsonl papers.jsonl.xz PORTAL`). Datasette is no dependency of ours;
install it where you like and name its program:

    python -m venv peer && peer/bin/pip install datasette

So many users at once each ask for a results page with facets, read it for about PAUSE seconds, and ask again,
in turns at ours and at Datasette's full-text table of the same titles and abstracts. Prints the times in
milliseconds from request to last byte. A query is two words of a random title.
"""

import argparse
import http.client
import json
import random
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote_plus

SEED = 1


def titles_and_abstracts(portal: Path) -> list[tuple[str, str]]:
    command = [sys.executable, "-m", "portico", "export", "jsonl", str(portal)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    papers = map(json.loads, lines)
    return [(paper["title"] or "", paper["abstract"] or "") for paper in papers]


def write_rows(rows: list[tuple[str, str]], path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE papers (id INTEGER PRIMARY KEY, title TEXT, abstract TEXT)")
        database.executemany("INSERT INTO papers (title, abstract) VALUES (?, ?)", rows)
        database.execute("CREATE VIRTUAL TABLE papers_fts USING fts5(title, abstract, content='papers')")
        database.execute(
            "INSERT INTO papers_fts (rowid, title, abstract) SELECT id, title, abstract FROM papers"
        )


@contextmanager
def running(command: list[str]) -> Iterator[int]:
    """The port of a server that says its address on standard output or error once it listens."""
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, **pipe) as process:  # type: ignore[call-overload]
        try:
            for line in process.stdout:
                found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
                if found:
                    yield int(found[1])
                    break
        finally:
            process.terminate()


def measure(
    port: int, address: Callable[[str], str], queries: list[str], options: argparse.Namespace
) -> None:
    """Prints how long answers took, for so many users at once."""
    seconds: list[float] = []
    bad: list[int] = []
    until = time.monotonic() + options.seconds

    def user(number: int) -> None:
        rng = random.Random(number)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        time.sleep(rng.uniform(0, options.pause))
        while time.monotonic() < until:
            started = time.perf_counter()
            connection.request("GET", address(rng.choice(queries)))
            answer = connection.getresponse()
            answer.read()
            seconds.append(time.perf_counter() - started)
            if answer.status != 200:
                bad.append(answer.status)
            time.sleep(rng.uniform(0.5, 1.5) * options.pause)

    users = [threading.Thread(target=user, args=(number,)) for number in range(options.users)]
    for each in users:
        each.start()
    for each in users:
        each.join()
    ordered = sorted(seconds)
    p50, p99 = 1000 * statistics.median(ordered), 1000 * ordered[int(0.99 * (len(ordered) - 1))]
    say(f"  {len(ordered)} pages, {len(bad)} not answered with 200: p50 {p50:.1f} ms, p99 {p99:.1f} ms")


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("portal", type=Path)
    parser.add_argument(
        "--datasette", default="", help="Datasette's program; without it only ours is measured"
    )
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--pause", type=float, default=1.0, help="seconds a user reads a page")
    options = parser.parse_args()
    rows, rng = titles_and_abstracts(options.portal), random.Random(SEED)
    words = [re.findall(r"[A-Za-z]{4,}", title) for title, _ in rows]
    queries = [" ".join(rng.sample(each, 2)) for each in rng.sample(words, len(words)) if len(each) > 1][
        :2000
    ]
    say(f"{len(rows)} papers, {options.users} users who read each page for about {options.pause} s")
    with running([sys.executable, "-m", "portico", "serve", str(options.portal), "--port", "0"]) as port:
        say("portico, results page with facets")
        measure(port, lambda query: f"/search?q={quote_plus(query)}", queries, options)
    if not options.datasette:
        return
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder, "rows.db")
        write_rows(rows, database)
        with running([options.datasette, "serve", str(database), "--port", "8917"]) as port:
            say("datasette, search in the same titles and abstracts")
            measure(
                port, lambda query: f"/rows/papers?_search={quote_plus(query)}&_size=20", queries, options
            )


if __name__ == "__main__":
    main()
