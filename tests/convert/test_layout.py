"""Where on the page the text stands decides in which order it is read."""

import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from portico.convert.converter import Converter
from portico.types.document import Document, DocumentId
from tests.convert.pdfs import column, draw, filler, text_at

LEFT, RIGHT = 72.0, 320.0


@pytest.fixture(scope="module")
def converter() -> Converter:
    return Converter()


def convert(converter: Converter, body: bytes) -> Document:
    return converter(body, media_type="application/pdf", name="test.pdf", document_id=DocumentId("0"))


def lines_of(document: Document) -> list[str]:
    return [line.span.of(document.text) for line in document.lines]


def test_lines_are_the_lines_of_the_text(converter: Converter) -> None:
    document = convert(converter, draw(lambda canvas: column(canvas, LEFT, 100, [filler(10)] * 8)))
    assert document.text.split("\n") == lines_of(document)
    assert all(run.span.start >= line.span.start for line in document.lines for run in line.runs)
    assert document.lines[0].runs[0].font == "Times-Roman"
    assert document.lines[0].size == 10.0


def test_two_columns_are_read_one_after_the_other_below_a_heading_across_both(converter: Converter) -> None:
    left = [f"left {i} " + filler(6) for i in range(30)]
    right = [f"right {i} " + filler(6) for i in range(30)]

    def page(canvas: Canvas) -> None:
        text_at(canvas, LEFT + 40, 80, "A Heading That Spans Both of the Columns", size=18)
        for i in range(30):  # drawn line by line across the columns, as some programs do
            text_at(canvas, LEFT, 130 + 12 * i, left[i])
            text_at(canvas, RIGHT, 130 + 12 * i, right[i])

    found = lines_of(convert(converter, draw(page)))
    assert found == ["A Heading That Spans Both of the Columns", *left, *right]


def test_a_line_too_long_for_its_column_does_not_part_the_columns(converter: Converter) -> None:
    words = "a column of lines that are all as long as this one"
    left = [f"{words} {i}" for i in range(10, 40)]
    left[11] = f"{words} 21 ."  # reaches over half of the gutter
    right = [f"{words} {i}" for i in range(40, 70)]
    width = stringWidth(left[0], "Times-Roman", 10)

    def page(canvas: Canvas) -> None:
        column(canvas, LEFT, 100, left)
        column(canvas, LEFT + width + 10, 100, right)

    assert lines_of(convert(converter, draw(page))) == [*left, *right]


def test_columns_that_do_not_share_baselines(converter: Converter) -> None:
    left = [f"left {i} " + filler(6) for i in range(30)]
    right = [f"right {i} " + filler(6) for i in range(26)]

    def page(canvas: Canvas) -> None:
        column(canvas, LEFT, 130, left)
        column(canvas, RIGHT, 135, right, leading=13)

    assert lines_of(convert(converter, draw(page))) == [*left, *right]


def test_a_page_of_short_columns_is_read_by_the_columns_of_the_page_before(converter: Converter) -> None:
    full = [f"full {i} " + filler(6) for i in range(40)]
    left = [f"left {i} " + filler(6) for i in range(20)]
    right = [f"right {i} " + filler(6) for i in range(3)]

    def first(canvas: Canvas) -> None:
        column(canvas, LEFT, 130, full[:20])
        column(canvas, RIGHT, 130, full[20:])

    def second(canvas: Canvas) -> None:  # a figure stands above the left column, beside all of the right
        column(canvas, RIGHT, 100, right)
        column(canvas, LEFT, 300, left)

    found = lines_of(convert(converter, draw(first, second)))
    assert found == [*full, *left, *right]


def test_a_heading_between_columns_parts_them(converter: Converter) -> None:
    def page(canvas: Canvas) -> None:
        for top, part in ((100, "upper"), (300, "lower")):
            column(canvas, LEFT, top, [f"{part} left {filler(6)}"] * 8)
            column(canvas, RIGHT, top, [f"{part} right {filler(6)}"] * 8)
        text_at(canvas, LEFT, 250, "A table caption that runs over the whole width of the page and says so")

    found = [line.split()[:2] for line in lines_of(convert(converter, draw(page)))]
    assert found == (
        [["upper", "left"]] * 8
        + [["upper", "right"]] * 8
        + [["A", "table"]]
        + [["lower", "left"]] * 8
        + [["lower", "right"]] * 8
    )


def test_labels_of_references_stay_with_their_text(converter: Converter) -> None:
    def page(canvas: Canvas) -> None:
        for i in range(12):
            text_at(canvas, LEFT, 100 + 24 * i, f"[{i + 1}]")
            text_at(canvas, LEFT + 30, 100 + 24 * i, "A. Author. " + filler(10))
            text_at(canvas, LEFT + 30, 112 + 24 * i, "Journal, 1999.")

    document = convert(converter, draw(page))
    found = lines_of(document)
    assert found[0].startswith("[1] A. Author.")
    assert found[2].startswith("[2] A. Author.")
    blocks = [line.block for line in document.lines]
    assert blocks[0] == blocks[1] != blocks[2] == blocks[3], "each reference is a block of its own"


