"""The image and the page about servers: their steps are there, and do in a fresh folder what they say."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import typer

from portico.cli.app import app
from portico.config.reading import read_settings

ROOT = Path(__file__).parents[1]
CONTAINERFILE = (ROOT / "Containerfile").read_text()
PAGE = (ROOT / "docs" / "deploy.md").read_text()
KNOWN = (
    *("FROM", "RUN", "COPY", "ENV", "USER", "WORKDIR", "VOLUME", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK"),
    *("ENTRYPOINT", "CMD"),
)


def instructions() -> list[tuple[str, str]]:
    joined = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", CONTAINERFILE, flags=re.MULTILINE))
    return [(line.split(maxsplit=1)[0], line.split(maxsplit=1)[1]) for line in joined.splitlines() if line]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_image_is_made_of_known_instructions_and_does_not_run_as_root() -> None:
    found = instructions()
    assert {name for name, _ in found} <= {*KNOWN}
    bases = [words.split()[0] for name, words in found if name == "FROM"]
    assert all(re.fullmatch(r"[\w./-]+:[\w.-]+", base) for base in bases)  # with a registry and a tag
    last = dict(found)
    assert last["USER"] == "portico"
    assert [*json.loads(last["ENTRYPOINT"]), *json.loads(last["CMD"])][:2] == ["portico", "run"]
    packages = next(words for name, words in reversed(found) if "apt-get install" in words)
    on_debian = next(line for line in blocks("sh")[0].splitlines() if "install --yes" in line)
    assert {*on_debian.split()[3:]} - {"python3-venv"} <= {*packages.split()}


def test_the_steps_of_the_image_work_in_a_fresh_folder(tmp_path: Path) -> None:
    """What is copied is all that the wheel needs, and the wheel is all that the command needs."""
    for name, words in instructions():
        *sources, target = words.split() if name == "COPY" and not words.startswith("--from") else [""]
        for source in sources:
            place = tmp_path / "image" / target.strip("/")
            place.mkdir(parents=True, exist_ok=True)
            if (ROOT / source).is_dir():
                shutil.copytree(
                    ROOT / source, place, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__")
                )
            else:
                shutil.copy(ROOT / source, place)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "out")]
    done = subprocess.run(build, cwd=tmp_path / "image" / "src", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = (tmp_path / "out").iterdir()
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path / "installed")
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "installed")}
    program = "import portico.cli.showing, portico; print(portico.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.stdout.startswith(str(tmp_path / "installed")), done.stderr
    shipped = {path.name for path in (tmp_path / "installed" / "portico" / "serve").rglob("*")}
    assert {"base.html", "paper.html", "portico.css"} <= shipped


@pytest.mark.skipif("PORTICO_BUILD_IMAGE" not in os.environ, reason="PORTICO_BUILD_IMAGE names no builder")
def test_the_image_can_be_built() -> None:
    """With podman, buildah or docker: PORTICO_BUILD_IMAGE=podman. Takes minutes and the network."""
    builder = os.environ["PORTICO_BUILD_IMAGE"]
    command = [builder, "build", "--file", str(ROOT / "Containerfile"), "--tag", "portico-test", str(ROOT)]
    subprocess.run(command, check=True)
    said = subprocess.run(
        [builder, "run", "--rm", "portico-test", "--version"], check=True, capture_output=True, text=True
    )
    assert said.stdout.startswith("portico ")


def test_every_command_of_the_page_has_its_options() -> None:
    group = typer.main.get_command(app)
    named = "|".join(("run", "init", "backup", "restore", "install-service"))
    found = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    shown = re.sub(r"\\\n", "", "".join(text for language, text in found if language in ("", "sh")))
    commands = re.findall(rf"(?:bin/| )portico ((?:{named}) .*)", shown)
    assert len(commands) >= 6
    for command in commands:
        name, *words = shlex.split(command, comments=True)
        own = group.commands[name]  # type: ignore[attr-defined]
        options = {option for parameter in own.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= options, command


def test_the_settings_of_the_page_are_right(tmp_path: Path) -> None:
    (tmp_path / "portal.toml").write_text("source = []\n" + "".join(blocks("toml")))
    settings = read_settings(tmp_path)
    assert settings.serve.base_url == "https://papers.example.org"
    assert settings.schedule.build == "daily at 03:00"
