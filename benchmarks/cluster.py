"""A Dask cluster on this machine: is its portal the same, how fast is it, and what do kills cost?

    python benchmarks/cluster.py same [--papers N ...] [--references N]
    python benchmarks/cluster.py speed PAPERS
    python benchmarks/cluster.py kills [--rounds N] [--sqlite]

`same` builds the sample portal, and portals of so many generated papers (benchmarks/growth.py), by the
embedded engine with two processes on SQLite, and again by a scheduler and two workers on PostgreSQL, where
two crawlers fetch the sample web. It compares what `portico export jsonl --cited` writes, byte for byte, and
the results of searches for the words of titles, and prints the seconds of both: on the clock, and of all
processors, which other work on the machine does not lengthen. What starting and ending the parts of a
cluster takes, which is no work of theirs, is printed apart.

`speed` converts and extracts the files of the folder PAPERS by the embedded engine with two processes, by one
Dask worker and by two, and prints the seconds that each took, those of the processors (which other work on
the machine does not lengthen; with starting Dask's processes), and whether the three portals are the same.

`kills` builds the sample portal on PostgreSQL (or SQLite), a scheduler and two workers, N times over all
stages (20 unless told otherwise); on PostgreSQL two crawlers fetch its pages first. In each round every part
is killed once with kill -9, and twice a crawler or the build, whichever runs, at moments drawn by chance;
what dies is started again. Every portal must end as the undisturbed one. Prints what was killed when.
"""

import argparse
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.growth import RECORDS, make_files
from benchmarks.kills import STAGES
from scripts.cluster import Cluster, start_postgresql

import portico
from portico.sample.banks import SMALL
from portico.sample.generate import write_sample_web
from portico.sample.server import SampleServer

