"""Files without pages become documents that papers are read from; broken and hostile ones get a reason."""

import contextlib
import io
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from portico.convert.converter import Converter, ConvertLimits
from portico.convert.flowing_files import read_flowing
from portico.convert.flowing_text import MARGIN, WIDTH
from portico.convert.page_styles import PageError
from portico.convert.sniffing import sniff_media_type
from portico.domains.papers import PAPERS
from portico.errors import ConversionError
from portico.extract.extractor import Extractor, load_extractor
from portico.types.document import Document, DocumentId
from tests.convert import flowing

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
ODT = "application/vnd.oasis.opendocument.text"
LIMITS = ConvertLimits(timeout_s=20.0, max_memory_mb=512, max_expanded_bytes=5_000_000, max_pages=20)

FILES: dict[str, tuple[Callable[[], bytes], str]] = {
    "paper.docx": (flowing.make_docx, DOCX),
    "paper.odt": (flowing.make_odt, ODT),
    "paper.epub": (flowing.make_epub, "application/epub+zip"),
    "paper.html": (flowing.make_html, "text/html"),
    "paper.tex": (flowing.make_latex, "text/x-tex"),
    "2101.00001.tar.gz": (flowing.make_latex_tar, "application/x-tar"),
    "overleaf.zip": (lambda: flowing.zipped(flowing.make_latex_parts()), "text/x-tex"),
}


@pytest.fixture(scope="module")
def converter() -> Iterator[Converter]:
    with Converter(LIMITS) as made:
        yield made


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return load_extractor(PAPERS)


def convert(converter: Converter, body: bytes, name: str) -> Document:
    return converter(body, media_type="", name=name, document_id=DocumentId("0"))


@pytest.mark.parametrize("name", FILES)
def test_a_paper_is_read_from_every_format(converter: Converter, extractor: Extractor, name: str) -> None:
    make, media_type = FILES[name]
    document = convert(converter, make(), name)
    assert document.media_type == media_type
    header, *references = extractor(document)
    assert header.value("title") == flowing.TITLE
    assert tuple(field.value for field in header.all("author")) == flowing.AUTHORS
    assert header.value("abstract") == flowing.ABSTRACT
    assert [record.value("year") for record in references] == ["2003", "2008"]
    assert references[1].value("title") == "Effects of climate change on phenology of wildflowers"
    assert [len(record.contexts) for record in references] == [1, 1], "citations [1] and [2] were not found"


GERMAN = (
    "Die Studie untersucht die Beteiligung von Eltern am Unterricht ihrer Kinder. Grundlage sind Gespräche "
    "mit vierzig Familien in drei Städten. Es zeigt sich, dass Zeit und Sprache entscheiden."
)
POLISH = (
    "Artykuł opisuje czytelnictwo młodzieży w małych miastach. Badania prowadzono w pięciu bibliotekach. "
    "Wyniki pokazują spadek liczby wypożyczeń."
)
CHINESE = "本文研究中国农村教育的发展。我们调查了三个省的二十所学校。结果表明师资是主要问题。"
CITED = "Becker, R. (2010). Bildung als Privileg. Wiesbaden: VS Verlag."


@pytest.mark.parametrize("style", ["Title", "Titel", ""])
def test_a_paper_without_declared_styles(converter: Converter, extractor: Extractor, style: str) -> None:
    body = "".join(
        flowing.paragraph(text, style=name)
        for text, name in (
            ("Elternarbeit an Grundschulen im Wandel", style),
            ("Änne Groß-Köhler und Jürgen Weiß", style and "Author"),
            ("Zusammenfassung", style and "Heading1"),
            (GERMAN, ""),
            ("1 Einleitung", style and "Heading1"),
            (GERMAN, ""),
            ("Literatur", style and "Heading1"),
            (CITED, ""),
        )
    )
    header, *_ = extractor(convert(converter, flowing.make_docx(body, declared=False), "paper.docx"))
    assert header.value("title") == "Elternarbeit an Grundschulen im Wandel"
    assert [field.value for field in header.all("author")] == ["Änne Groß-Köhler", "Jürgen Weiß"]
    assert header.value("abstract") == GERMAN


