"""Opens document archives with strict limits, and converts EPUB to HTML elements. Runs inside the sandbox."""

import io
import lzma
import posixpath
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import TypeAlias
from urllib.parse import unquote

from lxml import etree

from portico.convert.page_styles import PageError
from portico.text.markup import decode

Element: TypeAlias = etree._Element
Pair = tuple[str, str]

DAMAGED = "is damaged: the archive cannot be opened; save it again"
# Maximum number of files in an archive: a book of 500 chapters with pictures has about 3,000.
MOST_MEMBERS = 20_000
_CHUNK = 1 << 16
# Exceptions of the archive's reader if numbers in it cannot be true.
_BROKEN = (EOFError, OSError, NotImplementedError, RuntimeError, ValueError, OverflowError, struct.error)
_ENCRYPTED = 0x1  # of the flags of a member


class Archive:
    """A ZIP file whose members are read up to one limit for all of them together."""

    def __init__(self, body: bytes, *, max_bytes: int) -> None:
        try:
            self._file = zipfile.ZipFile(io.BytesIO(body))
        except (zipfile.BadZipFile, *_BROKEN):
            raise PageError(DAMAGED) from None
        self._members = {info.filename: info for info in self._file.infolist()}
        if len(self._file.infolist()) > MOST_MEMBERS:
            raise PageError(f"holds more than {MOST_MEMBERS:,} files; it may be built to exhaust its readers")
        self._max_bytes, self._left = max_bytes, max_bytes

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._members)

    def read(self, name: str) -> bytes | None:
        """A member, None if there is none; PageError if it is broken, encrypted or too large."""
        info = self._members.get(name)
        if info is None:
            return None
        if info.flag_bits & _ENCRYPTED:
            raise PageError("is encrypted with a password; remove the password and add it again")
        content = bytearray()
        try:
            with self._file.open(info) as stream:
                while chunk := stream.read(_CHUNK):
                    content += chunk
                    if len(content) > self._left:
                        raise PageError(f"unpacks to more than the {self._max_bytes:,} bytes allowed")
        except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, *_BROKEN):
            raise PageError(DAMAGED) from None
        self._left -= len(content)
        return bytes(content)

    def read_xml(self, name: str) -> Element | None:
        """A member as a tree; entities are not expanded and nothing outside of it is opened."""
        content = self.read(name)
        if content is None:
            return None
        return parse_xml(content, name)


def parse_xml(content: bytes, name: str) -> Element:
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True,
        remove_pis=True,
    )  # fmt: skip
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as fault:
        raise PageError(f"is damaged: {name} in it is not well-formed XML ({fault}); save it again") from None
    dtd = root.getroottree().docinfo.internalDTD
    if dtd is not None and next(dtd.iterentities(), None) is not None:
        raise PageError(f"declares entities in {name}, which no writing program does; it may be an attack")
    return root


@dataclass(frozen=True, slots=True)
class Looks:
    """How a style formats its text; None if it inherits that from the style it is based on."""

    name: str = ""
    parent: str = ""
    size: float | None = None  # points
    bold: bool | None = None
    italic: bool | None = None
    raised: bool = False


Styles = dict[str, Looks]
_MOST_ANCESTORS = 20  # of a style; a longer chain is a cycle


def find_looks(styles: Styles, name: str) -> Looks:
    """A style with what it inherits."""
    found, looks = Looks(), styles.get(name)
    for _ in range(_MOST_ANCESTORS):
        if looks is None:
            break
        found = Looks(
            found.name or looks.name,
            looks.parent,
            found.size if found.size is not None else looks.size,
            found.bold if found.bold is not None else looks.bold,
            found.italic if found.italic is not None else looks.italic,
            found.raised or looks.raised,
        )
        looks = styles.get(looks.parent)
    return found


def write_run(text: str, looks: Looks) -> str:
    """A piece of text as HTML elements; line ends are kept."""
    marked = escape(text).replace("\n", "<br>")
    for wanted, tag in ((looks.bold, "b"), (looks.italic, "i"), (looks.raised, "sup")):
        marked = f"<{tag}>{marked}</{tag}>" if wanted and text.strip() else marked
    return marked


