"""Confines this process with Landlock and seccomp, then runs a program, where bubblewrap cannot run.

Containers often forbid the namespaces on which bubblewrap is based. A process can still restrict itself
(Linux 5.13 or later): to certain files (Landlock) and to certain system calls (seccomp). The program can
still see that other files exist, and fill one temporary folder. `sandbox.py` starts this module in a process
of its own; its first argument is a `Confinement` in JSON, the others are the program.
"""

import ctypes
import json
import os
import signal
import struct
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

# The same numbers on all architectures (asm-generic/unistd.h).
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION, _PATH_BENEATH = 1, 1
# Rights of linux/landlock.h, bit by bit.
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_FIRST_RIGHTS = (1 << 13) - 1
_LATER_RIGHTS = ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL_DEV))  # by the first version of Landlock with them
_TCP, _SIGNALS_AND_SOCKETS = 0b11, 0b11  # bind and connect; abstract sockets and signals
_TCP_SINCE, _SCOPES_SINCE = 4, 6

# From linux/prctl.h, linux/seccomp.h and linux/securebits.h.
_SET_DEATH_SIGNAL, _SET_SECCOMP, _SET_SECUREBITS, _SET_NO_NEW_PRIVILEGES = 1, 22, 28, 38
_FILTER_MODE = 2
_ROOT_WITHOUT_RIGHTS = 0b11  # SECBIT_NOROOT and its lock: no executed program gets root's rights
NOBODY = 65534

_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")


@dataclass(frozen=True, slots=True)
class Confinement:
    """What the program may access."""

    readable: tuple[str, ...]
    listed: str  # a folder that may be listed, to find the readable files in it
    writable: str  # its temporary folder
    filter: int  # the open file with the filter of system calls
    parent: int  # when this process ends, so does the program
    as_nobody: bool = False  # if we are root: as another user, who owns nothing

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        return cls(**json.loads(text))


def main() -> None:
    confinement, command = Confinement.from_json(sys.argv[1]), sys.argv[2:]
    program = os.read(confinement.filter, 1 << 16)
    os.close(confinement.filter)
    _give_up_root(as_nobody=confinement.as_nobody)
    _control(_SET_NO_NEW_PRIVILEGES, 1)
    _control(_SET_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != confinement.parent:  # it ended before we asked
        return
    _restrict_files(confinement)
    _restrict_calls(program)
    os.execvp(command[0], command)  # noqa: S606 given by sandbox.py


def _give_up_root(*, as_nobody: bool) -> None:
    if os.geteuid() != 0:
        return
    _control(_SET_SECUREBITS, _ROOT_WITHOUT_RIGHTS)
    if as_nobody:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)


def _restrict_files(confinement: Confinement) -> None:
    version = _call(_CREATE_RULESET, None, 0, _ASK_VERSION)
    rights = _FIRST_RIGHTS
    for since, right in _LATER_RIGHTS:
        rights |= right if version >= since else 0
    handled = struct.pack("=Q", rights)
    handled += struct.pack("=Q", _TCP) if version >= _TCP_SINCE else b""
    handled += struct.pack("=Q", _SIGNALS_AND_SOCKETS) if version >= _SCOPES_SINCE else b""
    rules = _call(_CREATE_RULESET, handled, len(handled), 0)
    for path in confinement.readable:
        _allow(rules, path, _EXECUTE | _READ_FILE | _READ_DIR)
    for path in _DEVICES:
        _allow(rules, path, _READ_FILE | _WRITE_FILE)
    _allow(rules, confinement.listed, _READ_DIR)
    _allow(rules, confinement.writable, rights & ~(_EXECUTE | _IOCTL_DEV))
    _call(_RESTRICT_SELF, rules, 0)
    os.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    """Allow access to a file, or to a folder with everything in it; a missing one needs no rule."""
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not Path(path).is_dir():
        rights &= _OF_FILES
    _call(_ADD_RULE, rules, _PATH_BENEATH, struct.pack("=Qi", rights, opened), 0)
    os.close(opened)


def _restrict_calls(program: bytes) -> None:
    instructions = ctypes.create_string_buffer(program, len(program))
    # struct sock_fprog: how many instructions of eight bytes, and where they are.
    holder = struct.pack("@HP", len(program) // 8, ctypes.addressof(instructions))
    _control(_SET_SECCOMP, _FILTER_MODE, holder)


_LIBRARY = ctypes.CDLL(None, use_errno=True)


def _call(number: int, *arguments: int | bytes | None) -> int:
    """Make a system call for which the C library has no function."""
    given = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    return _checked(_LIBRARY.syscall(ctypes.c_long(number), *given), f"system call {number}")


def _control(option: int, *arguments: int | bytes) -> None:
    given = [ctypes.c_ulong(each) if isinstance(each, int) else each for each in arguments]
    missing = [ctypes.c_ulong(0)] * (4 - len(given))
    _checked(_LIBRARY.prctl(option, *given, *missing), f"prctl {option}")


def _checked(result: int, what: str) -> int:
    if result < 0:
        fault = ctypes.get_errno()
        raise OSError(fault, f"{what}: {os.strerror(fault)}")
    return result


if __name__ == "__main__":
    main()
