"""Runs child processes without network, with access to programs and fonts only, and with resource limits.

Bubblewrap provides the sandbox. Where it cannot run, as in many containers, Landlock does, with a filter that
refuses more system calls: that is weaker (`docs/trust.md`), and a build says so.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

import portico
from portico.convert.confinement import NOBODY, Confinement
from portico.convert.pipes import Pipes
from portico.convert.system_calls import open_filter
from portico.errors import SetupError

Sandbox = Literal["auto", "bubblewrap", "landlock", "none"]
"""How the programs that read files are isolated; "auto" is the strongest method available here."""

_CONFINEMENT = "portico.convert.confinement"
_SOURCE = str(Path(portico.__file__).resolve().parents[1])

BUBBLEWRAP = "bwrap"
# Part of util-linux, which every Debian has: sets limits, then becomes the program.
PRLIMIT = "prlimit"

# Files that programs, their libraries and fonts need, if they exist. Nothing of /home, /etc/passwd or /var.
READABLE = (
    "/usr",
    "/bin",
    "/lib",
    "/lib64",
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/ghostscript",
    "/etc/ld.so.cache",
    "/etc/papersize",
    "/etc/texmf",
    "/var/lib/ghostscript",
    "/var/lib/texmf",
)
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "TMPDIR": "/tmp",  # noqa: S108 its own
    "HOME": "/tmp",  # noqa: S108 its own
    "OMP_THREAD_LIMIT": "1",  # the pool has a process for each core already
}
OPEN_FILES = 256
SHARED_MEMORY_MB = 16
SPARE_FILE_MB = 512  # temporary files of gs together: they are in memory, and not counted for any process


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """The limits of one child; processor time counts from its start to its end."""

    memory_mb: int
    cpu_s: int


@dataclass(frozen=True, slots=True)
class _Launch:
    """A command line inside its sandbox, and the file descriptors passed to it."""

    line: list[str]
    handed: tuple[int, ...] = ()  # open files
    folder: str = ""  # a folder of its own, if it has no /tmp of its own

    @property
    def environment(self) -> dict[str, str]:
        return ENVIRONMENT | ({"TMPDIR": self.folder, "HOME": self.folder} if self.folder else {})


def start_process(command: list[str], *, limits: ProcessLimits, sandbox: Sandbox) -> Pipes:
    """Start the command; returns the pipes to talk to it. It dies when we do."""
    with _sandboxed([*_limited(limits), *command], choose_sandbox(sandbox)) as launch:
        process = subprocess.Popen(  # noqa: S603 the command line is ours; what it reads is not, hence all this
            launch.line,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=launch.environment,
            cwd=launch.folder or "/",
            pass_fds=launch.handed,
            start_new_session=bool(launch.folder),  # as bubblewrap does: no terminal of ours
        )
    return Pipes(process, launch.folder)


@lru_cache(maxsize=4)
def choose_sandbox(wanted: Sandbox) -> Sandbox:
    """The sandbox that is used here; SetupError, with what to do, if none works."""
    if wanted == "none":
        return wanted
    candidates: tuple[Sandbox, ...] = ("bubblewrap", "landlock") if wanted == "auto" else (wanted,)
    faults = []
    for each in candidates:
        fault = _find_fault(each)
        if fault is None:
            return each
        faults.append(fault)
    raise SetupError(". ".join(faults))


def describe_weakness() -> str:
    """What the builder should know about the sandbox that is used here; "" if it is the strongest."""
    if choose_sandbox("auto") == "bubblewrap":
        return ""
    fault = _find_fault("bubblewrap")
    return f"{fault}. Files are read under Landlock instead, which protects less: see docs/trust.md"


def is_installed(program: str) -> bool:
    """Whether a program is installed where a sandbox can see it: in the system's own folders."""
    return all(shutil.which(program, path=path) is not None for path in (None, ENVIRONMENT["PATH"]))


@lru_cache(maxsize=4)
def _find_fault(sandbox: Sandbox) -> str | None:
    """Why a sandbox does not work here, and what to do about it; None where it works."""
    if sandbox == "bubblewrap" and not is_installed(BUBBLEWRAP):
        return (
            "bubblewrap is not installed, the sandbox in which files are read: install the Debian package"
            " bubblewrap (apt install bubblewrap)"
        )
    with _sandboxed(["/bin/true"], sandbox) as launch:
        fault = _try_command(launch)
    if fault is None:
        return None
    if sandbox == "landlock":
        return f"Landlock cannot lock programs in on this kernel ({fault}); it needs Linux 5.13 or later"
    return (
        f"bubblewrap cannot make a sandbox on this kernel ({fault}). Allow user namespaces"
        " (sysctl kernel.unprivileged_userns_clone=1, or start the container with"
        " --security-opt seccomp=unconfined)"
    )


@lru_cache(maxsize=8)
def require_worker(module: str, limits: ProcessLimits, sandbox: Sandbox) -> None:
    """Raise SetupError unless a worker starts, with all its limits and packages."""
    with _sandboxed([*_limited(limits), *make_python_command(module)], choose_sandbox(sandbox)) as launch:
        fault = _try_command(launch)
    if fault is not None:
        raise SetupError(
            f"the program that reads files does not start ({fault}). It needs {limits.memory_mb:,} MB of"
            f" memory, {limits.cpu_s:,} s of processor time, files of {SPARE_FILE_MB} MB and"
            f" {OPEN_FILES} open files: see ulimit -H -a, and max_memory_mb and timeout_s under [convert] in"
            " portal.toml"
        )


