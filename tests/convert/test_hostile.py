"""Files that are broken, wrong or hostile: each gets one reason, and the next file is read as ever."""

import bz2
import contextlib
import gzip
import os
import platform
import re
import select
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reportlab.pdfgen.canvas import Canvas

from portico.convert import confinement, outside_programs, sandbox
from portico.convert.confinement import Confinement
from portico.convert.converter import Converter, ConvertLimits
from portico.convert.system_calls import build_filter, open_filter
from portico.errors import ConversionError, InputError, SetupError, Unreadable
from portico.types.document import Document, DocumentId
from tests.convert.hostile import ORIGINALS, is_catalog, make_hostile_variants
from tests.convert.pdfs import draw, paper

GOOD = draw(paper)
POSTSCRIPT = textwrap.dedent("""\
    %!PS-Adobe-2.0
    /Times-Roman findfont 12 scalefont setfont
    0 1 12 { 72 exch 14 mul 700 exch sub moveto
      (the results of the method show that learning from examples is enough) show } for
    showpage
    """).encode()
REFUSED_CALLS = (101, 321, 425, 250, 323, 272)  # ptrace, bpf, io_uring_setup, keyctl, userfaultfd, unshare
LIMITS = ConvertLimits(
    timeout_s=4.0, max_memory_mb=512, max_bytes=30_000_000, max_expanded_bytes=20_000_000, max_pages=50
)


@pytest.fixture(scope="module")
def converter() -> Converter:
    return Converter(LIMITS)


def convert(converter: Converter, body: bytes, name: str = "file.pdf") -> Document:
    return converter(body, media_type="application/pdf", name=name, document_id=DocumentId("0"))


def deep_pages() -> bytes:
    """A page tree nested ten thousand deep."""
    depth = 10_000
    objects = [f"{i} 0 obj<</Type/Pages/Kids[{i + 1} 0 R]/Count 1>>endobj" for i in range(2, depth)]
    objects.append(f"{depth} 0 obj<</Type/Page/Parent {depth - 1} 0 R/MediaBox[0 0 9 9]>>endobj")
    body = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n" + "\n".join(objects)
    return (body + "\ntrailer<</Root 1 0 R>>\n%%EOF").encode()


def looping_pages() -> bytes:
    return (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
        b"2 0 obj<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2000000000>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF"
    )


def scan(canvas: Canvas) -> None:
    canvas.rect(100, 100, 300, 300, fill=1)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        pytest.param(b"", "is empty", id="empty"),
        pytest.param(b"<html><body>404 Not found</body></html>", "is a web page", id="html"),
        pytest.param(b"\x89PNG\r\n\x1a\n" + bytes(64), "is image/png", id="picture"),
        pytest.param(b"just words", "is plain text", id="text"),
        pytest.param(bytes(range(256)), "unknown kind", id="noise"),
        pytest.param(b"%PDF-1.4\nnothing follows", "is damaged", id="only-a-header"),
        pytest.param(GOOD[: len(GOOD) // 3], "is damaged", id="truncated"),
        pytest.param(draw(paper, encrypt="secret"), "encrypted with a password", id="encrypted"),
        pytest.param(draw(*[paper] * 51), "has 51 pages, more than the 50", id="pages"),
        pytest.param(looping_pages(), "is damaged", id="page-tree-in-a-circle"),
        pytest.param(deep_pages(), "none of its 1 pages can be read", id="deep-page-tree"),
        pytest.param(
            gzip.compress(bytes(30_000_000)), "unpacks (gzip) to more than the 20,000,000 bytes", id="bomb"
        ),
        pytest.param(
            gzip.compress(gzip.compress(gzip.compress(GOOD))), "is application/pdf+gzip", id="nested"
        ),
        pytest.param(gzip.compress(POSTSCRIPT)[:-20], "cannot be unpacked (gzip)", id="truncated-gzip"),
        pytest.param(b"%" * 30_000_001, "30,000,001 bytes, more than the 30,000,000 allowed", id="large"),
        pytest.param(
            b"%!PS\n{ } loop", "did not finish within 4 s; it may loop forever", id="postscript-loop"
        ),
        pytest.param(
            b"%!PS\n(unbalanced", "the PostScript program stops with an error", id="postscript-broken"
        ),
        pytest.param(
            b"%!PS\n(/etc/passwd) (r) file 100 string readstring pop show showpage",
            "the PostScript program stops with an error",
            id="postscript-reads-files",
        ),
        pytest.param(
            b"%!PS\n0 1 1000000000 { pop 100000000 array } for",
            "more than 512 MB",
            id="postscript-eats-memory",
        ),
        pytest.param(draw(scan), "no text layer", id="scan"),
        pytest.param(b"\xf7\x02" + bytes(64), "DVI file", id="dvi"),
        pytest.param(
            b"%!PS\n(%pipe%id) (r) file 100 string readstring pop show showpage",
            "the PostScript program stops with an error",
            id="postscript-runs-programs",
        ),
        pytest.param(
            b"%!PS\n(/usr/share/written) (w) file dup (x) writestring closefile showpage",
            "the PostScript program stops with an error",
            id="postscript-writes-files",
        ),
    ],
)
def test_one_reason_and_the_next_file_is_read(converter: Converter, body: bytes, reason: str) -> None:
    with pytest.raises(ConversionError, match=re.escape(reason)) as caught:
        convert(converter, body)
    assert str(caught.value).startswith("file.pdf: "), "says which file"
    assert "\n" not in str(caught.value)
    assert "Finding Papers by Learning" in convert(converter, GOOD).text


