"""Finds the links of an HTML page, and the words in and around them."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from portico.text.markup import parse
from portico.text.urls import canonical, resolve
from portico.types.page import Link, ListingContext, PageLink, PageView, Url

MAX_HEADING = 120  # characters of one heading
MAX_TEXT = 100_000
"""Maximum characters read of the text of a page; two pages of 25 real sites have more."""

_SPACE = re.compile(r"\s+")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_MARKED = f"{', '.join(_HEADINGS)}, a[href], area[href], frame[src], iframe[src], meta[http-equiv]"
_HARMLESS_TAGS = 60_000  # tags; a page with more is a dump: its markup is useless and takes long to process


def view_page(html: str, url: Url, *, with_text: bool = True, with_headings: bool = True) -> PageView:
    """A page with its links, in order, and their surroundings; it is parsed once.

    Without `with_text` the text of the whole page is left out, which takes as long as everything else;
    without `with_headings`, title and headings are left out, a tenth of the rest.
    """
    tree = parse(html)
    found = find_link_elements(tree, url)
    if html.count("<") > _HARMLESS_TAGS:
        return PageView(url, sightings=tuple(PageLink(link) for link, _node in found))
    above, headings = _headings(tree) if with_headings else ({}, [])
    title = tree.css_first("title") if with_headings else None
    body = tree.body if with_text else None
    return PageView(
        url,
        title=_collapse_space(title.text())[:MAX_HEADING] if title is not None else "",
        headings=" ".join(headings),
        text=_collapse_space(body.text(separator=" "))[:MAX_TEXT] if body is not None else "",
        sightings=tuple(PageLink(link, above.get(node.mem_id, ""), _enclosing(node)) for link, node in found),
    )


def _headings(tree: LexborHTMLParser) -> tuple[dict[int, str], list[str]]:
    """The last heading above each element that may be a link, by the element; all headings."""
    heading = ""
    headings: list[str] = []
    above: dict[int, str] = {}
    for node in tree.css(_MARKED):
        if node.tag in _HEADINGS:
            heading = _collapse_space(node.text())[:MAX_HEADING]
            headings.append(heading)
        else:
            above[node.mem_id] = heading
    return above, headings


def _enclosing(node: LexborNode) -> str:
    names = [node.tag or ""]
    parent = node.parent
    while parent is not None and len(names) < 4 and parent.tag not in ("body", "html"):
        names.append(parent.tag or "")
        parent = parent.parent
    return " ".join(names)


def _collapse_space(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


MAX_ENTRY = 800
"""Maximum characters of a list entry: one with twenty authors and a comment has about 600, a whole list has
more."""

# How strongly an edge separates the text on its two sides. An entry may contain anything separated less.
_LINE, _PARAGRAPH, _BOX, _ITEM, _LIST = range(1, 6)
_EDGES = (
    dict.fromkeys(("br",), _LINE)
    | dict.fromkeys(("p", "td", "th", "dd", "blockquote", "pre", "center"), _PARAGRAPH)
    | dict.fromkeys(("div", "section", "article"), _BOX)
    | dict.fromkeys(("li", "dt", "tr"), _ITEM)
    | dict.fromkeys(("ul", "ol", "dl", "table", "tbody", "hr", "body"), _LIST)
    | dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), _LIST)
)
# A URL with one of these words may lead to a document. Other links to documents are not examined.
_DOCUMENT = re.compile(r"\b(?:pdf|ps|dvi|postscript)\b", re.IGNORECASE)
_UNSEEN = frozenset({"script", "style", "noscript", "head", "template"})


def find_listings(html: str, url: Url) -> tuple[ListingContext, ...]:
    """For each document that the page links to, the words around the first link, in growing contexts.

    Which context is the right entry cannot be decided without knowing the document: the line with the link
    may say only "PDF", and the next larger context may be the whole entry or two of them.
    """
    if not _DOCUMENT.search(html):
        return ()  # so most pages need not be parsed again
    pieces, places = _flattened(parse(html), url)
    return tuple(ListingContext(url, target, _around(pieces, place)) for target, place in places.items())


def _flattened(tree: LexborHTMLParser, url: Url) -> tuple[list[str | int], dict[Url, int]]:
    """The page as texts and edges in order, and the positions of links to documents."""
    base = find_base_address(tree.css("base[href]"), url)
    pieces: list[str | int] = [_LIST]
    places: dict[Url, int] = {}
    for node in _walked(tree):
        if isinstance(node, int):
            pieces.append(_joined(pieces, node))
        elif node.tag == "-text":
            pieces.append(node.text())
        elif (target := _target(node, base)) is not None and target not in places:
            places[target] = len(pieces)
            pieces.append("")
    return [*pieces, _LIST], places


def _target(node: LexborNode, base: Url) -> Url | None:
    href = node.attributes.get("href") or ""
    return resolve(href, base) if _DOCUMENT.search(href) else None


def _walked(tree: LexborHTMLParser) -> Iterator[LexborNode | int]:
    """Every text and link, and the edges between them; without recursion, however deep the page is."""
    waiting: list[LexborNode | int] = [tree.root] if tree.root is not None else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, int) or node.tag == "-text":
            yield node
            continue
        if node.tag in _UNSEEN:
            continue
        edge = _EDGES.get(node.tag or "")
        if edge is not None:
            yield edge
            if edge != _LINE:  # a line break has no inside to leave
                # A term and what follows it are one entry: only where a term begins does another begin.
                waiting.append(_PARAGRAPH if node.tag == "dt" else edge)
        elif node.tag == "a":
            yield node
        waiting += reversed([*node.iter(include_text=True)])


def _joined(pieces: list[str | int], edge: int) -> int:
    """Adjacent texts and edges merged: two line breaks with nothing between them separate like a
    paragraph.
    """
    if edge != _LINE:
        return edge
    last = next(piece for piece in reversed(pieces) if not isinstance(piece, str) or piece.strip())
    return _LINE if isinstance(last, str) else _PARAGRAPH


def _around(pieces: list[str | int], place: int) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for edge in (_LINE, _PARAGRAPH, _BOX, _ITEM, _LIST):
        first = next(at for at in range(place, -1, -1) if _divides(pieces[at], edge))
        last = next(at for at in range(place, len(pieces)) if _divides(pieces[at], edge))
        text = " ".join(_text(pieces[first:last]).split())
        if len(text) > MAX_ENTRY:
            break
        if text:
            found[text] = None
    return tuple(found)


def _divides(piece: str | int, edge: int) -> bool:
    return isinstance(piece, int) and piece >= edge


def _text(pieces: list[str | int]) -> str:
    return "".join(piece if isinstance(piece, str) else " " for piece in pieces)


# Pages with more links than this are dumps, not meant for browsing. The largest of 26 real sites (webkb,
# 1997) has under 2,000.
MAX_LINKS = 10_000

MAX_ANCHOR = 300
MAX_CONTEXT = 120
"""Maximum characters kept of a link's text, and of the words on each side of it."""


