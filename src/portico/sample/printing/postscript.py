"""Turns PDF files into PostScript with Ghostscript, and takes out what would differ from run to run."""

import gzip
import re
import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from portico.errors import SetupError

TIMEOUT_S = 60
N_AT_ONCE = 2  # child processes; generation is meant for two cores
DATE = re.compile(rb"%%CreationDate: [^\n]*|\(D:\d{14}[^)]*\)")


def convert_to_postscript(files: Sequence[bytes]) -> list[bytes]:
    """Each PDF file as PostScript, the same bytes every time."""
    if not files:
        return []
    ghostscript = shutil.which("gs")
    if not ghostscript:
        raise SetupError(
            "the sample web has papers in PostScript, which Ghostscript writes, but there is no `gs` here: "
            "install the Debian package ghostscript (apt install ghostscript)"
        )
    with TemporaryDirectory(prefix="portico-sample-") as folder, ThreadPoolExecutor(N_AT_ONCE) as pool:
        names = [Path(folder, str(idx)) for idx in range(len(files))]
        return list(pool.map(lambda file, name: _convert(ghostscript, file, name), files, names))


def compress(body: bytes) -> bytes:
    """Gzip without the time of day."""
    return gzip.compress(body, compresslevel=6, mtime=0)


def _convert(ghostscript: str, body: bytes, name: Path) -> bytes:
    source, target = name.with_suffix(".pdf"), name.with_suffix(".ps")
    source.write_bytes(body)
    options = [
        "-q",
        "-dSAFER",
        "-dNOPAUSE",
        "-dBATCH",
        "-sDEVICE=ps2write",
        f"-sOutputFile={target}",
        str(source),
    ]
    try:
        subprocess.run(  # noqa: S603 - our own file, our own options
            [ghostscript, *options], check=True, capture_output=True, timeout=TIMEOUT_S
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as problem:
        raise SetupError(
            f"Ghostscript could not write PostScript ({problem}): try `gs --version`, and if that fails too "
            "reinstall the Debian package ghostscript"
        ) from problem
    return DATE.sub(
        lambda match: b"%%CreationDate: D:20000601120000Z" if match[0][:1] == b"%" else b"()",
        target.read_bytes(),
    )
