"""A cluster on this machine: PostgreSQL, a Dask scheduler, workers, crawlers, portal nodes, and the demo.

    .venv/bin/python scripts/cluster.py [FOLDER] [--workers N] [--crawlers N] [--portals N] [--build-only]

`make cluster` runs this. Every part is a process, started as docs/scale.md starts it on a machine of its own,
and started again when it dies: kill -9 any of them and see. Ctrl-C stops all. Tests and benchmarks use the
same parts.
"""

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LOCAL = "127.0.0.1"
START_S = 60.0  # how long a part may take until it answers
WATCH_S = 0.2  # how often dead parts are looked for
LIVED_S = 5.0  # a part that dies sooner has not been up at all
RETRY_S = 1.0  # from one attempt to start it to the next
DASHBOARD_PORT = 8787  # Dask's own


@dataclass
class Part:
    """A process that is started again when it dies."""

    name: str
    command: Sequence[str]
    options: dict[str, Any] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    retry_at: float = 0.0


class Cluster:
    """The parts, each with a log in `folder/logs`; the last that was started is stopped first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.logs = folder / "logs"
        self.logs.mkdir(parents=True, exist_ok=True)
        self.parts: dict[str, Part] = {}
        self.scheduler = ""
        self.sockets: Path | None = None
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._watch: threading.Thread | None = None

    def start(self, name: str, *command: str, **options: Any) -> Part:
        part = self.parts[name] = Part(name, command, options)
        self._launch(part)
        return part

    def start_scheduler(self, port: int = 0, dashboard_port: int = 0) -> None:
        address = self.folder / "scheduler.json"
        address.unlink(missing_ok=True)
        # The port is chosen here: a scheduler that is started again must be where its workers look for it.
        port = port or find_free_port()
        self.scheduler = f"tcp://{LOCAL}:{port}"
        flags = ["--host", LOCAL, "--port", str(port), "--no-show", "--no-jupyter"]
        flags += ["--dashboard-address", f"{LOCAL}:{dashboard_port}", "--scheduler-file", str(address)]
        self.start("scheduler", *run_dask("scheduler"), *flags)
        wait_until(address.exists, "the scheduler does not start", self.logs / "scheduler.log")

    def start_worker(self, name: str, *, nanny: bool = False, python_path: str = "") -> Part:
        flags = ["--nanny" if nanny else "--no-nanny", "--nthreads", "1", "--host", LOCAL, "--name", name]
        flags += ["--no-dashboard", "--local-directory", str(self.folder), "--death-timeout", "10"]
        # The tests' own jobs must be importable by the workers.
        path = os.pathsep.join(part for part in (python_path, str(ROOT)) if part)
        environment = {**os.environ, "PYTHONPATH": path}
        return self.start(name, *run_dask("worker"), self.scheduler, *flags, env=environment)

    def kill(self, name: str) -> None:
        """kill -9 of one part and of its processes; whoever watches starts it again."""
        process = self.parts[name].process
        assert process is not None
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def forget(self, name: str) -> None:
        """Ends a part for good."""
        with self._lock:
            part = self.parts.pop(name)
        self._end(part)

    def watch(self) -> None:
        """From now on starts again what dies."""
        self._watch = threading.Thread(target=self._keep_alive, daemon=True)
        self._watch.start()

    def stop(self) -> None:
        self._stopping.set()
        if self._watch is not None:
            self._watch.join()
        for part in reversed(self.parts.values()):
            self._end(part)
        if self.sockets is not None:
            shutil.rmtree(self.sockets, ignore_errors=True)

    def _keep_alive(self) -> None:
        while not self._stopping.wait(WATCH_S):
            with self._lock:
                dead = [
                    part for part in self.parts.values() if part.process and part.process.poll() is not None
                ]
                for part in dead:
                    self._start_again(part)

    def _start_again(self, part: Part) -> None:
        """Said once where it dies again and again: PostgreSQL does until what it left behind is gone."""
        now = time.monotonic()
        if now < part.retry_at:
            return
        if now - part.started_at > LIVED_S:
            say(f"{part.name} has died and is started again")
        self._launch(part)
        part.retry_at = part.started_at + RETRY_S

    def _launch(self, part: Part) -> None:
        with (self.logs / f"{part.name}.log").open("ab") as log:
            part.process = subprocess.Popen(
                part.command, stdout=log, stderr=log, start_new_session=True, **part.options
            )
        part.started_at = time.monotonic()

    def _end(self, part: Part) -> None:
        if part.process is None or part.process.poll() is not None:
            return
        part.process.send_signal(signal.SIGINT)
        try:
            part.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(part.process.pid, signal.SIGKILL)
            part.process.wait()


@contextmanager
def run_cluster(folder: Path, *, workers: int, nanny: bool = False) -> Iterator[Cluster]:
    """A scheduler and workers, which nobody starts again."""
    cluster = Cluster(folder)
    try:
        cluster.start_scheduler()
        for number in range(1, workers + 1):
            cluster.start_worker(f"worker-{number}", nanny=nanny)
        yield cluster
    finally:
        for name in [*cluster.parts]:
            process = cluster.parts[name].process
            if process is not None and process.poll() is None:
                cluster.kill(name)


def run_dask(verb: str) -> list[str]:
    return [sys.executable, "-m", "dask", verb]


def find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOCAL, 0))
        return int(probe.getsockname()[1])


def wait_until(is_ready: Any, complaint: str, log: Path) -> None:
    deadline = time.monotonic() + START_S
    while not is_ready():
        if time.monotonic() > deadline:
            sys.exit(f"cluster: {complaint} within {START_S:.0f} s; {log} ends:\n{log.read_text()[-2000:]}")
        time.sleep(0.05)


def start_postgresql(cluster: Cluster) -> str:
    """A server of Debian's package with its data in the cluster's folder; the url of its database."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if not programs:
        sys.exit("cluster: PostgreSQL is not installed; run `apt-get install postgresql`, or add --sqlite")
    folder_of = programs[-1].parent
    as_other: dict[str, Any] = {}
    data = cluster.folder / "postgresql"
    # The name of a socket has at most 107 characters, so it is not in the cluster's folder.
    sockets = cluster.sockets = Path(tempfile.mkdtemp(prefix="portico-cluster-", dir="/tmp"))
    data.mkdir(exist_ok=True)
    if os.getuid() == 0:  # PostgreSQL refuses to run as root
        as_other = {"user": "nobody", "group": "nogroup", "extra_groups": []}
        for folder in (data, sockets):
            shutil.chown(folder, "nobody", "nogroup")
    if not (data / "PG_VERSION").exists():
        data.chmod(0o700)
        made = ["-D", str(data), "-U", "portico", "-A", "trust", "--encoding=UTF8", "--locale=C.UTF-8"]
        subprocess.run([folder_of / "initdb", *made], check=True, stdout=subprocess.DEVNULL, **as_other)
    flags = ["-D", str(data), "-k", str(sockets), "-c", "listen_addresses="]
    cluster.start("postgresql", str(folder_of / "postgres"), *flags, **as_other)

    def has_database() -> bool:
        there = ["psql", "-h", str(sockets), "-U", "portico", "-d", "postgres", "-tAc"]
        asked = [*there, "select 1 from pg_database where datname = 'portico'"]
        found = subprocess.run(asked, capture_output=True, text=True, check=False)
        if found.returncode == 0 and not found.stdout.strip():
            subprocess.run([*there, "create database portico"], check=True, stdout=subprocess.DEVNULL)
        return found.returncode == 0

    wait_until(has_database, "PostgreSQL does not start", cluster.logs / "postgresql.log")
    return f"postgresql://portico@/portico?host={sockets}"


