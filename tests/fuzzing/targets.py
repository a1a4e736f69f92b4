"""What is fuzzed: for each target a function of bytes, which may refuse them as designed and in no other way.

`scripts/fuzz.py` runs a target for minutes; what it finds is kept as a file in `findings/TARGET/`, which
`test_targets.py` tries again in every run of the tests.
"""

import itertools
import json
import math
import os
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from portico.config.declaration import read_declaration
from portico.config.portal_paths import PortalPaths
from portico.config.reading import read_settings
from portico.config.topics import read_topics
from portico.convert.columns import ReadingOrder
from portico.convert.flowing_files import read_flowing
from portico.convert.fonts import Typeface
from portico.convert.line_segments import LinePiece, PiecePart
from portico.convert.lines import build_lines, build_paragraphs
from portico.convert.page_styles import PageError
from portico.convert.sniffing import FLOWING, Damaged, Overflow, detect_packing, sniff_media_type, unpack
from portico.crawl.fetching.http1 import ChunkedBody, choose_framing, read_head
from portico.crawl.links import find_links, find_listings, view_page
from portico.crawl.robots import recall_rules
from portico.domains.papers import PAPERS
from portico.errors import ConfigError, FetchError, InputError
from portico.extract.splitting import Splitter
from portico.index.query import parse_query
from portico.learn import crf
from portico.pipeline.catalogs.formats import read_catalog, recognize_format
from portico.pipeline.collections.papers.imported_papers import read_paper
from portico.text.citation_formats import format_bibtex
from portico.text.markup import decode
from portico.text.tex import make_readable
from portico.text.urls import canonical, get_host, get_host_name, get_path, is_address, is_public, resolve
from portico.types.frontier import HostNote
from portico.types.page import Url
from tests.convert.flowing import make_docx, make_epub, make_latex, make_odt
from tests.convert.hostile import CATALOGS
from tests.extract.pages import plain_document

PAGE = Url("http://a.test/dir/page.html")
MAX_UNPACKED = 1 << 20


@dataclass(frozen=True, slots=True)
class FuzzTarget:
    """What is called, and the bytes from which others are made."""

    run: Callable[[bytes], None]
    seeds: Sequence[bytes]
    words: Sequence[bytes] = ()  # which the format knows, and chance would seldom make


def read_answer(wire: bytes) -> None:
    """An HTTP answer: its head, and the body in pieces, however it is framed."""
    block, _, rest = wire.partition(b"\r\n\r\n")
    with suppress(FetchError):
        framing = choose_framing(read_head(block))
        given = 0
        for start in range(0, len(rest), 7):
            given += len(framing.take(rest[start : start + 7]))
        assert given <= len(rest)
        framing.hang_up()
    with suppress(FetchError):
        assert len(ChunkedBody().take(wire)) <= len(wire)


def read_address(text: bytes) -> None:
    """An address stays the same when it is normalized twice, and never hides a private host."""
    href = text.decode("utf-8", "surrogateescape")
    url = canonical(href)
    if url is not None:
        assert canonical(url) == url
        assert url.isascii()
        assert not set(url) & set(" \r\n\t\0")
        assert get_host(url)
        assert get_path(url).startswith("/")
        name = get_host_name(get_host(url))
        assert is_address(name) or not name.rpartition(".")[2].isdigit(), "a number that is no address"
        is_public(name)
    assert resolve(href, PAGE) == canonical(href, PAGE)


def read_robots(text: bytes) -> None:
    note = HostNote("a.test", text.decode("utf-8-sig", "replace"), 200, 0.0)
    rules = recall_rules(note, 1.0)
    assert rules is not None
    for path in ("/", "/a?b=c", "/%7e/é"):
        rules.allows(Url(f"http://a.test{path}"))
    assert 0 <= rules.delay_s < math.inf


def read_links(body: bytes) -> None:
    html = decode(body)
    view_page(html, PAGE)
    assert all(link.target.startswith(("http://", "https://")) for link in find_links(html, PAGE))
    find_listings(html, PAGE)


def read_query(text: bytes) -> None:
    for clause in parse_query(text.decode("utf-8", "replace")).clauses:
        assert clause.choices


def read_bibtex(text: bytes) -> None:
    """What is made of any values is one entry, with every brace closed."""
    title, _, rest = text.decode("utf-8", "replace").partition("\n")
    journal, _, author = rest.partition("\n")
    entry = format_bibtex("key", "article", {"title": title, "journal": journal, "url": rest}, [author])
    depth = 0
    for before, letter in zip(" " + entry, entry, strict=False):
        depth += (letter == "{" and before != "\\") - (letter == "}" and before != "\\")
        assert depth >= 0
    assert depth == 0


def read_tex(text: bytes) -> None:
    make_readable(text.decode("utf-8", "replace"))


@lru_cache(maxsize=1)
def _splitter() -> Splitter:
    return Splitter(crf.load_crf(PAPERS.models / PAPERS.splitting))


def split_references(text: bytes) -> None:
    """No line belongs to two entries, and entries are in the order of the page."""
    document = plain_document(text.decode("utf-8", "replace"))
    entries = _splitter()(document, document.lines)
    spans = [line.span for entry in entries for line in entry.lines]
    assert all(one.start <= other.start for one, other in itertools.pairwise(spans))


