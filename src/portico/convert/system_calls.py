"""The system calls that sandboxed programs may make, as a seccomp filter.

The kernel runs the filter (seccomp, a program of classic BPF) before every system call. Calls needed for
reading files are allowed; calls that reach other processes, the network, kernel settings or rarely used parts
of the kernel are refused with "not permitted". Neither processes nor threads can be started.
"""

import os
import platform
import struct
from dataclasses import dataclass
from errno import ENOSYS, EPERM

# Offsets in seccomp_data of the call number, the architecture, and half of the first argument.
_NUMBER_AT, _ARCHITECTURE_AT, _FIRST_ARGUMENT_AT = 0, 4, 16
# Instructions: load a word, compare it and jump, return a verdict (linux/bpf_common.h).
_LOAD, _JUMP_IF_EQUAL, _JUMP_IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _KILL, _REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
_X32_CALLS = 0x40000000  # the second system call table of x86-64, by which a filter could be bypassed


@dataclass(frozen=True, slots=True)
class _Machine:
    """System call numbers of one architecture (asm/unistd.h); -1 if it has no such call."""

    audit: int
    clone: int
    clone3: int
    starting: tuple[int, ...]  # fork, vfork
    refused: tuple[int, ...]
    shared: tuple[int, ...]  # refused to a process that shares files and other processes with us
    prlimit: int
    has_x32: bool = False


# The same on all architectures since 2019: io_uring, mounts by handle, handles of processes.
_NEWER = (*(425, 426, 427), *(428, 429, 430, 431, 432, 433, 442), *(424, 434, 438))
_MACHINES = {
    "x86_64": _Machine(
        audit=0xC000003E,
        clone=56,
        clone3=435,
        starting=(57, 58),
        refused=(
            41,  # socket
            *(101, 310, 311, 312),  # ptrace, process_vm_readv, process_vm_writev, kcmp
            *(
                165,
                166,
                155,
                161,
                167,
                168,
                303,
                304,
                300,
            ),  # mount … chroot, swap, handles of files, fanotify
            *(272, 308, 135, 154),  # unshare, setns, personality, modify_ldt
            *(169, 170, 171, 163, 179, 103),  # reboot, names of the host, acct, quotactl, syslog
            *(175, 176, 313, 246, 320),  # modules, kexec
            *(248, 249, 250, 321, 298, 323),  # keys, bpf, perf_event_open, userfaultfd
            *(159, 164, 227, 305, 172, 173),  # the clock, ports of the machine
            *_NEWER,
        ),
        shared=(
            *(62, 200, 234, 129, 297),  # kill, tkill, tgkill, rt_sigqueueinfo, rt_tgsigqueueinfo
            *(29, 30, 31, 67, 64, 65, 66, 220, 68, 69, 70, 71, 240, 241),  # memory, semaphores and queues
            *(141, 142, 144, 203, 251, 256, 279),  # priorities and places of other processes
            *(76, 90, 91, 268, 452, 92, 93, 94, 260),  # truncate, chmod and chown
            *(188, 189, 190, 197, 198, 199, 132, 235, 261, 280),  # attributes and times of files
        ),
        prlimit=302,
        has_x32=True,
    ),
    "aarch64": _Machine(
        audit=0xC00000B7,
        clone=220,
        clone3=435,
        starting=(),
        refused=(
            198,
            *(117, 270, 271, 272),
            *(40, 39, 41, 51, 224, 225, 264, 265, 262),
            *(97, 268, 92),
            *(142, 161, 162, 89, 60, 116),
            *(105, 106, 273, 104, 294),
            *(217, 218, 219, 280, 241, 282),
            *(171, 170, 112, 266),
            *_NEWER,
        ),
        shared=(
            *(129, 130, 131, 138, 240),
            *(194, 195, 196, 197, 190, 191, 192, 193, 186, 187, 188, 189, 180, 181),
            *(140, 118, 119, 122, 30, 238, 239),
            *(45, 52, 53, 452, 54, 55),
            *(5, 6, 7, 14, 15, 16, 88),
        ),
        prlimit=261,
    ),
}


def build_filter(*, shares_system: bool, machine: str = "") -> bytes | None:
    """The filter for this machine, or the one named; None for unknown architectures.

    `shares_system`: for a process without namespaces of its own, which can see our files and processes.
    """
    known = _MACHINES.get(machine or platform.machine())
    if known is None:
        return None
    code = [
        _instruct(_LOAD, _ARCHITECTURE_AT),
        _instruct(_JUMP_IF_EQUAL, known.audit, if_true=1),
        _instruct(_RETURN, _KILL),
        _instruct(_LOAD, _NUMBER_AT),
    ]
    if known.has_x32:
        code += [_instruct(_JUMP_IF_AT_LEAST, _X32_CALLS, if_false=1), _instruct(_RETURN, _KILL)]
    shared = known.shared if shares_system else ()
    for number in (*known.refused, *known.starting, known.clone, *shared):
        code += _refuse(number, EPERM)
    # Its flags are behind a pointer, which a filter cannot follow; C libraries then use clone.
    code += _refuse(known.clone3, ENOSYS)
    if shares_system:  # limits of others; its own are those of process 0
        code += [
            _instruct(_JUMP_IF_EQUAL, known.prlimit, if_false=3),
            _instruct(_LOAD, _FIRST_ARGUMENT_AT),
            _instruct(_JUMP_IF_EQUAL, 0, if_true=1),
            _instruct(_RETURN, _REFUSE | EPERM),
        ]
    return b"".join([*code, _instruct(_RETURN, _ALLOW)])


def open_filter(*, shares_system: bool) -> int | None:
    """The filter as an open file to be passed to one child; the caller closes it."""
    program = build_filter(shares_system=shares_system)
    if program is None:
        return None
    readable, writable = os.pipe()
    os.write(writable, program)  # some hundred bytes: a pipe holds 64 kB
    os.close(writable)
    return readable


def _refuse(number: int, error: int) -> list[bytes]:
    return [_instruct(_JUMP_IF_EQUAL, number, if_false=1), _instruct(_RETURN, _REFUSE | error)]


def _instruct(code: int, value: int, *, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)
