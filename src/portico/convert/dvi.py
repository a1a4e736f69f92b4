"""DVI to PDF by dvipdfmx, where it is installed."""

import shutil

from portico.convert.printing import Bounds, print_to_pdf
from portico.errors import ConversionError

DVIPDFMX = "dvipdfmx"
# The program, and the fonts of TeX that DVI files do not carry.
PACKAGES = "texlive-binaries texlive-base"
# It reads and writes files alone. They are in a folder that goes with the sandbox, or is removed.
_SCRIPT = (
    'folder=$(mktemp -d) && trap \'rm -rf "$folder"\' EXIT && cd "$folder" && cat > in.dvi'
    f" && {DVIPDFMX} -q -o out.pdf in.dvi >&2 && cat out.pdf"
)


def pdf_of_dvi(body: bytes, bounds: Bounds) -> bytes:
    """The PDF of a DVI file; its reason names the Debian packages where the program is missing."""
    if shutil.which(DVIPDFMX) is None:
        raise ConversionError(
            f"{bounds.name}: is a DVI file, and {DVIPDFMX}, which makes it a PDF, is not installed:"
            f" apt install {PACKAGES}, then build again with --retry"
        )
    return print_to_pdf(["sh", "-c", _SCRIPT], body, bounds, what="the DVI file")
