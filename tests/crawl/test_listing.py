"""The words around a link to a document, whatever a page divides its entries with."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.crawl.links import MAX_ENTRY, find_listings
from portico.types.page import Url

PAGE = Url("http://a.test/dir/pubs.html")

ENTRY = "A. Lind and B. Roe. Learning to crawl. In Proc. ICML, 1999."


def said(html: str, ending: str = "x.pdf") -> tuple[str, ...]:
    return next(one.texts for one in find_listings(html, PAGE) if one.target.endswith(ending))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        # One entry is one item, however it is marked up inside.
        (f'<ul><li>{ENTRY} <a href="x.pdf">pdf</a></ul>', (f"{ENTRY} pdf",)),
        (
            "<ul><li>A. Lind. <a href=x.ps>Learning</a>. <i>Proc.</i>, 1999<li>Other</ul>",
            ("A. Lind. Learning. Proc., 1999", "A. Lind. Learning. Proc., 1999 Other"),
        ),
        # A row of a table: first the cell, then the row.
        (
            '<table><tr><td>Old<td>1999<td><a href="x.pdf">PDF</a></td></tr><tr><td>Other</table>',
            ("PDF", "Old 1999 PDF", "Old 1999 PDF Other"),
        ),
        # A definition list: the link may stand in either half.
        (
            '<dl><dt><a href="x.pdf">Learning</a><dd>A. Lind, 1999<dt>Other<dd>2001</dl>',
            ("Learning", "Learning A. Lind, 1999", "Learning A. Lind, 1999 Other 2001"),
        ),
        # Nothing but line breaks: one parts lines, two part entries.
        (
            'Learning<br>A. Lind, 1999<br><a href="x.pdf">PDF</a><br><br>Other<br>2001',
            ("PDF", "Learning A. Lind, 1999 PDF", "Learning A. Lind, 1999 PDF Other 2001"),
        ),
        # The heading above a list is no part of its first entry.
        ('<h2>1999</h2><a href="x.pdf">Learning</a>, 1998', ("Learning, 1998",)),
        # Words nobody sees are no words.
        ('<p><script>var x</script><a href="x.pdf">Learning</a>, 1999', ("Learning, 1999",)),
    ],
)
def test_entry(html: str, expected: tuple[str, ...]) -> None:
    assert said(html, "x.ps" if "x.ps" in html else "x.pdf") == expected


def test_each_document_has_its_own_entry() -> None:
    html = "".join(f'<li>Paper {n}, 199{n} <a href="{n}.ps.gz">ps</a>' for n in range(5))
    found = {one.target: one.texts[0] for one in find_listings(f"<ul>{html}</ul>", PAGE)}
    assert found == {f"http://a.test/dir/{n}.ps.gz": f"Paper {n}, 199{n} ps" for n in range(5)}


@pytest.mark.parametrize(
    "html",
    ["", '<a href="other.html">Learning</a>, 1999', '<a href="mailto:pdf@a.test">write</a>', "pdf"],
)
def test_pages_without_documents_list_nothing(html: str) -> None:
    assert find_listings(html, PAGE) == ()


def test_addresses_are_read_as_the_crawl_reads_them() -> None:
    html = '<base href="http://b.test/up/"><p>Learning, 1999 <a href="../x.pdf#page=2">pdf</a>'
    (listing,) = find_listings(html, PAGE)
    assert (listing.target, listing.page) == ("http://b.test/x.pdf", PAGE)


def test_a_whole_page_is_no_entry() -> None:
    assert said(f'<p><a href="x.pdf">pdf</a></p>{"word " * MAX_ENTRY}') == ("pdf",)
    assert said(f'{"word " * MAX_ENTRY}<a href="x.pdf">pdf</a>') == ()


@given(st.text(st.sampled_from('<>/"=abr dlitph.1 \n')), st.integers(0, 3000))
def test_any_page_is_borne(junk: str, depth: int) -> None:
    html = f'{junk}{"<div>" * depth}<li>Learning <a href="x.pdf">pdf</a>{junk}'
    for listing in find_listings(html, PAGE):
        assert all(0 < len(text) <= MAX_ENTRY for text in listing.texts)
        assert [*listing.texts] == sorted(listing.texts, key=len)
