"""A folder full of hostile files through the real command: each ends as a record or with a reason."""

import json
import re
import resource
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
def portal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "files").mkdir()
    write_hostile_folder(folder / "files")
    (folder / "portal.toml").write_text(PORTAL)
    started = time.monotonic()
    built = portico("build", folder)
    assert built.returncode == 0, built.stderr
    assert time.monotonic() - started < MOST_SECONDS
    return folder


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


def test_memory_stays_within_the_limits(portal: Path) -> None:
    """The largest of all processes that were started so far."""
    assert portal.exists()
    largest_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    assert largest_mb < MEMORY_MB + OWN_MEMORY_MB


def test_nothing_is_left_behind(portal: Path) -> None:
    again = portico("build", portal)
    assert again.returncode == 0, again.stderr
    names = Counter(path.name for path in (portal / "files").iterdir())
    assert names == Counter(hostile.name for hostile in FILES)


def _is_as_expected(expected: str, reason: str | None) -> bool:
    if not expected:
        return reason is None
    return reason is not None and re.search(expected, reason) is not None
