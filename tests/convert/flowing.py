"""DOCX, ODT, EPUB, HTML and LaTeX files of one small paper, written by hand as their programs write them."""

# ruff: noqa: E501, ISC004  elements as they stand in such files

import io
import tarfile
import zipfile
from collections.abc import Mapping

TITLE = "Soil Moisture and the Flowering of Alpine Meadows"
AUTHORS = ("Maria Lopez", "Anne Bell")
ABSTRACT = (
    "Late frost shortens the flowering of alpine meadows. We measured soil moisture at forty-two sites over "
    "eleven years and show that wet soils delay flowering by nine days on average."
)
BODY = (
    "Alpine meadows flower for a short time only [1]. What decides when they do has been debated for long, and "
    "the role of soil moisture is not yet understood [2]."
)
REFERENCES = (
    "Koerner, C. (2003). Alpine Plant Life. Springer, Berlin.",
    "Inouye, D. W. (2008). Effects of climate change on phenology of wildflowers. Ecology, 89(2), 353-362.",
)

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def zipped(members: Mapping[str, str | bytes], *, first_stored: bool = False) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (name, content) in enumerate(members.items()):
            stored = first_stored and number == 0
            archive.writestr(name, content, zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def paragraph(text: str, *, style: str = "", number: str = "") -> str:
    numbered = f'<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{number}"/></w:numPr>' if number else ""
    styled = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{styled}{numbered}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def make_docx(body: str | None = None, document: str | bytes = b"", *, declared: bool = True) -> bytes:
    """A DOCX file; references and sections have the numbers that the program counts itself."""
    inside = body if body is not None else "".join(
        (
            paragraph(TITLE, style="Title"),
            paragraph(", ".join(AUTHORS), style="Author"),
            paragraph("Abstract", style="Heading1"),
            paragraph(ABSTRACT),
            paragraph("Introduction", style="Heading1", number="1"),
            paragraph(BODY),
            "<w:p><w:r><w:instrText>ADDIN SECRET FIELD</w:instrText></w:r><w:del><w:r><w:delText>gone</w:delText>"
            "</w:r></w:del></w:p>",
            paragraph("References", style="Heading1"),
            *(paragraph(reference, number="2") for reference in REFERENCES),
        )
    )  # fmt: skip
    written = f'<?xml version="1.0"?><w:document xmlns:w="{_W}"><w:body>{inside}</w:body></w:document>'
    styles = (
        f'<w:styles xmlns:w="{_W}"><w:style w:styleId="Normal"><w:name w:val="Normal"/><w:rPr><w:sz w:val="22"/></w:rPr>'
        '</w:style><w:style w:styleId="Title"><w:name w:val="Title"/><w:rPr><w:b/><w:sz w:val="40"/></w:rPr></w:style>'
        '<w:style w:styleId="Heading1"><w:name w:val="heading 1"/><w:basedOn w:val="Heading1"/><w:rPr><w:b/></w:rPr>'
        '</w:style><w:style w:styleId="Author"><w:name w:val="Author"/><w:basedOn w:val="Normal"/></w:style></w:styles>'
    )
    levels = "".join(
        f'<w:abstractNum w:abstractNumId="{number}"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/>'
        f'<w:lvlText w:val="{text}"/></w:lvl></w:abstractNum>'
        for number, text in (("7", "%1"), ("8", "[%1]"))
    )
    numbers = "".join(
        f'<w:num w:numId="{number}"><w:abstractNumId w:val="{kind}"/></w:num>'
        for number, kind in (("1", "7"), ("2", "8"))
    )
    return zipped(
        {
            "[Content_Types].xml": "<Types/>",
            "word/document.xml": document or written,
            **({"word/styles.xml": styles} if declared else {}),
            "word/numbering.xml": f'<w:numbering xmlns:w="{_W}">{levels}{numbers}</w:numbering>',
            "docProps/core.xml": '<c xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>'
            + TITLE
            + "</dc:title></c>",
        }
    )


def make_odt() -> bytes:
    space = " ".join(
        f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{long}:1.0"'
        for short, long in (
            ("office", "office"), ("text", "text"), ("style", "style"), ("fo", "xsl-fo-compatible"),
        )
    )  # fmt: skip
    references = "".join(
        f'<text:list-item><text:p text:style-name="P1">{reference}</text:p></text:list-item>'
        for reference in REFERENCES
    )
    content = (
        f"<office:document-content {space}><office:automatic-styles>"
        '<style:style style:name="P1" style:parent-style-name="Standard"/>'
        '<style:style style:name="T1"><style:text-properties style:text-position="super 58%"/></style:style>'
        '<text:list-style style:name="L1"><text:list-level-style-number style:num-format="1" style:num-prefix="["'
        ' style:num-suffix="]"/></text:list-style></office:automatic-styles><office:body><office:text>'
        "<text:tracked-changes><text:p>old words</text:p></text:tracked-changes>"
        f'<text:p text:style-name="Title">{TITLE}</text:p>'
        f'<text:p>{AUTHORS[0]}<text:span text:style-name="T1">1</text:span>, {AUTHORS[1]}</text:p>'
        f'<text:h text:outline-level="1">Abstract</text:h><text:p>{ABSTRACT}</text:p>'
        f'<text:h text:outline-level="1">1<text:tab/>Introduction</text:h><text:p>{BODY}'
        "<text:note><text:p>a footnote</text:p></text:note></text:p>"
        f'<text:h text:outline-level="1">References</text:h><text:list text:style-name="L1">{references}</text:list>'
        "</office:text></office:body></office:document-content>"
    )
    styles = (
        f"<office:document-styles {space}><office:styles>"
        '<style:style style:name="Title"><style:text-properties fo:font-size="20pt" fo:font-weight="bold"/></style:style>'
        "</office:styles></office:document-styles>"
    )
    mime = "application/vnd.oasis.opendocument.text"
    return zipped({"mimetype": mime, "content.xml": content, "styles.xml": styles}, first_stored=True)


def make_html() -> bytes:
    references = "".join(f"<li>{reference}</li>" for reference in REFERENCES)
    return (
        f"<!DOCTYPE html><html><head><title>{TITLE} | Journal of Meadows</title>"
        f'<meta name="citation_title" content="{TITLE}"><meta name="citation_doi" content="10.1234/meadow.7">'
        '<meta name="citation_journal_title" content="Journal of Meadows"></head><body>'
        "<nav><ul><li>Home<li>Archive</ul></nav>"
        f"<article><h1>{TITLE}</h1><p>{', '.join(AUTHORS)}</p><h2>Abstract</h2><p>{ABSTRACT}</p>"
        f"<h2>1 Introduction</h2><p>{BODY}</p><h2>References</h2><ol>{references}</ol></article>"
        "<footer>All rights reserved by nobody</footer><script>alert(1)</script></body></html>"
    ).encode()


def make_epub(*, container: str = "", locked: bool = False) -> bytes:
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
        f"<dc:title>{TITLE}</dc:title><dc:identifier>doi:10.1234/meadow.7</dc:identifier></metadata><manifest>"
        '<item id="n" href="nav.xhtml" properties="nav"/><item id="a" href="text%20one.xhtml"/></manifest>'
        '<spine><itemref idref="n"/><itemref idref="a"/></spine></package>'
    )
    opened = container or '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'
    encryption = '<encryption><CipherReference URI="OPS/text one.xhtml"/></encryption>'
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": opened,
            "OPS/book.opf": package,
            "OPS/nav.xhtml": "<html><body><ol><li>Contents</li></ol></body></html>",
            "OPS/text one.xhtml": make_html(),
            **({"META-INF/encryption.xml": encryption} if locked else {}),
        },
        first_stored=True,
    )


