"""Run docs/deploy.md in a fresh Debian, command by command, and ask what comes of it.

    sudo .venv/bin/python scripts/deploy.py /tmp/fresh-debian

Debian is put into that folder by debootstrap; one that is there already is used again. Needs root,
bubblewrap and debootstrap here, and takes some minutes. Two things are done otherwise than on a real machine:
systemctl starts and stops what the unit says, and `editor` writes the TOML that the page shows. The wheel of
this checkout is what `pip install portico` finds.
"""

import argparse
import fcntl
import json
import os
import re
import shlex
import shutil
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "deploy.md"
HOST = "papers.example.org"
UNIT = Path("etc/systemd/system/portico.service")
SAMPLE = "Growing decision forests"
OUTSIDE = ("nginx", "caddy", "curl", "openssl")  # what steps of other people's making need
WAIT_S = 180

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_PATH = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"]


class Failure(Exception):
    """A step that did not do what the page says."""


def say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def list_blocks(page: str) -> Iterator[tuple[str, str]]:
    """Language and text of every block of the page that names its language."""
    yield from _BLOCK.findall(page)


class Debian:
    """A Debian in a folder, and the service that runs in it."""

    def __init__(self, folder: Path, shared: Sequence[str]) -> None:
        self.folder, self._shared = folder, shared
        self._services: list[subprocess.Popen[bytes]] = []

    def enter(self, *words: str) -> list[str]:
        inside = ["bwrap", "--bind", str(self.folder), "/", "--dev", "/dev", "--proc", "/proc"]
        inside += ["--unshare-pid", "--die-with-parent"]  # whatever ends this script ends what it started
        inside += ["--ro-bind", "/etc/resolv.conf", "/etc/resolv.conf", "--cap-add", "ALL", "--clearenv"]
        for name, value in (
            ("PATH", ":".join(_PATH)),
            ("HOME", "/root"),
            ("PIP_CONFIG_FILE", "/etc/pip.conf"),
        ):
            inside += ["--setenv", name, value]
        for name in self._shared:
            inside += ["--ro-bind", name, name]
        inside += ["--setenv", "DEBIAN_FRONTEND", "noninteractive", "--", *words]
        return inside

    def run(self, command: str) -> str:
        """A line of the shell, to its end; Failure with what it wrote where it fails."""
        say(f"$ {command}")
        done = subprocess.run(
            self.enter("bash", "-euo", "pipefail", "-c", command), capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise Failure(f"{command}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def start(self, *words: str) -> None:
        self._services.append(subprocess.Popen(self.enter(*words), start_new_session=True))

    def stop(self) -> None:
        for service in self._services:
            service.terminate()
            service.wait(30)
        self._services.clear()

    def start_unit(self) -> None:
        """What systemd would start, as the user it would start it as."""
        unit = dict(
            line.split("=", 1) for line in (self.folder / UNIT).read_text().splitlines() if "=" in line
        )
        self.start("runuser", "-u", unit["User"], "--", *shlex.split(unit["ExecStart"]))


def make_debian(folder: Path, mirror: str, shared: Sequence[str]) -> Debian:
    if not (folder / "etc/debian_version").exists():
        say(f"debootstrap bookworm {folder}")
        subprocess.run(
            [
                "/usr/sbin/debootstrap",
                "--variant=minbase",
                "--include=ca-certificates",
                "bookworm",
                str(folder),
                mirror,
            ],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    for left in (*folder.glob("srv/portico/*"), *folder.glob("opt/portico/lib/*/site-packages/portico*")):
        shutil.rmtree(left)  # of an earlier run
    dist = folder / "root/dist"
    shutil.rmtree(dist, ignore_errors=True)
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(dist)], cwd=ROOT, check=True
    )
    (wheel,) = dist.iterdir()
    own = Path("/etc/pip.conf").read_text() if Path("/etc/pip.conf").exists() else "[global]\n"
    (dist / "constraints.txt").write_text(f"portico @ file:///root/dist/{wheel.name}\n")
    (folder / "etc/pip.conf").write_text(own)
    return Debian(folder, shared)


def run_page(debian: Debian, blocks: list[tuple[str, str]]) -> None:
    """Every command of the page in its order; what follows a step is asked after it."""
    settings = "".join(text for language, text in blocks if language == "toml")
    for number, (language, text) in enumerate(blocks):
        for line in text.splitlines() if language == "sh" else ():
            run_line(debian, line, settings)
        if language == "nginx":
            check_nginx(debian, text)
        elif language == "caddy":
            (debian.folder / "etc/caddy/Caddyfile").write_text(text)
            debian.run("caddy adapt --config /etc/caddy/Caddyfile")
        if any("systemctl enable" in line or "systemctl start" in line for line in text.splitlines()):
            check_portal(debian)
        say(f"-- block {number + 1} of {len(blocks)} done")


def run_line(debian: Debian, line: str, settings: str) -> None:
    words = shlex.split(line, comments=True)
    if not words:
        return
    if words[0] == "systemctl":
        say(f"$ {line}  (by this script)")
        if "stop" in words:
            debian.stop()
        else:
            debian.start_unit()
    elif words[0] == "editor":
        file = debian.folder / words[1].lstrip("/")
        text = file.read_text()
        for table in re.findall(r"^\[(\w+)\]", settings, re.MULTILINE):
            text = re.sub(rf"^\[{table}\]$.*?(?=^\[|^# .*\n\[|\Z)", "", text, flags=re.MULTILINE | re.DOTALL)
        file.write_text(f"{text}\n{settings}")
        write_sample(debian.folder / "srv/portico/papers")
    elif words[0] == "apt-get" or "pip" in words[0]:
        debian.run(f"PIP_CONSTRAINT=/root/dist/constraints.txt {line}")
    else:
        debian.run(line)


def write_sample(papers: Path) -> None:
    """A paper for the portal, in a format that needs no program to be read."""
    (papers / "forests.html").write_text(
        f"<html><head><title>{SAMPLE}</title></head><body><h1>{SAMPLE}</h1><p>Ada Young</p>"
        "<h2>Abstract</h2><p>We grow many decision trees on random samples of the data and let them vote. "
        "Forests are shown to be better than single trees.</p><h2>1 Introduction</h2><p>Trees are grown.</p>"
        "<h2>References</h2><p>[1] B. Old. Inducing trees top down. Annals of Trees, 1980.</p></body></html>"
    )


def check_portal(debian: Debian) -> None:
    """The service answers, and has read what was put into the folder."""
    end = time.monotonic() + WAIT_S
    found: dict[str, object] = {}
    while time.monotonic() < end and not found.get("total"):
        time.sleep(2)
        answer = subprocess.run(
            debian.enter("curl", "--silent", "http://127.0.0.1:8000/api/search?q=forests"),
            capture_output=True,
            text=True,
            check=False,
        )
        found = json.loads(answer.stdout) if answer.stdout.startswith("{") else {}
    if not found.get("total"):
        raise Failure(f"the portal found no paper in {WAIT_S} s")
    health = debian.run("curl --silent --fail http://127.0.0.1:8000/healthz")
    metrics = debian.run("curl --silent --fail http://127.0.0.1:8000/metrics")
    if '"status":"ok"' not in health.replace(" ", "") or "portico_healthy 1" not in metrics:
        raise Failure(f"{health}\n{metrics}")


def check_nginx(debian: Debian, text: str) -> None:
    """The portal by its own name, over TLS, through nginx."""
    debian.run(
        f"mkdir -p /etc/letsencrypt/live/{HOST} /var/log/nginx && openssl req -x509 -newkey rsa:2048 -nodes "
        f"-subj /CN={HOST} -days 2 -keyout /etc/letsencrypt/live/{HOST}/privkey.pem "
        f"-out /etc/letsencrypt/live/{HOST}/fullchain.pem"
    )
    (debian.folder / "etc/nginx/sites-enabled/default").unlink(missing_ok=True)
    (debian.folder / "etc/nginx/sites-enabled/portico").write_text(text)
    debian.run("nginx -t")
    debian.start("nginx", "-g", "daemon off;")
    time.sleep(2)
    ask = f"curl --silent --fail --insecure --resolve {HOST}:443:127.0.0.1 https://{HOST}"
    if f"<loc>https://{HOST}/paper/" not in debian.run(f"{ask}/sitemap.xml"):
        raise Failure("the sitemap does not go by base_url")
    answer = debian.run(f"{ask}/ --head")
    if "content-security-policy" not in answer.lower():
        raise Failure(answer)


def raise_loopback() -> None:
    """In a network of our own even this machine is not there before."""
    with socket.socket() as any_socket:
        up_and_running = 0x41
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh", b"lo", up_and_running))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where the fresh Debian is, or will be")
    parser.add_argument(
        "--mirror", default="https://deb.debian.org/debian", help="where debootstrap gets it from"
    )
    parser.add_argument(
        "--share",
        action="append",
        default=[],
        help="a folder of this machine that pip needs, such as an index",
    )
    parser.add_argument("--installed", action="store_true", help=argparse.SUPPRESS)  # the second half
    asked = parser.parse_args()
    if os.geteuid():
        parser.error("a Debian in a folder can only be made by root")
    blocks = list(list_blocks(PAGE.read_text(encoding="utf-8")))
    try:
        if not asked.installed:
            debian = make_debian(asked.folder, asked.mirror, asked.share)
            run_page(debian, blocks[:1])
            debian.run(f"apt-get install --yes --no-install-recommends {' '.join(OUTSIDE)}")
            # The rest is served in a network of its own: the ports of this machine may be taken.
            again = ["/usr/bin/unshare", "--net", sys.executable, __file__, str(asked.folder), "--installed"]
            again += [word for name in asked.share for word in ("--share", name)]
            sys.exit(subprocess.run(again, check=False).returncode)
        raise_loopback()
        debian = Debian(asked.folder, asked.share)
        try:
            run_page(debian, blocks[1:])
        finally:
            debian.stop()
    except Failure as failure:
        sys.exit(f"docs/deploy.md: {failure}")
    say("docs/deploy.md: every step did what it says")


if __name__ == "__main__":
    main()
