"""Use a portal while everything around it fails: does it end like one that was left in peace?

    python benchmarks/soak.py [--minutes 60] [--kills 3] [--seed 1]

Two portals of the sample web go through the same rounds: hosts are added, files come into a folder and go,
titles are corrected, and the portal is built. One is left in peace. Around the other, the sites fail and drop
connections, builds and a server are killed with kill -9, the disk fills up (as root, who may mount a small
one), and readers search, browse and stop reading in the middle. After each round both must export the same,
and `portico verify` must find nothing. Exits with 1 where anything is not as promised.
"""

import argparse
import http.client
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from portico.sample.banks import SMALL
from portico.sample.generate import SampleWeb, write_sample_web
from portico.sample.server import Behavior, SampleServer

PASSWORD = "a password of the soak test"  # noqa: S105  it guards nothing
FAULTY = Behavior(fail_rate=0.02, drop_rate=0.01)
SMALL_DISK = "400m"
MOUNT, UMOUNT = "/usr/bin/mount", "/usr/bin/umount"
MOST_FILES = 5  # in the folder that is read, so that the portal does not grow for ever
PAUSE_S = 0.03  # of a reader between two requests
PAGES = (
    "/",
    "/search?q=learning",
    "/search?q=a+model+of+markov&sort=newest",
    "/topics",
    "/about",
    "/api/search?q=networks",
    "/api/suggest?q=le",
    "/feed",
    "/sitemap.xml",
    "/oai?verb=ListRecords&metadataPrefix=oai_dc",
    "/nothing-here",
)


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def run_portico(*words: str | Path, typed: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "portico", *map(str, words)]
    return subprocess.run(command, input=typed, capture_output=True, text=True, check=False)


class Server:
    """`portico serve`, in a process group of its own, so that all of it can be killed."""

    def __init__(self, portal: Path) -> None:
        command = [sys.executable, "-m", "portico", "serve", str(portal), "--port", "0"]
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
        )
        assert self._process.stdout is not None
        found = re.search(r"http://[^:]+:(\d+)", self._process.stdout.readline())
        if found is None:
            raise SystemExit(f"portico serve {portal} did not start")
        self.port = int(found[1])
        self._cookie = ""

    @property
    def memory_mb(self) -> float:
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    @property
    def n_handles(self) -> int:
        return len(os.listdir(f"/proc/{self._process.pid}/fd"))

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def ask(self, path: str, form: dict[str, str] | None = None) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Cookie": self._cookie} if self._cookie else {}
        try:
            if form is None:
                connection.request("GET", path, headers=headers)
            else:
                headers["Content-Type"] = "application/x-www-form-urlencoded"
                connection.request("POST", path, urlencode(form), headers)
            response = connection.getresponse()
            if cookie := response.headers.get("Set-Cookie"):
                self._cookie = cookie.partition(";")[0]
            return response.status, response.read().decode("utf-8", "replace")
        finally:
            connection.close()

    def sign_in(self) -> None:
        status, _ = self.ask("/builder/sign-in", {"password": PASSWORD})
        if status != 303:
            raise SystemExit(f"signing in was answered with {status}")

    def correct_title(self, paper: str, title: str) -> int:
        """The builder's own correction, which is accepted at once."""
        _, page = self.ask(f"/paper/{paper}/wrong")
        token = page.partition('name="token" value="')[2].partition('"')[0]
        return self.ask(f"/paper/{paper}/wrong", {"title": title, "token": token})[0]


@dataclass
class Tally:
    """What happened, and what should not have happened."""

    counts: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    memory_mb: list[float] = field(default_factory=list)
    handles: list[int] = field(default_factory=list)

    def blame(self, what: str) -> None:
        self.broken.append(what)
        say(f"  NOT AS PROMISED: {what}")


class Readers:
    """Visitors of one server: they search and browse, and some ask for a page and never read it."""

    def __init__(self, server: Server, tally: Tally) -> None:
        self._server, self._tally = server, tally
        self._over = threading.Event()
        works = (self._browse, self._browse, self._dawdle)
        self._threads = [threading.Thread(target=work, daemon=True) for work in works]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _browse(self) -> None:
        chance = random.Random(1)
        papers: list[str] = []
        while not self._over.wait(PAUSE_S):
            path = chance.choice([*PAGES, *papers])
            began = time.monotonic()
            try:
                status, page = self._server.ask(path)
            except OSError as problem:
                self._tally.blame(f"{path}: {problem!r}")
                continue
            self._tally.seconds.append(time.monotonic() - began)
            self._tally.counts["requests"] += 1
            if status >= 500:
                self._tally.blame(f"{path} was answered with {status}")
            if path == "/":
                papers = re.findall(r'href="(/paper/[^"#?]+)"', page)[:20]

    def _dawdle(self) -> None:
        while not self._over.is_set():
            with socket.create_connection(("127.0.0.1", self._server.port)) as line:
                line.sendall(b"GET /search?q=learning HTTP/1.1\r\nHost: 127.0.0.1\r\n")
                if not self._over.wait(1.0):
                    line.sendall(b"\r\n")
                    self._over.wait(1.0)
            self._tally.counts["visitors who did not read"] += 1


