"""One builder at a time, and a killed one holds nothing."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from portico.errors import PortalBusy, PortalError
from portico.store.opening import build_lock

HOLD = """
import sys, os
from pathlib import Path
from portico.store.opening import build_lock
with build_lock(Path(sys.argv[1])):
    if sys.argv[2] == "alone" or os.fork() == 0:  # a worker that outlives its parent
        print("held", flush=True)
    sys.stdin.read()
"""


def holder(folder: Path, how: str) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder), how], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    return process


def test_a_second_builder_is_told_who_and_since_when(tmp_path: Path) -> None:
    process = holder(tmp_path, "alone")
    with (
        pytest.raises(PortalBusy, match=rf"process {process.pid} since \d{{4}}-\d\d-\d\d"),
        build_lock(tmp_path),
    ):
        pass
    process.communicate()  # closes its input: it ends in peace
    with build_lock(tmp_path):
        pass


@pytest.mark.parametrize("how", ["alone", "fork"])
def test_a_killed_builder_holds_nothing_even_if_its_children_live_on(tmp_path: Path, how: str) -> None:
    process = holder(tmp_path, how)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with build_lock(tmp_path):
        assert (tmp_path / "build.lock").read_text().startswith(f"process {os.getpid()} ")
    process.communicate()


def test_the_lock_is_given_back_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), build_lock(tmp_path):
        raise RuntimeError
    with build_lock(tmp_path):
        pass


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(PortalError, match=r"nowhere.*No such file"), build_lock(tmp_path / "nowhere"):
        pass
