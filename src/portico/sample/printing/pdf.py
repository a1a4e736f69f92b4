"""Writes PDF files reproducibly: page contents, embedded fonts, and images."""

import hashlib
import re
import zlib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from portico.errors import SetupError

# Where Debian's fonts-urw-base35 (which Ghostscript brings along) and its kin put the files.
FONT_FOLDERS = (
    Path("/usr/share/fonts/type1/urw-base35"),
    Path("/usr/share/fonts/urw-base35"),
    Path("/usr/share/fonts/gsfonts"),
)

# Codes 2 and 3 are free in WinAnsi; TeX keeps its ligatures among the control codes too.
LIGATURES = (("fi", "\x02"), ("fl", "\x03"))

# Glyph by character code: WinAnsi, with the two ligatures.
ENCODING = tuple(resources.files("portico.sample").joinpath("winansi.txt").read_text("ascii").split())
# Composite letters draw these (the `seac` operator), so they must be kept.
ACCENTS = frozenset((
    "acute", "grave", "dieresis", "circumflex", "tilde", "ring", "cedilla", "caron", "dotlessi",
))  # fmt: skip

# Adobe Type 1 Font Format, section 7: the cipher of the private part.
_KEY, _FACTOR, _SUMMAND, _PADDING = 55665, 52845, 22719, 4


@dataclass(frozen=True, slots=True)
class FontProgram:
    """A font as PDF embeds it: the clear text, the encrypted glyphs, and the values for the descriptor."""

    name: str
    clear: bytes
    encrypted: bytes
    widths: tuple[int, ...]  # by character code, in thousandths of the size
    bbox: tuple[int, ...]
    italic_angle: float


@cache
def load_font(name: str) -> FontProgram:
    """The URW font of this name, reduced to the glyphs of ENCODING."""
    metrics = _find(f"{name}.afm").read_text("latin-1")
    by_glyph = {match[2]: int(match[1]) for match in re.finditer(r"WX (\d+) ; N (\S+) ;", metrics)}
    clear, encrypted = _cut_down(_find(f"{name}.t1").read_bytes(), frozenset(ENCODING) | ACCENTS)
    return FontProgram(
        name=name,
        clear=clear,
        encrypted=encrypted,
        widths=tuple(by_glyph.get(glyph, 0) for glyph in ENCODING),
        bbox=tuple(int(float(number)) for number in _entry(metrics, "FontBBox").split()),
        italic_angle=float(_entry(metrics, "ItalicAngle")),
    )


def _find(file_name: str) -> Path:
    for folder in FONT_FOLDERS:
        if (folder / file_name).is_file():
            return folder / file_name
    raise SetupError(
        f"the sample web is printed in the URW base fonts, but {file_name} is not in {FONT_FOLDERS[0]}: "
        "install the Debian package fonts-urw-base35 (apt install fonts-urw-base35)"
    )


def _entry(metrics: str, key: str) -> str:
    match = re.search(rf"^{key} (.+)$", metrics, re.MULTILINE)
    assert match, f"an AFM file without {key}"
    return match[1]


def _cut_down(program: bytes, keep: frozenset[str]) -> tuple[bytes, bytes]:
    start = program.index(b"eexec") + len(b"eexec") + 1
    private = _decrypt(program[start : program.rindex(b"0" * 64)])
    head, _, glyphs = private.partition(b"/CharStrings ")
    kept = []
    position = 0
    # Each glyph: /name length RD, a space, that many bytes, ND. The bytes are binary, so it has to be parsed.
    for _ in range(int(glyphs.split(b" ", 1)[0])):
        match = re.compile(rb"/(\S+) (\d+) RD ").search(glyphs, position)
        assert match, "a Type 1 font with fewer glyphs than it says"
        position = match.end() + int(match[2])
        if match[1].decode() in keep:
            kept.append(glyphs[match.start() : position] + b"ND\n")
    body = b"/CharStrings %d dict dup begin\n" % len(kept) + b"".join(kept)
    tail = b"end\nend\nreadonly put\nnoaccess put\ndup /FontName get exch definefont pop\n"
    tail += b"mark currentfile closefile\n"
    return _encoded(program[:start]), _encrypt(head + body + tail)


def _encoded(clear: bytes) -> bytes:
    """The font with ours as its built-in encoding: PostScript made by Ghostscript uses that one, not the
    PDF's.
    """
    codes = "".join(f"dup {code} /{glyph} put\n" for code, glyph in enumerate(ENCODING) if glyph != ".notdef")
    own = f"/Encoding 256 array\n0 1 255 {{1 index exch /.notdef put}} for\n{codes}readonly def\n"
    replaced, n_found = re.subn(rb"/Encoding StandardEncoding def\s", own.encode(), clear)
    assert n_found == 1, "a Type 1 font with an encoding of its own"
    return replaced


def _decrypt(cipher: bytes) -> bytes:
    state, plain = _KEY, bytearray()
    for byte in cipher:
        plain.append(byte ^ (state >> 8))
        state = ((byte + state) * _FACTOR + _SUMMAND) & 0xFFFF
    return bytes(plain[_PADDING:])


def _encrypt(plain: bytes) -> bytes:
    state, cipher = _KEY, bytearray()
    for byte in b"\0" * _PADDING + plain:
        coded = byte ^ (state >> 8)
        cipher.append(coded)
        state = ((coded + state) * _FACTOR + _SUMMAND) & 0xFFFF
    return bytes(cipher)


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
    """A typeface as used in a file: embedded with ligatures, or one of the standard fonts."""

    font: str
    embedded: bool

    @property
    def resource(self) -> str:
        """The name by which the page's operators refer to the face."""
        return ("E" if self.embedded else "S") + self.font.replace("-", "")

    def encode(self, text: str) -> bytes:
        if self.embedded:
            for letters, code in LIGATURES:
                text = text.replace(letters, code)
        return text.encode("cp1252")

    def width(self, text: str, size: float) -> float:
        return _width(self, text) * size / 1000


@dataclass(frozen=True, slots=True)
class GrayImage:
    """A grayscale image with one byte per pixel."""

    width: int
    height: int
    pixels: bytes


@dataclass(frozen=True, slots=True)
class PdfPage:
    """One page: its size in points, the operators that draw it, and the faces and image they refer to."""

    size: tuple[float, float]
    operators: bytes
    faces: frozenset[Face]
    picture: GrayImage | None = None  # drawn by /Picture Do


@dataclass(frozen=True, slots=True)
class PdfInfo:
    """The document information of the file; in real files it is often missing or nonsense."""

    title: str = ""
    producer: str = "sample web generator"


def write_pdf(sheets: tuple[PdfPage, ...], info: PdfInfo) -> bytes:
    """A PDF file with these pages."""
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


def show_words(words: tuple[bytes, ...], gap: float) -> bytes:
    """The operator that prints these words with a gap (in thousandths of the font size) between them.

    Like TeX, it moves the position instead of printing space characters.
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
        """Add a stream. With `raw`, the data is already compressed and `entries` already says so."""
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


def _add_page(objects: _Objects, sheet: PdfPage, fonts: dict[Face, int], pages_id: int) -> int:
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


def _add_picture(objects: _Objects, picture: GrayImage) -> int:
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
    """The name of a font subset: six capital letters and a plus sign come first (PDF 9.6.4)."""
    tag = "".join(
        chr(ord("A") + byte % 26)
        for byte in hashlib.md5(font.name.encode(), usedforsecurity=False).digest()[:6]
    )
    return f"{tag}+{font.name}"
