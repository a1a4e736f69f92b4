"""`portico run` with real children: it serves, builds when files come, survives and stops."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas
from typer.testing import CliRunner

from portico.cli.app import app
from tests.serve.conftest import find_free_port

PATIENCE_S = 90


def write_paper(path: Path, title: str) -> None:
    page = Canvas(str(path))
    page.setFont("Times-Bold", 20)
    page.drawString(72, 720, title)
    page.setFont("Times-Roman", 12)
    page.drawString(72, 690, "Ada Young")
    page.drawString(72, 650, "Abstract")
    page.drawString(72, 630, "We show that trees grow, and measure how fast they do so in forests.")
    page.save()


def wait_for(what: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < until, "waited too long"
        time.sleep(0.2)


def count_papers(port: int) -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/api/search?q=")
        return connection.getresponse().read().count(b'"title"')
    except OSError:
        return -1
    finally:
        connection.close()


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], Path, int]]:
    folder, port = tmp_path / "papers", find_free_port()
    folder.mkdir()
    write_paper(folder / "one.pdf", "Growing Decision Forests Quickly")
    command = [sys.executable, "-m", "portico", "run", str(folder), "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        yield process, folder, port
        process.kill()


def test_it_serves_and_reads_what_comes_and_stops(
    running: tuple[subprocess.Popen[bytes], Path, int],
) -> None:
    process, folder, port = running
    wait_for(lambda: count_papers(port) == 1)
    write_paper(folder / "two.pdf", "Parsing Natural Language with Grammars")
    wait_for(lambda: count_papers(port) == 2)
    write_paper(folder / ".portico" / "uploads" / "three.pdf", "Paging Programs on Two Disks")  # by a browser
    wait_for(lambda: count_papers(port) == 3)
    (server,) = [pid for pid in list_children(process.pid) if "serve" in read_command(pid)]
    os.kill(server, signal.SIGKILL)
    wait_for(lambda: count_papers(port) == -1)
    wait_for(lambda: count_papers(port) == 3)
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE_S) == 0
    assert count_papers(port) == -1
    log = (folder / ".portico" / "logs" / "portico.log").read_text()
    assert "because files changed" in log
    assert "the server ended" in log


def list_children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def read_command(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")


@pytest.mark.skipif(not shutil.which("setpriv"), reason="there is no setpriv, by which Linux ends children")
def test_a_child_ends_with_whoever_started_it_and_was_killed() -> None:
    script = "from portico.cli import operating as o; print(o._start(['service', '--port', '0']).wait())"
    with subprocess.Popen([sys.executable, "-c", script]) as parent:
        wait_for(lambda: bool(list_children(parent.pid)))
        (child,) = list_children(parent.pid)
        wait_for(lambda: "service" in read_command(child) and "setpriv" not in read_command(child)[0])
        parent.kill()
        parent.wait()
    wait_for(lambda: not Path(f"/proc/{child}").exists() or read_command(child) == [""])


def test_a_unit_for_systemd_names_the_portal(tmp_path: Path) -> None:
    (tmp_path / "portal.toml").write_text('[portal]\ntitle = "100 % trees"\n[[source]]\nfolder = "."\n')
    printed = CliRunner().invoke(app, ["install-service", str(tmp_path), "--print"]).stdout
    assert f"ExecStart={sys.executable} -m portico run {tmp_path}" in printed
    assert "Description=Portico: 100 %% trees" in printed
