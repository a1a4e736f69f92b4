"""Text of pictures by tesseract, where it is installed: one sandboxed process for each page."""

import shutil
import subprocess
from functools import lru_cache

from portico.convert.pipes import TooMuch, TooSlow
from portico.convert.sandbox import ENVIRONMENT, ProcessLimits, Sandbox, start_process
from portico.errors import ConversionError

TESSERACT = "tesseract"
PACKAGE = "tesseract-ocr"
DOTS_PER_INCH = 300  # what tesseract's models were trained on
MAX_TABLE_BYTES = 16 << 20  # a dense page has 150 kB
ENDING_S = 5.0
# Models for other things than text.
_NO_LANGUAGES = frozenset({"osd", "equ", "snum"})


def is_installed() -> bool:
    return bool(list_languages())


@lru_cache(maxsize=1)
def list_languages() -> tuple[str, ...]:
    """The languages tesseract can read here, English first; none where it is not installed."""
    if shutil.which(TESSERACT) is None:
        return ()
    said = subprocess.run(  # noqa: S603 nothing of it comes from outside
        [TESSERACT, "--list-langs"], capture_output=True, text=True, env=ENVIRONMENT, check=False
    )
    found = {line.strip() for line in said.stdout.splitlines()[1:]} - _NO_LANGUAGES
    return tuple(sorted((name for name in found if name), key=lambda name: (name != "eng", name)))


def read_picture(picture: bytes, *, name: str, timeout_s: float, memory_mb: int, sandbox: Sandbox) -> str:
    """Tesseract's table of the words on a picture of a page, with their boxes."""
    command = [
        TESSERACT,
        "stdin",
        "stdout",
        "--dpi",
        str(DOTS_PER_INCH),
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
