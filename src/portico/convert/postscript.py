"""PostScript to PDF by Ghostscript, one sandboxed process for each file."""

import shutil

from portico.convert.printing import Bounds, print_to_pdf
from portico.errors import SetupError

GHOSTSCRIPT = "gs"
# pdfwrite keeps fonts and places, so that PostScript takes the same path as PDF. Its own output goes to the
# standard error, the PDF to the standard output, uncompressed: it is read once and thrown away. The program
# comes from the standard input in blocks ("-_"): with a plain "-" Ghostscript asks the kernel for every byte
# by itself, as if somebody were typing, which took half of all its time.
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
    if shutil.which(GHOSTSCRIPT) is None:
        raise SetupError(
            "Ghostscript is not installed, and PostScript files cannot be read without it: "
            "install the Debian package ghostscript (apt install ghostscript)"
        )


def pdf_of(body: bytes, bounds: Bounds) -> bytes:
    """The PDF that Ghostscript prints the program to."""
    require_ghostscript()
    return print_to_pdf(_COMMAND, body, bounds, what="the PostScript program")