@pytest.mark.parametrize(
    ("title", "authors", "heading", "abstract"),
    [
        ("Czytelnictwo młodzieży", ["Łucja Ćwiklińska"], "Streszczenie", POLISH),
        ("中国农村教育的发展与挑战研究", ["王小明", "李華"], "摘要", CHINESE),
    ],
)
def test_an_article_in_another_language(
    converter: Converter, extractor: Extractor, title: str, authors: list[str], heading: str, abstract: str
) -> None:
    html = (
        f"<!DOCTYPE html><meta charset=utf-8><article><h1>{title}</h1><p>{'、'.join(authors)}</p>"
        f"<h2>{heading}</h2><p>{abstract}</p><h2>1 Introduction</h2><p>{abstract}</p><h2>References</h2>"
        f"<p>{CITED}</p></article>"
    )
    header, *_ = extractor(convert(converter, html.encode(), "paper.html"))
    assert header.value("title") == title
    assert [field.value for field in header.all("author")] == authors
    assert header.value("abstract") == abstract


def test_what_readers_do_not_see_is_left_out(converter: Converter) -> None:
    unseen = {
        "paper.docx": ("SECRET", "gone"),
        "paper.odt": ("old words", "a footnote"),
        "paper.epub": ("Contents", "alert"),
        "paper.html": ("Archive", "rights", "alert"),
        "paper.tex": ("Wrong", "mc^2", "meadow}", "secret", "Funded", "\\"),
    }
    for name, words in unseen.items():
        text = convert(converter, FILES[name][0](), name).text
        assert not [word for word in words if word in text], name


def test_numbers_that_a_program_counts_are_printed(converter: Converter) -> None:
    docx, odt = (convert(converter, FILES[name][0](), name).text for name in ("paper.docx", "paper.odt"))
    assert "1 Introduction" in docx
    for text in (docx, odt):
        assert f"[1] {flowing.REFERENCES[0]}" in text
        assert "[2] Inouye" in text


def test_what_meta_elements_tell_is_kept(converter: Converter, extractor: Extractor) -> None:
    header, *_ = extractor(convert(converter, flowing.make_html(), "paper.html"))
    assert header.value("doi") == "10.1234/meadow.7"
    assert header.value("venue") == "Journal of Meadows"


def test_parts_of_a_source_stand_in_their_places_and_circles_end(converter: Converter) -> None:
    text = convert(converter, flowing.make_latex_tar(), "source.tar.gz").text
    assert text.index("Introduction") < text.index("We dug holes") < text.index("[1] Körner")
    assert text.count("We dug holes") == 1


def test_lines_fit_between_the_margins_and_keep_every_word(converter: Converter) -> None:
    document = convert(converter, flowing.make_docx(), "paper.docx")
    assert all(line.box and line.box.left == MARGIN for line in document.lines)
    assert all(line.box and line.box.right <= WIDTH - MARGIN + 1 for line in document.lines)
    assert " ".join(flowing.ABSTRACT.split()) in " ".join(document.text.split())
    sizes = {line.span.of(document.text): line.size for line in document.lines}
    assert sizes[flowing.TITLE] == 20.0


BOMB = bytes(60_000_000)
LAUGHS = '<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><w:document xmlns:w="x">&b;</w:document>'
OUTSIDE = '<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]><w:document xmlns:w="x">&a;</w:document>'


def with_flag(body: bytes, at: int, mark: bytes) -> bytes:
    """The flags of every member changed, both where it stands and in the directory."""
    changed = bytearray(body)
    place = changed.find(mark)
    while place >= 0:
        changed[place + at] |= 1
        place = changed.find(mark, place + 1)
    return bytes(changed)


def make_tar_bomb() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        member = tarfile.TarInfo("main.tex")
        member.size = 50_000_000
        archive.addfile(member, io.BytesIO(BOMB))
    return buffer.getvalue()[: 4096 * 4]