_HEADING = re.compile(
    r"(?:heading|ü?berschrift|titre|t[íi]tulo|titolo|kop|rubrik|nag(?:łó)?wek)[ _]*(\d)", re.IGNORECASE
)
_TITLE = re.compile(
    r"(?:(?:paper|article|document|mdpi_\S*)[ _]*)?title$|(?:titel|titre|t[íi]tulo|titolo|tytuł?)$",
    re.IGNORECASE,
)


def write_paragraph(inside: str, looks: Looks, *, level: int = 0) -> str:
    """A paragraph, or a heading if its style is named as one, in the size of its style."""
    if not re.sub(r"<[^>]*>", "", inside).strip():
        return ""
    heading = _HEADING.match(looks.name)
    level = level or (int(heading[1]) if heading else 0)
    tag = "h1" if _TITLE.match(looks.name) else f"h{min(level + 1, 6)}" if level else "p"
    css = [f"font-size:{looks.size:g}pt"] if looks.size else []
    css += ["font-weight:bold"] if looks.bold else []
    css += ["font-style:italic"] if looks.italic else []
    styled = f' style="{";".join(css)}"' if css else ""
    return f"<{tag}{styled}>{inside}</{tag}>\n"


_DC = "{http://purl.org/dc/elements/1.1/}"


def read_core(root: Element | None) -> list[Pair]:
    """The metadata that a word processor stores in a file, under the names used for PDF files."""
    if root is None:
        return []
    wanted = {f"{_DC}title": "info:title", f"{_DC}subject": "info:subject"}
    found = [(wanted[element.tag], " ".join("".join(element.itertext()).split()))
             for element in root.iter(*wanted)]  # fmt: skip
    return [pair for pair in found if pair[1]]


# EPUB: web pages in the order of a list.


def read_epub(archive: Archive) -> tuple[list[str], list[Pair]]:
    """The pages of a book in order, and its metadata."""
    container = archive.read_xml("META-INF/container.xml")
    package = next((str(each.get("full-path") or "") for each in _find(container, "rootfile")), "")
    root = archive.read_xml(package) if package else None
    if root is None:
        raise PageError("is no EPUB that can be read: its list of contents is missing; save it again")
    folder = posixpath.dirname(package)
    items = {each.get("id"): each for each in _find(root, "item")}
    places = []
    for reference in _find(root, "itemref"):
        item = items.get(reference.get("idref"))
        is_contents = item is not None and "nav" in (item.get("properties") or "").split()
        if item is not None and not is_contents:
            href = unquote((item.get("href") or "").partition("#")[0])
            places.append(posixpath.normpath(posixpath.join(folder, href)))
    locked = _list_locked(archive)
    if locked.intersection(places):
        raise PageError("is protected against copying (DRM): its pages are encrypted")
    pages = [decode(page, "text/html") for place in places if (page := archive.read(place))]
    if not pages:
        raise PageError("is an EPUB without pages; it is damaged: save it again")
    return pages, _describe_book(root)


def _describe_book(root: Element) -> list[Pair]:
    # Not its date: programs write there when the file was made.
    names = {"title": "xmp:title", "publisher": "xmp:publisher"}
    found = [(names[name], " ".join("".join(each.itertext()).split()))
             for name in names for each in root.iter(f"{_DC}{name}")]  # fmt: skip
    for each in root.iter(f"{_DC}identifier"):
        value = re.sub(r"^(?:urn:)?(doi|isbn):", "", (each.text or "").strip(), flags=re.IGNORECASE)
        if value.startswith("10."):
            found.append(("xmp:doi", value))
    return found


def _list_locked(archive: Archive) -> set[str]:
    root = archive.read_xml("META-INF/encryption.xml")
    return {unquote(each.get("URI") or "") for each in _find(root, "CipherReference")}


def _find(root: Element | None, local_name: str) -> Iterator[Element]:
    """Elements by name, whatever their namespace: EPUB programs mix them up."""
    return iter(()) if root is None else root.iter(f"{{*}}{local_name}")
