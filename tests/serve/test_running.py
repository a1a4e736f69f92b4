"""The server as a process: it announces itself and stops when told."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from portico.serve.running import listen

PROGRAM = """
import sys
from pathlib import Path
from portico.serve.app import create_app
from portico.serve.portal import About
from portico.serve.running import run_portal
from portico.store.opening import open_store

folder = Path(sys.argv[1])
store = open_store("sqlite:///portico.db", folder, read_only=True)
app = create_app(store, index_folder=folder / "index", about=About("Trees"))
run_portal(app, port=0, announce=lambda address: print(address, flush=True))
print("stopped", flush=True)
"""
PATIENCE_S = 60  # on a machine that is busy otherwise


WORKERS = """
import sys
from functools import partial
from pathlib import Path
from tests.serve.made import app_of
from portico.serve.running import run_workers

if __name__ == "__main__":
    make = partial(app_of, Path(sys.argv[1]))
    run_workers(make, 2, port=0, announce=lambda address: print(address, flush=True))
"""


def test_several_processes_answer_at_one_address(portal_folder: Path, tmp_path: Path) -> None:
    program = tmp_path / "serve.py"
    program.write_text(WORKERS)
    command = [sys.executable, str(program), str(portal_folder)]
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=here) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        try:
            for _ in range(4):
                with urlopen(address + "search?q=trees", timeout=PATIENCE_S) as answer:
                    assert b"Growing decision forests" in answer.read()
        finally:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE_S)


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_serves_until_told_to_stop(portal_folder: Path, stop: signal.Signals) -> None:
    command = [sys.executable, "-c", PROGRAM, str(portal_folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        with urlopen(address + "healthz", timeout=PATIENCE_S) as answer:
            assert answer.status == 200
        process.send_signal(stop)
        rest, errors = process.communicate(timeout=PATIENCE_S)
    assert "Traceback" not in errors
    assert process.returncode in (0, -stop)
    if stop is signal.SIGINT:
        assert rest == "stopped\n"


def test_answers_do_not_wait_for_acknowledgment() -> None:
    """asyncio sends at once only on sockets that it takes for TCP: those that say so themselves."""
    with listen("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP
