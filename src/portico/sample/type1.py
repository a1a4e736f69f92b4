"""Type 1 fonts: widths from the AFM file, and the font program cut down to the glyphs we print."""

import re
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
# Built-up letters draw these (the `seac` operator), so they may not be cut away.
ACCENTS = frozenset((
    "acute", "grave", "dieresis", "circumflex", "tilde", "ring", "cedilla", "caron", "dotlessi",
))  # fmt: skip

# Adobe Type 1 Font Format, section 7: the cipher of the private part.
_KEY, _FACTOR, _SUMMAND, _PADDING = 55665, 52845, 22719, 4


@dataclass(frozen=True, slots=True)
class FontProgram:
    """A font as PDF embeds it: clear text, encrypted glyphs, and what the descriptor needs."""

    name: str
    clear: bytes
    encrypted: bytes
    widths: tuple[int, ...]  # by character code, in thousandths of the size
    bbox: tuple[int, ...]
    italic_angle: float


@cache
def load_font(name: str) -> FontProgram:
    """The URW font of that name, cut down to the glyphs of ENCODING."""
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
    # Each glyph: /name length RD, a space, that many bytes, ND. They are binary, so they must be walked.
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
    """The font with our encoding for its own: Ghostscript's PostScript goes by that one, not by the PDF's."""
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