def find_links(html: str, url: Url) -> tuple[Link, ...]:
    """The links of a page in order, one per target, nofollow left out."""
    return tuple(link for link, _node in find_link_elements(parse(html), url))


def find_link_elements(tree: LexborHTMLParser, url: Url) -> list[tuple[Link, LexborNode]]:
    """The same links of a parsed page, each with its element."""
    nodes = tree.css(_TELLING)
    if _says_nofollow(nodes):
        return []
    base = find_base_address(nodes, url)
    targets: dict[str, Url | None] = {}
    links: dict[Url, tuple[Link, LexborNode]] = {}
    for mention in islice(_mentions(nodes), MAX_LINKS):
        node, tag, attributes, href = mention
        if href not in targets:
            targets[href] = resolve(href, base)
        target = targets[href]
        if target is None or target == url:
            continue
        known = links.get(target)
        if known is None or not known[0].anchor:
            anchor, context = _words_of(node, tag, attributes)
            links[target] = Link(target, url, anchor, context), node
    return list(links.values())


def find_base_address(nodes: Iterable[LexborNode], url: Url) -> Url:
    """The base URL of a page: its own, unless a <base> among `nodes` declares another."""
    node = next((node for node in nodes if node.tag == "base"), None)
    href = node.attributes["href"] if node is not None else None
    return (canonical(href, url) if href else None) or url


