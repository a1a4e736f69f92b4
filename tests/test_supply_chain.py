"""What Portico is made of: every locked package by its digests and license, and the same wheel each time."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def list_components(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "scripts/components.py"), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_every_locked_package_is_listed_with_digests_and_a_license_that_was_looked_at(
    lock: str, tmp_path: Path
) -> None:
    output = tmp_path / "sbom.json"
    done = list_components("--lock", ROOT / lock, "--output", output)
    assert done.returncode == 0, done.stdout
    listed = json.loads(output.read_text())["components"]
    pinned = [line.split("==")[0] for line in (ROOT / lock).read_text().splitlines() if "==" in line[:60]]
    assert len(listed) == len(pinned) > 20
    assert [each["name"] for each in listed if not each["hashes"]] == []
    licenses = [each["licenses"][0]["license"]["name"] for each in listed if each["licenses"]]
    assert len(licenses) > 20
    assert "MIT" in licenses


def test_a_license_that_nobody_looked_at_is_refused(tmp_path: Path) -> None:
    lock = tmp_path / "requirements.lock"
    lock.write_text("strange==1.0 \\\n    --hash=sha256:" + "0" * 64 + "\n")
    package = tmp_path / "strange-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: strange\nVersion: 1.0\nLicense: SSPL-1.0\n"
    )
    command = [sys.executable, str(ROOT / "scripts/components.py"), "--lock", str(lock)]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 1
    assert "strange 1.0: license “SSPL-1.0” has not been looked at" in done.stdout


def test_a_wheel_built_elsewhere_and_later_is_the_same(tmp_path: Path) -> None:
    digests = []
    for number, name in enumerate(("here", "elsewhere")):
        folder = tmp_path / name
        folder.mkdir()
        shutil.copytree(
            ROOT / "src",
            folder / "src",
            ignore=shutil.ignore_patterns("__pycache__"),
            copy_function=shutil.copy,
        )
        for file in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / file, folder)
        for path in folder.rglob("*"):
            os.utime(path, (10**9 + number, 10**9 + number))
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "out")]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        (wheel,) = (folder / "out").iterdir()
        digests.append(hashlib.sha256(wheel.read_bytes()).hexdigest())
    assert digests[0] == digests[1]
