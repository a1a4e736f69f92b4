"""Detects the format of a catalog and iterates over its records."""

import gzip
import json
import lzma
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO, cast

from portico.errors import ConfigError, InputError
from portico.pipeline.catalogs.items import CatalogItem
from portico.pipeline.catalogs.json_records import adapt_object, list_objects


class CatalogFormat(StrEnum):
    """A format that `portico import` reads."""

    JSONL = "jsonl"  # one object per line: ours, arXiv's snapshot, Crossref's and OpenAlex's dumps
    JSON = "json"  # one list or one API response: CSL-JSON, Crossref, OpenAlex
    BIBTEX = "bibtex"
    RIS = "ris"
    CSV = "csv"  # tables with a row of column names
    XML = "xml"  # EndNote, JATS, PubMed, records of OAI-PMH
    ZOTERO = "zotero"  # its database, with the files beside it


# Maximum length of a line in bytes; an exported book with a thousand references has about a million.
LONGEST_LINE = 32_000_000
# Maximum size in bytes of a catalog read as a whole; the largest real .bib file we know has 30 MB.
_LONGEST_WHOLE = 300_000_000
# The same for a compressed one: text expands three to ten times, a bomb a thousand times.
_SPARE_BYTES, _UNPACKED_TIMES = 10_000_000, 30
# Limits for what takes memory when parsed, however few bytes it has: objects, lists, entries, fields.
_MOST_PARTS = {
    CatalogFormat.JSON: {b"{": 10_000_000, b"[": 10_000_000},
    CatalogFormat.CSV: {b",": 20_000_000, b";": 20_000_000, b"\t": 20_000_000},
    CatalogFormat.BIBTEX: {b"@": 500_000, b"=": 5_000_000},
}
_PEEKED = 64_000

_ENDINGS = {
    ".jsonl": CatalogFormat.JSONL, ".ndjson": CatalogFormat.JSONL, ".bib": CatalogFormat.BIBTEX,
    ".sqlite": CatalogFormat.ZOTERO,
    ".bibtex": CatalogFormat.BIBTEX, ".ris": CatalogFormat.RIS, ".xml": CatalogFormat.XML,
    ".csv": CatalogFormat.CSV, ".tsv": CatalogFormat.CSV,
}  # fmt: skip
CATALOG_ENDINGS = (*(ending for ending in _ENDINGS if ending != ".sqlite"), ".json")
"""File name endings by which catalogs are found in a folder."""
_PACKED = (".gz", ".xz")
SIGNATURE = "SQLite format 3\0"
"""The first bytes of Zotero's database, and of any other SQLite file."""
LIBRARY = "zotero.sqlite"
"""The name of the database in Zotero's data folder."""
# JSON spells a character beyond the first 65,536 as two surrogates, of which one may be missing.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def recognize_format(file: Path) -> CatalogFormat:
    """Detects the format by file name, else by the first bytes; ConfigError if it is unknown."""
    ending = Path(file.stem).suffix if file.suffix.lower() in _PACKED else file.suffix
    known = _ENDINGS.get(ending.lower())
    if known is not None:
        return known
    with open_packed(file) as stream:
        head = _decode(stream.read(_PEEKED)).lstrip()
    if head.startswith(SIGNATURE):
        return CatalogFormat.ZOTERO
    if head.startswith("<"):
        return CatalogFormat.XML
    if head.startswith("["):
        return CatalogFormat.JSON
    if head.startswith("{"):
        return CatalogFormat.JSONL if _is_object(head.partition("\n")[0]) else CatalogFormat.JSON
    if re.search(r"^TY {1,2}- ", head, re.MULTILINE):
        return CatalogFormat.RIS
    if re.search(r"^\s*@\w+\s*[{(]", head, re.MULTILINE):
        return CatalogFormat.BIBTEX
    raise ConfigError(
        f"{file}: is in no format that can be imported; these are BibTeX, RIS, CSV, CSL-JSON, JSON of "
        "Crossref and OpenAlex, one JSON object a line, EndNote XML, JATS, PubMed XML, Dublin Core of "
        "OAI-PMH and Zotero's database. For a folder of papers use `portico build`"
    )


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def read_catalog(file: Path, kind: CatalogFormat) -> Iterator[CatalogItem]:
    """Yield every record of the file, or what is wrong with it."""
    if kind is CatalogFormat.JSONL:
        yield from _read_lines(file)
    elif kind is CatalogFormat.XML:
        from portico.pipeline.catalogs.xml_records import read_xml  # lxml loads slowly

        with open_packed(file) as stream:
            yield from read_xml(stream, file.parent, file.name.partition(".")[0])
    elif kind is CatalogFormat.JSON:
        yield from _read_json(file)
    elif kind is CatalogFormat.ZOTERO:
        from portico.pipeline.catalogs.zotero import read_zotero

        yield from read_zotero(file)
    elif kind is CatalogFormat.RIS:
        from portico.pipeline.catalogs.ris import read_ris

        yield from read_ris(_read_text(file, kind), file.parent)
    elif kind is CatalogFormat.CSV:
        from portico.pipeline.catalogs.tables import read_table

        yield from read_table(_read_text(file, kind))
    else:
        from portico.pipeline.catalogs.bibtex import read_bibtex

        yield from read_bibtex(_read_text(file, kind), file.parent)


