"""What a page says around its links to documents: the entry of a list of publications, a row of a table."""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from portico.crawl.links import base_address
from portico.text.markup import parse
from portico.text.urls import resolve
from portico.types.page import Listing, Url

MAX_ENTRY = 800
"""Characters: an entry with twenty authors and a sentence of remarks has about 600, a whole list has more."""

# How far an edge separates what stands on its two sides. An entry may consist of whatever is separated less.
_LINE, _PARAGRAPH, _BOX, _ITEM, _LIST = range(1, 6)
_EDGES = (
    dict.fromkeys(("br",), _LINE)
    | dict.fromkeys(("p", "td", "th", "dd", "blockquote", "pre", "center"), _PARAGRAPH)
    | dict.fromkeys(("div", "section", "article"), _BOX)
    | dict.fromkeys(("li", "dt", "tr"), _ITEM)
    | dict.fromkeys(("ul", "ol", "dl", "table", "tbody", "hr", "body"), _LIST)
    | dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), _LIST)
)
# An address with one of these words in it may lead to a document. What else leads to one is not looked at.
_DOCUMENT = re.compile(r"\b(?:pdf|ps|dvi|postscript)\b", re.IGNORECASE)
_UNSEEN = frozenset({"script", "style", "noscript", "head", "template"})


def find_listings(html: str, url: Url) -> tuple[Listing, ...]:
    """For each document that the page links to, the words around the first link, the fewest first.

    Which of them is the entry cannot be told without knowing what it should be about: the line with the link
    may say only "PDF", and the next larger piece may be the whole entry or two of them.
    """
    if not _DOCUMENT.search(html):
        return ()  # so most pages need not be parsed again
    pieces, places = _flattened(parse(html), url)
    return tuple(Listing(url, target, _around(pieces, place)) for target, place in places.items())


def _flattened(tree: LexborHTMLParser, url: Url) -> tuple[list[str | int], dict[Url, int]]:
    """The page as texts and edges in the order they stand, and where the links to documents are."""
    base = base_address(tree.css("base[href]"), url)
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
    """Two line breaks with nothing between them divide as a paragraph does."""
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
