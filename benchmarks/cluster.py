"""A Dask cluster on this machine: how fast is it, and what do kills cost?

    python benchmarks/cluster.py speed PAPERS
    python benchmarks/cluster.py kills [--rounds N] [--sqlite]

`speed` converts and extracts the files of the folder PAPERS by the embedded engine with two processes, by one
Dask worker and by two, and prints the seconds that each took, those of the processors (which other work on
the machine does not lengthen; with starting Dask's processes), and whether the three portals are the same.

`kills` builds the sample portal on PostgreSQL (or SQLite), a scheduler and two workers, N times over all
stages (20 unless told otherwise). In each round every part and the build itself are killed once with kill -9,
in any order and some seconds apart; what dies is started again. Every portal must end as the undisturbed one.
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
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from scripts.cluster import Cluster, start_postgresql

from portico.sample.banks import SMALL
from portico.sample.generate import write_sample_web
from portico.sample.server import SampleServer

BUILD = "build"
EVERY_S = (1.0, 8.0)  # from one kill to the next
SETTINGS = """[portal]
title = "Cluster"
[[source]]
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
        (portal / "portal.toml").write_text(SETTINGS.format(source=source, fetch="", rest=""))
        run_portico("build", portal)
        exported.add(run_portico("export", "jsonl", portal, "--cited"))
    embedded, one, two = seconds.values()
    say(f"two workers against one: {one / two:.2f} times as fast")
    say(f"two workers against the embedded engine: {100 * (two / embedded - 1):+.0f} % time")
    say(f"the portals are {'the same' if len(exported) == 1 else 'NOT the same'}")


def read_processor_s() -> float:
    """What processes that we started, and theirs, have used until they ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Killer:
    """Kills parts and builds while a portal is built."""

    def __init__(self, cluster: Cluster, chance: random.Random) -> None:
        self._cluster = cluster
        self._chance = chance
        self._build: subprocess.Popen[bytes] | None = None
        self._over = threading.Event()
        self.killed: list[str] = []

    def build(self, portal: Path) -> None:
        """Builds until it ends well, whatever is killed meanwhile; a build that has ended is begun again."""
        self._over.clear()
        killer = threading.Thread(target=self._kill_all_once)
        killer.start()
        for _attempt in range(50):
            with (self._cluster.logs / "build.log").open("ab") as log:
                command = [sys.executable, "-m", "portico", "build", str(portal), "--quiet"]
                self._build = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
                if self._build.wait() == 0:
                    break
            time.sleep(0.5)
        else:
            sys.exit(f"the build does not end; see {self._cluster.logs}")
        self._over.set()
        killer.join()

    def _kill_all_once(self) -> None:
        names = [*self._cluster.parts, BUILD]
        for name in self._chance.sample(names, len(names)):
            if self._over.wait(self._chance.uniform(*EVERY_S)):
                return
            self.killed.append(name)
            if name != BUILD:
                self._cluster.kill(name)
            elif self._build is not None and self._build.poll() is None:
                os.killpg(self._build.pid, signal.SIGKILL)


def measure_kills(work: Path, *, rounds: int, sqlite: bool) -> None:
    web = write_sample_web(work / "web", scale=SMALL)
    source = f"seeds = {json.dumps(web.seeds)}\nhosts = {json.dumps(web.hosts)}"
    chance = random.Random(18)
    cluster = Cluster(work / "cluster")
    with SampleServer(web.folder) as server:
        fetch = f'proxy = "{server.proxy_url}"'
        undisturbed = write_portal(work / "undisturbed", source=source, fetch=fetch)
        run_portico("build", undisturbed)
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
                killer = Killer(cluster, chance)
                began = time.monotonic()
                killer.build(portal)
                is_same = run_portico("export", "jsonl", portal, "--cited") == expected
                n_same += is_same
                verdict = "same" if is_same else "OTHER"
                took_s = time.monotonic() - began
                say(f"round {number:2}: {verdict}, {took_s:.0f} s, killed {', '.join(killer.killed)}")
                if is_same:
                    shutil.rmtree(portal)
        finally:
            cluster.stop()
    say(f"{n_same} of {rounds} portals are the same as without kills")


def make_database(url: str, name: str) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("speed", "kills"))
    parser.add_argument("papers", type=Path, nargs="?")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--sqlite", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="portico-") as work:
        os.chmod(work, 0o755)  # noqa: S103 - PostgreSQL runs as another user where we are root
        if arguments.what == "kills":
            measure_kills(Path(work), rounds=arguments.rounds, sqlite=arguments.sqlite)
        elif arguments.papers is None:
            parser.error("name a folder of papers")
        else:
            measure_speed(arguments.papers, Path(work))


if __name__ == "__main__":
    main()