def test_first_line_indents_begin_paragraphs(converter: Converter) -> None:
    def page(canvas: Canvas) -> None:
        for paragraph in range(3):
            for i in range(4):
                text = filler(12) if i < 3 else "the end."
                text_at(canvas, LEFT + (15 if i == 0 else 0), 100 + 12 * (4 * paragraph + i), text)

    blocks = [line.block for line in convert(converter, draw(page)).lines]
    assert [blocks.count(block) for block in dict.fromkeys(blocks)] == [4, 4, 4]


def test_authors_side_by_side_are_read_one_by_one(converter: Converter) -> None:
    def page(canvas: Canvas) -> None:
        text_at(canvas, 150, 60, "A Title Above All of the", size=18)
        text_at(canvas, 210, 82, "Authors", size=18)  # short enough to stand over one column
        for left, name in ((110, "Ada First"), (380, "Bob Second")):
            column(canvas, left, 120, [name, "Some University", f"{name.split()[0].lower()}@example.org"])
        column(canvas, LEFT, 220, [filler(14, start=i) for i in range(20)])

    found = lines_of(convert(converter, draw(page)))
    assert found[:8] == [
        "A Title Above All of the",
        "Authors",
        "Ada First",
        "Some University",
        "ada@example.org",
        "Bob Second",
        "Some University",
        "bob@example.org",
    ]


def test_authors_in_a_grid_are_read_row_by_row(converter: Converter) -> None:
    names = ["Ada Northcote", "Bo Li", "Constance Vandermeulen", "Dirk Ashby"]
    places = [
        ["Department of Numbers", "University of Northfield", f"{name[:2].lower()}@north.test"]
        for name in names
    ]

    def page(canvas: Canvas) -> None:
        canvas.setFont("Times-Roman", 10)
        canvas.drawCentredString(306, 720, "On the Order in Which the Authors of a Paper Are Named")
        for idx, name in enumerate(names):
            center, top = (200, 412)[idx % 2], (690, 638)[idx // 2]
            for line_idx, line in enumerate([name, *places[idx]]):
                canvas.drawCentredString(center, top - 12 * line_idx, line)
        column(canvas, LEFT, 260, [filler(16)] * 20)

    found = lines_of(convert(converter, draw(page)))
    assert [line for line in found if line in names] == names


def test_running_heads_do_not_come_between_the_columns(converter: Converter) -> None:
    def page(canvas: Canvas) -> None:
        text_at(canvas, LEFT, 50, "Conference on Examples")
        text_at(canvas, 500, 50, "page 7")
        column(canvas, LEFT, 90, [f"left {filler(6)}"] * 20)
        column(canvas, RIGHT, 90, [f"right {filler(6)}"] * 20)
        text_at(canvas, 305, 760, "7")

    found = lines_of(convert(converter, draw(page)))
    assert found[0] == "Conference on Examples page 7"
    assert [line.split()[0] for line in found[1:-1]] == ["left"] * 20 + ["right"] * 20
    assert found[-1] == "7"


def test_superscripts_are_marked(converter: Converter) -> None:
    def page(canvas: Canvas) -> None:
        text_at(canvas, LEFT, 100, "Ada First")
        text_at(canvas, LEFT + canvas.stringWidth("Ada First", "Times-Roman", 10), 96, "1", size=6)
        column(canvas, LEFT, 130, [filler(12)] * 6)

    document = convert(converter, draw(page))
    runs = document.lines[0].runs
    assert [(run.span.of(document.text), run.raised) for run in runs] == [("Ada First", False), ("1", True)]


def test_rotated_text_is_dropped_and_a_turned_page_is_read(converter: Converter) -> None:
    def stamped(canvas: Canvas) -> None:
        column(canvas, LEFT, 100, [filler(12)] * 6)
        canvas.saveState()
        canvas.translate(30, 300)
        canvas.rotate(90)
        canvas.drawString(0, 0, "arXiv stamp in the margin")
        canvas.restoreState()

    def turned(canvas: Canvas) -> None:
        canvas.translate(612, 0)
        canvas.rotate(90)
        for i in range(8):
            canvas.drawString(100, 500 - 14 * i, f"turned {i} {filler(8)}")

    document = convert(converter, draw(stamped, turned))
    assert "stamp" not in document.text
    on_second = [line for line in document.lines if line.page == 1]
    assert [line.span.of(document.text).split()[:2] for line in on_second] == [
        ["turned", str(i)] for i in range(8)
    ]
    assert (document.pages[1].width, document.pages[1].height) == (792, 612)


def test_bold_and_italic_are_told(converter: Converter) -> None:
    def page(canvas: Canvas) -> None:
        text_at(canvas, LEFT, 80, "Bold Heading", font="Helvetica-Bold")
        text_at(canvas, LEFT, 100, "Italic Heading", font="Times-Italic")
        column(canvas, LEFT, 130, [filler(12)] * 6)

    lines = convert(converter, draw(page)).lines
    assert [(line.bold, line.italic) for line in lines[:3]] == [(True, False), (False, True), (False, False)]
