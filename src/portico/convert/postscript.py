"""PostScript to PDF by Ghostscript, one sandboxed process for each file."""

import shutil

from portico.convert.pipes import TooMuch, TooSlow
from portico.convert.sandbox import Limits, Sandbox, start
from portico.errors import ConversionError, SetupError

GHOSTSCRIPT = "gs"
# pdfwrite keeps fonts and places, so that PostScript takes the same path as PDF. Its own output goes to the
# standard error, the PDF to the standard output, uncompressed: it is read once and thrown away.
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
    "-",
)


ENDING_S = 5.0  # from the last byte of output to the end of the process


def require_ghostscript() -> None:
    if shutil.which(GHOSTSCRIPT) is None:
        raise SetupError(
            "Ghostscript is not installed, and PostScript files cannot be read without it: "
            "install the Debian package ghostscript (apt install ghostscript)"
        )


def pdf_of(
    body: bytes, *, name: str, timeout_s: float, max_bytes: int, memory_mb: int, sandbox: Sandbox
) -> bytes:
    """The PDF that Ghostscript prints the program to."""
    require_ghostscript()
    limits = Limits(memory_mb=memory_mb, cpu_s=int(timeout_s) + 1)
    pipes = start(list(_COMMAND), limits=limits, sandbox=sandbox)
    try:
        pdf = pipes.exchange(body, timeout_s=timeout_s, max_answer=max_bytes)
        if not pipes.ended_well(timeout_s=ENDING_S):
            raise ConversionError(
                f"{name}: the PostScript program stops with an error, or needs more than {memory_mb:,} MB;"
                " it may be damaged or incomplete: fetch or save it again"
            )
    except TooSlow:
        raise ConversionError(
            f"{name}: the PostScript program did not finish within {timeout_s:g} s; it may loop forever"
        ) from None
    except TooMuch:
        raise ConversionError(
            f"{name}: the PostScript program prints more than {max_bytes:,} bytes; it may loop forever"
        ) from None
    finally:
        pipes.close()
    if not pdf.startswith(b"%PDF-"):
        raise ConversionError(
            f"{name}: Ghostscript finds no page in the PostScript program; it is damaged or incomplete"
        )
    return pdf