_Attributes = dict[str, str | None]
_Mention = tuple[LexborNode, str, _Attributes, str]
"""An element with a link: the node, its tag name, its attributes, and the URL as written in the page."""

# Characters examined of the element next to a link: enough for the words kept, however they are spaced.
_FIRST, _LAST = slice(10 * MAX_CONTEXT), slice(-10 * MAX_CONTEXT, None)
_TELLING = "a[href], area[href], frame[src], iframe[src], base[href], meta"
_FRAMES = ("frame", "iframe")
_REFRESH = re.compile(r"^\s*[\d.]+\s*[;,\s]\s*(?:url\s*=\s*)?['\"]?([^'\"]+)", re.IGNORECASE)


def _says_nofollow(nodes: Iterable[LexborNode]) -> bool:
    for node in nodes:
        attributes = node.attributes if node.tag == "meta" else {}
        if (attributes.get("name") or "").strip().lower() in ("robots", "portico"):
            words = re.split(r"[\s,]+", (attributes.get("content") or "").lower())
            if "nofollow" in words or "none" in words:
                return True
    return False


def _mentions(nodes: Iterable[LexborNode]) -> Iterator[_Mention]:
    for node in nodes:
        tag, attributes = node.tag or "", node.attributes
        href = _leads_to(tag, attributes)
        if href is not None:
            yield node, tag, attributes, href


def _leads_to(tag: str, attributes: _Attributes) -> str | None:
    if tag in ("a", "area"):
        if "nofollow" in (attributes.get("rel") or "").lower():
            return None
        href = attributes["href"] or ""
        return None if href.startswith(("#", "mailto:", "javascript:")) else href
    if tag in _FRAMES:
        return attributes["src"] or ""
    return _refresh(attributes) if tag == "meta" else None


def _refresh(attributes: _Attributes) -> str | None:
    if (attributes.get("http-equiv") or "").strip().lower() != "refresh":
        return None
    found = _REFRESH.match(attributes.get("content") or "")
    return found[1].strip() if found else None


def _words_of(node: LexborNode, tag: str, attributes: _Attributes) -> tuple[str, str]:
    """The words of a link, and those around it."""
    if tag == "meta":
        return "", ""
    if tag in _FRAMES:
        return _clean(attributes.get("title") or attributes.get("name")), ""
    anchor = _clean(node.text() if tag == "a" else attributes.get("alt"))
    anchor = anchor or _clean(attributes.get("title")) or _picture_words(node)
    return anchor[:MAX_ANCHOR], _context(node)


def _picture_words(node: LexborNode) -> str:
    # Step by step: a link holds a few elements, and a selector takes longer to read than those.
    pictures = (each.attributes for each in node.traverse() if each.tag == "img")
    return next((_clean(found["alt"]) for found in pictures if "alt" in found), "")


def _context(node: LexborNode) -> str:
    """The words just before and after a link, or before and after the element it stands alone in."""
    before, after = _words(node.prev, _LAST), _words(node.next, _FIRST)
    if not before and not after:
        parent = node.parent
        if parent is not None and parent.tag != "body":
            before, after = _words(parent.prev, _LAST), _words(parent.next, _FIRST)
    return f"{before[-MAX_CONTEXT:]} … {after[:MAX_CONTEXT]}".strip(" …")


def _words(node: LexborNode | None, part: slice) -> str:
    if node is None or node.tag in ("script", "style"):
        return ""
    return _clean(node.text()[part])


def _clean(text: str | None) -> str:
    return " ".join(text.split()) if text else ""
