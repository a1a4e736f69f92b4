"""What a command does not need is not loaded: this is why imports stand inside functions."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pipeline.portals import portico

ARRAYS = ("numpy", "scipy", "pycrfsuite")


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        # `portico --help` and mistyped commands.
        ("portico.cli.app", (*ARRAYS, "sqlalchemy", "starlette", "tantivy", "rich.progress")),
        # A build that finds nothing to do, `portico status`, `verify` and `export`.
        ("portico.pipeline.building", (*ARRAYS, "starlette", "rich.progress", "distributed", "fsspec")),
        # `portico serve`, each of its processes.
        ("portico.cli.showing", (*ARRAYS, "rich.progress")),
    ],
)
def test_loads_only_what_it_needs(module: str, absent: tuple[str, ...]) -> None:
    program = f"import sys, {module}; print(*(name for name in {absent!r} if name in sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == [], f"{module} loads what it does not need"


@pytest.mark.parametrize("group", [[], ["topics"], ["export"], ["store"]])
def test_the_list_of_commands_says_what_each_does_in_whole_sentences(group: list[str]) -> None:
    listed = portico(*group, "--help").stdout.partition("Commands:")[2].strip().splitlines()
    assert listed
    assert [line for line in listed if not line.endswith((".", ").")) or line.endswith("...")] == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_commands_run_where_their_user_may_not_enter(tmp_path: Path) -> None:
    """`runuser -u portico -- portico build …` in the folder of root."""
    tmp_path.chmod(0o700)
    program = "import os, portico.cli.app as app; app._leave_closed_folder(); print(os.getcwd())"
    command = [sys.executable, "-c", program]
    nobody = 65534
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, user=nobody, check=False)
    except PermissionError:
        pytest.skip("nobody else may run this Python")
    if "No module named" in done.stderr:
        pytest.skip("nobody else may read this checkout")
    assert done.stdout == "/\n", done.stderr