@contextmanager
def open_packed(file: Path) -> Iterator[BinaryIO]:
    """Open a file that may be compressed with xz or gzip."""
    try:
        with _open(file) as stream:
            yield stream
    except (lzma.LZMAError, gzip.BadGzipFile, zlib.error, EOFError) as fault:
        raise ConfigError(f"{file}: cannot be unpacked ({fault}); what was read before is kept") from fault
    except OSError as fault:
        raise ConfigError(f"{file}: cannot be read: {fault.strerror or fault}") from fault


def _open(file: Path) -> BinaryIO:
    if file.suffix.lower() == ".xz":
        return cast("BinaryIO", lzma.open(file, "rb"))
    if file.suffix.lower() == ".gz":
        return cast("BinaryIO", gzip.open(file, "rb"))
    return file.open("rb")


def _read_text(file: Path, kind: CatalogFormat) -> str:
    return _decode(_read_whole(file, kind))


def _read_whole(file: Path, kind: CatalogFormat) -> bytes:
    """Read the whole file; ConfigError if it would take too much memory."""
    longest = _LONGEST_WHOLE
    if file.suffix.lower() in _PACKED:
        longest = min(longest, _SPARE_BYTES + _UNPACKED_TIMES * file.stat().st_size)
    with open_packed(file) as stream:
        body = stream.read(longest + 1)
    if len(body) > longest:
        raise ConfigError(f"{file}: has more than {longest:,} bytes; split it, or write it as .jsonl")
    for sign, most in _MOST_PARTS.get(kind, {}).items():
        if body.count(sign) > most:
            raise ConfigError(f"{file}: has more than {most:,} values; split it, or write it as .jsonl")
    return body


def _decode(body: bytes) -> str:
    """Decodes UTF-8, UTF-16 with a byte order mark, or else Windows-1252."""
    if body[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return body.decode("utf-16", "replace")
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        if fault.start > len(body) - 4 and len(body) == _PEEKED:  # a character cut off at the end
            return body.decode("utf-8-sig", "replace")
        return body.decode("cp1252", "replace")


def _read_json(file: Path) -> Iterator[CatalogItem]:
    try:
        document = parse_json(_read_whole(file, CatalogFormat.JSON))
        for number, told in enumerate(list_objects(document), start=1):
            yield CatalogItem(f"item {number}", adapt_object(told))
    except InputError as error:
        yield CatalogItem("1", error=str(error).replace("the line", "the file"))


def _read_lines(file: Path) -> Iterator[CatalogItem]:
    with open_packed(file) as stream:
        number = 0
        while line := stream.readline(LONGEST_LINE):
            number += 1
            if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
                while not line.endswith(b"\n") and line:
                    line = stream.readline(LONGEST_LINE)
                yield CatalogItem(str(number), error=f"the line has more than {LONGEST_LINE:,} bytes")
            elif line.strip():
                yield _read_line(line, str(number))


def _read_line(line: bytes, place: str) -> CatalogItem:
    try:
        return CatalogItem(place, adapt_object(parse_json(line)))
    except InputError as error:
        return CatalogItem(place, error=str(error))


def parse_json(line: bytes) -> object:
    """Parse a line or file; InputError explains what is wrong with it."""
    try:
        words = line.decode("utf-8-sig")
        told: object = json.loads(words)
        return _encodable(told) if _SURROGATE.search(words) else told
    except UnicodeDecodeError as fault:
        raise InputError(f"the line is not UTF-8 (byte {fault.start + 1})") from fault
    except json.JSONDecodeError as fault:
        raise InputError(
            f"the line is not JSON: {fault.msg.removesuffix(' at')} at character {fault.pos + 1}"
        ) from fault
    except (RecursionError, ValueError) as fault:  # nested without end; a number without end
        raise InputError("the line is nested too deeply, or has an endless number") from fault


def _encodable(told: object) -> object:
    """Replace lone surrogates, which JSON can spell but no file or page can hold."""
    words = json.dumps(told, ensure_ascii=False)
    return json.loads(words.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
