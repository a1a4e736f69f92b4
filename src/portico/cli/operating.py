"""`portico run`: serves a portal and rebuilds it whenever a build is due."""

import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path

import typer
from watchfiles import watch

from portico.config.portal_paths import PortalPaths, find_portal
from portico.config.reading import read_settings
from portico.config.schedule import Schedule, parse_schedule
from portico.config.settings import FolderSource, Settings
from portico.errors import PortalError
from portico.pipeline.opening import ensure_folder_portal

_log = logging.getLogger("portico.run")

LOG_NAME = Path("logs") / "portico.log"
_LOG_BYTES, _LOG_FILES = 5_000_000, 5

# Files arrive one after another when a folder is copied: a build begins when none has arrived for the first
# time span, and at the latest after the second.
_SETTLED_MS, _LATEST_MS = 1_000, 60_000
# How long to wait before restarting a server that died: doubled each time, up to the maximum.
_FIRST_WAIT_S, _LONGEST_WAIT_S = 1.0, 60.0
_LIVED_WELL_S = 60.0
# How often the time and the child processes are checked.
_TICK_S = 0.5
# How long a child process may take to finish its work after it was told to stop.
_GRACE_S = 10.0


@dataclass(frozen=True, slots=True)
class Operation:
    """What is run: the portal, its settings, and where it listens."""

    folder: Path
    settings: Settings
    serve_options: tuple[str, ...] = ()

    @property
    def watched(self) -> list[Path]:
        """Folders whose files are read as soon as they change."""
        if not self.settings.schedule.watch:
            return []
        sources = [each for each in self.settings.sources if isinstance(each, FolderSource)]
        folders = [each.path(self.folder).resolve() for each in sources]
        return [path for path in (*folders, self._uploads) if path.is_dir()]

    @property
    def _uploads(self) -> Path:
        return PortalPaths(self.folder.resolve()).uploads

    def is_of_portal(self, path: str) -> bool:
        """Whether a file is the portal's own: a build writes there, and must not lead to another."""
        changed = Path(path)
        return changed.is_relative_to(self.folder.resolve()) and not changed.is_relative_to(self._uploads)

    @property
    def has_store(self) -> bool:
        """Whether there is something to serve, before the first build is done."""
        scheme, _, name = self.settings.store.url.partition(":///")
        return scheme != "sqlite" or (self.folder / name).exists()


def run_portal_until_stopped(path: Path, serve_options: Sequence[str] = ()) -> None:
    """Serve the portal and build it by its schedule until SIGTERM or Ctrl-C."""
    ensure_folder_portal(path)
    folder = find_portal(path).folder
    operation = Operation(folder, read_settings(folder), tuple(serve_options))
    _open_log(folder)
    PortalPaths(folder).uploads.mkdir(exist_ok=True)  # it is watched from now on
    Supervisor(operation, time.time).run()


class Supervisor:
    """Two children, a server and now and then a build; what dies is started again."""

    def __init__(self, operation: Operation, clock: Callable[[], float]) -> None:
        self._operation, self._clock = operation, clock
        self._stop = threading.Event()
        self._files_changed = threading.Event()
        self._server: subprocess.Popen[bytes] | None = None
        self._build: subprocess.Popen[bytes] | None = None
        self._server_started = self._server_wait = 0.0

    def run(self) -> None:
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, lambda *_: self._stop.set())
        watcher = threading.Thread(target=self._watch, daemon=True)
        watcher.start()
        try:
            self._keep_going()
        finally:
            self._stop.set()
            for child in (self._build, self._server):
                _end(child)
            _log.info("stopped")

    def _keep_going(self) -> None:
        schedule = parse_schedule(self._operation.settings.schedule.build) or Schedule()
        self._start_build("at the start")
        due = schedule.next_after(self._now())
        while not self._stop.wait(_TICK_S):
            self._keep_serving()
            if self._build is not None and self._build.poll() is None:
                continue
            if self._build is not None:
                _log.info("build ended (exit %s)", self._build.returncode)
                self._build = None
                if due:
                    _log.info("next build: %s", due.strftime("%Y-%m-%d %H:%M"))
            if due is not None and self._now() >= due:
                self._start_build("by the schedule")
                due = schedule.next_after(self._now())
            elif self._files_changed.is_set():
                self._start_build("because files changed")

    def _keep_serving(self) -> None:
        if self._server is not None and self._server.poll() is None:
            return
        now = time.monotonic()
        if self._server is not None:
            lived_well = now - self._server_started > _LIVED_WELL_S
            self._server_wait = (
                _FIRST_WAIT_S if lived_well else min(2 * self._server_wait or _FIRST_WAIT_S, _LONGEST_WAIT_S)
            )
            _log.warning(
                "the server ended (exit %s); started again in %.0f s",
                self._server.returncode,
                self._server_wait,
            )
            self._server = None
            self._server_started = now + self._server_wait
        if now >= self._server_started and (self._build is None or self._operation.has_store):
            self._server = _start(["serve", str(self._operation.folder), *self._operation.serve_options])
            self._server_started = now

    def _start_build(self, why: str) -> None:
        self._files_changed.clear()
        _log.info("build begins %s", why)
        self._build = _start(["build", str(self._operation.folder), "--quiet"])

    def _watch(self) -> None:
        folders = self._operation.watched
        if not folders:
            return
        changes = watch(
            *folders,
            watch_filter=lambda _change, path: not self._operation.is_of_portal(path),
            step=_SETTLED_MS,
            debounce=_LATEST_MS,
            stop_event=self._stop,
            raise_interrupt=False,
        )
        for _files in changes:
            self._files_changed.set()

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock())


