"""Reduces a page to harmless text, links and inert elements, so that it can be shown inside the portal."""

from collections.abc import Mapping
from types import MappingProxyType

from selectolax.lexbor import LexborHTMLParser, LexborNode

from portico.crawl.links import MAX_TEXT, find_base_address, view_page
from portico.text.markup import parse
from portico.text.urls import resolve
from portico.types.outline import Element, Outline, OutlinePiece, PieceKind
from portico.types.page import PageView, Url

MAX_SHOWN = 400_000  # characters of a page; twice the largest of 11 company sites
MAX_PIECES = 40_000

# With more open elements than this, only text and links are shown: browsers themselves stop at 512, and no
# real layout is nested this deep.
MAX_SHOWN_NESTING = 60

# A page with fewer characters of text, no links and at least one script is rendered by the script.
LEAST_TEXT = 200

NOT_FOLLOWED = "its site asks crawlers not to follow this link"
RUNS = "not a page: it would run a program or hold data"
MAIL = "an email address"
HERE = "a place on this page"


def outline_page(html: str, url: Url) -> tuple[PageView, Outline]:
    """A page as a spider sees it, and as a person may be shown it."""
    seen = view_page(html, url)
    tree = parse(html)
    followed = frozenset(each.link.target for each in seen.sightings)
    writer = _Writer(url, find_base_address(tree.css("base[href]"), url), followed)
    if tree.body is not None:
        writer.write(tree.body)
    unseen = tuple(each for each in seen.sightings if each.link.target not in writer.shown)
    scripted = tree.css_first("script") is not None
    shown = Outline(
        url,
        tuple(writer.pieces),
        unseen,
        needs_script=scripted and not seen.sightings and len(_words(tree)) < LEAST_TEXT,
        cut=writer.is_full,
    )
    return seen, shown


def outline_text(text: str, url: Url) -> tuple[PageView, Outline]:
    """The same for a text without markup; it has no links."""
    as_printed = (
        OutlinePiece(PieceKind.OPEN, Element.PREFORMATTED),
        OutlinePiece(PieceKind.TEXT, text[:MAX_SHOWN]),
    )
    pieces = (*as_printed, OutlinePiece(PieceKind.CLOSE))
    return PageView(url, text=text[:MAX_TEXT]), Outline(url, pieces, cut=len(text) > MAX_SHOWN)


class _Writer:
    """Walks a tree without recursion (pages may be nested arbitrarily deep) and writes its pieces."""

    def __init__(self, url: Url, base: Url, followed: frozenset[Url]) -> None:
        self.pieces: list[OutlinePiece] = []
        self.shown: set[Url] = set()  # targets of links that were written
        self._url, self._base, self._followed = url, base, followed
        self._open: list[OutlinePiece] = []
        self._link_at = 0  # how many pieces there were when the open link was opened
        self._n_characters = 0

    @property
    def is_full(self) -> bool:
        return self._n_characters > MAX_SHOWN or len(self.pieces) > MAX_PIECES

    def write(self, body: LexborNode) -> None:
        """Write everything in this element, in order; what is opened is closed even if the page is cut."""
        waiting: list[LexborNode | int] = [*reversed(list(body.iter(include_text=True)))]
        while waiting and not self.is_full:
            node = waiting.pop()
            if isinstance(node, int):
                self._close(node)
                continue
            n_open = len(self._open)
            if self._enter(node):
                waiting.append(n_open)
                waiting += reversed(list(node.iter(include_text=True)))
        self._close(0)

    def _enter(self, node: LexborNode) -> bool:
        """Write a node; returns whether it has contents to continue with."""
        if node.is_text_node:
            self._text(node.text_content or "")
            return False
        tag = node.tag or ""
        if tag in _DROPPED:
            return False
        if tag == "img":
            self._write(PieceKind.PICTURE, " ".join((node.attributes.get("alt") or "").split()))
        elif tag in ("br", "hr"):
            self._write(PieceKind.BREAK)
        elif tag == "a":
            self._open_link(node)
        elif tag in _ELEMENTS:
            self._open_element(_ELEMENTS[tag])
        return True

    def _text(self, text: str) -> None:
        if not any(each.value == Element.PREFORMATTED for each in self._open):
            text = _squeezed(text)
        if not text.strip():
            if text and self.pieces and self.pieces[-1].kind is not PieceKind.OPEN:
                self._write(PieceKind.TEXT, text)
        elif self._in_list:
            self._push(PieceKind.OPEN, Element.ITEM)
            self._write(PieceKind.TEXT, text)
            self._close(len(self._open) - 1)
        else:
            self._write(PieceKind.TEXT, text)

    def _open_link(self, node: LexborNode) -> None:
        href = (node.attributes.get("href") or "").strip()
        if not href or any(each.kind in _LINKS for each in self._open):
            return
        if self._in_list:
            self._push(PieceKind.OPEN, Element.ITEM)
        target, why = self._target(href)
        if target is None:
            self._push(PieceKind.DEAD, why)
        else:
            self.shown.add(target)
            self._push(PieceKind.LINK, target)
        self._link_at = len(self.pieces)

    def _target(self, href: str) -> tuple[Url | None, str]:
        """The target of a link, or why it is not followed."""
        target = resolve(href, self._base)
        if target == self._url or href.startswith("#"):
            return None, HERE
        if target is None:
            return None, MAIL if href[:7].lower() == "mailto:" else RUNS
        if target not in self._followed:
            return None, NOT_FOLLOWED
        return target, ""

    def _open_element(self, element: Element) -> None:
        if len(self._open) >= MAX_SHOWN_NESTING:
            return
        if element is Element.ITEM and not self._in_list:
            element = Element.DIVISION
        elif element is not Element.ITEM and self._in_list:
            self._push(PieceKind.OPEN, Element.ITEM)
        self._push(PieceKind.OPEN, element)

    @property
    def _in_list(self) -> bool:
        """Whether only a list item is allowed here."""
        return bool(self._open) and self._open[-1].value in (Element.LIST, Element.NUMBERED)

    def _push(self, kind: PieceKind, value: str) -> None:
        self._open.append(OutlinePiece(kind, value))
        self.pieces.append(self._open[-1])

    def _close(self, n_open: int) -> None:
        while len(self._open) > n_open:
            last = self._open.pop()
            if last is self.pieces[-1] and last.kind is PieceKind.OPEN and last.value != Element.CELL:
                self.pieces.pop()  # nothing is in it: bullets of a slide show, a frame for a picture
                continue
            if last.kind is PieceKind.LINK and not self._says_something:
                self._write(PieceKind.PICTURE, last.value.rstrip("/").rpartition("/")[2])
            self._write(PieceKind.CLOSE)

    @property
    def _says_something(self) -> bool:
        """Whether the open link has words that a person can click."""
        return any(piece.value.strip() for piece in self.pieces[self._link_at :] if piece.kind in _SAID)

    def _write(self, kind: PieceKind, value: str = "") -> None:
        self.pieces.append(OutlinePiece(kind, value))
        self._n_characters += len(value)