def lay_out(data: bytes) -> None:
    """Pieces at any place of a page, eight bytes each: every letter is read, and none twice."""
    face = Typeface("Times", bold=False, italic=False)
    pieces = []
    for start in range(0, len(data) - 7, 8):
        left, top, width, size, letter, *odd = data[start : start + 8]
        scale = (1.0, 3.7, -1.0, 0.0, 1e30)[odd[0] % 5] if odd[0] > 250 else 2.5
        text = chr(97 + letter % 26) * (1 + letter // 64)
        part = PiecePart(text, left * scale, (left + width) * scale, top * scale, 1 + size / 16, face)
        pieces.append(
            LinePiece(part.left, part.right, part.baseline - part.size, part.baseline, [part], part)
        )
    order = ReadingOrder()
    for first_page in (True, False):
        regions = order.regions(pieces, width=612.0, first_page=first_page) if pieces else []
        assert sorted(map(id, pieces)) == sorted(id(piece) for each in regions for piece in each.pieces)
        for region in regions:
            build_paragraphs(build_lines(list(region.pieces)))


@lru_cache(maxsize=1)
def _folder() -> Path:
    # In memory where there is such a place: files are written some thousand times a second.
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    return Path(tempfile.mkdtemp(prefix="portico-fuzz-", dir=place))


def read_portal_toml(text: bytes) -> None:
    path = PortalPaths(_folder()).settings
    path.write_bytes(text)
    with suppress(ConfigError):
        read_settings(_folder(), for_building=False)


def read_domain_toml(text: bytes) -> None:
    path = _folder() / "domain.toml"
    path.write_bytes(text)
    for read in (read_declaration, read_topics):
        with suppress(ConfigError):
            read(path)


def read_jsonl(line: bytes) -> None:
    with suppress(InputError, ValueError, RecursionError):  # the last two are the JSON reader's own
        told = json.loads(line.decode("utf-8", "replace"))
        with suppress(InputError):
            read_paper(told, catalog="a")


def unpack_body(body: bytes) -> None:
    sniff_media_type(body[:4096])
    packing = detect_packing(body)
    if packing:
        with suppress(Damaged, Overflow):
            assert len(unpack(body, packing, max_bytes=MAX_UNPACKED)) <= MAX_UNPACKED


def read_one_catalog(data: bytes) -> None:
    """The first byte says the format, as an ending of a name would; the others are the file."""
    if not data:
        return
    file = _folder() / f"a.{sorted(CATALOGS)[data[0] % len(CATALOGS)]}"
    file.write_bytes(data[1:])
    with suppress(ConfigError):
        for item in read_catalog(file, recognize_format(file)):
            with suppress(InputError):
                if item.told is not None:
                    read_paper(item.told, catalog="a")


def read_flowing_file(data: bytes) -> None:
    """DOCX, ODT, EPUB, LaTeX and web pages, without the sandbox in which they are read otherwise."""
    media_type = sniff_media_type(data[:4096], name="a.html")
    if media_type in FLOWING:
        with suppress(PageError, RecursionError):
            read_flowing(data, media_type=media_type, max_pages=50, max_bytes=MAX_UNPACKED)


_REFERENCES = (
    b"[1] J. Smith. Learning from examples. Machine Learning, 12:1-20, 1993.\n[2] A. Jones, 1996.\n"
    b"Bell, A., and Dorn, C. (1990). On the speed of sound in\nstill air. Acustica, 12(3):45-67.\n"
)
_DOMAIN = (
    b'[[page]]\nname = "course"\ndescribes = "course"\n\n[[record]]\nname = "course"\nlabel = "Course"\n'
    b'\n[[record.field]]\nname = "title"\nform = "words"\nprominent = true\n\n'
    b'[[topic]]\npath = "a/b"\nkeywords = ["x"]\n'
)
_PAPER = {
    "title": "On {$\\ell_1$} norms",
    "authors": [{"given": "A", "family": "B"}, ["C", "D", ""], "E F"],
    "year": 1999,
    "published": "1999-05-01",
    "url": "http://a.test/x.pdf",
    "references": [{"title": "b", "raw": "b, 1990"}, "c"],
    "confidences": {"title": 0.5},
    "cited_by": [],
}

TARGETS: dict[str, FuzzTarget] = {
    "answers": FuzzTarget(
        read_answer,
        (
            (
                b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
                b"5;x=y\r\nhello\r\n0\r\nA: b\r\n\r\n"
            ),
            b"HTTP/1.0 302 Found\nLocation: /x\nContent-Length: 3\n\nabc",
        ),
        (
            b"chunked",
            b"Content-Length: ",
            b"Transfer-Encoding: ",
            b"\r\n",
            b"Keep-Alive: timeout=",
            b"HTTP/1.1 ",
        ),
    ),
    "addresses": FuzzTarget(
        read_address,
        (
            b"http://user:pw@0x7f.1:80/a/../b?c=d#e",
            b"https://[::ffff:10.0.0.1]/%2e%2e/",
            "http://ⓛocal。host/".encode(),
        ),
        (b"http://", b"https:", b"//", b"[::", b"%2f", b"0x7f", b"@", b"\xe3\x80\x82", b"xn--", b"\\"),
    ),
    "robots": FuzzTarget(
        read_robots,
        (b"User-agent: *\nDisallow: /a*b$\nAllow: /\nCrawl-delay: 2\nSitemap: http://a.test/s.xml\n",),
        (
            b"User-agent: ",
            b"Disallow: ",
            b"Crawl-delay: ",
            b"Request-rate: 1/",
            b"Visit-time: ",
            b"%",
            b"*",
            b"$",
        ),
    ),
    "links": FuzzTarget(
        read_links,
        (
            b"<html><base href='/x/'><a href=a.pdf>A paper</a><li><b>T</b><a href='?b' rel=nofollow>x</a>",
            b"<meta charset=utf-16><meta http-equiv=refresh content='0;url=b'><frame src=c><area href=d>",
        ),
        (
            b"<a href=",
            b"<base href=",
            b"<meta ",
            b"charset=",
            b"<table><tr><td>",
            b"<svg>",
            b"<template>",
            b"<!--",
        ),
    ),
    "queries": FuzzTarget(
        read_query,
        (b'trees -(random OR decision) title:(a OR "b c") year:1990..2000 NOT x* cites:abc',),
        (b"year:", b"title:(", b" OR ", b"NOT ", b'"', b"(", b")", b"..", b"cites:", b"*"),
    ),
    "bibtex": FuzzTarget(
        read_bibtex,
        (b"The {\\TeX} book & more\nJournal of $x_1$ #2\nvon der Ahe, Mar\xc3\xada, Jr.",),
        (b"{", b"}", b"\\", b"$", b"\\'", b" and ", b"%", b"~"),
    ),
    "tex": FuzzTarget(
        read_tex,
        (b"{On} $\\ell_1$ norms \\& the Erd\\H{o}s number, $O(n\\log n)$, $\\frac{a}{\\sqrt{b}}$, x$^{2}$",),
        (b"\\frac{", b"\\mathrm{", b"$", b"$$", b"^{", b"_{", b"\\'{\\i}", b"\\ss", b"\\left(", b"\\begin{"),
    ),
    "references": FuzzTarget(
        split_references, (_REFERENCES,), (b"\n[1] ", b"\n(2) ", b"\n3. ", b"(1990)", b"et al.", b"\n\n")
    ),
    "layout": FuzzTarget(lay_out, (bytes(range(256)), bytes([30, 40, 50, 160, 99, 0, 0, 0]) * 12)),
    "portal-toml": FuzzTarget(
        read_portal_toml,
        (
            b'[portal]\ntitle = "x"\n[[source]]\nkind = "web"\nseeds = ["http://a.test/"]\n',
            b"[fetch]\ndelay_s = 1.5\n[convert]\ntimeout_s = 60\n",
        ),
        (
            b"[[source]]",
            b"[fetch]",
            b"[spider]",
            b"[convert]",
            b"[serve]",
            b" = ",
            b"[",
            b"]",
            b'"""',
            b"1e999",
            b"inf",
        ),
    ),
    "domain-toml": FuzzTarget(
        read_domain_toml,
        (_DOMAIN,),
        (
            b"[[page]]",
            b"[[record]]",
            b"[[record.field]]",
            b"[[topic]]",
            b"pattern = ",
            b"'(a+)+'",
            b"part_of = ",
        ),
    ),
    "jsonl": FuzzTarget(
        read_jsonl,
        (json.dumps(_PAPER).encode(), b'{"title": "a"}'),
        (
            *tuple(f'"{name}": '.encode() for name in _PAPER),
            b"null",
            b"1e999",
            b"[[",
            b"{}",
            b"\\ud800",
            b"NaN",
        ),
    ),
    "catalogs": FuzzTarget(
        read_one_catalog,
        tuple(bytes([number]) + CATALOGS[name][:4000] for number, name in enumerate(sorted(CATALOGS))),
        (
            b"@article{",
            b"file = {",
            b"crossref",
            b"TY  - ",
            b"<record>",
            b"<!ENTITY",
            b'"DOI": ',
            b"{{",
            b"&#",
        ),
    ),
    "flowing": FuzzTarget(
        read_flowing_file,
        (make_docx(), make_odt(), make_epub(), make_latex()[:4000]),
        (b"PK\x01\x02", b"PK\x03\x04", b"\\input{a}", b"\\newcommand", b"\\begin{", b"\\def\\a{\\a}", b"{{{"),
    ),
    "packed": FuzzTarget(
        unpack_body,
        (
            bytes.fromhex("1f8b0800000000000003f3760c08010026b2e4f205000000"),
            bytes.fromhex("1f9d9061c4888c0103"),
            bytes.fromhex("425a68393141592653594e3f4c4c000001900040002000210082000a18"),
        ),
        (b"\x1f\x8b\x08", b"\x1f\x9d\x90", b"BZh9", b"%PDF-", b"%!PS"),
    ),
}
