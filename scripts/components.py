"""Lists what Portico is made of: a CycloneDX file of the locked packages, their licenses, known advisories.

    python scripts/components.py [--output sbom.json] [--lock requirements.lock] [--advisories]

Every package of the lock is listed with its version, its license and the digests that the set-up accepts.
Exits with 1 where a license is none of those that the project has looked at, or pip-audit knows an advisory.
`--advisories` needs pip-audit beside the project (`pipx install pip-audit`) and the network.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PERMISSIVE = re.compile(
    r"\b(?:MIT|MIT-0|MIT-CMU|BSD|0BSD|Apache|ISC|PSF|Python Software Foundation|Zlib|CC0)\b", re.IGNORECASE
)
LOOKED_AT = {
    "certifi": "MPL-2.0: a list of certificates, used as it is",
    "hypothesis": "MPL-2.0: runs the tests, not shipped",
    "pathspec": "MPL-2.0: builds the package, not shipped",
    "psycopg": "LGPL-3.0: only with the extra `cluster`, imported as it is",
    "psycopg-binary": "LGPL-3.0: only with the extra `cluster`, imported as it is",
    "publicsuffixlist": "MPL-2.0: a list of public suffixes, used as it is",
    "axe-playwright-python": "MIT, says its repository: runs the tests, not shipped",
}
"""Packages whose license is not permissive or not told, and why they may be used."""


def say(line: str) -> None:
    sys.stdout.write(line + "\n")


@dataclass(frozen=True)
class Component:
    """One locked package; its license is empty where the package is not installed on this machine."""

    name: str
    version: str
    digests: tuple[str, ...]
    license: str

    @property
    def is_accepted(self) -> bool:
        return not self.license or bool(PERMISSIVE.search(self.license)) or self.name in LOOKED_AT


def read_components(lock: Path) -> list[Component]:
    found = []
    for entry in lock.read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
        pinned = re.match(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;]+)", entry)
        if pinned:
            digests = tuple(re.findall(r"--hash=sha256:([0-9a-f]{64})", entry))
            found.append(Component(pinned[1].lower(), pinned[2], digests, read_license(pinned[1])))
    return found


def read_license(package: str) -> str:
    """What the installed package says; the classifiers where the license is a whole text."""
    try:
        told = metadata.metadata(package)
    except metadata.PackageNotFoundError:
        return ""
    classified = [
        line.split("::")[-1].strip()
        for line in told.get_all("Classifier") or []
        if line.startswith("License ::")
    ]
    first_line = (told.get("License") or "").strip().partition("\n")[0]
    return told.get("License-Expression") or ", ".join(classified) or first_line or "not told"


def write_cyclonedx(components: list[Component]) -> dict[str, Any]:
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {"type": "application", "name": "portico", "version": metadata.version("portico")}
        },
        "components": [
            {
                "type": "library",
                "name": each.name,
                "version": each.version,
                "purl": f"pkg:pypi/{each.name}@{each.version}",
                "licenses": [{"license": {"name": each.license}}] if each.license else [],
                "hashes": [{"alg": "SHA-256", "content": digest} for digest in each.digests],
            }
            for each in components
        ],
    }


def find_advisories(lock: Path) -> bool:
    """Lets pip-audit look; True where it found nothing."""
    program = shutil.which("pip-audit")
    if program is None:
        sys.exit("components: --advisories needs pip-audit: pipx install pip-audit")
    command = [program, "--requirement", str(lock), "--require-hashes", "--disable-pip"]
    return subprocess.run(command, check=False).returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, help="write the list there (else: only the summary)")
    parser.add_argument("--lock", type=Path, default=ROOT / "requirements.lock")
    parser.add_argument("--advisories", action="store_true", help="ask pip-audit for known advisories")
    options = parser.parse_args()
    components = read_components(options.lock)
    if options.output:
        text = json.dumps(write_cyclonedx(components), indent=1, ensure_ascii=False)
        options.output.write_text(text + "\n", encoding="utf-8")
    refused = [each for each in components if not each.is_accepted]
    for each in refused:
        say(f"{each.name} {each.version}: license “{each.license}” has not been looked at")
    n_told = sum(bool(each.license) for each in components)
    say(f"{len(components)} components, {n_told} installed here, {len(refused)} licenses NOT ACCEPTED")
    safe = find_advisories(options.lock) if options.advisories else True
    return 1 if refused or not safe else 0


if __name__ == "__main__":
    sys.exit(main())
