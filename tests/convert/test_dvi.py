"""DVI files are read where dvipdfmx and the fonts of TeX are installed, else a reason names the packages."""

import gzip
import shutil
import struct
from pathlib import Path

import pytest

from portico.convert.converter import Converter, ConvertLimits
from portico.errors import ConversionError
from portico.types.document import DocumentId
from tests.convert.pdfs import SENTENCES

POINT = 65_536  # TeX measures in the 65,536th part of a point
SPACE, LEADING = 10 * POINT // 3, 12 * POINT
# Opcodes of the DVI format (Knuth's DVItype, section 15).
PRE, BOP, EOP, POST, POST_POST, FONT_1, FONT_0, PUSH, POP, RIGHT, DOWN, FILLER = (
    247, 139, 140, 248, 249, 243, 171, 141, 142, 146, 160, 223,
)  # fmt: skip
UNITS = struct.pack(">III", 25_400_000, 473_628_672, 1_000)
FONT = struct.pack(">BBIIIBB", FONT_1, 0, 0, 10 * POINT, 10 * POINT, 0, 5) + b"cmr10"


def dvi(*lines: str) -> bytes:
    """One page of lines in Computer Modern."""
    start = bytes([PRE, 2]) + UNITS + bytes([0])
    page = bytes([BOP]) + struct.pack(">11i", 1, *[0] * 9, -1) + FONT + bytes([FONT_0])
    for line in lines:
        words = struct.pack(">Bi", RIGHT, SPACE).join(word.encode() for word in line.split())
        page += struct.pack(">Bi", DOWN, LEADING) + bytes([PUSH]) + words + bytes([POP])
    body = start + page + bytes([EOP])
    last = struct.pack(">BI", POST, len(start)) + UNITS + struct.pack(">IIHH", 700 * POINT, 500 * POINT, 2, 1)
    end = struct.pack(">BIB", POST_POST, len(body), 2)
    return body + last + FONT + end + bytes([FILLER]) * 7


@pytest.mark.skipif(
    shutil.which("dvipdfmx") is None or not Path("/usr/share/texlive/texmf-dist/fonts/type1").exists(),
    reason="dvipdfmx or TeX's fonts are not installed (apt install texlive-binaries texlive-base)",
)
@pytest.mark.parametrize("packed", [False, True])
def test_a_dvi_file_is_read(packed: bool) -> None:
    words = SENTENCES.split()
    body = dvi(*(" ".join(words[i : i + 8]) for i in range(0, len(words), 8)))
    with Converter() as converter:
        document = converter(
            gzip.compress(body) if packed else body,
            media_type="",
            name="paper.dvi",
            document_id=DocumentId("0"),
        )
    assert document.text.split() == words
    assert document.media_type == "application/x-dvi"


def test_without_dvipdfmx_the_reason_names_the_packages(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with (
        Converter(ConvertLimits(sandbox="none")) as converter,
        pytest.raises(ConversionError, match="apt install texlive-binaries texlive-base"),
    ):
        converter(dvi("words"), media_type="", name="paper.dvi", document_id=DocumentId("0"))