SETTINGS = """# Written by scripts/cluster.py: the portal of the sample web, on a cluster.

[portal]
title = "Portico demo on a cluster"

[[source]]
seeds = {seeds}
hosts = {hosts}

[fetch]
contact = "demo@example.org"
delay_s = 0.0
proxy = "{proxy}"

[store]
url = "{store}"

[blobs]
url = "file://{blobs}"

[engine]
kind = "dask"
scheduler = "{scheduler}"

[serve]
metrics = ["127.0.0.1"]
"""


def build_demo(cluster: Cluster, store: str, *, n_crawlers: int) -> Path:
    """Crawls the sample web and builds its portal, by the commands that a builder types."""
    from portico.sample.generate import write_sample_web
    from portico.sample.server import SampleServer

    portal = cluster.folder / "portal"
    portal.mkdir(exist_ok=True)
    web = write_sample_web(cluster.folder / "web")
    with SampleServer(web.folder) as server:
        settings = SETTINGS.format(
            seeds=json.dumps(web.seeds),
            hosts=json.dumps(web.hosts),
            proxy=server.proxy_url,
            store=store,
            blobs=(cluster.folder / "bodies").resolve(),
            scheduler=cluster.scheduler,
        )
        (portal / "portal.toml").write_text(settings)
        # They share the frontier and end together, when nothing is left of it.
        crawl = [sys.executable, "-m", "portico", "crawl", str(portal), "--quiet"]
        for crawler in [subprocess.Popen(crawl) for _ in range(n_crawlers)]:
            if crawler.wait() != 0:
                sys.exit("cluster: a crawler ended with an error (above); run the same again")
        subprocess.run([sys.executable, "-m", "portico", "build", str(portal)], check=True)
    return portal


