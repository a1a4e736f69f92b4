"""Web pages become documents as visitors read them, or say in one sentence why not."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from portico.convert.converter import Converter, ConvertLimits
from portico.convert.html import MAX_HTML_BYTES, read_html
from portico.convert.page_styles import PageError
from portico.errors import ConversionError
from portico.types.document import Document, DocumentId

FILLER = "<p>" + "These are words that stand here so that the page has something to say. " * 3 + "</p>"


@pytest.fixture(scope="module")
def converter() -> Iterator[Converter]:
    with Converter(ConvertLimits()) as made:
        yield made


def convert(converter: Converter, html: str | bytes, media_type: str = "text/html") -> Document:
    body = html.encode() if isinstance(html, str) else html
    return converter.page(body, media_type=media_type, name="a.html", document_id=DocumentId("a"))


def read(html: str) -> list[str]:
    found = read_html(html.encode(), media_type="text/html; charset=utf-8")
    return ["".join(run[0] for run in line[-1]) for line in found["lines"]]


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ("<p>One  <b>two</b>\n three</p><p>four</p>", ["One two three", "four"]),
        ("one<br>two<br/><br>three", ["one", "two", "three"]),
        ("<ul><li>one<li>two</ul>", ["one", "two"]),
        ("<table><tr><td>Ann<td>Chair</table>", ["Ann", "Chair"]),
        ("<dl><dt>Phone<dd>12</dl>", ["Phone", "12"]),
        ("<pre>one\ntwo   three</pre>", ["one", "two three"]),
        ("caf&eacute; &amp; <i>na&#239;ve</i>", ["café & naïve"]),
        ("<a href='mailto:ann@x.org?subject=Hi'>Write to Ann</a>", ["Write to Ann ann@x.org"]),
        ("<a href='mailto:ann@x.org'>ann@x.org</a>", ["ann@x.org"]),
        ("<a href='tel:+4930123'>+49 (30) 123</a>", ["+49 (30) 123"]),
        ("<a href='tel:+4930123'>Call us</a>", ["Call us +4930123"]),
        ("<a data-cfemail='543521142c7a3b2633'>[hidden]</a>", ["[hidden] au@x.org"]),
        ("<p>a<span style='display: none'>b</span><style>d</style><noscript>e</noscript></p>", ["ae"]),
        ("<p hidden>a</p><div style='position:absolute;left:-9999px'>spam</div><p>b</p>", ["b"]),
        ("<select><option>a</select><textarea>b</textarea><button>c</button>d", ["d"]),
        ("<span>Ann Bell</span><span>Director</span>", ["Ann Bell Director"]),
        ("so<b>me</b>thing Mc<i>D</i>", ["something McD"]),
        ("x\u200by \u00a0 z\u00ad", ["xy z"]),
        ("<title>Board</title><p>Ann</p>", ["Board", "Ann"]),
        ("<p>unclosed <b>bold<p>next", ["unclosed bold", "next"]),
    ],
)
def test_lines_are_what_a_visitor_reads(html: str, lines: list[str]) -> None:
    assert read(html) == lines


def test_a_row_of_a_table_is_a_block_and_a_cell_a_line(converter: Converter) -> None:
    table = "<table><tr><th>Name<th>Role<tr><td>Ann<td>Chair</table>"
    document = convert(converter, table + FILLER)
    blocks = [line.block for line in document.lines[:4]]
    assert blocks[0] == blocks[1] != blocks[2] == blocks[3]
    assert [line.bold for line in document.lines[:4]] == [True, True, False, False]


def test_looks_are_kept_and_parts_of_the_page_named(converter: Converter) -> None:
    document = convert(
        converter,
        f"<nav><a href=x>Home</a></nav><h1>Board</h1><p><i>Ann</i></p>{FILLER}<div id=footer>© us</div>",
    )
    home, board, ann, *_, foot = document.lines
    assert (home.runs[0].font, foot.runs[0].font) == ("a nav", "foot")
    assert (board.size, board.bold, board.runs[0].font) == (24.0, True, "h1")
    assert (ann.size, ann.bold, ann.italic) == (12.0, False, True)
    assert document.lines[0].box is None
    assert document.pages == ()


def test_spans_of_lines_and_runs_fit_the_text(converter: Converter) -> None:
    document = convert(converter, f"<p>one <b>two</b> three</p>{FILLER}")
    line = document.lines[0]
    assert line.span.of(document.text) == "one two three"
    assert [run.span.of(document.text) for run in line.runs] == ["one ", "two", " three"]


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        ("Zürich".encode("latin-1"), "text/html; charset=latin-1"),
        ("Zürich".encode("latin-1"), "text/html"),
        ("Zürich".encode(), "text/html"),
        ("Zürich".encode("utf-16"), "text/html"),
        (b'<meta charset="utf-8">' + "Zürich".encode(), "text/html"),
    ],
)
def test_encodings(body: bytes, media_type: str) -> None:
    found = read_html(body, media_type=media_type)
    assert found["lines"][0][-1][0][0] == "Zürich"


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("", "has no text"),
        ("<html><body>   </body></html>", "has no text"),
        ("<title>Shop</title><div id=root></div><script src=a.js></script>", "needs JavaScript"),
        ("<p>You need to enable JavaScript to run this app.</p><script></script>", "needs JavaScript"),
        ("<frameset><frame src=a.html></frameset>", "in frames"),
        ("<iframe src=a.html></iframe>", "in frames"),
    ],
)
def test_a_page_with_nothing_to_read_says_why(converter: Converter, html: str, reason: str) -> None:
    with pytest.raises(ConversionError, match=f"a.html: .*{reason}"):
        convert(converter, html)


def test_a_page_with_scripts_and_text_is_read(converter: Converter) -> None:
    assert convert(converter, f"<script>x()</script>{FILLER}").text.startswith("These are words")


@pytest.mark.parametrize(
    "html",
    [
        b"<p>" * 300_000 + b"end",
        b"<div>" * 100_000 + b"x",
        b"<table><tr><td>" * 30_000 + b"x",
        b"<b><i>" * 2_000 + b"<p>x" * 5_000,
        b"\xff\xfe\x00<p>\x00\x01" * 1000,
        b"<" * 1_000_000,
        b"<a href='mailto:" + b"x" * 1_000_000 + b"'>y</a>",
    ],
    ids=["paragraphs", "nested", "tables", "formatting", "bytes", "brackets", "address"],
)
def test_hostile_pages_end_in_a_document_or_a_reason(converter: Converter, html: bytes) -> None:
    try:
        reason = ""
        assert convert(converter, html).text
    except ConversionError as error:
        reason = str(error)
    assert reason == "" or reason.startswith("a.html: ")


def test_a_dump_is_refused(converter: Converter) -> None:
    with pytest.raises(ConversionError, match="bytes of HTML, more than"):
        convert(converter, b"<p>word " * (MAX_HTML_BYTES // 8 + 1))


MARKUP = [
    "<p>",
    "</p>",
    "<td>",
    "<tr>",
    "<table>",
    "</table>",
    "<b>",
    "</i>",
    "<br>",
    "<pre>",
    "</pre>",
    "<li>",
    "</a>",
    "</span>",
    "<h1>",
    "word",
]
MARKUP += ["<a href='mailto:x@y'>", "<span hidden>", " ", "\n"]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(MARKUP) | st.text(max_size=5)))
def test_no_markup_makes_a_broken_line(pieces: list[str]) -> None:
    try:
        found = read("".join(pieces))
    except PageError:
        return
    for line in found:
        assert line == line.strip()
        assert line
        assert "\n" not in line
