"""A folder of files that want to crash, hang, fill or read the machine that opens them.

Every file is made here, so that each says by its code what it tries. A file that still holds a paper is to
become a record; of all others the reason is given.
"""

import bz2
import gzip
import lzma
import random
import sqlite3
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from reportlab.pdfgen.canvas import Canvas

from tests.convert.flowing import make_docx, make_epub, make_latex, make_latex_tar, make_odt
from tests.convert.pdfs import draw, filler, text_at
from tests.fuzzing.mutating import mutate
from tests.pipeline.test_zotero import TABLES

# Points per page, few enough that the page trees below stay small.
LETTER = "/MediaBox[0 0 612 792]"


@dataclass(frozen=True, slots=True)
class Hostile:
    """One file: its name, how it is made, and what its reason matches; "" where it is to become a record."""

    name: str
    make: Callable[[], bytes]
    reason: str = ""


def paper(canvas: Canvas) -> None:
    """A page that is a paper: title, author, abstract, text and references."""
    text_at(canvas, 120, 80, "Learning to Find Research Papers", size=18)
    text_at(canvas, 230, 110, "Maria Lopez", size=12)
    text_at(canvas, 72, 150, "Abstract", size=12, font="Times-Bold")
    for i in range(4):
        text_at(canvas, 72, 166 + 12 * i, filler(12, start=5 * i))
    text_at(canvas, 72, 230, "1 Introduction", size=12, font="Times-Bold")
    for i in range(8):
        text_at(canvas, 72, 250 + 12 * i, filler(12, start=3 * i))
    text_at(canvas, 72, 370, "References", size=12, font="Times-Bold")
    text_at(canvas, 72, 390, "[1] J. Smith. Learning from examples. Machine Learning, 12:1-20, 1993.")
    text_at(canvas, 72, 406, "[2] A. Jones. Finding pages on the web. Proc. of AAAI, pages 3-9, 1996.")


GOOD = draw(paper)
# What the page of GOOD draws, for files that draw it with objects of their own.
_LINES = (
    (18, 120, 712, "Learning to Find Research Papers"),
    (12, 230, 682, "Maria Lopez"),
    (12, 72, 642, "Abstract"),
    *((10, 72, 626 - 12 * i, filler(12, start=5 * i)) for i in range(4)),
    (12, 72, 562, "1 Introduction"),
    *((10, 72, 542 - 12 * i, filler(12, start=3 * i)) for i in range(8)),
    (12, 72, 422, "References"),
    (10, 72, 402, "[1] J. Smith. Learning from examples. Machine Learning, 12:1-20, 1993."),
    (10, 72, 386, "[2] A. Jones. Finding pages on the web. Proc. of AAAI, pages 3-9, 1996."),
)
TEXT = "".join(f"BT /F {size} Tf {x} {y} Td ({text}) Tj ET\n" for size, x, y, text in _LINES)
TIMES = "<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>"


def pdf(*objects: str | bytes, trailer: str = "") -> bytes:
    """A PDF of these objects, numbered from 1, the first being the catalog; readers must find them."""
    body = b"%PDF-1.7\n"
    for number, one in enumerate(objects, start=1):
        encoded = one if isinstance(one, bytes) else one.encode("latin-1")
        body += b"%d 0 obj\n%s\nendobj\n" % (number, encoded)
    return body + f"trailer<</Root 1 0 R {trailer}>>\n%%EOF".encode()


def stream(content: bytes | str, dictionary: str = "") -> bytes:
    encoded = content if isinstance(content, bytes) else content.encode("latin-1")
    return b"<<%s/Length %d>>stream\n%s\nendstream" % (dictionary.encode(), len(encoded), encoded)