def test_what_postscript_writes_stays_in_its_sandbox(converter: Converter, tmp_path: Path) -> None:
    """Ghostscript lets programs write temporary files: they go to a /tmp that nobody else has."""
    written = Path("/tmp") / f"{tmp_path.name}-{os.getpid()}"
    program = f"%!PS\n({written}) (w) file dup (x) writestring closefile showpage"
    with pytest.raises(ConversionError, match="no text layer"):
        convert(converter, program.encode())
    assert not written.exists()


def test_what_is_packed_is_unpacked_under_the_limits_of_the_sandbox() -> None:
    limits = replace(LIMITS, max_memory_mb=256, max_expanded_bytes=400_000_000)
    with Converter(limits) as converter:
        with pytest.raises(ConversionError, match=r"more memory than is allowed|more than 256 MB"):
            convert(converter, gzip.compress(bytes(350_000_000), 1))
        assert convert(converter, gzip.compress(POSTSCRIPT)).lines


def test_gibberish_is_unreadable(converter: Converter) -> None:
    def page(canvas: Canvas) -> None:
        canvas.setFont("Times-Roman", 10)
        for i in range(40):
            canvas.drawString(72, 700 - 14 * i, "xqz!%k wv#f 9x(jd kq&z}t vwx$ pqrk*s zzv/k gh{tk mnb@w")

    with pytest.raises(Unreadable, match=r"gibberish [(]only 0% of its words are known"):
        convert(converter, draw(page))


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        (POSTSCRIPT, "application/postscript"),
        (gzip.compress(POSTSCRIPT, mtime=0), "application/postscript"),
        (bz2.compress(GOOD), "application/pdf"),
        (b"junk before the header\n" + GOOD, "application/pdf"),
    ],
)
def test_what_is_inside_counts(converter: Converter, body: bytes, media_type: str) -> None:
    document = convert(converter, body, name="wrong-name.doc")
    assert document.media_type == media_type
    assert "learning from examples" in document.text


def test_the_same_bytes_give_the_same_document(converter: Converter) -> None:
    assert convert(converter, GOOD) == convert(converter, GOOD)
    assert convert(converter, POSTSCRIPT) == convert(converter, POSTSCRIPT)