def _words(tree: LexborHTMLParser) -> str:
    """The text of the page itself, without that of its scripts."""
    if tree.body is None:
        return ""
    for node in tree.body.css("script, style, noscript, template"):
        node.decompose()
    return _squeezed(tree.body.text(separator=" "))


def _squeezed(text: str) -> str:
    """White space as browsers show it."""
    words = " ".join(text.split())
    before = " " if text[:1].isspace() else ""
    after = " " if words and text[-1:].isspace() else ""
    return f"{before}{words}{after}"


_LINKS = (PieceKind.LINK, PieceKind.DEAD)
_SAID = (PieceKind.TEXT, PieceKind.PICTURE)

# Removed with their content: elements that run, load, style or ask for input.
_DROPPED = frozenset(
    {"script", "style", "template", "iframe", "frame", "frameset", "noframes", "object", "embed", "applet"}
    | {"svg", "math", "canvas", "audio", "video", "map", "select", "datalist", "textarea", "input"}
    | {"head", "title", "meta", "link", "base", "param", "source", "track", "progress", "meter", "dialog"}
)

# Of other elements, only the content is shown.
_ELEMENTS: Mapping[str, Element] = MappingProxyType(
    {
        "p": Element.PARAGRAPH,
        "ul": Element.LIST,
        "menu": Element.LIST,
        "dir": Element.LIST,
        "ol": Element.NUMBERED,
        "li": Element.ITEM,
        "table": Element.TABLE,
        "thead": Element.BODY,
        "tbody": Element.BODY,
        "tfoot": Element.BODY,
        "tr": Element.ROW,
        "td": Element.CELL,
        "th": Element.CELL,
        "blockquote": Element.QUOTE,
        "pre": Element.PREFORMATTED,
        "b": Element.STRONG,
        "strong": Element.STRONG,
        "i": Element.EMPHASIS,
        "em": Element.EMPHASIS,
        "cite": Element.EMPHASIS,
        "code": Element.CODE,
        "tt": Element.CODE,
        "kbd": Element.CODE,
        "small": Element.SMALL,
        "sup": Element.RAISED,
        "sub": Element.LOWERED,
    }
    | dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), Element.HEADING)
    | dict.fromkeys(
        ("div", "section", "article", "main", "header", "footer", "nav", "aside"), Element.DIVISION
    )
    | dict.fromkeys(
        ("dl", "dt", "dd", "address", "figure", "figcaption", "caption", "form"), Element.DIVISION
    )
    | dict.fromkeys(("fieldset", "center", "details", "summary", "hgroup"), Element.DIVISION)
)