def one_page(
    content: bytes | str = TEXT,
    *more: str | bytes,
    page: str = LETTER,
    font: str = TIMES,
    catalog: str = "",
) -> bytes:
    """A PDF of one page; its content is object 4, its font 5, and what there is more begins with 6."""
    resources = "/Resources<</Font<</F 5 0 R>>/XObject<</X 6 0 R>>>>"
    return pdf(
        f"<</Type/Catalog/Pages 2 0 R{catalog}>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        f"<</Type/Page/Parent 2 0 R/Contents 4 0 R{page}{resources}>>",
        content if isinstance(content, bytes) and content.startswith(b"<<") else stream(content),
        font,
        *more,
    )


def many_pages(n_pages: int) -> bytes:
    kids = " ".join(f"{number} 0 R" for number in range(5, 5 + n_pages))
    page = f"<</Type/Page/Parent 2 0 R/Contents 3 0 R{LETTER}/Resources<</Font<</F 4 0 R>>>>>>"
    return pdf(
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {n_pages}>>",
        stream(TEXT),
        TIMES,
        *[page] * n_pages,
    )


def deep_pages(depth: int) -> bytes:
    inner = (f"<</Type/Pages/Kids[{number + 1} 0 R]/Count 1>>" for number in range(2, depth))
    return pdf("<</Type/Catalog/Pages 2 0 R>>", *inner, f"<</Type/Page/Parent {depth - 1} 0 R{LETTER}>>")


def deep_outlines(depth: int) -> bytes:
    """Bookmarks inside bookmarks, the last holding the first."""
    items = (
        f"<</Title(t)/Parent {i - 1} 0 R/First {i + 1} 0 R/Last {i + 1} 0 R/Next {i} 0 R>>"
        for i in range(7, 7 + depth)
    )
    last = f"<</Title(t)/Parent 6 0 R/First 6 0 R/Next {7 + depth} 0 R>>"
    first = "<</Type/Outlines/First 7 0 R/Last 7 0 R/Count 1>>"
    return one_page(TEXT, first, *items, last, catalog="/Outlines 6 0 R/PageMode/UseOutlines")


def packed(n_megabytes: int, *, unit: bytes = bytes(1 << 20), bits: int = 15) -> bytes:
    packer = zlib.compressobj(1, wbits=bits)
    return b"".join([packer.compress(unit) for _ in range(n_megabytes)]) + packer.flush()


def bomb(n_megabytes: int, *, times: int = 1, unit: bytes = bytes(1 << 20)) -> bytes:
    """A content stream that is small in the file and huge when unpacked, `times` times over."""
    content = packed(n_megabytes, unit=unit)
    for _ in range(times - 1):
        content = zlib.compress(content)
    return one_page(stream(content, "/Filter[" + "/FlateDecode" * times + "]"))


def font_with(
    program: bytes, *, key: str = "FontFile2", subtype: str = "TrueType", unicode: bytes = b""
) -> bytes:
    """The paper set in a font whose program, and whose map to Unicode, are given."""
    font = (
        f"<</Type/Font/Subtype/{subtype}/BaseFont/AAAAAA+Bad/FirstChar 32/LastChar 126/Widths[{'500 ' * 95}]"
    )
    font += "/FontDescriptor 6 0 R/Encoding/WinAnsiEncoding" + ("/ToUnicode 8 0 R" if unicode else "") + ">>"
    return one_page(
        TEXT,
        f"<</Type/FontDescriptor/FontName/AAAAAA+Bad/Flags 32/{key} 7 0 R/FontBBox[-9e9 -9e9 9e9 9e9]"
        "/Ascent 9e9/Descent -9e9/ItalicAngle 0/StemV 0/CapHeight 9e9>>",
        stream(program, f"/Length1 {len(program)}/Subtype/Type1C"),
        stream(unicode),
        font=font,
    )


def drawn_by_itself() -> bytes:
    """A Type 3 font whose letters are drawn with the font itself."""
    procedures = "".join(f"/{chr(code)} 4 0 R" for code in range(97, 123))
    return one_page(
        font="<</Type/Font/Subtype/Type3/FontBBox[0 0 1000 1000]/FontMatrix[.001 0 0 .001 0 0]/FirstChar 97"
        f"/LastChar 122/Widths[{'500 ' * 26}]/CharProcs<<{procedures}>>/Resources<</Font<</F 5 0 R>>>>"
        "/Encoding<</Differences[97 " + "".join(f"/{chr(code)}" for code in range(97, 123)) + "]>>>>"
    )