class Portal:
    """One of the two: its settings, its folder of files, its builds."""

    def __init__(self, root: Path, web: SampleWeb, proxy: str) -> None:
        self.root, self.folder, self.files = root, root / "portal", root / "files"
        self._web, self._proxy = web, proxy
        for folder in (self.folder, self.files):
            folder.mkdir(parents=True)

    def configure(self, n_hosts: int) -> None:
        quoted = [
            ", ".join(f'"{each}"' for each in all_[:n_hosts]) for all_ in (self._web.seeds, self._web.hosts)
        ]
        (self.folder / "portal.toml").write_text(
            f'[portal]\ntitle = "Soak"\n\n[[source]]\nseeds = [{quoted[0]}]\nhosts = [{quoted[1]}]\n\n'
            f'[[source]]\nfolder = "{self.files}"\n\n'
            f'[fetch]\ncontact = "soak@example.org"\ndelay_s = 0\nproxy = "{self._proxy}"\n'
        )

    def put_file(self, source: Path, number: int) -> None:
        """Adds one file; the oldest goes when there are too many."""
        (self.files / f"{number:05}{source.suffix}").write_bytes(source.read_bytes())
        for old in sorted(self.files.iterdir())[:-MOST_FILES]:
            old.unlink()

    def build(self) -> subprocess.CompletedProcess[str]:
        return run_portico("build", self.folder, "--yes")

    def build_and_kill(self, after_s: float) -> bool:
        """False where it had ended before."""
        command = [sys.executable, "-m", "portico", "build", str(self.folder), "--yes"]
        silent = subprocess.DEVNULL
        process = subprocess.Popen(command, stdout=silent, stderr=silent, start_new_session=True)
        try:
            process.wait(after_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return True
        return False

    def export(self) -> str:
        output = self.root / "papers.jsonl"
        done = run_portico("export", "jsonl", self.folder, "--output", output)
        if done.returncode:
            raise SystemExit(done.stderr)
        return output.read_text().replace(str(self.root), "")

    def list_papers(self) -> list[str]:
        return sorted(re.findall(r'^\{"id": ?"([^"]+)"', self.export(), re.MULTILINE))


@contextmanager
def mount_small_disk(folder: Path) -> Iterator[bool]:
    """A disk that can be filled, where we may mount one."""
    folder.mkdir()
    mount = [MOUNT, "-t", "tmpfs", "-o", f"size={SMALL_DISK}", "tmpfs", str(folder)]
    mounted = os.geteuid() == 0 and subprocess.run(mount, capture_output=True, check=False).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run([UMOUNT, "--lazy", str(folder)], check=False)


class Soak:
    """The rounds, and what is injected into those of the shaken portal."""

    def __init__(self, calm: Portal, shaken: Portal, files: list[Path], options: argparse.Namespace) -> None:
        self._calm, self._shaken, self._files, self._options = calm, shaken, files, options
        self._chance = random.Random(options.seed)
        self.tally = Tally()

    def run_round(self, number: int, n_hosts: int, *, small_disk: bool) -> None:
        corrected = self._correct(number) if number else None
        for portal in (self._calm, self._shaken):
            portal.configure(n_hosts)
            portal.put_file(self._files[number % len(self._files)], number)
        began = time.monotonic()
        if (done := self._calm.build()).returncode:
            raise SystemExit(f"the undisturbed build failed: {done.stderr}")
        whole_s = time.monotonic() - began
        for _ in range(self._options.kills):
            self.tally.counts["kills of builds"] += self._shaken.build_and_kill(
                self._chance.uniform(0.3, whole_s)
            )
        if small_disk and number % 3 == 2:
            self._fill_disk()
        if (done := self._shaken.build()).returncode:
            self.tally.blame(f"round {number}: the build failed: {done.stderr[-300:]}")
        self._compare(number, corrected)

    def _compare(self, number: int, corrected: str | None) -> None:
        calm, shaken = self._calm.export(), self._shaken.export()
        if calm != shaken:
            other = [line for line in shaken.splitlines() if line not in set(calm.splitlines())]
            self.tally.blame(f"round {number}: {len(other)} papers differ, first {other[:1]}"[:2000])
        if corrected is not None and corrected not in shaken:
            self.tally.blame(f"round {number}: the correction “{corrected}” is lost")
        if (done := run_portico("verify", self._shaken.folder)).returncode:
            self.tally.blame(f"round {number}: verify: {done.stdout[-500:]}{done.stderr[-300:]}")
        self.tally.counts["papers compared"] += len(calm.splitlines())
        self.tally.counts["rounds"] += 1

    def _fill_disk(self) -> None:
        ballast = self._shaken.root / "ballast"
        with suppress(OSError), ballast.open("wb") as file:
            while True:
                file.write(bytes(1 << 20))
        done = self._shaken.build()
        if "Traceback" in done.stderr:
            self.tally.blame(f"a full disk: {done.stderr[-500:]}")
        self.tally.counts["full disks"] += 1
        self.tally.counts["builds that a full disk stopped"] += done.returncode != 0
        ballast.unlink()

    def _correct(self, number: int) -> str:
        """The same title in both; in the shaken portal the server is killed meanwhile."""
        papers = self._calm.list_papers()
        paper, title = papers[number % len(papers)], f"Corrected in round {number}"
        server = Server(self._calm.folder)
        server.sign_in()
        status = server.correct_title(paper, title)
        server.kill()
        if status not in (200, 303):
            raise SystemExit(f"a correction was answered with {status}")
        victim = Server(self._shaken.folder)
        victim.sign_in()
        killing = threading.Timer(self._chance.uniform(0.0, 0.1), victim.kill)
        killing.start()
        with suppress(OSError, http.client.HTTPException):
            if victim.correct_title(paper, title) in (200, 303):
                self.tally.counts["corrections that were answered before the kill"] += 1
                killing.join()
                if title not in self._read_title(paper):
                    self.tally.blame(f"round {number}: an answered correction is lost")
        killing.join()
        self.tally.counts["kills of servers"] += 1
        if title not in self._read_title(paper, correct=title):
            self.tally.blame(f"round {number}: the correction does not show")
        return title

    def _read_title(self, paper: str, correct: str = "") -> str:
        """The page of a paper by a new server, after another try to correct it."""
        server = Server(self._shaken.folder)
        try:
            if correct:
                server.sign_in()
                server.correct_title(paper, correct)  # where it is right already, nothing is proposed
            return server.ask(f"/paper/{paper}")[1]
        finally:
            server.kill()


def report(soak: Soak, minutes: float, *, small_disk: bool) -> int:
    tally = soak.tally
    for what, count in sorted(tally.counts.items()):
        say(f"{what:<48}{count:>8,}")
    if not small_disk:
        say("full disks were not tried: only root may mount a small disk")
    p99 = statistics.quantiles(tally.seconds, n=100)[98] if len(tally.seconds) > 1 else 0.0
    say(f"{'99th percentile of requests, ms':<48}{p99 * 1000:>8.0f}")
    if tally.memory_mb:
        first, last = tally.memory_mb[0], tally.memory_mb[-1]
        say(f"{'memory of the server, MB, first and last':<48}{first:>8.0f} {last:.0f}")
        say(f"{'handles of the server, first and last':<48}{tally.handles[0]:>8} {tally.handles[-1]}")
    n_kills = tally.counts["kills of builds"] + tally.counts["kills of servers"]
    rounds = tally.counts["rounds"]
    say(f"all {minutes:.0f} minutes, {rounds} rounds, {n_kills} kills: {len(tally.broken)} NOT AS PROMISED")
    return 1 if tally.broken else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--kills", type=int, default=3, help="of a build in each round")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="portico-soak-") as scratch:
        root = Path(scratch)
        web = write_sample_web(root / "web", scale=SMALL)
        others = write_sample_web(root / "others", scale=SMALL, seed=11)
        files = sorted(others.folder.rglob("*.pdf"))
        with (
            mount_small_disk(root / "shaken") as small_disk,
            SampleServer(web.folder) as calm_sites,
            SampleServer(web.folder, behavior=FAULTY) as faulty_sites,
        ):
            calm = Portal(root / "calm", web, calm_sites.proxy_url)
            shaken = Portal(root / "shaken", web, faulty_sites.proxy_url)
            soak = Soak(calm, shaken, files, options)
            server = readers = None
            number = 0
            try:
                while time.monotonic() - began < options.minutes * 60:
                    soak.run_round(number, min(1 + number, len(web.hosts)), small_disk=small_disk)
                    if server is None:
                        for portal in (calm, shaken):
                            run_portico("password", portal.folder, typed=f"{PASSWORD}\n")
                        server = Server(shaken.folder)
                        readers = Readers(server, soak.tally)
                    elif number >= len(web.hosts):
                        soak.tally.memory_mb.append(server.memory_mb)
                        soak.tally.handles.append(server.n_handles)
                    number += 1
                    say(f"round {number} after {time.monotonic() - began:.0f} s")
            finally:
                if readers is not None:
                    readers.stop()
                if server is not None:
                    server.kill()
        return report(soak, (time.monotonic() - began) / 60, small_disk=small_disk)


if __name__ == "__main__":
    sys.exit(main())
