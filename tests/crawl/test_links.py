"""Links are found in whatever HTML there is, with the words around them."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.crawl.links import MAX_LINKS, find_links
from portico.text.markup import decode, find_encoding, parse
from portico.types.page import Link, Url

PAGE = Url("http://a.test/dir/page.html")


def targets(html: str) -> list[str]:
    return [link.target.removeprefix("http://a.test") for link in find_links(html, PAGE)]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<a href="x.html">x</a>', ["/dir/x.html"]),
        ("<A HREF=x.html>x</A>", ["/dir/x.html"]),
        ('<a href="x.html">x<a href="y.html">y', ["/dir/x.html", "/dir/y.html"]),
        ('<a href="x">1</a><a href="./x#part">2</a>', ["/dir/x"]),
        ('<base href="/other/"><a href="x">x</a>', ["/other/x"]),
        ('<base href="http://b.test/"><a href="x">x</a>', ["http://b.test/x"]),
        ('<base href="javascript:1"><a href="x">x</a>', ["/dir/x"]),
        ('<map><area href="x" alt="here"></map>', ["/dir/x"]),
        (
            '<frameset><frame src="menu.html"><frame src="main.html"></frameset>',
            ["/dir/menu.html", "/dir/main.html"],
        ),
        ('<iframe src="inner.html"></iframe>', ["/dir/inner.html"]),
        ('<meta http-equiv="refresh" content="0; URL=new.html">', ["/dir/new.html"]),
        ("<meta http-equiv=Refresh content=\"5;url='new.html'\">", ["/dir/new.html"]),
        ('<meta http-equiv="refresh" content="30">', []),
        ('<a href="x" rel="nofollow">x</a>', []),
        ('<meta name="robots" content="noindex, nofollow"><a href="x">x</a>', []),
        ('<meta name="ROBOTS" content="NONE"><a href="x">x</a>', []),
        ('<meta name="robots" content="noindex"><a href="x">x</a>', ["/dir/x"]),
        ("<!-- <a href=x>x</a> --><script>'<a href=y>'</script><a href=z>", ["/dir/z"]),
        ('<a href="mailto:joe@a.test">joe</a><a href="javascript:go()">go</a><a href="#top">top</a>', []),
        ('<a href="">self</a><a href="page.html">self</a>', []),
        ("<a>no target</a><a href>empty</a>", []),
        ("<noscript><a href=x>x</a></noscript>", ["/dir/x"]),
        ("not html at all", []),
        ("", []),
    ],
)
def test_finds(html: str, expected: list[str]) -> None:
    assert targets(html) == expected


@pytest.mark.parametrize(
    ("html", "anchor", "context"),
    [
        (
            "<p>Read the <a href=x>full\n paper</a> (PDF, 12 pages)",
            "full paper",
            "Read the … (PDF, 12 pages)",
        ),
        ("<a href=x><img src=i alt='Publications'></a>", "Publications", ""),
        ("<a href=x title='My papers'></a>", "My papers", ""),
        ("<ul><li>Title of the paper<li><a href=x>ps</a></ul>", "ps", "Title of the paper"),
        ("<td>J. Doe: On Cats</td><td><a href=x>pdf</a></td>", "pdf", "J. Doe: On Cats"),
        ("<a href=x></a> then <a href=x>named</a>", "named", "then"),
    ],
)
def test_words_in_and_around(html: str, anchor: str, context: str) -> None:
    if html.startswith("<td>"):
        html = f"<table><tr>{html}</tr></table>"
    (link,) = find_links(html, PAGE)
    assert link == Link(Url("http://a.test/dir/x"), PAGE, anchor, context)


@pytest.mark.parametrize(
    ("body", "header", "text"),
    [
        ("café".encode(), "", "café"),
        ("café".encode("latin-1"), "", "café"),
        ("café".encode("latin-1"), "text/html; charset=ISO-8859-1", "café"),
        ("“café”".encode("cp1252"), "text/html; charset=latin1", "“café”"),
        ('<meta charset="koi8-r">мир'.encode("koi8-r"), "text/html", '<meta charset="koi8-r">мир'),
        ("\ufeffcafé".encode("utf-16-le"), "", "café"),
        ("café ".encode() + "é".encode()[:1], "", "café \ufffd"),
        (b"caf\xc3\xa9 \xff", "text/html; charset=utf-8", "café \ufffd"),
        (b"caf\xc3\xa9", "text/html; charset=no-such-thing", "café"),
    ],
)
def test_decode(body: bytes, header: str, text: str) -> None:
    assert decode(body, header) == text
    assert find_encoding(body, header)


@given(
    st.binary(max_size=300),
    st.sampled_from(["", "text/html; charset=utf-16", "text/html; charset=shift_jis"]),
)
def test_any_bytes_give_links_or_none(body: bytes, header: str) -> None:
    html = decode(b"<a href='" + body + b"'><base href='" + body, header)
    assert all(link.source == PAGE for link in find_links(html, PAGE))


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 10_000 + "<a href=x>",
        "<div>" * 500_000,
        "<div>" * 200_000 + "</div>" * 200_000,
        "".join(f"<b id={n}>" for n in range(20_000)) + "<p>" * 20_000,
        "".join(f"<font color={n}><p>" for n in range(50_000)),
        "<p>" + "".join(f"<font color={n}>" for n in range(20_000)) + "</p>" + "<p>x</p>" * 200_000,
        "<p>" + "".join(f"<font a='<' b={n}>" for n in range(20_000)) + "</p>" + "<p>x</p>" * 200_000,
        "<b " * 300_000,
        "<table><tr><td>" * 100_000,
        "<a href=x>" * 200_000,
        "<" * 1_000_000,
        "<a href='" * 200_000,
        "<!--" * 300_000,
        "&#x41" * 300_000,
        "<select><option>" * 100_000,
    ],
    ids=lambda html: html[:16],
)
def test_monstrous_pages_are_read_in_good_time(html: str) -> None:
    started = time.process_time()
    find_links("<a href=first>first</a>" + html, PAGE)
    assert time.process_time() - started < 3.0


@pytest.mark.parametrize(("n_open", "kept"), [(8, True), (900, False)])
def test_formatting_left_open_is_opened_anew_only_where_it_adds_little(n_open: int, kept: bool) -> None:
    html = "<p>" + "".join(f"<font color={n}>" for n in range(n_open)) + "</p>" + "<p>x</p>" * 3_000
    tree = parse(html)
    assert (tree.css_first("font") is not None) == kept
    assert len(tree.css("*")) < 110_000


def test_links_before_a_monstrous_part_are_kept() -> None:
    assert targets("<a href=first>first</a>" + "<div>" * 100_000 + "<a href=last>") == ["/dir/first"]


def test_a_page_with_more_links_than_anybody_reads_is_cut() -> None:
    assert len(targets("".join(f"<a href={n}>" for n in range(MAX_LINKS + 10)))) == MAX_LINKS
