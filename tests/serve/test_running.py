"""The server as a process: it announces itself and stops when told."""

import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

PROGRAM = """
import sys
from pathlib import Path
from portico.serve.app import create_app
from portico.serve.running import run_portal
from portico.store.opening import open_store

folder = Path(sys.argv[1])
store = open_store("sqlite:///portico.db", folder, read_only=True)
app = create_app(store, index_folder=folder / "index", title="Trees")
run_portal(app, port=0, announce=lambda address: print(address, flush=True))
print("stopped", flush=True)
"""
PATIENCE_S = 20


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
