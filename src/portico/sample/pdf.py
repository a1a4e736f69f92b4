"""Writes PDF files: pages of drawing operators, the fonts they use, and pictures; same input, same bytes."""

import hashlib
import zlib
from dataclasses import dataclass
from functools import cache

from portico.sample.type1 import LIGATURES, FontProgram, load_font

LETTER = (612.0, 792.0)
A4 = (595.0, 842.0)

# The standard fonts need not be embedded: the URW fonts have the same widths.
STANDARD = {
    "NimbusRoman-Regular": "Times-Roman",
    "NimbusRoman-Italic": "Times-Italic",
    "NimbusRoman-Bold": "Times-Bold",
    "NimbusRoman-BoldItalic": "Times-BoldItalic",
    "NimbusSans-Regular": "Helvetica",
    "NimbusSans-Italic": "Helvetica-Oblique",
    "NimbusSans-Bold": "Helvetica-Bold",
    "NimbusSans-BoldItalic": "Helvetica-BoldOblique",
    "NimbusMonoPS-Regular": "Courier",
    "NimbusMonoPS-Bold": "Courier-Bold",
}
FLAGS_SYMBOLIC = 4
FIXED_DATE = "D:20000601120000Z"


@dataclass(frozen=True, slots=True)
class Face:
    """A typeface as printed: embedded with ligatures, or one of the standard fonts."""

    font: str
    embedded: bool

    @property
    def resource(self) -> str:
        """The name the page's operators call it by."""
        return ("E" if self.embedded else "S") + self.font.replace("-", "")

    def encode(self, text: str) -> bytes:
        if self.embedded:
            for letters, code in LIGATURES:
                text = text.replace(letters, code)
        return text.encode("cp1252")

    def width(self, text: str, size: float) -> float:
        return _width(self, text) * size / 1000


@dataclass(frozen=True, slots=True)
class Picture:
    """A gray image of one byte a pixel."""

    width: int
    height: int
    pixels: bytes


@dataclass(frozen=True, slots=True)
class Sheet:
    """One page: its size in points, the operators that draw it, and the faces and picture they name."""

    size: tuple[float, float]
    operators: bytes
    faces: frozenset[Face]
    picture: Picture | None = None  # drawn by /Picture Do


@dataclass(frozen=True, slots=True)
class Info:
    """What the file says about itself; real files often say nothing, or nonsense."""

    title: str = ""
    producer: str = "sample web generator"


def write_pdf(sheets: tuple[Sheet, ...], info: Info) -> bytes:
    """The PDF file with these pages."""
    objects = _Objects()
    pages_id = objects.reserve()
    fonts = {
        face: _add_font(objects, face)
        for face in sorted(frozenset().union(*(sheet.faces for sheet in sheets)), key=lambda f: f.resource)
    }
    page_ids = [_add_page(objects, sheet, fonts, pages_id) for sheet in sheets]
    kids = " ".join(f"{number} 0 R" for number in page_ids)
    objects.put(pages_id, f"<< /Type /Pages /Count {len(page_ids)} /Kids [{kids}] >>".encode())
    catalog = objects.add(f"<< /Type /Catalog /Pages {pages_id} 0 R >>".encode())
    about = objects.add(
        b"<< /Title %s /Producer %s /CreationDate (%s) >>"
        % (_string(info.title.encode("cp1252")), _string(info.producer.encode()), FIXED_DATE.encode())
    )
    return objects.render(catalog, about)


def show(words: tuple[bytes, ...], gap: float) -> bytes:
    """The operator printing these words with that space (thousandths of the size) between them.

    Like TeX, it moves the pen instead of printing a space character.
    """
    return b"[" + (b"%.0f" % -gap).join(_string(word) for word in words) + b"] TJ\n"


def show_string(text: bytes) -> bytes:
    return _string(text) + b" Tj\n"


def _string(text: bytes) -> bytes:
    escaped = text.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
    return b"(" + escaped + b")"


@cache
def _width(face: Face, text: str) -> int:
    widths = load_font(face.font).widths
    return sum(widths[code] for code in face.encode(text))