def make_node(portal: Path, folder: Path) -> Path:
    """What a machine has that only serves: the settings. It fetches the index by itself."""
    folder.mkdir(exist_ok=True)
    shutil.copy(portal / "portal.toml", folder)
    return folder


def say(line: str) -> None:
    sys.stdout.write(f"• {line}\n")
    sys.stdout.flush()


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("cluster"))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--crawlers", type=int, default=2)
    parser.add_argument("--portals", type=int, default=2)
    parser.add_argument("--port", type=int, default=8000, help="of the first portal node")
    parser.add_argument(
        "--sqlite", action="store_true", help="keep the store in a file instead of PostgreSQL"
    )
    parser.add_argument("--build-only", action="store_true", help="stop when the portal is built")
    return parser.parse_args()


def main() -> None:
    arguments = read_arguments()
    # SIGTERM means all of its parts, too; a shell that starts this in the background has SIGINT ignored.
    for ending in (signal.SIGTERM, signal.SIGINT):
        signal.signal(ending, signal.default_int_handler)
    cluster = Cluster(arguments.folder.resolve())
    with ExitStack() as stack:
        stack.callback(cluster.stop)
        store = "sqlite:///portico.db"
        if not arguments.sqlite:
            store = start_postgresql(cluster)
            say(f"PostgreSQL     {store}")
        cluster.start_scheduler(dashboard_port=DASHBOARD_PORT)
        say(f"scheduler      {cluster.scheduler}, metrics at http://{LOCAL}:{DASHBOARD_PORT}/metrics")
        for number in range(1, arguments.workers + 1):
            cluster.start_worker(f"worker-{number}")
            say(f"worker         worker-{number}; one more: dask worker {cluster.scheduler}")
        say(f"logs           {cluster.logs}")
        cluster.watch()
        n_crawlers = 0 if arguments.sqlite else arguments.crawlers  # only PostgreSQL lets several write
        if n_crawlers:
            say(f"crawlers       {n_crawlers}")
        portal = build_demo(cluster, store, n_crawlers=n_crawlers)
        if arguments.build_only:
            return
        for number in range(arguments.portals):
            name, port = f"portal-{number + 1}", str(arguments.port + number)
            node = portal if arguments.sqlite else make_node(portal, cluster.folder / name)
            cluster.start(name, sys.executable, "-m", "portico", "serve", str(node), "--port", port)
            say(f"portal node    http://{LOCAL}:{port}, metrics at http://{LOCAL}:{port}/metrics")
        say("Ctrl-C stops everything")
        threading.Event().wait()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        say("stopped")
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
