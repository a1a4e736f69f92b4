"""Scans and gibberish are read by OCR where tesseract is installed; pages are drawn as pictures."""

import gzip
import io
import shutil
import struct
import zlib
from pathlib import Path

import pytest
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from portico.convert import outside_programs
from portico.convert.converter import Converter, ConvertLimits, MarkOnPage, PictureRequest
from portico.convert.pdf import make_recognized_page
from portico.convert.pictures import encode_png
from portico.errors import ConversionError, Unreadable
from portico.types.document import Document, DocumentId
from tests.convert.pdfs import HEIGHT, SENTENCES, WIDTH, column, draw, filler, text_at

LIMITS = ConvertLimits(ocr="auto", max_ocr_pages=2)

needs_tesseract = pytest.mark.skipif(
    not outside_programs.is_tesseract_installed(),
    reason="tesseract is not installed (apt install tesseract-ocr)",
)


def page(canvas: Canvas) -> None:
    text_at(canvas, 72, 80, "Finding Papers by Learning", size=18)
    column(canvas, 72, 130, [filler(7, start=5 * i) for i in range(6)])


def convert(converter: Converter, body: bytes) -> Document:
    return converter(body, media_type="", name="scan.pdf", document_id=DocumentId("0"))


def picture(body: bytes, *, page: int = 0, marks: tuple[MarkOnPage, ...] = ()) -> bytes:
    with Converter(LIMITS) as converter:
        return converter.picture(body, PictureRequest(page, dots_per_inch=150, marks=marks), name="scan.pdf")


def scan_of(body: bytes) -> bytes:
    """The first page as a picture on a page without text."""
    drawn = ImageReader(io.BytesIO(picture(body)))

    def only_a_picture(canvas: Canvas) -> None:
        canvas.drawImage(drawn, 0, 0, WIDTH, HEIGHT)

    return draw(only_a_picture)


def gibberish(canvas: Canvas) -> None:
    """What is seen is a paper; what is written, invisibly, is not."""
    column(canvas, 72, 130, ["xqz!%k wv#f 9x(jd kq&z}t vwx$ pqrk*s zzv/k"] * 40)


@needs_tesseract
def test_a_scan_is_read_with_its_layout() -> None:
    with Converter(LIMITS) as converter:
        document = convert(converter, scan_of(draw(page)))
    first, *rest = document.lines
    assert first.span.of(document.text) == "Finding Papers by Learning"
    assert first.size > 1.4 * rest[-1].size, "the title is set in larger type"
    assert first.box is not None
    assert first.box.left == pytest.approx(72, abs=2)
    assert first.box.top < 80 < first.box.bottom + 6
    assert rest[0].block != first.block
    assert " ".join(document.text.split()[4:]) == " ".join(filler(7, start=5 * i) for i in range(6))


@needs_tesseract
@pytest.mark.parametrize(
    ("body", "limits", "reason"),
    [
        (draw(*[lambda canvas: canvas.rect(9, 9, 99, 99)] * 3), LIMITS, "too long for OCR (2 pages at most)"),
        (draw(gibberish), LIMITS, "has no text that can be read, not even by OCR"),
        (draw(gibberish), ConvertLimits(ocr="auto", ocr_page_timeout_s=0.05), "OCR of a page took more than"),
        (draw(gibberish), ConvertLimits(ocr="never"), "give it a text layer by OCR"),
    ],
)
def test_what_ocr_cannot_read_has_a_reason(body: bytes, limits: ConvertLimits, reason: str) -> None:
    with Converter(limits) as converter, pytest.raises(ConversionError) as caught:
        convert(converter, body)
    assert reason in str(caught.value)


def test_without_tesseract_the_reason_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with Converter(LIMITS) as converter:
        convert(converter, draw(*[page] * 2))  # the worker is running, so that no program need be found again
        monkeypatch.setenv("PATH", str(tmp_path))
        outside_programs.list_languages.cache_clear()
        try:
            with pytest.raises(
                Unreadable, match=r"apt install tesseract-ocr[)] and build again with --retry"
            ):
                convert(converter, draw(gibberish))
        finally:
            outside_programs.list_languages.cache_clear()


TABLE = (
    "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n"
    "1\t1\t0\t0\t0\t0\t0\t0\t600\t800\t-1\t\n"
    "5\t1\t1\t1\t1\t1\t100\t100\t50\t20\t96.1\tTwo\n"
    "5\t1\t1\t1\t1\t2\t160\t104\t70\t16\t91.0\twords\n"
    "5\t1\t1\t1\t2\t1\t100\t140\t50\t20\t3.0\t~_|\n"
    "5\t1\t2\t1\t1\t1\t300\t300\t50\t20\t88\t\n"
    "broken row\n"
)


def test_words_of_a_table_become_strokes_on_one_baseline() -> None:
    found = make_recognized_page(TABLE, width=300, height=400, points_per_dot=0.5)
    assert [stroke.text for stroke in found.strokes] == ["Two", "words"], "what is unsure is left out"
    assert len({(stroke.baseline, stroke.size) for stroke in found.strokes}) == 1
    assert (found.strokes[0].edges.lefts[0], found.strokes[0].edges.rights[-1]) == (50.0, 75.0)


def test_a_page_is_drawn() -> None:
    drawn = picture(draw(page))
    width, height = struct.unpack_from(">II", drawn, 16)
    assert (width, height) == (round(WIDTH / 72 * 150), round(HEIGHT / 72 * 150))
    start = drawn.index(b"IDAT") + 4
    (length,) = struct.unpack_from(">I", drawn, start - 8)
    rows = zlib.decompress(drawn[start : start + length])
    title = rows[(width + 1) * 150 : (width + 1) * 170]
    assert 0x00 in title[1:width], "black on it"
    assert rows[1 : width + 1] == b"\xff" * width, "the upper margin is white"


def test_marks_are_drawn_where_they_belong() -> None:
    red = (255, 0, 0)
    image = ImageReader(io.BytesIO(picture(draw(page), marks=((72.0, 60.0, 300.0, 84.0, "title", red),))))
    width, height = image.getSize()
    pixels = image.getRGBData()  # type: ignore[no-untyped-call]
    reds = {
        (at % width, at // width) for at in range(width * height) if tuple(pixels[3 * at : 3 * at + 3]) == red
    }
    scale = 150 / 72
    box = {(x, y) for x, y in reds if y >= 59 * scale}
    assert min(x for x, _ in box) == pytest.approx(72 * scale, abs=2)
    assert max(x for x, _ in box) == pytest.approx(300 * scale, abs=2)
    assert max(y for _, y in box) == pytest.approx(84 * scale, abs=2)
    assert any(y < 58 * scale for _, y in reds), "the label stands above it"


def test_a_page_that_is_not_there_cannot_be_drawn() -> None:
    with pytest.raises(ConversionError, match="page 8 cannot be drawn"):
        picture(draw(page), page=7)


def test_png_of_three_channels_can_be_read_by_others() -> None:
    red_and_blue = bytes([255, 0, 0, 0, 0, 255])
    image = ImageReader(io.BytesIO(encode_png(2, 1, red_and_blue, channels=3)))
    assert image.getSize() == (2, 1)
    assert image.getRGBData() == red_and_blue  # type: ignore[no-untyped-call]


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