@contextmanager
def _sandboxed(line: list[str], sandbox: Sandbox) -> Iterator[_Launch]:
    """The command line inside the sandbox."""
    if sandbox == "none":
        yield _Launch(line)
        return
    filtered = open_filter(shares_system=sandbox == "landlock")
    try:
        if sandbox == "landlock":
            yield _confined(line, filtered)
        elif filtered is None:  # an architecture whose system calls are not known: all else holds
            yield _Launch([*_wrapped(), "--", *line])
        else:
            yield _Launch([*_wrapped(), "--seccomp", str(filtered), "--", *line], (filtered,))
    finally:
        if filtered is not None:
            os.close(filtered)


def _confined(line: list[str], filtered: int | None) -> _Launch:
    """Under Landlock, in a folder of its own."""
    if filtered is None:
        raise SetupError("without bubblewrap files are read on x86-64 and aarch64 alone")
    folder = tempfile.mkdtemp(prefix="portico-")
    as_nobody = os.geteuid() == 0 and _is_open_to_all()
    if as_nobody:
        os.chown(folder, NOBODY, NOBODY)
    confinement = Confinement(tuple(_readable()), _SOURCE, folder, filtered, os.getpid(), as_nobody)
    return _Launch([*make_python_command(_CONFINEMENT), confinement.to_json(), *line], (filtered,), folder)


def _is_open_to_all() -> bool:
    """Whether every user may run this Python and read our source."""
    places = [Path(path) for path in _readable() if path not in READABLE]
    return all(each.stat().st_mode & 0o001 for path in places for each in (path, *path.resolve().parents))


def _try_command(launch: _Launch) -> str | None:
    """The error of a command without input, None if it exited normally."""
    trial = subprocess.run(  # noqa: S603 nothing of it comes from outside
        launch.line,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=launch.environment,
        cwd=launch.folder or "/",
        check=False,
        pass_fds=launch.handed,
    )
    if launch.folder:
        shutil.rmtree(launch.folder, ignore_errors=True)
    said = trial.stderr.strip().splitlines()
    return (said[-1] if said else f"it ended with {trial.returncode}") if trial.returncode else None


def make_python_command(module: str) -> list[str]:
    """The command to run one of our modules with this Python and only its packages."""
    # Said in full, so that a source tree that is not installed (PYTHONPATH) works too.
    program = (
        f"import runpy, sys; sys.path.insert(0, {_SOURCE!r}); runpy.run_module({module!r}, None, '__main__')"
    )
    return [sys.executable, "-I", "-X", "utf8", "-c", program]


def _limited(limits: ProcessLimits) -> list[str]:
    memory, files = limits.memory_mb << 20, SPARE_FILE_MB << 20
    return [
        PRLIMIT,
        f"--as={memory}",
        f"--cpu={limits.cpu_s}",
        f"--fsize={files}",
        "--core=0",
        f"--nofile={OPEN_FILES}",
        "--",
    ]


@lru_cache(maxsize=1)
def _wrapped() -> tuple[str, ...]:
    options = ["--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"]
    for name, value in ENVIRONMENT.items():
        options += ["--setenv", name, value]
    # First, since this Python or our own source may be somewhere below /tmp.
    options += ["--proc", "/proc", "--dev", "/dev"]
    # Settings of the kernel belong to the whole machine: for root they would be open to writing.
    options += ["--ro-bind", "/proc/sys", "/proc/sys"]
    known = _list_options()
    if "--disable-userns" in known:
        options += ["--unshare-user", "--disable-userns"]
    # Versions of bubblewrap before 0.7 leave the size to the kernel: half of the memory.
    for path, n_bytes in (("/dev/shm", SHARED_MEMORY_MB << 20), ("/tmp", SPARE_FILE_MB << 20)):  # noqa: S108
        options += ["--size", str(n_bytes)] if "--size" in known else []
        options += ["--tmpfs", path]
    for path in _readable():
        # A link such as /lib -> usr/lib stays a link.
        target = Path(path)
        if target.is_symlink():
            options += ["--symlink", str(target.readlink()), path]
        elif target.exists():
            options += ["--ro-bind", path, path]
    options += ["--remount-ro", "/"]  # where nothing is mounted would be memory without a limit
    return (BUBBLEWRAP, *options, "--chdir", "/tmp")  # noqa: S108 its own


def _list_options() -> str:
    """The options that this version of bubblewrap lists in its help."""
    said = subprocess.run([BUBBLEWRAP, "--help"], capture_output=True, text=True, check=False)  # noqa: S603
    return said.stdout + said.stderr


def _readable() -> list[str]:
    """Programs and fonts, this Python and its packages, and our own source."""
    places = [Path(sys.base_prefix), Path(sys.prefix), Path(portico.__file__).parent]
    # A virtual environment may itself be a link: what it leads to is needed too.
    ours = [str(path) for place in places for path in (place, place.resolve())]
    return [*READABLE, *(path for path in dict.fromkeys(ours) if not path.startswith("/usr/"))]