BUILD, CRAWLERS = "build", ("crawler-1", "crawler-2")
N_SEARCHES = 200
SLOWER = 2.0  # how much longer a build takes that is killed again and again
SETTINGS = """[portal]
title = "Cluster"
{source}
[fetch]
contact = "benchmark@example.org"
delay_s = 0
{fetch}
{rest}
"""


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def run_portico(*words: str | Path) -> str:
    command = [sys.executable, "-m", "portico", *map(str, words)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def write_portal(folder: Path, *, source: str, fetch: str = "", rest: Sequence[str] = ()) -> Path:
    folder.mkdir(parents=True)
    source = f"[[source]]\n{source}" if source else ""  # imported papers have none
    (folder / "portal.toml").write_text(SETTINGS.format(source=source, fetch=fetch, rest="\n".join(rest)))
    return folder


def use_dask(cluster: Cluster) -> str:
    return f'[engine]\nkind = "dask"\nscheduler = "{cluster.scheduler}"'


def measure_speed(papers: Path, work: Path) -> None:
    source = f"folder = {json.dumps(str(papers.resolve()))}"
    exported: set[str] = set()
    seconds: dict[str, float] = {}
    for name, n_workers in (("embedded, two processes", 0), ("one Dask worker", 1), ("two Dask workers", 2)):
        cluster = Cluster(work / f"cluster-{n_workers}")
        try:
            rest = ["[engine]\nworkers = 2"]
            if n_workers:
                cluster.start_scheduler()
                for number in range(1, n_workers + 1):
                    cluster.start_worker(f"worker-{number}")
                rest = [use_dask(cluster)]
            portal = write_portal(work / f"portal-{n_workers}", source=source, rest=rest)
            run_portico("crawl", portal)
            began, used_s = time.monotonic(), read_processor_s()
            run_portico("convert", portal)
            run_portico("extract", portal)
            seconds[name] = time.monotonic() - began
        finally:
            cluster.stop()
        used_s = read_processor_s() - used_s
        say(f"{name:<26}{seconds[name]:7.1f} s, {used_s:.1f} s of processors")
        (portal / "portal.toml").write_text(
            SETTINGS.format(source=f"[[source]]\n{source}", fetch="", rest="")
        )
        run_portico("build", portal)
        exported.add(run_portico("export", "jsonl", portal, "--cited"))
    embedded, one, two = seconds.values()
    say(f"two workers against one: {one / two:.2f} times as fast")
    say(f"two workers against the embedded engine: {100 * (two / embedded - 1):+.0f} % time")
    say(f"the portals are {'the same' if len(exported) == 1 else 'NOT the same'}")


def measure_same(work: Path, *, sizes: Sequence[int], n_references: int) -> bool:
    """Whether all portals are the same on a cluster; prints what each took."""
    web = write_sample_web(work / "web")
    with SampleServer(web.folder) as server:
        source = f"seeds = {json.dumps(web.seeds)}\nhosts = {json.dumps(web.hosts)}"
        fetch = f'proxy = "{server.proxy_url}"'
        is_same = compare_portals(work / "demo", "demo", source=source, fetch=fetch)
    idle, used_s = time.monotonic(), read_processor_s()
    start_cluster(work / "idle")[0].stop()
    say(f"a cluster that starts and ends: {time.monotonic() - idle:.1f} s, "
        f"{read_processor_s() - used_s:.1f} s of processors")  # fmt: skip
    for n_papers in sizes:
        folder = work / f"papers-{n_papers}"
        folder.mkdir()
        make_files(folder, n_papers, n_references)
        is_same &= compare_portals(folder, f"{n_papers:,} papers", records=folder / RECORDS)
        shutil.rmtree(folder)
    return is_same


def compare_portals(
    folder: Path, name: str, *, source: str = "", fetch: str = "", records: Path | None = None
) -> bool:
    """Builds one portal twice, prints the seconds of both and whether they are the same."""
    took: list[tuple[float, float]] = []
    exported: list[str] = []
    found: list[list[str]] = []
    embedded = write_portal(folder / "embedded", source=source, fetch=fetch, rest=["[engine]\nworkers = 2"])
    for portal in (embedded, folder / "on-cluster"):
        cluster, used_s = None, read_processor_s()
        try:
            if portal != embedded:
                cluster, store = start_cluster(folder / "cluster")
                rest = [f'[store]\nurl = "{store}"', f'[blobs]\nurl = "file://{folder}/bodies"']
                write_portal(portal, source=source, fetch=fetch, rest=[*rest, use_dask(cluster)])
            began = time.monotonic()
            if records is not None:
                run_portico("import", "--quiet", records, portal)
            else:
                run_together(portal, n_crawlers=1 if cluster is None else len(CRAWLERS))
                run_portico("build", "--quiet", portal)
            took_s = time.monotonic() - began
            before_s = read_processor_s()
            exported.append(run_portico("export", "jsonl", portal, "--cited"))
            used_s += read_processor_s() - before_s  # no part of a build
            found.append(search_titles(portal))
        finally:
            if cluster is not None:
                cluster.stop()
        took.append((took_s, read_processor_s() - used_s))
    (alone_s, alone_cpu_s), (together_s, together_cpu_s) = took
    is_same = exported[0] == exported[1] != "" and found[0] == found[1]
    say(
        f"{name}: {'the same' if is_same else 'NOT the same'}: {len(exported[0].splitlines()):,} lines, "
        f"{len(exported[0].encode()) / 1e6:,.1f} MB, {len(found[0])} searches; "
        f"embedded {alone_s:.1f} s ({alone_cpu_s:.1f} s of processors), "
        f"cluster {together_s:.1f} s ({together_cpu_s:.1f}): {100 * (together_s / alone_s - 1):+.0f} % time, "
        f"{100 * (together_cpu_s / alone_cpu_s - 1):+.0f} % of processors"
    )
    return is_same


def start_cluster(folder: Path) -> tuple[Cluster, str]:
    """PostgreSQL, a scheduler and two workers; and the url of the database."""
    cluster = Cluster(folder)
    store = start_postgresql(cluster)
    cluster.start_scheduler()
    for number in (1, 2):
        cluster.start_worker(f"worker-{number}")
    return cluster, store


def run_together(portal: Path, *, n_crawlers: int) -> None:
    command = [sys.executable, "-m", "portico", "crawl", str(portal), "--quiet"]
    running = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(n_crawlers)]
    if any(tuple(process.wait() for process in running)):
        sys.exit("a crawler failed")


def search_titles(portal: Path) -> list[str]:
    """What searches for words of titles find, in order."""
    with portico.open(portal) as opened:
        titles = islice((paper.title for paper in opened.papers()), N_SEARCHES)
        questions = [" ".join(title.split()[1:4]) for title in titles]
        return [" ".join(paper.id for paper in opened.search(question)) for question in questions]