def form_in_itself() -> bytes:
    """A picture that holds itself twice, beside the paper."""
    form = stream("/X Do /X Do", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>>>")
    return one_page(TEXT + "/X Do", form)


def forms_of_forms(depth: int) -> bytes:
    """Each picture holds the next one ten times: 10 ** depth of them are drawn."""
    forms = (
        stream(
            "/X Do " * 10,
            f"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X {number + 1} 0 R>>>>",
        )
        for number in range(6, 6 + depth)
    )
    return one_page(
        TEXT + "/X Do", *forms, stream("BT /F 1 Tf (x) Tj ET", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]")
    )


def huge_picture() -> bytes:
    picture = stream(
        zlib.compress(bytes(1000)),
        "/Type/XObject/Subtype/Image/Width 2000000000/Height 2000000000"
        "/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode",
    )
    return one_page(TEXT + "500 0 0 500 0 0 cm /X Do", picture)


def xref_in_a_circle() -> bytes:
    """A table of objects that says the table before it is itself."""
    body = one_page()
    start = len(body)
    return (
        body
        + b"\nxref\n0 1\n0000000000 65535 f \ntrailer<</Root 1 0 R/Size 6/Prev %d>>\nstartxref\n%d\n%%%%EOF"
        % (
            start + 1,
            start + 1,
        )
    )


def length_of_itself() -> bytes:
    return one_page(b"<</Length 4 0 R>>stream\n" + TEXT.encode() + b"\nendstream")


def objects_in_themselves() -> bytes:
    """A stream of objects that holds, and extends, itself."""
    inside = stream("1 0 4 0 <</Type/Catalog/Pages 2 0 R>>", "/Type/ObjStm/N 2/First 8/Extends 2 0 R")
    body = b"%PDF-1.7\n2 0 obj\n" + inside + b"\nendobj\n"
    table = stream(bytes([2, 2, 0, 2, 2, 0, 2, 2, 1]), "/Type/XRef/Size 3/W[1 1 1]/Root 1 0 R/Index[0 3]")
    return body + b"3 0 obj\n" + table + b"\nendobj\nstartxref\n%d\n%%%%EOF" % len(body)


def dense_page() -> bytes:
    """Nine million letters in one place of a page, 30 kB in the file: a quick machine may see to its end."""
    words = b"BT /F 8 Tf 9 9 Td (the method of learning) Tj ET\n" * 20_000
    return bomb(9, unit=words)


def postscript(program: str) -> Callable[[], bytes]:
    return lambda: b"%!PS\n" + program.encode()


_SAY = (
    "/Times-Roman findfont 12 scalefont setfont 72 700 moveto "
    "10 { dup 100 string readstring pop show } repeat showpage"
)
_STOPS = "stops with an error"
# Which of the limits is reached first depends on the machine.
_ENDED = "crashes the reader or needs more than|was not read within"
# One file after the other in /tmp, 60 MB each, the way a disk is filled under a limit for each file.
_FILL = (
    "/block 60000 string def /name (/tmp/00000000) def "
    "10000000 1 99999999 { 8 string cvs name 5 3 -1 roll putinterval "
    "name (w) file 1000 { dup block writestring } repeat closefile } for"
)

PDFS: Sequence[Hostile] = (
    Hostile("good.pdf", lambda: GOOD),
    Hostile("truncated-early.pdf", lambda: GOOD[:900], "is damaged"),
    Hostile("truncated-late.pdf", lambda: GOOD[:-200], "is damaged"),
    Hostile("encrypted.pdf", partial(draw, paper, encrypt="secret"), "encrypted with a password"),
    Hostile("pages-10000.pdf", partial(many_pages, 10_000), "has 10,000 pages, more than the 100"),
    Hostile("page-tree-deep.pdf", partial(deep_pages, 20_000), "can be read"),
    Hostile("outlines-deep.pdf", partial(deep_outlines, 20_000)),
    Hostile("arrays-deep.pdf", lambda: one_page(catalog="/Names" + "[" * 200_000 + "]" * 200_000)),
    Hostile("content-deep.pdf", lambda: one_page(TEXT + "[" * 500_000 + "q " * 500_000)),
    Hostile("dictionaries-deep.pdf", lambda: one_page(TEXT + "/A " + "<</A" * 300_000 + " BDC")),
    Hostile(
        "javascript.pdf",
        lambda: one_page(
            catalog="/OpenAction<</S/JavaScript/JS(while\\(true\\){app.alert\\(1\\)})>>"
            "/AA<</WC<</S/Launch/F(/bin/sh)>>/WP<</S/URI/URI(http://127.0.0.1/)>>>>"
        ),
    ),
    Hostile("font-noise.pdf", lambda: font_with(bytes(range(256)) * 40)),
    Hostile("font-tables.pdf", lambda: font_with(b"\0\1\0\0" + b"\xff" * 5000)),
    Hostile(
        "font-type1.pdf",
        lambda: font_with(
            b"%!PS-AdobeFont-1.0\n/CharStrings 999999999 dict dup begin /a 999999999 RD ",
            key="FontFile",
            subtype="Type1",
        ),
    ),
    Hostile("font-cff.pdf", lambda: font_with(b"\1\0\4\4" + b"\xff" * 999, key="FontFile3", subtype="Type1")),
    Hostile(
        "font-unicode-range.pdf",
        lambda: font_with(
            b"",
            unicode=b"1 begincodespacerange <00> <ff> endcodespacerange "
            b"1 beginbfrange <00000000> <ffffffff> <0000> endbfrange " * 50,
        ),
    ),
    Hostile("font-of-itself.pdf", drawn_by_itself, "may be a scan"),
    Hostile("form-in-itself.pdf", form_in_itself, _ENDED),
    Hostile("forms-of-forms.pdf", partial(forms_of_forms, 9), _ENDED),
    Hostile("picture-huge.pdf", huge_picture),
    Hostile("box-huge.pdf", lambda: one_page(page="/MediaBox[-9e30 -9e30 9e30 9e30]")),
    Hostile("box-empty.pdf", lambda: one_page(page="/MediaBox[0 0 0 0]/Rotate 7/UserUnit 1e9")),
    Hostile("matrix-huge.pdf", lambda: one_page("1e30 0 0 1e30 1e30 1e30 cm " + TEXT), "may be a scan"),
    Hostile("bomb.pdf", partial(bomb, 900), _ENDED),
    Hostile("bomb-in-bomb.pdf", partial(bomb, 900, times=3), _ENDED),
    Hostile("dense.pdf", dense_page, f"{_ENDED}|may be a scan"),
    Hostile("xref-in-a-circle.pdf", xref_in_a_circle),
    Hostile("length-of-itself.pdf", length_of_itself),
    Hostile("objects-in-themselves.pdf", objects_in_themselves, "no text layer"),
    Hostile("page.pdf", lambda: b"<html><body>404 Not Found</body></html>", "is a web page"),
    Hostile("empty.pdf", lambda: b"", "is empty"),
    Hostile(
        "bomb.ps.gz",
        lambda: gzip.compress(b"%!PS\n") + packed(300, bits=31),
        # Whichever limit the unpacked bytes meet first.
        r"unpacks \(gzip\) to more than|needs more memory than is allowed",
    ),
)

POSTSCRIPTS: Sequence[Hostile] = (
    Hostile("reads.ps", postscript(f"(/etc/hostname) (r) file {_SAY}"), _STOPS),
    Hostile("reads-process.ps", postscript(f"(/proc/self/environ) (r) file {_SAY}"), _STOPS),
    Hostile("runs.ps", postscript(f"(%pipe%id) (r) file {_SAY}"), _STOPS),
    Hostile("writes.ps", postscript("(/usr/share/written) (w) file (x) writestring showpage"), _STOPS),
    Hostile("deletes.ps", postscript("(/usr/bin/python3) deletefile showpage"), _STOPS),
    Hostile("loops.ps", postscript("{ } loop"), "it may loop forever"),
    Hostile("calls-itself.ps", postscript("/f { f f } def f"), _STOPS),
    Hostile(
        "allocates.ps", postscript("[ { 60000 array } loop"), "needs more than 256 MB|it may loop forever"
    ),
    Hostile(
        "prints-forever.ps",
        postscript("{ 9 9 moveto 500 500 lineto stroke showpage } loop"),
        "it may loop forever",
    ),
    Hostile(
        "fills-the-disk.ps",
        postscript(_FILL),
        f"{_STOPS}|it may loop forever",
    ),
    Hostile(
        "leaves-safety.ps",
        postscript(f".setsafe .locksafe systemdict /SAFER false put (/etc/hostname) (r) file {_SAY}"),
        _STOPS,
    ),
)

FILES = (*PDFS, *POSTSCRIPTS)


def write_hostile_folder(folder: Path) -> None:
    """Writes all of them."""
    for hostile in FILES:
        (folder / hostile.name).write_bytes(hostile.make())


def empty_dvi() -> bytes:
    """One page with a rule on it, as TeX writes it."""
    units = struct.pack(">3I", 25_400_000, 473_628_672, 1000)
    start = b"\xf7\x02" + units + b"\0"
    page = b"\x8b" + struct.pack(">10i", 1, *[0] * 9) + struct.pack(">i", -1)
    page += b"\x84" + struct.pack(">2i", 65_536, 6_553_600) + b"\x8c"
    last = b"\xf8" + struct.pack(">I", len(start)) + units + struct.pack(">2I2H", 99, 99, 1, 1)
    return start + page + last + b"\xf9" + struct.pack(">I", len(start + page)) + b"\x02" + b"\xdf" * 7


_PRINTED = (
    "/Times-Roman findfont 12 scalefont setfont 0 1 12 { 72 exch 14 mul 700 exch sub moveto "
    "(the results of the method show that learning from examples is enough) show } for showpage"
)
_WEB_PAGE = (
    b"<!doctype html><html><head><title>Learning</title><meta charset=utf-8></head><body><h1>Learning</h1>"
    b'<table><tr><td>a<td>b</table><script type=\'application/ld+json\'>{"@type":"Person"}</script>'
    b"<p>" + filler(80).encode() + b"</p><a href='mailto:a@b.test'>mail</a></body></html>"
)
_BIBTEX = r"""@string{jml = "Machine Learning"}
@article{young96, author = {Young, Ada and N{\'u}{\~n}ez, Jos\'e}, title = {Growing {Forests} in $O(n)$},
  journal = jml # " Letters", year = 1996, pages = {12--34}, file = {:a.pdf:PDF}}
@inproceedings{old80, title = {{IP} = {PSPACE}}, author = "B. Old", crossref = {conf}}
"""
_RIS = "TY  - JOUR\nAU  - Vallée, Charles\nTI  - A title\nPY  - 1999/02/03/\nL1  - file:///a.pdf\nER  - \n"
_ENDNOTE = (
    "<xml><records><record><ref-type name='Book'>6</ref-type><titles><title><style>Forests</style></title>"
    "</titles><urls><pdf-urls><url>internal-pdf://a.pdf</url></pdf-urls></urls></record></records></xml>"
)
_CSL = (
    '[{"id": "x", "title": "On trees", "issued": {"date-parts": [[1999, 7]]}, "author": [{"family": "A"}]}]'
)
_JSONL = '{"title": "On trees", "authors": ["A. B"], "year": 1999, "references": [{"title": "b"}]}\n'


def make_zotero() -> bytes:
    """A library of one record, with the tables that Zotero has."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(TABLES)
        database.execute("INSERT INTO items VALUES (1, 1, 1, 'KEY00001')")
        return database.serialize()


# Catalogs that `portico import` reads, by the ending of their names.
CATALOGS: dict[str, bytes] = {
    "bib": _BIBTEX.encode(),
    "ris": _RIS.encode(),
    "csv": b'Title;Authors;Year;Keywords\n"Forests; or trees";"Young, Ada; Old, B.";1996;trees|woods\n',
    "xml": _ENDNOTE.encode(),
    "json": _CSL.encode(),
    "jsonl": _JSONL.encode(),
    "jsonl.gz": gzip.compress(_JSONL.encode() * 9, mtime=0),
    "bib.xz": lzma.compress(_BIBTEX.encode()),
    "sqlite": make_zotero(),
}
# Small files of every kind that is read, from which others are made, and words that their formats know.
ORIGINALS: dict[str, tuple[bytes, tuple[bytes, ...]]] = {
    "pdf": (
        GOOD,
        (b"/Length", b"/Filter/FlateDecode", b"/Kids[", b"endobj", b"stream\n", b"9 0 R", b"<<", b"xref"),
    ),
    "objects.pdf": (
        one_page(),
        (b"/Parent", b"/Contents", b"/Font", b"Tf", b"Tj", b"BT", b"cm", b"1e38", b"/X Do"),
    ),
    "ps": (
        b"%!PS\n" + _PRINTED.encode(),
        (b"loop", b"{", b"}", b"exec", b"array", b"file", b"run", b"[", b"def"),
    ),
    "html": (
        _WEB_PAGE,
        (b"<table>", b"<svg>", b"<!--", b"<select>", b"&#x", b"<template>", b"<style>", b"<p " * 9),
    ),
    "ps.gz": (gzip.compress(b"%!PS\n" + _PRINTED.encode(), mtime=0), (b"\x1f\x8b\x08",)),
    "pdf.bz2": (bz2.compress(one_page()), (b"BZh9",)),
    "dvi": (empty_dvi(), (b"\xef\x04pdf:", b"\xf3\0", b"\x8b", b"\x8c", b"\xf8")),
    "docx": (make_docx(), (b"PK\x01\x02", b"PK\x03\x04", b"<w:p>", b"word/document.xml", b"<!DOCTYPE")),
    "odt": (make_odt(), (b"PK\x01\x02", b"<text:p>", b"content.xml", b"\xff\xff\xff\xff")),
    "epub": (make_epub(), (b"PK\x01\x02", b"META-INF/container.xml", b"../", b"<!ENTITY")),
    "tex": (
        make_latex(),
        (b"\\input{", b"\\begin{", b"\\newcommand{", b"\\def\\a{\\a\\a}", b"{" * 50, b"$", b"%"),
    ),
    "tar.gz": (gzip.compress(make_latex_tar(), mtime=0), (b"\x1f\x8b\x08",)),
    "tar": (make_latex_tar(), (b"../../x.tex", b"ustar", b"77777777777", b"\0" * 512)),
} | {
    ending: (body, (b"{", b"}", b"<", b"\n", b"@article{", b"]]>", b"TY  - JOUR", b"null", b"\0", b"view"))
    for ending, body in CATALOGS.items()
}


def is_catalog(name: str) -> bool:
    return name.partition(".")[2] in CATALOGS


def make_hostile_variants(n_files: int, *, seed: int = 1) -> Iterator[tuple[str, bytes]]:
    """So many files with their names, always the same for a seed: every kind in turn, changed by chance."""
    chance = random.Random(seed)
    kinds = list(ORIGINALS)
    for number in range(n_files):
        kind = kinds[number % len(kinds)]
        body, words = ORIGINALS[kind]
        yield f"{seed}-{number:04}.{kind}", mutate(body, chance, words)
