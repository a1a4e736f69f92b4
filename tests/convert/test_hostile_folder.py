"""A folder full of hostile files through the real command: each ends as a record or with a reason."""

import json
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.convert.hostile import FILES, write_hostile_folder
from tests.pipeline.portals import portico

MEMORY_MB = 256
# Of the processes of the command itself, which hold Python, our packages and one file: 110 to 160 MB.
OWN_MEMORY_MB = 300
# Seven files never end by themselves; three at a time are given three seconds each. The rest is room for slow
# machines: without the limits the folder would take for ever.
MOST_SECONDS = 240.0

# A process of its own runs the command, so that only what the command started is measured.
MEASURED = """
import resource, subprocess, sys
code = subprocess.run([sys.executable, "-m", "portico", *sys.argv[1:]], stdout=sys.stderr).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
sys.exit(code)
"""

PORTAL = f"""
[[source]]
folder = "files"

[convert]
timeout_s = 3
max_memory_mb = {MEMORY_MB}
max_pages = 100
ocr = "never"

[engine]
workers = 3
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float]:
    """The portal, and the megabytes of the largest process that made it."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "files").mkdir()
    write_hostile_folder(folder / "files")
    (folder / "portal.toml").write_text(PORTAL)
    started = time.monotonic()
    command = [sys.executable, "-c", MEASURED, "build", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=2 * MOST_SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - started < MOST_SECONDS
    return folder, float(done.stdout)


@pytest.fixture(scope="module")
def portal(built: tuple[Path, float]) -> Path:
    return built[0]


def test_each_file_is_a_record_or_has_the_right_reason(portal: Path) -> None:
    exported = portico("export", "jsonl", portal)
    assert exported.returncode == 0, exported.stderr
    status = json.loads(portico("status", portal, "--json").stdout)
    papers = {Path(json.loads(line)["source"]).name for line in exported.stdout.splitlines()}
    reasons = {Path(row["source"]).name: row["reason"] for row in status["failures"]}
    held = reasons.keys() | papers
    wrong = {
        hostile.name: reasons.get(hostile.name, "no reason")
        for hostile in FILES
        if not _is_as_expected(hostile.reason, reasons.get(hostile.name))
    }
    assert not wrong
    assert reasons.keys() <= {hostile.name for hostile in FILES}
    assert papers, "the papers in the hostile files that can be read are one record"
    assert len(held) == len(reasons) + len(papers), "no file is both"


def test_memory_stays_within_the_limits(built: tuple[Path, float]) -> None:
    assert 0 < built[1] < MEMORY_MB + OWN_MEMORY_MB


def test_nothing_is_left_behind(portal: Path) -> None:
    again = portico("build", portal)
    assert again.returncode == 0, again.stderr
    names = Counter(path.name for path in (portal / "files").iterdir())
    assert names == Counter(hostile.name for hostile in FILES)


def _is_as_expected(expected: str, reason: str | None) -> bool:
    if not expected:
        return reason is None
    return reason is not None and re.search(expected, reason) is not None