def read_processor_s() -> float:
    """What processes that we started, and theirs, have used until they ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Killer:
    """Kills parts, crawlers and builds while a portal is made."""

    def __init__(self, cluster: Cluster, chance: random.Random, within_s: float) -> None:
        self._cluster, self._chance = cluster, chance
        self._within_s = within_s  # what undisturbed takes: when the last is killed
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._over = threading.Event()
        self._said = cluster.logs / f"{BUILD}.log"
        self.killed: list[tuple[str, str]] = []  # what, and in which stage

    def make(self, portal: Path, *, n_crawlers: int) -> None:
        """Crawls and builds until both end well, whatever is killed meanwhile."""
        self._said.write_bytes(b"")
        killer = threading.Thread(target=self._kill_all_once)
        killer.start()
        crawlers = [
            threading.Thread(target=self._run, args=(name, "crawl", portal)) for name in CRAWLERS[:n_crawlers]
        ]
        for crawler in crawlers:
            crawler.start()
        for crawler in crawlers:
            crawler.join()
        self._run(BUILD, "build", portal)
        self._over.set()
        killer.join()

    def _run(self, name: str, verb: str, portal: Path) -> None:
        """Again and again until it ends well."""
        for _attempt in range(50):
            with (self._cluster.logs / f"{name}.log").open("ab") as log:
                command = [sys.executable, "-m", "portico", verb, str(portal), "--yes"]
                command = command[:-1] if verb == "crawl" else command
                process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
                self._running[name] = process
                if process.wait() == 0:
                    del self._running[name]
                    return
            time.sleep(0.5)
        sys.exit(f"{name} does not end; see {self._cluster.logs}")

    def _kill_all_once(self) -> None:
        """Every part once, and twice what runs at that moment, at moments drawn by chance."""
        names = self._chance.sample([*self._cluster.parts, "", ""], len(self._cluster.parts) + 2)
        moments = sorted(self._chance.uniform(0, self._within_s) for _ in names)
        began = time.monotonic()
        for name, moment in zip(names, moments, strict=True):
            if self._over.wait(max(0.0, began + moment - time.monotonic())):
                return
            stage = self._find_stage()
            if name:
                self._cluster.kill(name)
            elif not (name := self._kill_running()):
                continue
            self.killed.append((name, stage))

    def _kill_running(self) -> str:
        running = [name for name, process in [*self._running.items()] if process.poll() is None]
        if not running:
            return ""
        name = self._chance.choice(running)
        os.killpg(self._running[name].pid, signal.SIGKILL)
        return name

    def _find_stage(self) -> str:
        """The one at work, by the last that the build said it had finished."""
        words = [line.split(maxsplit=1)[0] for line in self._said.read_text().splitlines() if line.strip()]
        finished = [STAGES.index(word) for word in words if word in STAGES]
        if BUILD not in self._running:
            return STAGES[0]
        return STAGES[min(finished[-1] + 1 if finished else 0, len(STAGES) - 1)]


def measure_kills(work: Path, *, rounds: int, sqlite: bool) -> None:
    web = write_sample_web(work / "web", scale=SMALL)
    source = f"seeds = {json.dumps(web.seeds)}\nhosts = {json.dumps(web.hosts)}"
    chance = random.Random(18)
    cluster = Cluster(work / "cluster")
    with SampleServer(web.folder) as server:
        fetch = f'proxy = "{server.proxy_url}"'
        undisturbed = write_portal(work / "undisturbed", source=source, fetch=fetch)
        began = time.monotonic()
        run_portico("build", undisturbed)
        whole_s = time.monotonic() - began
        stages: Counter[str] = Counter()
        expected = run_portico("export", "jsonl", undisturbed, "--cited")
        try:
            store = "sqlite:///portico.db" if sqlite else start_postgresql(cluster)
            cluster.start_scheduler()
            for number in (1, 2):
                cluster.start_worker(f"worker-{number}")
            cluster.watch()
            n_same = 0
            for number in range(1, rounds + 1):
                portal = work / f"portal-{number}"
                url = store if sqlite else store.replace("/portico?", f"/portal_{number}?")
                if not sqlite:
                    make_database(store, f"portal_{number}")
                rest = [
                    f'[store]\nurl = "{url}"',
                    f'[blobs]\nurl = "file://{portal}/bodies"',
                    use_dask(cluster),
                ]
                write_portal(portal, source=source, fetch=fetch, rest=rest)
                killer = Killer(cluster, chance, SLOWER * whole_s)
                began = time.monotonic()
                killer.make(portal, n_crawlers=0 if sqlite else len(CRAWLERS))
                is_same = run_portico("export", "jsonl", portal, "--cited") == expected
                n_same += is_same
                verdict = "same" if is_same else "OTHER"
                took_s = time.monotonic() - began
                killed = ", ".join(f"{name} ({stage})" for name, stage in killer.killed)
                say(f"round {number:2}: {verdict}, {took_s:.0f} s, killed {killed}")
                stages.update(stage for _, stage in killer.killed)
                if is_same:
                    shutil.rmtree(portal)
        finally:
            cluster.stop()
    say("kills in " + ", ".join(f"{stage} {stages[stage]}" for stage in STAGES))
    say(f"{n_same} of {rounds} portals are the same as without kills")


def make_database(url: str, name: str) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("same", "speed", "kills"))
    parser.add_argument("papers", type=Path, nargs="?")
    parser.add_argument("--papers", dest="sizes", type=int, nargs="+", default=(5_000, 45_000))
    parser.add_argument("--references", type=int, default=5, help="of a generated paper, on average")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--sqlite", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="portico-") as work:
        os.chmod(work, 0o755)  # noqa: S103 - PostgreSQL runs as another user where we are root
        if arguments.what == "same":
            sizes, n_references = arguments.sizes, arguments.references
            if not measure_same(Path(work), sizes=sizes, n_references=n_references):
                sys.exit(1)
        elif arguments.what == "kills":
            measure_kills(Path(work), rounds=arguments.rounds, sqlite=arguments.sqlite)
        elif arguments.papers is None:
            parser.error("name a folder of papers")
        else:
            measure_speed(arguments.papers, Path(work))


if __name__ == "__main__":
    main()
