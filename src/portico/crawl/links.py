"""Find the links of an HTML page, and the words in and around them."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from portico.text.markup import parse
from portico.text.urls import canonical, resolve
from portico.types.page import Link, Url

# A page with more links than this is a dump, not something to browse. The largest of 26 real sites
# (webkb, 1997) has under 2,000.
MAX_LINKS = 10_000

MAX_ANCHOR = 300
MAX_CONTEXT = 120
"""Characters kept of an anchor, and of the words on either side of it."""


def find_links(html: str, url: Url) -> tuple[Link, ...]:
    """The links of a page in the order they stand, one for each target, nofollow left out."""
    return tuple(link for link, _node in linked(parse(html), url))


def linked(tree: LexborHTMLParser, url: Url) -> list[tuple[Link, LexborNode]]:
    """The same links of a parsed page, each with the element it stands in."""
    nodes = tree.css(_TELLING)
    if _says_nofollow(nodes):
        return []
    base = base_address(nodes, url)
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


def base_address(nodes: Iterable[LexborNode], url: Url) -> Url:
    """What relative addresses on a page are relative to: itself, unless a <base> among `nodes` says else."""
    node = next((node for node in nodes if node.tag == "base"), None)
    href = node.attributes["href"] if node is not None else None
    return (canonical(href, url) if href else None) or url


_Attributes = dict[str, str | None]
_Mention = tuple[LexborNode, str, _Attributes, str]
"""An element that leads somewhere, its name, its attributes, and where it leads as the page spells it."""

# Of the element beside a link so much is looked at: enough for the words kept, however they are spaced.
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
