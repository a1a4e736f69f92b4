"""Pages fetched from the web or read from folders, and the links on them."""

from dataclasses import dataclass
from typing import NewType

Url = NewType("Url", str)
"""An absolute, canonical URL: http(s) for the web, file for a folder."""

BodyHash = NewType("BodyHash", str)
"""SHA-256 of a body, in hexadecimal: the name of the blob, and the id of the document converted from it."""


@dataclass(frozen=True, slots=True)
class Link:
    """A hyperlink and the words around it."""

    target: Url
    source: Url | None = None
    anchor: str = ""
    context: str = ""


@dataclass(frozen=True, slots=True)
class ListingContext:
    """The text around a link to a document: nested pieces, the shortest first."""

    page: Url
    target: Url
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageLink:
    """One link on one page."""

    link: Link
    heading: str = ""  # the last heading above it
    tags: str = ""  # the elements that contain it, innermost first


@dataclass(frozen=True, slots=True)
class PageView:
    """A page as the spider sees it: its text and its links."""

    url: Url
    title: str = ""
    headings: str = ""
    text: str = ""
    sightings: tuple[PageLink, ...] = ()
