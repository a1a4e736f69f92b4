"""External programs, each sandboxed: Ghostscript and dvipdfmx make PDF, tesseract does OCR."""

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from portico.convert.pipes import TooMuch, TooSlow
from portico.convert.sandbox import ENVIRONMENT, ProcessLimits, Sandbox, is_installed, start_process
from portico.errors import ConversionError, SetupError

ENDING_S = 5.0  # from the last byte of output to the end of the process


@dataclass(frozen=True, slots=True)
class PrintLimits:
    """The limits of printing one file; `name` is the file's, for messages."""

    name: str
    timeout_s: float
    max_bytes: int
    memory_mb: int
    sandbox: Sandbox


GHOSTSCRIPT = "gs"
# pdfwrite keeps fonts and positions, so that PostScript is processed like PDF. Messages go to standard error
# and the PDF to standard output, uncompressed because it is read once and discarded. The program is read from
# standard input in blocks ("-_"): with a plain "-", Ghostscript reads every byte with a system call, as if it
# were typed, which took half of its time.
_COMMAND = (
    GHOSTSCRIPT,
    "-q",
    "-dSAFER",
    "-dBATCH",
    "-dNOPAUSE",
    "-dNOPROMPT",
    "-sDEVICE=pdfwrite",
    "-dAutoRotatePages=/None",
    "-dCompressPages=false",
    "-dCompressFonts=false",
    "-sstdout=%stderr",
    "-sOutputFile=-",
    "-_",
)


def require_ghostscript() -> None:
    if not is_installed(GHOSTSCRIPT):
        raise SetupError(
            "Ghostscript is not installed, and PostScript files cannot be read without it: "
            "install the Debian package ghostscript (apt install ghostscript)"
        )


def print_postscript(body: bytes, limits: PrintLimits) -> bytes:
    """The PDF that Ghostscript makes of the program."""
    require_ghostscript()
    return print_to_pdf(_COMMAND, body, limits, what="the PostScript program")


DVIPDFMX = "dvipdfmx"
# The Debian packages of the program, and of the TeX fonts that DVI files do not contain.
DVI_PACKAGES = "texlive-binaries texlive-base"
# dvipdfmx needs a seekable file: input from the pipe is first written to an unnamed one, by a program that
# then becomes dvipdfmx. So neither needs to start a process.
_COPY_AND_PRINT = (
    "import os, shutil, sys, tempfile; file = tempfile.TemporaryFile();"
    " shutil.copyfileobj(sys.stdin.buffer, file); file.seek(0); os.dup2(file.fileno(), 0);"
    " os.execvp(sys.argv[1], sys.argv[1:])"
)
_DVI_COMMAND = (sys.executable, "-I", "-S", "-c", _COPY_AND_PRINT, DVIPDFMX)


def print_dvi(body: bytes, limits: PrintLimits) -> bytes:
    """The PDF of a DVI file; if the program is missing, the reason names the Debian packages."""
    if not is_installed(DVIPDFMX):
        raise ConversionError(
            f"{limits.name}: is a DVI file, and {DVIPDFMX}, which makes it a PDF, is not installed:"
            f" apt install {DVI_PACKAGES}, then build again with --retry"
        )
    command = (*_DVI_COMMAND, "-q", "-o", "/dev/stdout", "/dev/stdin")
    return print_to_pdf(command, body, limits, what="the DVI file")


def print_to_pdf(command: Sequence[str], body: bytes, limits: PrintLimits, *, what: str) -> bytes:
    """The output of the command for the body on its input; `what` names the body in reasons."""
    name = limits.name
    cpu_s = int(limits.timeout_s) + 1
    of_process = ProcessLimits(memory_mb=limits.memory_mb, cpu_s=cpu_s)
    pipes = start_process(list(command), limits=of_process, sandbox=limits.sandbox)
    try:
        pdf = pipes.exchange(body, timeout_s=limits.timeout_s, max_answer=limits.max_bytes)
        if not pipes.ended_well(timeout_s=ENDING_S):
            raise ConversionError(
                f"{name}: {what} stops with an error, or needs more than {limits.memory_mb:,} MB;"
                " it may be damaged or incomplete: fetch or save it again"
            )
    except TooSlow:
        raise ConversionError(
            f"{name}: {what} did not finish within {limits.timeout_s:g} s; it may loop forever"
        ) from None
    except TooMuch:
        raise ConversionError(
            f"{name}: {what} prints more than {limits.max_bytes:,} bytes; it may loop forever"
        ) from None
    finally:
        pipes.close()
    if not pdf.startswith(b"%PDF-"):
        raise ConversionError(f"{name}: {what} prints no page; it is damaged or incomplete")
    return pdf


TESSERACT = "tesseract"
TESSERACT_PACKAGE = "tesseract-ocr"
OCR_DOTS_PER_INCH = 300  # what tesseract's models were trained on
MAX_TABLE_BYTES = 16 << 20  # a dense page has 150 kB
# Models that are not for text.
_NO_LANGUAGES = frozenset({"osd", "equ", "snum"})


def is_tesseract_installed() -> bool:
    return bool(list_languages())


@lru_cache(maxsize=1)
def list_languages() -> tuple[str, ...]:
    """The languages that tesseract can read here, English first; none if it is not installed."""
    if not is_installed(TESSERACT):
        return ()
    said = subprocess.run(  # noqa: S603 nothing of it comes from outside
        [TESSERACT, "--list-langs"], capture_output=True, text=True, env=ENVIRONMENT, check=False
    )
    found = {line.strip() for line in said.stdout.splitlines()[1:]} - _NO_LANGUAGES
    return tuple(sorted((name for name in found if name), key=lambda name: (name != "eng", name)))


def read_picture(picture: bytes, *, name: str, timeout_s: float, memory_mb: int, sandbox: Sandbox) -> str:
    """Tesseract's table of the words in a picture of a page, with their boxes."""
    command = [
        TESSERACT,
        "stdin",
        "stdout",
        "--dpi",
        str(OCR_DOTS_PER_INCH),
        "-l",
        "+".join(list_languages()),
        "tsv",
    ]
    pipes = start_process(
        command, limits=ProcessLimits(memory_mb=memory_mb, cpu_s=int(timeout_s) + 1), sandbox=sandbox
    )
    try:
        table = pipes.exchange(picture, timeout_s=timeout_s, max_answer=MAX_TABLE_BYTES)
        if not pipes.ended_well(timeout_s=ENDING_S):
            raise ConversionError(
                f"{name}: OCR of a page fails, or needs more than {memory_mb:,} MB; the file may be damaged"
            )
    except TooSlow:
        raise ConversionError(f"{name}: OCR of a page took more than {timeout_s:g} s") from None
    except TooMuch:
        raise ConversionError(f"{name}: OCR of a page gives more than {MAX_TABLE_BYTES:,} bytes") from None
    finally:
        pipes.close()
    return table.decode("utf-8", "replace")
