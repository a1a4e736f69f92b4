"""Ask programs of others what they make of a portal, for docs/clients.md; `make clients` runs it.

    python scripts/clients.py PORTAL

PORTAL is any built portal of papers (`make demo SERVE=0` makes one). The clients are installed from the
package index, with the versions in scripts/clients.txt, into build/clients; scripts/client_checks.py asks.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "clients.md"
BEGIN, END = "<!-- made by `make clients` -->\n", "<!-- end -->\n"
HOME = ROOT / "build" / "clients"
LISTED = ROOT / "scripts" / "clients.txt"
SCHEMAS = ("pyoai==2.5.0", "eulxml==1.1.3")  # the schemas of OAI-PMH lie in these; nothing of them is run


def install_clients() -> Path:
    """The Python that has the clients; made anew where their list has changed."""
    python, stamp = HOME / "bin" / "python", HOME / "installed.txt"
    if stamp.is_file() and stamp.read_text() == LISTED.read_text():
        return python
    shutil.rmtree(HOME, ignore_errors=True)
    venv.create(HOME, with_pip=True)
    pip = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--requirement", str(LISTED)], check=True)
    for package in SCHEMAS:
        binary = "--no-binary" if package.startswith("pyoai") else "--only-binary"
        folder = str(HOME / "schemas")
        subprocess.run(
            [*pip, "download", "--no-deps", binary, ":all:", "--dest", folder, package], check=True
        )
    stamp.write_text(LISTED.read_text())
    return python


@contextmanager
def serving(portal: Path) -> Iterator[str]:
    """A portal on a free port of this machine, with metrics, until the block ends."""
    command = [sys.executable, "-m", "portico", "serve", str(portal), "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        line = server.stdout.readline() if server.stdout else ""
        found = re.search(r"http://[\w.:]+", line)
        if found is None:
            sys.exit(f"the portal was not served: {line}")
        yield found.group()
    finally:
        server.terminate()
        server.wait(30)


def copy_with_metrics(portal: Path, folder: Path) -> Path:
    """The portal as it is, but that this machine may read its metrics."""
    copy = folder / "portal"
    shutil.copytree(portal, copy)
    settings = copy / "portal.toml"
    text = re.sub(r"(?m)^\[serve\]$", '[serve]\nmetrics = ["127.0.0.1"]', settings.read_text(), count=1)
    settings.write_text(text if "metrics" in text else f'{text}\n[serve]\nmetrics = ["127.0.0.1"]\n')
    return copy


def ask_clients(python: Path, url: str, archive: Path) -> list[dict[str, Any]]:
    command = [str(python), str(ROOT / "scripts" / "client_checks.py"), url, str(archive)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode or not rows:
        sys.exit("the clients could not be asked")
    return rows


def write_table(rows: Sequence[Mapping[str, Any]]) -> str:
    lines = [
        "| interface | client or validator | version | passes | what it found |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        passes = "yes" if row["passes"] else "**no**"
        found = str(row["found"]).replace("|", "\\|").replace("\n", " ")
        lines.append(f"| {row['interface']} | {row['client']} | {row['version']} | {passes} | {found} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("portal", type=Path)
    asked = parser.parse_args()
    python = install_clients()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        archive = folder / "portal.warc.gz"
        export = [sys.executable, "-m", "portico", "export", "warc", str(asked.portal), str(archive)]
        subprocess.run(export, check=True, stdout=subprocess.DEVNULL)
        with serving(copy_with_metrics(asked.portal, folder)) as url:
            rows = ask_clients(python, url, archive)
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    PAGE.write_text(before + BEGIN + write_table(rows) + END + rest.split(END)[1], encoding="utf-8")
    sys.stdout.write(write_table(rows))
    sys.exit(not all(row["passes"] for row in rows))


if __name__ == "__main__":
    main()