def _start(arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    """A command of Portico as a child, whose output goes where ours goes, and which does not outlive us.

    Whoever is killed cannot end their children, and a server that is left over would keep the port.
    """
    ends_with_us = [program, "--pdeathsig", "KILL", "--"] if (program := shutil.which("setpriv")) else []
    command = [*ends_with_us, sys.executable, "-m", "portico", *arguments]
    try:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)  # noqa: S603
    except OSError as error:
        raise PortalError(f"{' '.join(command)}: cannot be started: {error.strerror}") from error


def _end(child: subprocess.Popen[bytes] | None) -> None:
    if child is None or child.poll() is not None:
        return
    child.send_signal(signal.SIGINT)
    try:
        child.wait(_GRACE_S)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)  # a build that is killed goes on where it was
        child.wait()


def _open_log(folder: Path) -> None:
    """What happens is said on the terminal, and kept in a few files that do not grow for ever."""
    place = folder / LOG_NAME
    place.parent.mkdir(exist_ok=True)
    form = logging.Formatter("%(asctime)s %(levelname)s %(message)s")
    kept = RotatingFileHandler(place, maxBytes=_LOG_BYTES, backupCount=_LOG_FILES, encoding="utf-8")
    for handler in (kept, logging.StreamHandler(sys.stderr)):
        handler.setFormatter(form)
        _log.addHandler(handler)
    _log.setLevel(logging.INFO)


UNIT_FILE = Path("/etc/systemd/system/portico.service")

SERVICE = """\
[Unit]
Description=Portico: {title}
After=network-online.target
Wants=network-online.target

[Service]
ExecStart={python} -m portico run {folder}
User={user}
Restart=on-failure
RestartSec=5
KillMode=mixed
TimeoutStopSec=30
# The portal's folder is all it writes to.
ProtectSystem=strict
ReadWritePaths={folder}
ProtectHome=read-only
PrivateTmp=yes
NoNewPrivileges=yes
LimitNOFILE=65536

[Install]
WantedBy=multi-user.target
"""


def install_service(path: Path, user: str, *, only_print: bool) -> None:
    """A systemd unit for this portal, written where systemd looks for it, or to the terminal."""
    folder = find_portal(path).folder
    title = " ".join(read_settings(folder).portal.title.split()).replace("%", "%%")
    place = str(folder.resolve()).replace("%", "%%")
    if any(character.isspace() for character in place):
        raise PortalError(f"{place}: systemd takes no blanks in a path; move the portal to another folder")
    unit = SERVICE.format(title=title, python=sys.executable, folder=place, user=user)
    if only_print:
        typer.echo(unit, nl=False)
        return
    try:
        UNIT_FILE.write_text(unit, encoding="utf-8")
    except OSError as error:
        raise PortalError(
            f"{UNIT_FILE}: cannot be written: {error.strerror}. Run this as root, or use --print and put "
            f"what it prints there."
        ) from error
    typer.echo(f"{UNIT_FILE} is written. Start it: systemctl enable --now {UNIT_FILE.stem}")
