"""Find the links of an HTML page, and the words in and around them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode
from w3lib.encoding import html_to_unicode

from portico.text.urls import canonical, resolve
from portico.types.page import Link, Url

# The parser's time grows with the square of nesting: 10,000 open elements take 0.25 s, 100,000
# take 27 s. Pages of people stay under 300; a page is cut off where it goes deeper than this.
MAX_NESTING = 2000

# A page with more links than this is a dump, not something to browse. The largest of 26 real sites
# (webkb, 1997) has under 2,000.
MAX_LINKS = 10_000

MAX_ANCHOR = 300
MAX_CONTEXT = 120
"""Characters kept of an anchor, and of the words on either side of it."""


def decode(body: bytes, content_type: str = "") -> str:
    """The text of an HTML body: by header, byte order mark, <meta>, or else a guess."""
    _, text = html_to_unicode(content_type or None, body, auto_detect_fun=_guess)
    return str(text)


def encoding_of(body: bytes, content_type: str = "") -> str:
    """The name of the encoding `decode` would use."""
    name, _ = html_to_unicode(content_type or None, body[:_ENCODING_BYTES], auto_detect_fun=_guess)
    return str(name)


def find_links(html: str, url: Url) -> tuple[Link, ...]:
    """The links of a page in the order they stand, one for each target, nofollow left out."""
    return tuple(link for link, _node in linked(parse(html), url))


def parse(html: str) -> LexborHTMLParser:
    """The page as a tree, as far as it can be parsed in good time and space."""
    return LexborHTMLParser(_tame(html))


def linked(tree: LexborHTMLParser, url: Url) -> list[tuple[Link, LexborNode]]:
    """The same links of a parsed page, each with the element it stands in."""
    nodes = tree.css(_TELLING)
    if _says_nofollow(nodes):
        return []
    base = _base(nodes, url)
    targets: dict[str, Url | None] = {}
    links: dict[Url, tuple[Link, LexborNode]] = {}
    for mention in islice(_mentions(nodes), MAX_LINKS):
        if mention.href not in targets:
            targets[mention.href] = resolve(mention.href, base)
        target = targets[mention.href]
        if target is None or target == url:
            continue
        known = links.get(target)
        if known is None or not known[0].anchor:
            links[target] = Link(target, url, mention.anchor, mention.context), mention.node
    return list(links.values())


@dataclass(frozen=True, slots=True)
class _Mention:
    node: LexborNode
    href: str
    anchor: str = ""
    context: str = ""


_ENCODING_BYTES = 4096
# Of the element beside a link so much is looked at: enough for the words kept, however they are spaced.
_FIRST, _LAST = slice(10 * MAX_CONTEXT), slice(-10 * MAX_CONTEXT, None)
_COUNTED_PIECE = 16 * 1024  # characters
_TELLING = "a[href], area[href], frame[src], iframe[src], base[href], meta"
_REFRESH = re.compile(r"^\s*[\d.]+\s*[;,\s]\s*(?:url\s*=\s*)?['\"]?([^'\"]+)", re.IGNORECASE)
_HARMLESS_TAGS = 1000
# An open <font> is opened anew in every paragraph that follows: 900 of them and 3,000 paragraphs
# become 2.7 million elements and 1.3 GB. A page where more than this many could be loses them all: they
# lead nowhere. Of the 828 large pages of 26 real sites one comes to 80,000, the next to 42,000; theirs
# stay, because such markup tells a list of papers from the links around it.
_MAX_REOPENED = 100_000
_FORMATTING = re.compile(
    r"</?(?:b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?:[\s/][^>]*)?(?:>|$)", re.IGNORECASE
)
# In lower case: without regard to case it takes twice as long.
_FORMATTING_TAG = re.compile(r"<(/?)(?:b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>])")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
# Elements without an end tag, or whose end tag is mostly left out: they do not nest.
_FLAT = frozenset(
    {
        "a",
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
    }
    | {"wbr", "p", "li", "dt", "dd", "tr", "td", "th", "option"}
)


def _guess(body: bytes) -> str:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        # Where a body was cut off, its last character may be cut in half.
        cut = error.start >= len(body) - 3 and not body[: error.start].isascii()
        return "utf-8" if cut else "cp1252"
    return "utf-8"


def _tame(html: str) -> str:
    """The page as far as it can be parsed in good time and space."""
    if html.count("<") <= _HARMLESS_TAGS:
        return html
    return _cut_nesting(html if _stays_small(html) else _FORMATTING.sub("", html))


def _stays_small(html: str) -> bool:
    """Whether few elements are added where formatting left open is opened anew, at worst by every tag."""
    _, *parts = _FORMATTING_TAG.split(html.lower())
    n_open, n_reopened = 0, 0
    for slash, until_next in zip(parts[::2], parts[1::2], strict=True):
        if not slash:
            n_open += 1
        elif n_open:
            n_open -= 1
        if n_open:
            n_reopened += n_open * until_next.count("<")
    return n_reopened <= _MAX_REOPENED


def _cut_nesting(html: str) -> str:
    """The page up to where it is nested too deeply to be parsed in good time."""
    if _is_surely_flat(html):
        return html
    depth = 0
    for tag in _TAG.finditer(html):
        if tag[2].lower() in _FLAT:
            continue
        depth = max(0, depth - 1) if tag[1] else depth + 1
        if depth > MAX_NESTING:
            return html[: tag.start()]
    return html


def _is_surely_flat(html: str) -> bool:
    """Whether counting brackets alone shows that a page is not nested too deeply."""
    depth = 0
    for start in range(0, len(html), _COUNTED_PIECE):
        n_tags = html.count("<", start, start + _COUNTED_PIECE)
        n_ends = html.count("</", start, start + _COUNTED_PIECE)
        if depth + n_tags - n_ends > MAX_NESTING:
            return False
        depth = max(0, depth + n_tags - 2 * n_ends)
    return True


def _says_nofollow(nodes: Iterable[LexborNode]) -> bool:
    for node in nodes:
        attributes = node.attributes if node.tag == "meta" else {}
        if (attributes.get("name") or "").strip().lower() in ("robots", "portico"):
            words = re.split(r"[\s,]+", (attributes.get("content") or "").lower())
            if "nofollow" in words or "none" in words:
                return True
    return False


def _base(nodes: Iterable[LexborNode], url: Url) -> Url:
    node = next((node for node in nodes if node.tag == "base"), None)
    href = node.attributes["href"] if node is not None else None
    return (canonical(href, url) if href else None) or url


def _mentions(nodes: Iterable[LexborNode]) -> Iterator[_Mention]:
    for node in nodes:
        mention = _mention(node)
        if mention is not None:
            yield mention


def _mention(node: LexborNode) -> _Mention | None:
    attributes = node.attributes
    tag = node.tag
    if tag == "base":
        return None
    if tag == "meta":
        return _refresh(node)
    if tag in ("frame", "iframe"):
        return _Mention(
            node, attributes["src"] or "", _clean(attributes.get("title") or attributes.get("name"))
        )
    if "nofollow" in (attributes.get("rel") or "").lower():
        return None
    href = attributes["href"] or ""
    if href.startswith(("#", "mailto:", "javascript:")):
        return None
    anchor = node.text() if tag == "a" else attributes.get("alt")
    anchor = _clean(anchor) or _clean(attributes.get("title")) or _picture_words(node)
    return _Mention(node, href, anchor[:MAX_ANCHOR], _context(node))


def _refresh(node: LexborNode) -> _Mention | None:
    attributes = node.attributes
    if (attributes.get("http-equiv") or "").strip().lower() != "refresh":
        return None
    found = _REFRESH.match(attributes.get("content") or "")
    return _Mention(node, found[1].strip()) if found else None


def _picture_words(node: LexborNode) -> str:
    picture = node.css_first("img[alt]")
    return _clean(picture.attributes["alt"]) if picture is not None else ""


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
