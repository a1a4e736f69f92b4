"""Reads the metadata embedded in a PDF: the Info dictionary and XMP. Runs inside the sandbox."""

import re
from ctypes import create_string_buffer
from html import unescape
from typing import Any

import pypdfium2_raw as pdfium

# Keys that publishers use; other keys are specific to programs.
_INFO_KEYS = ("Title", "Author", "Subject", "Keywords", "CreationDate", "doi", "DOI", "WPS-ARTICLEDOI")
_XMP_KEYS = frozenset(
    {
        "doi", "identifier", "title", "publisher", "publicationname", "issn", "eissn", "isbn", "volume",
        "number",
        "startingpage", "endingpage", "pagerange", "coverdate", "coverdisplaydate", "publicationdate",
    }
)  # fmt: skip
# The packet of the file itself; pictures may have their own, from drawing programs.
_PACKET = re.compile(rb"<x:xmpmeta.{0,60000}?</x:xmpmeta>", re.DOTALL)
MOST_PACKETS = 8
_ELEMENT = re.compile(
    r"<(?P<name>(?:prism|dc|pdfx|crossmark|jav):\w+)[^>]*>(?P<value>.*?)</(?P=name)>", re.DOTALL
)
_MARKUP = re.compile(r"<[^>]*>")
# Markup in titles of the Info dictionary; a DOI in angle brackets is not markup.
_STYLES = re.compile(r"</?(?:i|b|u|em|sub|sup|span|p|br|it|bf)\b[^>]*>", re.IGNORECASE)
# Maximum characters of a value: some files contain whole abstracts.
LONGEST = 600


def read_embedded(document: Any, body: bytes) -> list[tuple[str, str]]:
    """Names, as "info:title" or "xmp:doi", and values, each pair once, in the order of the file."""
    found = [(f"info:{key.lower()}", _info(document, key)) for key in _INFO_KEYS]
    for packet in list(_PACKET.finditer(body))[:MOST_PACKETS]:
        text = packet[0].decode("utf-8", "replace")
        for element in _ELEMENT.finditer(text):
            name = element["name"].partition(":")[2].lower()
            if name in _XMP_KEYS:
                found.append((f"xmp:{name}", _plain(element["value"])))
    return list(dict.fromkeys(pair for pair in found if pair[1]))


def _info(document: Any, key: str) -> str:
    n_bytes = pdfium.FPDF_GetMetaText(document, key.encode(), None, 0)
    if not 2 < n_bytes <= 4 * LONGEST:
        return ""
    value = create_string_buffer(n_bytes)
    pdfium.FPDF_GetMetaText(document, key.encode(), value, n_bytes)
    text = unescape(unescape(value.raw[:-2].decode("utf-16-le", "replace")))
    return " ".join(_STYLES.sub("", text).split())[:LONGEST]


def _plain(value: str) -> str:
    # Titles are often escaped twice, markup and all.
    text = unescape(unescape(_MARKUP.sub(" ", value)))
    return " ".join(_STYLES.sub("", text).split())[:LONGEST]
