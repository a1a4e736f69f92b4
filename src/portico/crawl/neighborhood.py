"""The words and markup around the links of a page: what a spider can know of a link before following it."""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from portico.crawl.links import linked
from portico.text.markup import parse
from portico.types.page import PageView, Sighting, Url

__all__ = ["MAX_HEADING", "MAX_TEXT", "PageView", "Sighting", "view"]

MAX_HEADING = 120  # characters of one heading
MAX_TEXT = 100_000
"""Characters of a page that are read as its text; two pages of 25 real sites have more."""

_SPACE = re.compile(r"\s+")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_MARKED = f"{', '.join(_HEADINGS)}, a[href], area[href], frame[src], iframe[src], meta[http-equiv]"
_HARMLESS_TAGS = 60_000  # a page with more is a dump: its markup tells nothing and takes long to walk


def view(html: str, url: Url, *, with_text: bool = True, with_headings: bool = True) -> PageView:
    """A page with its links, in the order they stand, and what surrounds them; it is parsed once.

    Without `with_text` the text of the whole page is left out, which takes as long as all the rest; without
    `with_headings` title and headings are, a tenth of the rest.
    """
    tree = parse(html)
    found = linked(tree, url)
    if html.count("<") > _HARMLESS_TAGS:
        return PageView(url, sightings=tuple(Sighting(link) for link, _node in found))
    above, headings = _headings(tree) if with_headings else ({}, [])
    title = tree.css_first("title") if with_headings else None
    body = tree.body if with_text else None
    return PageView(
        url,
        title=_clean(title.text())[:MAX_HEADING] if title is not None else "",
        headings=" ".join(headings),
        text=_clean(body.text(separator=" "))[:MAX_TEXT] if body is not None else "",
        sightings=tuple(Sighting(link, above.get(node.mem_id, ""), _enclosing(node)) for link, node in found),
    )


def _headings(tree: LexborHTMLParser) -> tuple[dict[int, str], list[str]]:
    """The last heading above each element that may be a link, by the element; all headings."""
    heading = ""
    headings: list[str] = []
    above: dict[int, str] = {}
    for node in tree.css(_MARKED):
        if node.tag in _HEADINGS:
            heading = _clean(node.text())[:MAX_HEADING]
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


def _clean(text: str) -> str:
    return _SPACE.sub(" ", text).strip()