class _Objects:
    """The numbered objects of one file, in the order they were added."""

    def __init__(self) -> None:
        self._bodies: list[bytes] = []

    def reserve(self) -> int:
        self._bodies.append(b"")
        return len(self._bodies)

    def put(self, number: int, body: bytes) -> None:
        self._bodies[number - 1] = body

    def add(self, body: bytes) -> int:
        number = self.reserve()
        self.put(number, body)
        return number

    def add_stream(self, data: bytes, entries: str = "", *, raw: bool = False) -> int:
        """A stream; `raw` data is compressed already and its entries say so."""
        if not raw:
            data = zlib.compress(data, 6)
            entries += " /Filter /FlateDecode"
        return self.add(f"<< /Length {len(data)}{entries} >>\nstream\n".encode() + data + b"\nendstream")

    def render(self, catalog: int, info: int) -> bytes:
        out = bytearray(b"%PDF-1.3\n%\xe2\xe3\xcf\xd3\n")
        offsets = []
        for number, body in enumerate(self._bodies, start=1):
            offsets.append(len(out))
            out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
        table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
        fingerprint = hashlib.md5(out, usedforsecurity=False).hexdigest()
        trailer = (
            f"trailer\n<< /Size {len(offsets) + 1} /Root {catalog} 0 R /Info {info} 0 R "
            f"/ID [<{fingerprint}> <{fingerprint}>] >>\nstartxref\n{len(out)}\n%%EOF\n"
        )
        return (
            bytes(out) + b"xref\n0 %d\n0000000000 65535 f \n" % (len(offsets) + 1) + table + trailer.encode()
        )


def _add_page(objects: _Objects, sheet: Sheet, fonts: dict[Face, int], pages_id: int) -> int:
    content = objects.add_stream(sheet.operators)
    used = " ".join(
        f"/{face.resource} {fonts[face]} 0 R" for face in sorted(sheet.faces, key=lambda face: face.resource)
    )
    resources = f"/Font << {used} >>"
    if sheet.picture:
        resources += f" /XObject << /Picture {_add_picture(objects, sheet.picture)} 0 R >>"
    width, height = sheet.size
    return objects.add(
        f"<< /Type /Page /Parent {pages_id} 0 R /MediaBox [0 0 {width:.0f} {height:.0f}] "
        f"/Resources << {resources} >> /Contents {content} 0 R >>".encode()
    )


def _add_picture(objects: _Objects, picture: Picture) -> int:
    entries = (
        f" /Type /XObject /Subtype /Image /Width {picture.width} /Height {picture.height} "
        "/ColorSpace /DeviceGray /BitsPerComponent 8"
    )
    return objects.add_stream(picture.pixels, entries)


def _add_font(objects: _Objects, face: Face) -> int:
    if not face.embedded:
        name = STANDARD[face.font]
        return objects.add(
            f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode()
        )
    font = load_font(face.font)
    descriptor = _add_descriptor(objects, font)
    widths = " ".join(str(width) for width in font.widths)
    return objects.add(
        f"<< /Type /Font /Subtype /Type1 /BaseFont /{_subset_name(font)} /FirstChar 0 /LastChar 255 "
        f"/Widths [{widths}] /FontDescriptor {descriptor} 0 R /Encoding << /Type /Encoding "
        "/BaseEncoding /WinAnsiEncoding /Differences [2 /fi /fl] >> >>".encode()
    )


def _add_descriptor(objects: _Objects, font: FontProgram) -> int:
    lengths = f" /Length1 {len(font.clear)} /Length2 {len(font.encrypted)} /Length3 0"
    program = objects.add_stream(_compressed_program(font.name), lengths + " /Filter /FlateDecode", raw=True)
    box = " ".join(str(number) for number in font.bbox)
    return objects.add(
        f"<< /Type /FontDescriptor /FontName /{_subset_name(font)} /Flags {FLAGS_SYMBOLIC} "
        f"/FontBBox [{box}] /ItalicAngle {font.italic_angle:.1f} /Ascent {font.bbox[3]} "
        f"/Descent {font.bbox[1]} /CapHeight 700 /StemV 80 /FontFile {program} 0 R >>".encode()
    )


@cache
def _compressed_program(font_name: str) -> bytes:
    font = load_font(font_name)
    return zlib.compress(font.clear + font.encrypted, 6)


def _subset_name(font: FontProgram) -> str:
    """PDF 9.6.4: six capitals and a plus sign mark a font that was cut down."""
    tag = "".join(
        chr(ord("A") + byte % 26)
        for byte in hashlib.md5(font.name.encode(), usedforsecurity=False).digest()[:6]
    )
    return f"{tag}+{font.name}"
