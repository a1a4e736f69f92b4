"""The words and markup around the links of a page: what a spider can know of a link before following it."""

import re
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from portico.crawl.links import find_links
from portico.text.urls import canonical
from portico.types.page import Link, Url

MAX_HEADING = 120  # characters of one heading
MAX_TEXT = 100_000
"""Characters of a page that are read as its text; two pages of 25 real sites have more."""

_SPACE = re.compile(r"\s+")
_ANCHORS = "a[href], area[href], frame[src], iframe[src]"
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_MARKED = f"{', '.join(_HEADINGS)}, {_ANCHORS}"
_HARMLESS_TAGS = 60_000  # a page with more is a dump: its markup tells nothing and takes long to walk


@dataclass(frozen=True, slots=True)
class Sighting:
    """One link as it stands on one page."""

    link: Link
    heading: str = ""  # the last one above it
    tags: str = ""  # the elements it stands in, innermost first


@dataclass(frozen=True, slots=True)
class PageView:
    """What a page says of itself and of its links."""

    url: Url
    title: str = ""
    headings: str = ""
    text: str = ""
    sightings: tuple[Sighting, ...] = ()


def view(html: str, url: Url) -> PageView:
    """A page with its links, in the order they stand, and what surrounds them."""
    links = find_links(html, url)
    if html.count("<") > _HARMLESS_TAGS:
        return PageView(url, sightings=tuple(Sighting(link) for link in links))
    parser = LexborHTMLParser(html)
    places, headings = _places(parser, url)
    title = parser.css_first("title")
    body = parser.body
    return PageView(
        url,
        title=_clean(title.text())[:MAX_HEADING] if title is not None else "",
        headings=" ".join(headings),
        text=_clean(body.text(separator=" "))[:MAX_TEXT] if body is not None else "",
        sightings=tuple(Sighting(link, *places.get(link.target, ("", ""))) for link in links),
    )


def _places(parser: LexborHTMLParser, url: Url) -> tuple[dict[Url, tuple[str, str]], list[str]]:
    """Last heading and enclosing elements of each target where it first stands; all headings."""
    base_node = parser.css_first("base[href]")
    href = base_node.attributes["href"] if base_node is not None else None
    base = (canonical(href, url) if href else None) or url
    heading = ""
    headings: list[str] = []
    targets: dict[str, Url | None] = {}
    places: dict[Url, tuple[str, str]] = {}
    for node in parser.css(_MARKED):
        if node.tag in _HEADINGS:
            heading = _clean(node.text())[:MAX_HEADING]
            headings.append(heading)
            continue
        written = node.attributes.get("href") or node.attributes.get("src") or ""
        if written not in targets:
            targets[written] = canonical(written, base)
        target = targets[written]
        if target is not None and target not in places:
            places[target] = (heading, _enclosing(node))
    return places, headings


def _enclosing(node: LexborNode) -> str:
    names = [node.tag or ""]
    parent = node.parent
    while parent is not None and len(names) < 4 and parent.tag not in ("body", "html"):
        names.append(parent.tag or "")
        parent = parent.parent
    return " ".join(names)


def _clean(text: str) -> str:
    return _SPACE.sub(" ", text).strip()
