"""Prints papers as PDF in eight styles, from LaTeX's article class to a society's two columns."""

import gzip
import re
import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from portico.errors import SetupError
from portico.sample.manuscript import Exhibit, Manuscript
from portico.sample.printing.first_pages import (
    Front,
    FrontMaker,
    Sizes,
    article_front,
    conference_front,
    join_names,
    journal_front,
    lecture_front,
    proceedings_front,
    report_front,
    society_front,
    workshop_front,
)
from portico.sample.printing.pages import PageCopy, PageShape, pour_pages
from portico.sample.printing.pdf import A4, LETTER, PdfInfo, PdfPage, write_pdf
from portico.sample.printing.typesetting import (
    BOOKMAN,
    CENTURY,
    PALATINO,
    ROMAN,
    TIMES,
    Family,
    Paragraph,
    Strip,
    TypedText,
    measure_line,
    set_line,
    set_paragraph,
    set_plain,
)
from portico.sample.references import (
    ALPHA,
    AUTHOR_YEAR,
    COLON,
    NATURAL,
    PLAIN,
    QUOTED,
    Reference,
    ReferenceStyle,
)

PLOT_HEIGHT = 120.0  # points


@dataclass(frozen=True, slots=True)
class PaperStyle:
    """Everything that makes papers of one series look alike. Lengths are in points."""

    name: str
    front: FrontMaker
    references: ReferenceStyle
    family: Family
    shape: PageShape
    size: float
    leading: float
    numbering: str  # of headings: plain "1", dot "1.", roman "I.", none
    capitals: bool = False  # headings in capitals
    indent: float = 12.0
    running_head: bool = False
    folio: str = "bottom"  # page numbers: bottom, top, none


ONE_COLUMN = PageShape(LETTER, 110, 110, 108, 108)
WIDE_COLUMN = PageShape(A4, 90, 90, 92, 96)
NARROW_COLUMN = PageShape(A4, 124, 124, 120, 130)
TWO_COLUMNS = PageShape(LETTER, 54, 54, 68, 72, n_columns=2, gutter=20)
TIGHT_COLUMNS = PageShape(A4, 56, 56, 66, 84, n_columns=2, gutter=18)

STYLES = (
    PaperStyle("article", article_front, PLAIN, CENTURY, ONE_COLUMN, 10, 12, "plain", indent=15),
    PaperStyle("conference", conference_front, QUOTED, TIMES, TWO_COLUMNS, 10, 11.5, "dot", folio="none"),
    PaperStyle("proceedings", proceedings_front, NATURAL, ROMAN, TWO_COLUMNS, 10, 11.2, "none", indent=10),
    PaperStyle("report", report_front, ALPHA, PALATINO, WIDE_COLUMN, 10.5, 13, "plain"),
    PaperStyle(
        "journal",
        journal_front,
        AUTHOR_YEAR,
        TIMES,
        WIDE_COLUMN,
        10.5,
        12.6,
        "dot",
        running_head=True,
        folio="top",
    ),
    PaperStyle("lecture", lecture_front, COLON, ROMAN, NARROW_COLUMN, 10, 12, "plain", folio="top"),
    PaperStyle("society", society_front, QUOTED, TIMES, TIGHT_COLUMNS, 9.5, 11, "dot", capitals=True),
    PaperStyle("workshop", workshop_front, ALPHA, BOOKMAN, WIDE_COLUMN, 10, 12.8, "plain", indent=0),
)


def print_paper(manuscript: Manuscript, style: PaperStyle) -> bytes:
    """The paper as a PDF file."""
    return write_pdf(_sheets(manuscript, style), _info(manuscript, style))


def _info(manuscript: Manuscript, style: PaperStyle) -> PdfInfo:
    """The metadata of the file. Like most files of the time, it names the DVI file or nothing; few
    contain the title.
    """
    title = {"society": manuscript.work.title, "article": f"{manuscript.work.id}.dvi"}.get(style.name, "")
    return PdfInfo(title, "dvips + distiller" if style.family is not TIMES else "word processor")