def test_a_killed_worker_costs_one_document() -> None:
    with Converter(LIMITS) as converter:
        before = set(descendants(os.getpid()))
        convert(converter, GOOD)
        family = set(descendants(os.getpid())) - before
        watched = [os.pidfd_open(pid) for pid in family]
        for descriptor in watched:
            with contextlib.suppress(ProcessLookupError):  # gone with the one before
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
            assert has_ended(descriptor)
        with pytest.raises(ConversionError, match="crashes the reader"):
            convert(converter, GOOD)
        assert convert(converter, GOOD).lines


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_bytes_are_a_document_or_an_input_error(converter: Converter, data: st.DataObject) -> None:
    start = data.draw(st.sampled_from([b"", b"%PDF-1.4\n", b"\x1f\x8b\x08", GOOD]))
    body = bytearray(start + data.draw(st.binary(max_size=200)))
    for _ in range(data.draw(st.integers(0, 8)) if start == GOOD else 0):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(InputError):  # and nothing else
        convert(converter, bytes(body))


def test_files_changed_by_chance_are_documents_or_input_errors(converter: Converter) -> None:
    """A small part of what benchmarks/hostile_files.py reads."""
    for name, body in make_hostile_variants(len(ORIGINALS)):
        if is_catalog(name):  # read outside of the sandbox: tests/fuzzing
            continue
        read = converter.page if name.endswith(".html") else converter
        with contextlib.suppress(InputError):  # and nothing else
            read(body, media_type="", name=name, document_id=DocumentId("0"))
    assert "Finding Papers by Learning" in convert(converter, GOOD).text


def test_without_bubblewrap_files_are_read_under_landlock_and_a_build_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caches = (sandbox.choose_sandbox, sandbox._find_fault)
    for cache in caches:
        cache.cache_clear()
    monkeypatch.setenv("PATH", "/nonexistent")
    try:
        with pytest.raises(SetupError, match="apt install bubblewrap"):
            convert(Converter(replace(LIMITS, sandbox="bubblewrap")), GOOD)
        with Converter(LIMITS) as converter:
            assert convert(converter, GOOD).lines
        assert "Files are read under Landlock instead" in sandbox.describe_weakness()
        with pytest.raises(SetupError, match="apt install ghostscript"):
            outside_programs.require_ghostscript()
    finally:
        for cache in caches:
            cache.cache_clear()


