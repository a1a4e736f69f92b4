"""A page is shown as text and links: whatever it brings that runs, loads or sends is not there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.crawl.page_outline import HERE, MAIL, MAX_SHOWN_NESTING, NOT_FOLLOWED, RUNS, outline_page
from portico.types.outline import Element, Outline, PieceKind
from portico.types.page import Url

HOME = Url("http://a.test/d/index.html")


def shown(html: str) -> Outline:
    return outline_page(html, HOME)[1]


def spelled(html: str) -> str:
    """An outline as one line: elements in brackets, links with their targets, dead ones with the reason."""
    words, closing = [], []
    for piece in shown(html).pieces:
        match piece.kind:
            case PieceKind.OPEN:
                words.append(f"<{piece.value}>")
                closing.append(f"</{piece.value}>")
            case PieceKind.LINK | PieceKind.DEAD:
                words.append(f"{{{piece.value}|")
                closing.append("}")
            case PieceKind.CLOSE:
                words.append(closing.pop())
            case PieceKind.BREAK:
                words.append("/")
            case _:
                words.append(piece.value)
    assert not closing
    return "".join(words)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h1 onclick=x style='y'>Hi</h1>", "<h3>Hi</h3>"),
        ("<p>a<script>b</script><style>c</style><svg><text>d</text></svg>e", "<p>ae</p>"),
        ("<p>a<br>b<img src=x alt=' the  dean '>", "<p>a/bthe dean</p>"),
        ("a <object data=x>b</object><embed src=x><video src=x></video>c", "a c"),
        ("<form action=http://b.test><input value=a><button>Go</button></form>", "<div>Go</div>"),
        ("<ul><b>x</b> y<li>z</ul>", "<ul><li><strong>x</strong></li><li> y</li><li>z</li></ul>"),
        ("<li>loose", "<div>loose</div>"),
        ("<ul><li> <b></b></li><li><i>a</i></li></ul><p></p>", "<ul><li><em>a</em></li></ul>"),
        ("<pre> a\n  b</pre>", "<pre> a\n  b</pre>"),
        ("<marquee>a <blink>b</blink></marquee>", "a b"),
        ("<table><tr><th>a<td>b</table>", "<table><tbody><tr><td>a</td><td>b</td></tr></tbody></table>"),
        ("<noscript>Please <b>wait</b></noscript>", "Please <strong>wait</strong>"),
        ("a &lt;script&gt;b", "a <script>b"),
    ],
)
def test_elements_that_can_do_nothing_stay(html: str, expected: str) -> None:
    assert spelled(f"<body>{html}") == expected


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("<a href=b.html target=_top ping=x>b</a>", "{http://a.test/d/b.html|b}"),
        ("<a href='http://b.test'>b</a>", "{http://b.test/|b}"),
        ("<a href=b.html><img src=x></a>", "{http://a.test/d/b.html|b.html}"),
        (
            "<a href=b.html>first</a><a href=b.html>again</a>",
            "{http://a.test/d/b.html|first}{http://a.test/d/b.html|again}",
        ),
        (
            "<a href=b.html>out <a href=c.html>in</a></a>",
            "{http://a.test/d/b.html|out }{http://a.test/d/c.html|in}",
        ),
        ("<a href='javascript:alert(1)'>b</a>", f"{{{RUNS}|b}}"),
        ("<a href=' JaVaScRiPt:alert(1)'>b</a>", f"{{{RUNS}|b}}"),
        ("<a href='data:text/html,<script>'>b</a>", f"{{{RUNS}|b}}"),
        ("<a href='vbscript:x'>b</a>", f"{{{RUNS}|b}}"),
        ("<a href='file:///etc/passwd'>b</a>", f"{{{RUNS}|b}}"),
        ("<a href='mailto:a@b.test'>b</a>", f"{{{MAIL}|b}}"),
        ("<a href='#top'>b</a>", f"{{{HERE}|b}}"),
        ("<a href=b.html rel=nofollow>b</a>", f"{{{NOT_FOLLOWED}|b}}"),
        ("<a name=x>b</a>", "b"),
    ],
)
def test_links_lead_to_pages_or_nowhere(link: str, expected: str) -> None:
    assert spelled(f"<body>{link}") == expected


def test_a_base_moves_links_and_nothing_else() -> None:
    assert spelled("<base href='http://b.test/x/'><a href=c>c</a>") == "{http://b.test/x/c|c}"


def test_links_nobody_sees_are_told_apart() -> None:
    html = "<meta http-equiv=refresh content='0;url=on.html'><body><iframe src=in.html title=In></iframe>"
    html += "<img usemap='#m'><map name=m><area href=map.html alt=Map></map>"
    targets = [each.link.target.rpartition("/")[2] for each in shown(html).unseen]
    assert targets == ["on.html", "in.html", "map.html"]


@pytest.mark.parametrize(
    ("html", "needs"),
    [
        ("<div id=root></div><script src=app.js></script>", True),
        ("<noscript>You need JavaScript</noscript><script>go()</script>", True),
        ("<p>Nothing here.</p>", False),
        ("<a href=b.html>b</a><script>go()</script>", False),
        (f"<p>{'word ' * 100}</p><script>go()</script>", False),
    ],
)
def test_pages_made_by_programs_are_known(html: str, needs: bool) -> None:
    assert shown(f"<body>{html}").needs_script is needs


def test_no_page_is_too_deep_or_too_long() -> None:
    assert shown("<body>" + "<div>" * 100_000 + "deep").pieces == ()
    deep = shown("<body>" + "<div>" * 1_500 + "<a href=b.html>b</a>")
    n_open = sum(piece.kind is PieceKind.OPEN for piece in deep.pieces)
    assert n_open == MAX_SHOWN_NESTING
    long = shown("<body>" + "<p>word word word" * 60_000)
    assert long.cut
    assert spelled("<body>" + "<p>word word word" * 60_000).endswith("</p>")


@given(st.text(alphabet="<>/ abilpru\"'=&;!-:#", max_size=200))
def test_every_page_has_an_outline_that_closes_what_it_opens(html: str) -> None:
    spelled(html)
    elements = {piece.value for piece in shown(html).pieces if piece.kind is PieceKind.OPEN}
    assert elements <= set(Element)