HOSTILE = {
    "bomb.docx": (flowing.make_docx(document=BOMB), "unpacks to more than"),
    "bomb.epub": (flowing.zipped({"META-INF/container.xml": BOMB}), "unpacks to more than"),
    "laughs.docx": (flowing.make_docx(document=LAUGHS), "declares entities"),
    "outside.docx": (flowing.make_docx(document=OUTSIDE), "declares entities"),
    "outside.epub": (flowing.make_epub(container=OUTSIDE), "declares entities"),
    "cut.docx": (flowing.make_docx()[:900], "is damaged"),
    "wrong-checksum.odt": (flowing.make_odt().replace(b"PK\x01\x02", b"PK\x01\x03"), "is damaged"),
    "not-xml.docx": (flowing.make_docx(document="<w:document"), "not well-formed XML"),
    "locked.docx": (
        with_flag(with_flag(flowing.make_docx(), 6, b"PK\x03\x04"), 8, b"PK\x01\x02"),
        "is encrypted with a password",
    ),
    "protected.epub": (flowing.make_epub(locked=True), "protected against copying"),
    "table.xlsx": (flowing.zipped({"xl/workbook.xml": "<x/>"}), "without a text that can be read"),
    "empty.docx": (flowing.make_docx(body=""), "has no text"),
    "deep.docx": (
        flowing.make_docx(document="<a>" * 100_000),
        "not well-formed XML",
    ),
    "many.zip": (flowing.zipped({f"{number}.txt": "" for number in range(20_001)}), "holds more than"),
    "chapter.tex": (b"\\section{One} Words of a chapter.", "is a part of a LaTeX document"),
    "nothing.tex": (b"\\documentclass{article}\\begin{document}\\end{document}", "has no text"),
    "cut.tar": (make_tar_bomb(), "is damaged|unpacks to more than"),
    "long.html": (b"<html><body>" + b"<p>word</p>" * 40_000 + b"</body></html>", "pages in print"),
    "answer.pdf": (flowing.make_html(), "is a web page"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_and_broken_files_are_refused_in_words(converter: Converter, name: str) -> None:
    body, reason = HOSTILE[name]
    with pytest.raises(ConversionError, match=reason) as raised:
        convert(converter, body, name)
    assert str(raised.value).startswith(f"{name}: ")


def test_macros_that_grow_without_end_are_given_up(converter: Converter) -> None:
    growing = "".join(
        f"\\newcommand{{\\{chr(98 + n)}}}{{\\{chr(97 + n)}\\{chr(97 + n)}\\{chr(97 + n)}}}" for n in range(20)
    )
    opened = "\\documentclass{article}\\newcommand{\\a}{ha }"
    source = f"{opened}{growing}\\begin{{document}}Real words. \\u\\end{{document}}"
    assert "Real words" in convert(converter, source.encode(), "a.tex").text


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_a_file_holds_it_is_read_or_refused(data: st.DataObject) -> None:
    """Bytes changed anywhere; outside of the sandbox, so that what would crash the worker is seen here."""
    name = data.draw(st.sampled_from(sorted(FILES)))
    body = bytearray(FILES[name][0]())
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(body) - 1))
        body[start : start + data.draw(st.integers(0, 30))] = data.draw(st.binary(max_size=30))
    kind = sniff_media_type(bytes(body[:4096]), name=name)
    if kind not in {media_type for _make, media_type in FILES.values()}:
        return
    with contextlib.suppress(PageError):
        read_flowing(bytes(body), media_type=kind, max_pages=100, max_bytes=5_000_000)


@pytest.fixture(scope="module")
def quick_converter() -> Iterator[Converter]:
    with Converter(replace(LIMITS, timeout_s=5.0)) as made:
        yield made


def test_text_boxes_inside_of_text_boxes_are_read_once(quick_converter: Converter) -> None:
    inside = flowing.paragraph("the innermost words of all")
    for _ in range(40):  # read again in each of those around it, these are a trillion
        inside = f"<w:p><w:r><w:pict><w:txbxContent>{inside}</w:txbxContent></w:pict></w:r></w:p>"
    text = convert(quick_converter, flowing.make_docx(inside), "boxes.docx").text
    assert text.count("innermost") == 1


@settings(max_examples=100, deadline=None)
@given(text=st.text(alphabet="\\{}[]$%& abtiles#1\n~^_", max_size=300))
def test_any_latex_is_read_or_refused(text: str) -> None:
    opened = f"\\documentclass{{a}}\\newcommand{{\\q}}[1]{{{text}}}\\title{{{text}}}"
    source = f"{opened}\\begin{{document}}w {text} \\q{{a}}"
    with contextlib.suppress(PageError):
        read_flowing(source.encode(), media_type="text/x-tex", max_pages=100, max_bytes=10**6)


def test_a_stored_bomb_does_not_lie_about_its_size() -> None:
    """Sizes in the directory are promises: what is read is counted."""
    body = bytearray(flowing.make_docx(document=BOMB))
    size = len(BOMB).to_bytes(4, "little")
    assert size in body
    lying = bytes(body).replace(size, (10).to_bytes(4, "little"))
    assert zipfile.is_zipfile(io.BytesIO(lying))
    with pytest.raises(PageError):
        read_flowing(lying, media_type=DOCX, max_pages=10, max_bytes=1_000_000)


def test_a_line_no_page_could_hold_is_left_out(converter: Converter) -> None:
    """What reads dates and names in a line takes time that grows with the square of its length."""
    body = flowing.make_html().replace(b"<body>", b"<body><p>" + b"word-" * 100_000 + b"</p>", 1)
    assert b"word-word" in body
    document = convert(converter, body, "long.html")
    assert "word-word" not in document.text
    assert flowing.TITLE in " ".join(document.text.split())
    assert max(line.span.end - line.span.start for line in document.lines) < 200