def _sheets(manuscript: Manuscript, style: PaperStyle) -> tuple[PdfPage, ...]:
    shape = style.shape
    sizes = Sizes(style.family, shape.text_width, shape.column_width, style.size, style.leading)
    front: Front = style.front(manuscript, sizes)
    body = [*front.column, *_body(manuscript, style)]
    margin = _Margin(manuscript, style)
    if not front.own_page:
        return pour_pages(PageCopy(front.across, body, front.foot), shape, margin)
    cover = pour_pages(PageCopy(front.across, (), front.foot), shape, lambda page: ())
    return cover + pour_pages(PageCopy((), body), shape, margin)


@dataclass(frozen=True, slots=True)
class _Margin:
    """Running heads and page numbers of one paper."""

    manuscript: Manuscript
    style: PaperStyle

    def __call__(self, page: int) -> Sequence[tuple[float, Strip]]:
        style, shape = self.style, self.style.shape
        first = max(1, self.manuscript.work.venue.first_page) if style.name in ("journal", "lecture") else 1
        folio = set_plain(str(first + page - 1), style.family.regular, 9)
        top = shape.size[1] - shape.top + 22
        placed = []
        if style.folio == "bottom":
            placed.append(
                (shape.bottom - 34, Strip(0, set_line(folio, (shape.text_width - measure_line(folio)) / 2)))
            )
        if style.folio == "top" and page > 1:
            x = 0.0 if page % 2 == 0 else shape.text_width - measure_line(folio)
            placed.append((top, Strip(0, set_line(folio, x))))
        if style.running_head and page > 1:
            head = set_plain(self._running_head(page), style.family.italic, 9)
            placed.append((top, Strip(0, set_line(head, (shape.text_width - measure_line(head)) / 2))))
        return placed

    def _running_head(self, page: int) -> str:
        work = self.manuscript.work
        if page % 2 == 0:
            return join_names([author.surname for author in work.authors])
        return work.title if len(work.title) < 60 else work.title[:56].rsplit(" ", 1)[0] + " ..."


def _body(manuscript: Manuscript, style: PaperStyle) -> list[Strip]:
    strips: list[Strip] = []
    n_exhibits = {"table": 0, "figure": 0}
    for number, section in enumerate(manuscript.sections, start=1):
        strips += _heading(section.heading, number, style)
        for idx, text in enumerate(section.paragraphs):
            strips += _paragraph(text, style, indented=idx > 0)
        for exhibit in section.exhibits:
            n_exhibits[exhibit.kind] += 1
            strips += _exhibit(exhibit, n_exhibits[exhibit.kind], style)
    if manuscript.acknowledgment:
        strips += _heading("Acknowledgments", 0, style)
        strips += _paragraph(manuscript.acknowledgment, style, indented=False)
    strips += _heading("References", 0, style)
    for reference in manuscript.references:
        strips += _reference(reference, style)
    return strips


def _heading(text: str, number: int, style: PaperStyle) -> list[Strip]:
    roman = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII")
    marks = {"plain": f"{number} ", "dot": f"{number}. ", "roman": f"{roman[number]}. ", "none": ""}
    label = marks[style.numbering] if number else ""
    shown = label + (text.upper() if style.capitals else text)
    align = "center" if style.numbering == "none" else "left"
    size = style.size + 2
    paragraph = Paragraph(set_plain(shown, style.family.bold, size), size + 2, align, before=11, keep=True)
    return [*set_paragraph(paragraph, style.shape.column_width), Strip(4, keep=True)]


def _paragraph(text: str, style: PaperStyle, *, indented: bool) -> list[Strip]:
    before = 6.0 if style.indent == 0 else 0.0
    first = style.indent if indented else 0.0
    types = set_plain(text, style.family.regular, style.size)
    return set_paragraph(
        Paragraph(types, style.leading, first=first, before=before), style.shape.column_width
    )