LATEX = rf"""\documentclass[11pt]{{article}} % a comment with \title{{Wrong}}
\newcommand{{\alps}}{{Alpine}}
\newcommand{{\flower}}[1]{{Flowering of #1}}
\title{{Soil Moisture and the \flower{{\alps\ Meadows}}\thanks{{Funded by nobody.}}}}
\author{{{AUTHORS[0]}$^{{1}}$ \and {AUTHORS[1]}\textsuperscript{{2}}}}
\begin{{document}}
\maketitle
\begin{{abstract}}
{ABSTRACT}
\end{{abstract}}
\section{{Introduction}} \label{{sec:intro}}
Alpine meadows flower for a short time only \cite{{koerner}}. What decides when they do has been debated for long,
and the role of soil moisture is not yet understood~\citep[see][p. 2]{{inouye}}.
\begin{{equation}} E = mc^2 \end{{equation}}

\begin{{figure}} \includegraphics{{secret.png}} \caption{{A meadow}} \end{{figure}}
\input{{methods}}
%BIBLIOGRAPHY%
\end{{document}}
"""
BIBLIOGRAPHY = rf"""\begin{{thebibliography}}{{9}}
\bibitem[K{{\"o}}rner(2003)]{{koerner}} K{{\"o}}rner, C. (2003). \newblock \emph{{Alpine Plant Life}}. Springer, Berlin.
\bibitem{{inouye}} {REFERENCES[1]}
\end{{thebibliography}}
"""


def make_latex() -> bytes:
    return LATEX.replace("%BIBLIOGRAPHY%", BIBLIOGRAPHY).encode()


def make_latex_parts() -> dict[str, bytes]:
    return {
        "paper/main.tex": LATEX.replace("%BIBLIOGRAPHY%", r"\bibliography{refs}").encode(),
        "paper/methods.tex": rb"\section{Methods} We dug holes. \input{main} \input{methods}",
        "paper/main.bbl": BIBLIOGRAPHY.encode(),
    }


def make_latex_tar() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in make_latex_parts().items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()
