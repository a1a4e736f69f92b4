"""Chooses the reader of a file without pages (HTML, DOCX, ODT, EPUB, LaTeX). Runs inside the sandbox."""

import io
import tarfile
from typing import Any

from portico.convert import sniffing
from portico.convert.flowing_text import Pair, read_article, set_elements
from portico.convert.latex import read_latex, read_latex_parts
from portico.convert.office_files import MOST_MEMBERS, Archive, read_epub
from portico.convert.page_styles import PageError
from portico.convert.word_files import read_docx, read_odt

_SOURCES = (".tex", ".ltx", ".latex", ".bbl")


def read_flowing(body: bytes, *, media_type: str, max_pages: int, max_bytes: int) -> dict[str, Any]:
    """Everything read from a text without pages, in the form `read_pdf` gives, and its media type."""
    if media_type == sniffing.HTML:
        return {"media_type": media_type, **read_article(body, media_type=media_type, max_pages=max_pages)}
    asides: list[Pair] = []
    if media_type == sniffing.TEX:
        parts = read_latex(body)
    elif media_type == sniffing.TAR:
        parts = read_latex_parts(_list_sources_of_tar(body, max_bytes=max_bytes))
    else:
        media_type, parts, asides = _read_archive(Archive(body, max_bytes=max_bytes))
    return {"media_type": media_type, **set_elements(parts, asides, max_pages=max_pages)}


def _read_archive(archive: Archive) -> tuple[str, list[str], list[Pair]]:
    names = set(archive.names)
    if "META-INF/container.xml" in names:
        return sniffing.EPUB, *read_epub(archive)
    if "word/document.xml" in names:
        return sniffing.DOCX, *read_docx(archive)
    if "content.xml" in names:
        return sniffing.ODT, *read_odt(archive)
    sources = _list_sources_of_zip(archive)
    if sources:
        return sniffing.TEX, read_latex_parts(sources), []
    raise PageError("is a ZIP archive without a text that can be read: DOCX, ODT, EPUB or LaTeX sources")


def _list_sources_of_tar(body: bytes, *, max_bytes: int) -> dict[str, bytes]:
    """The LaTeX files of a tar archive, as arXiv provides sources."""
    found: dict[str, bytes] = {}
    left = max_bytes
    try:
        with tarfile.open(fileobj=io.BytesIO(body), mode="r:") as archive:
            for number, member in enumerate(archive):
                if number >= MOST_MEMBERS:
                    raise PageError(f"holds more than {MOST_MEMBERS:,} files")
                stream = archive.extractfile(member) if member.isfile() and _is_source(member.name) else None
                if stream is not None:
                    found[member.name] = stream.read(left + 1)
                    left -= len(found[member.name])
                    if left < 0:
                        raise PageError(f"unpacks to more than the {max_bytes:,} bytes allowed")
    except (tarfile.TarError, EOFError, ValueError, OSError):
        raise PageError("is damaged: the archive cannot be opened; fetch or save it again") from None
    return found


def _list_sources_of_zip(archive: Archive) -> dict[str, bytes]:
    """The LaTeX files of a ZIP archive, as online editors provide them."""
    return {name: archive.read(name) or b"" for name in archive.names if _is_source(name)}


def _is_source(name: str) -> bool:
    return name.lower().endswith(_SOURCES)