@pytest.mark.parametrize("limit", ["-t 100", "-n 100", "-v 200000", "-f 1000"])
def test_limits_of_the_machine_are_not_blamed_on_files(limit: str, tmp_path: Path) -> None:
    (tmp_path / "good.pdf").write_bytes(GOOD)
    program = (
        "import sys; from portico.convert.converter import Converter; "
        "print(Converter()(open(sys.argv[1], 'rb').read(), media_type='', name='x', document_id='x').text)"
    )
    command = f'ulimit {limit}; exec "$0" "$@"'
    said = subprocess.run(
        ["bash", "-c", command, sys.executable, "-c", program, tmp_path / "good.pdf"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "SetupError" in said.stderr, said.stderr[-500:]


def test_a_build_that_can_start_no_process_says_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "good.pdf").write_bytes(GOOD)
    build = [sys.executable, "-m", "portico", "build", str(tmp_path), "--yes"]
    for limited in (["prlimit", "--nofile=14", "--"], []):
        said = subprocess.run([*limited, *build], capture_output=True, text=True, check=False)
        if limited:
            assert "no process can be started to do the work (Too many open files)" in said.stderr
            assert "Traceback" not in said.stderr
    assert "1 paper," in said.stdout, "nothing was lost, and nothing blamed on the file"


SANDBOXES: tuple[sandbox.Sandbox, ...] = ("bubblewrap", "landlock")


def run_in_sandbox(command: list[str], kind: sandbox.Sandbox) -> tuple[bytes, bool]:
    """What it printed, and whether it ended well."""
    limits = sandbox.ProcessLimits(memory_mb=1024, cpu_s=10)
    pipes = sandbox.start_process(command, limits=limits, sandbox=kind)
    try:
        return pipes.exchange(b"", timeout_s=20, max_answer=1000), pipes.ended_well(timeout_s=20)
    finally:
        pipes.close()


@pytest.mark.parametrize("kind", SANDBOXES)
@pytest.mark.parametrize(
    "attempt",
    [
        "exec 3>> /proc/sys/kernel/core_pattern",
        "echo x > /x",
        "exec mkdir /usr/x",
        "exec head -c 100000000 /dev/zero > /dev/shm/x",
        "exec unshare --user true",
        "exec unshare --net true",
        f"exec {sys.executable} -Ic 'import socket; socket.socket()'",
        f"exec {sys.executable} -Ic 'import socket; socket.socketpair(socket.AF_INET)'",
        "exec chroot /usr true",
        "exec mount -t tmpfs x /mnt",
        "true & wait",
    ],
)
def test_what_is_sandboxed_cannot_reach_out(attempt: str, kind: sandbox.Sandbox) -> None:
    _, ended_well = run_in_sandbox(["sh", "-c", attempt], kind)
    assert not ended_well
    assert run_in_sandbox(["sh", "-c", "exec true"], kind) == (b"", True)


@pytest.mark.parametrize("kind", SANDBOXES)
@pytest.mark.parametrize(
    ("attempt", "expected"),
    [
        ("os.fork()", "PermissionError"),
        ("os.posix_spawn('/bin/true', ['true'], {})", "PermissionError"),
        ("threading.Thread(target=print).start()", "RuntimeError"),
        ("socket.socket(socket.AF_UNIX)", "PermissionError"),
        ("socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)", "PermissionError"),
        *((f"check(libc.syscall({call}, 0, 0, 0, 0))", "OSError 1") for call in REFUSED_CALLS),
        ("check(libc.syscall(435, 0, 0))", "OSError 38"),
        ("check(libc.syscall(0x40000000 + 39))", "killed"),
        ("check(os.getpid() - os.getpid())", "done"),
    ],
)  # fmt: skip
@pytest.mark.skipif(platform.machine() != "x86_64", reason="names system calls by their numbers on x86-64")
def test_what_reads_files_starts_nothing_and_asks_the_kernel_for_little(
    attempt: str, expected: str, kind: sandbox.Sandbox
) -> None:
    script = (
        "import ctypes, os, socket, threading\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "def check(result):\n"
        "    if result < 0: raise OSError(f'OSError {ctypes.get_errno()}')\n"
        f"try:\n    {attempt}\n    print('done')\n"
        "except Exception as fault: print(type(fault).__name__, fault)"
    )
    said, _ = run_in_sandbox([sys.executable, "-I", "-c", script], kind)
    assert expected in (said.decode() or "killed")


@pytest.mark.parametrize(
    "attempt",
    [
        "open('/etc/passwd')",
        "open('{outside}/secret')",
        "open('{outside}/new', 'w')",
        "open('/proc/{parent}/environ')",
        "open('/proc/self/environ')",
        "os.listdir('/proc')",
        "os.listdir('{outside}')",
        "os.listdir('/')",
        "os.unlink('{outside}/secret')",
        "os.rename('{outside}/secret', 'taken')",
        "os.link('{outside}/secret', 'taken')",
        "os.truncate('{outside}/secret', 0)",
        "os.chmod('{outside}/secret', 0o777)",
        "os.chown('{outside}/secret', 65534, 65534)",
        "os.utime('{outside}/secret', (0, 0))",
        "os.setxattr('{outside}/secret', 'user.x', b'1')",
        "os.kill({parent}, 0)",
        "os.setpriority(os.PRIO_PROCESS, {parent}, 19)",
        "os.sched_setaffinity({parent}, [0])",
        "resource.prlimit({parent}, resource.RLIMIT_CORE, (0, 0))",
        "os.setuid(0) or os.setgid(0) or open('{outside}/secret')",
        "open('/dev/tty')",
        "open('/dev/shm/x', 'w')",
        "os.mkfifo('/tmp/x')",
    ],
)
def test_under_landlock_nothing_of_this_machine_is_in_reach(attempt: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hush")
    script = "import os, resource; " + attempt.format(outside=tmp_path, parent=os.getpid())
    _, ended_well = run_in_sandbox([sys.executable, "-I", "-c", script], "landlock")
    assert not ended_well
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


def test_under_landlock_a_program_has_a_folder_of_its_own_that_goes_with_it() -> None:
    script = "import os; open('made', 'w').write('x'); print(os.getcwd(), os.environ['TMPDIR'], os.getsid(0))"
    said, ended_well = run_in_sandbox([sys.executable, "-I", "-c", script], "landlock")
    folder, told, session = said.decode().split()
    assert ended_well
    assert folder == told
    assert not Path(folder).exists()
    assert int(session) != os.getsid(0)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_under_landlock_root_is_somebody_who_owns_nothing() -> None:
    filtered = open_filter(shares_system=True)
    assert filtered is not None
    wanted = Confinement(("/usr", "/bin", "/lib", "/lib64"), "/usr", "/dev/shm", filtered, os.getpid(), True)
    command = [sys.executable, "-I", confinement.__file__, wanted.to_json(), "/usr/bin/id", "-u"]
    said = subprocess.run(command, pass_fds=[filtered], capture_output=True, text=True, check=False)
    os.close(filtered)
    assert said.stdout == "65534\n", said.stderr


def test_filters_of_system_calls_are_programs() -> None:
    for machine in ("x86_64", "aarch64"):
        for shares_system in (False, True):
            program = build_filter(shares_system=shares_system, machine=machine)
            assert program is not None
            assert len(program) % 8 == 0
            assert len(program) // 8 < 4096, "BPF_MAXINSNS"
    assert build_filter(shares_system=False, machine="vax") is None


def test_files_one_trusts_may_be_read_without_a_sandbox() -> None:
    with Converter(ConvertLimits(sandbox="none")) as converter:
        assert convert(converter, GOOD).lines
        assert convert(converter, POSTSCRIPT).lines


def test_every_kind_of_file_is_read_under_landlock_too() -> None:
    with Converter(replace(LIMITS, sandbox="landlock")) as converter:
        assert convert(converter, GOOD).text == convert(Converter(LIMITS), GOOD).text
        assert convert(converter, gzip.compress(POSTSCRIPT)).lines


def test_the_sandbox_sees_no_network_and_no_files() -> None:
    script = (
        "import os\n"
        "names = [line.split(':')[0].strip() for line in open('/proc/net/dev') if ':' in line]\n"
        "print(sorted(names), os.path.exists('/etc/passwd'),"
        " os.path.exists('/home'), sorted(os.environ.keys() - {'LC_CTYPE'}))"
    )
    command = [sys.executable, "-I", "-c", script]
    pipes = sandbox.start_process(
        command, limits=sandbox.ProcessLimits(memory_mb=256, cpu_s=5), sandbox="bubblewrap"
    )
    said = pipes.exchange(b"", timeout_s=20, max_answer=1000).decode()
    pipes.close()
    assert said == f"['lo'] False False {sorted([*sandbox.ENVIRONMENT, 'PWD'])}\n"


def test_the_sandbox_dies_with_its_parent() -> None:
    """kill -9 of a process that converts leaves no worker behind."""
    program = textwrap.dedent("""\
        import signal, sys
        from portico.convert.converter import Converter
        from portico.types.document import DocumentId
        converter = Converter()
        body = sys.stdin.buffer.read()
        converter(body, media_type="", name="x", document_id=DocumentId("0"))
        print("converted", flush=True)
        signal.pause()
        """)
    parent = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert parent.stdin is not None
    assert parent.stdout is not None
    parent.stdin.write(GOOD)
    parent.stdin.close()
    assert parent.stdout.readline() == b"converted\n"
    family = descendants(parent.pid)
    assert family, "a worker is running"
    watched = [os.pidfd_open(pid) for pid in family]
    parent.kill()
    parent.wait()
    for descriptor in watched:
        assert has_ended(descriptor), "a child outlived its parent"


def has_ended(descriptor: int) -> bool:
    """Waits for the end of a process: only then its descriptor can be read."""
    ended = bool(select.select([descriptor], [], [], 10)[0])
    os.close(descriptor)
    return ended


def children(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += [int(child) for child in (task / "children").read_text().split()]
    return found


def descendants(pid: int) -> list[int]:
    found = children(pid)
    return found + [lower for child in found for lower in descendants(child)]
