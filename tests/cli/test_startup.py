"""What a command does not need is not loaded: this is why imports stand inside functions."""

import subprocess
import sys

import pytest

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