def _reference(reference: Reference, style: PaperStyle) -> list[Strip]:
    """A reference with a hanging indent: its label is in the margin of its paragraph."""
    size, leading = style.size - 0.5, style.leading - 0.7
    family = style.family
    types = [
        TypedText(
            piece.text, family.italic if piece.italic else family.bold if piece.bold else family.regular, size
        )
        for piece in reference.pieces
    ]
    hang = 14.0
    if reference.label:
        label = set_plain(reference.label, family.regular, size)
        hang = max(18.0, measure_line(label) + 5)
        gap = hang - measure_line(label)
        strips = set_paragraph(
            Paragraph(tuple(types), leading, left=hang, before=2.5), style.shape.column_width
        )
        first = next(idx for idx, strip in enumerate(strips) if strip.runs)
        marked = replace(
            strips[first], runs=set_line(label, hang - gap - measure_line(label)) + strips[first].runs
        )
        return [*strips[:first], marked, *strips[first + 1 :]]
    paragraph = Paragraph(tuple(types), leading, first=-hang, left=hang, before=2.5)
    return set_paragraph(paragraph, style.shape.column_width)


def _exhibit(exhibit: Exhibit, number: int, style: PaperStyle) -> list[Strip]:
    caption = f"{exhibit.kind.title()} {number}: {exhibit.caption}"
    width = style.shape.column_width
    small = style.size - 1
    words = set_paragraph(
        Paragraph(set_plain(caption, style.family.regular, small), small + 2, "center"), width
    )
    drawn = _table(exhibit, style) if exhibit.kind == "table" else [_plot(exhibit, width)]
    held = [replace(strip, keep=True) for strip in (*drawn, Strip(4), *words)]
    return [Strip(10), *held, Strip(10)]


def _table(exhibit: Exhibit, style: PaperStyle) -> list[Strip]:
    width, size = style.shape.column_width, style.size - 1
    rule = b"0.5 w 0 3 m %.1f 3 l S\n" % width
    strips = [Strip(6, drawing=rule)]
    for name, values in exhibit.rows:
        words = name.split(" ")
        while measure_line(set_plain(" ".join(words), style.family.regular, size)) > width - 75:
            words.pop()
        runs = set_line(set_plain(" ".join(words), style.family.regular, size), 2)
        for idx, value in enumerate(values):
            runs += set_line(set_plain(f"{value:.1f}", style.family.regular, size), width - 70 + idx * 38)
        strips.append(Strip(size + 3, runs))
    return [*strips, Strip(6, drawing=rule)]


def _plot(exhibit: Exhibit, width: float) -> Strip:
    """A line plot: the axes and one polyline per curve."""
    left, right, top = width * 0.15, width * 0.85, PLOT_HEIGHT - 8
    highest = max(value for _, values in exhibit.rows for value in values)
    operators = [b"0.6 w %.1f %.1f m %.1f 10 l %.1f 10 l S\n" % (left, top, left, right)]
    for idx, (_, values) in enumerate(exhibit.rows):
        step = (right - left) / (len(values) - 1)
        points = [(left + step * k, 10 + (top - 10) * value / highest) for k, value in enumerate(values)]
        path = b" l ".join(b"%.1f %.1f" % point for point in points).replace(b" l ", b" m ", 1)
        dash = b"[] 0 d " if idx == 0 else b"[3 2] 0 d "
        operators.append(dash + path + b" l S\n")
    return Strip(PLOT_HEIGHT, drawing=b"".join(operators))


TIMEOUT_S = 60
N_AT_ONCE = 2  # child processes; generation is meant for two cores
DATE = re.compile(rb"%%CreationDate: [^\n]*|\(D:\d{14}[^)]*\)")


def convert_to_postscript(files: Sequence[bytes]) -> list[bytes]:
    """Convert each PDF file to PostScript, reproducibly."""
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
    """The gzipped content, without a timestamp."""
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
