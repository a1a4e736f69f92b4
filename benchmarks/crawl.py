"""How many pages a second the crawler gets, against Scrapy and a bare loop over the same site.

    python benchmarks/crawl.py TREE [--runs N] [--peer PYTHON] [--policy NAME]

TREE is a folder of HTML files with an index.html. A local nginx serves it (Debian: `apt install nginx-light`)
from the last processor core; each crawler has the first core for itself, no delays and up to 64 requests at
once. Portico keeps its frontier, pages and bodies on disk; Scrapy keeps its frontier there (JOBDIR), and no
pages. `--peer` is a Python with Scrapy in it; without it one is made in a temporary virtual environment.

Prints pages per second of wall clock and of processor time (the fairer figure on a busy machine), the medians
of all runs, the ratios, and the share of Portico's time that link scoring takes.
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
CONTESTANTS = ("portico", "scrapy", "bare")
MINIMUM_RATIO = 5.0  # against Scrapy, what we promise

NGINX = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off; keepalive_requests 1000000; sendfile on; tcp_nodelay on;
  client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
  uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
  types {{ text/html html htm shtml; text/plain txt; application/pdf pdf; application/postscript ps; }}
  default_type application/octet-stream;
  server {{ listen 127.0.0.1:{port} backlog=1024; root {tree}; index index.html; absolute_redirect off; }}
}}
"""


@dataclass(frozen=True)
class Run:
    """What one crawl of the site came to."""

    n_pages: int
    seconds: float
    processor_s: float
    scoring_s: float = 0.0

    @property
    def pages_per_s(self) -> float:
        return self.n_pages / self.seconds

    @property
    def pages_per_processor_s(self) -> float:
        return self.n_pages / self.processor_s


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


@contextmanager
def served(tree: Path) -> Iterator[str]:
    """The tree on a port of its own, served by nginx; gives the address of its home page."""
    with tempfile.TemporaryDirectory() as folder:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        configuration = Path(folder) / "nginx.conf"
        configuration.write_text(NGINX.format(folder=folder, port=port, tree=tree.resolve()))
        Path(folder).chmod(0o755)  # started by root, nginx reads as another user
        server = subprocess.Popen([*_on_core(-1), "nginx", "-p", folder, "-c", str(configuration)])
        try:
            _wait_for(port)
            yield f"http://127.0.0.1:{port}/index.html"
        finally:
            server.terminate()
            server.wait()


def _wait_for(port: int) -> None:
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise SystemExit("nginx does not answer")


def _on_core(index: int) -> list[str]:
    core = sorted(os.sched_getaffinity(0))[index]
    return ["taskset", "-c", str(core)]


def peer_python(given: Path | None, folder: Path) -> Path:
    """A Python that has Scrapy."""
    if given is not None:
        return given
    say("installing Scrapy into a temporary environment")
    venv.create(folder / "peer", with_pip=True)
    python = folder / "peer" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "scrapy"], check=True)
    return python


def measure(python: Path, contestant: str, start: str, policy: str) -> Run:
    """One crawl in a process of its own on the first core."""
    with tempfile.TemporaryDirectory() as folder:
        program = HERE / "contestants" / f"crawl_{contestant}.py"
        command = [*_on_core(0), str(python), str(program), start, folder, policy]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{contestant} failed:\n{done.stderr}")
    return Run(**json.loads(done.stdout.splitlines()[-1]))


def report(runs: dict[str, list[Run]]) -> float:
    """Print the medians; gives the ratio to Scrapy by wall clock."""
    wall = {name: statistics.median(run.pages_per_s for run in found) for name, found in runs.items()}
    cpu = {
        name: statistics.median(run.pages_per_processor_s for run in found) for name, found in runs.items()
    }
    say(f"{'':10}{'pages':>8}{'pages/s':>10}{'pages per processor second':>30}")
    for name, found in runs.items():
        say(f"{name:10}{found[-1].n_pages:8}{wall[name]:10.0f}{cpu[name]:30.0f}")
    scoring = statistics.median(run.scoring_s / run.processor_s for run in runs["portico"])
    for peer in ("scrapy", "bare"):
        say(
            f"portico is {wall['portico'] / wall[peer]:.2f} times as fast as {peer}"
            f" ({cpu['portico'] / cpu[peer]:.2f} times by processor time)"
        )
    say(f"link scoring takes {scoring:.1%} of portico's processor time")
    return wall["portico"] / wall["scrapy"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tree", type=Path)
    parser.add_argument("--runs", type=int, default=3, help="how often each crawls, in turn (3)")
    parser.add_argument("--peer", type=Path, help="a Python with Scrapy installed")
    parser.add_argument("--policy", choices=("learned", "breadth-first"), default="learned", help="Portico's")
    options = parser.parse_args()
    runs: dict[str, list[Run]] = {name: [] for name in CONTESTANTS}
    with tempfile.TemporaryDirectory() as folder, served(options.tree) as start:
        python = peer_python(options.peer, Path(folder))
        for _ in range(options.runs):
            for name in CONTESTANTS:
                run = measure(
                    python if name == "scrapy" else Path(sys.executable), name, start, options.policy
                )
                say(f"{name}: {run.n_pages} pages in {run.seconds:.1f} s ({run.processor_s:.1f} s processor)")
                runs[name].append(run)
    ratio = report(runs)
    if ratio < MINIMUM_RATIO:
        raise SystemExit(f"slower than promised: {ratio:.2f} times Scrapy, not {MINIMUM_RATIO:g}")


if __name__ == "__main__":
    main()
