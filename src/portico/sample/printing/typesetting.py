"""Typesets paragraphs: justified, centered or flush lines, with optional hyphenation."""

from dataclasses import dataclass, replace
from functools import cache

from portico.sample.printing.pdf import Face, show_string, show_words

VOWELS = frozenset("aeiouy")
# Two consonants that sound as one, or that begin a syllable together, are not separated.
TOGETHER = frozenset((
    "ch", "sh", "th", "ph", "gh", "ck", "qu", "bl", "br", "cl", "cr", "dr", "fl", "fr", "gl", "gr", "pl",
    "pr", "tr", "tw", "wh", "wr", "st", "sp", "sc", "sk",
))  # fmt: skip
ENDINGS = ("tion", "sion", "ment", "ness", "ture", "able", "ing", "tive", "ful", "less")
LEAST_BEFORE, LEAST_AFTER, LEAST_LENGTH = 2, 3, 6  # letters; TeX's own limits are 2, 3 and 5


@cache
def find_break_points(word: str) -> tuple[int, ...]:
    """Positions at which a hyphen may be inserted, in order."""
    letters = word.strip(".,;:()“”[]")
    offset = word.find(letters) if letters else 0
    if len(letters) < LEAST_LENGTH or not (letters.isalpha() and letters.isascii() and letters[1:].islower()):
        return ()
    inside = range(LEAST_BEFORE, len(letters) - LEAST_AFTER + 1)
    return tuple(offset + idx for idx in inside if _breakable(letters.lower(), idx))


def _breakable(word: str, idx: int) -> bool:
    before, after = word[:idx], word[idx:]
    if not (VOWELS & set(before) and VOWELS & set(after)):
        return False
    if after.removesuffix("s") in ENDINGS:
        return after[:3] != "ing" or before[-1] not in VOWELS
    if after[1:].removesuffix("s") in ENDINGS:
        return False  # learn-ing, not lear-ning
    pair = word[idx - 1 : idx + 1]
    two_consonants = not VOWELS & set(pair)
    return two_consonants and pair not in TOGETHER and word[idx - 2] in VOWELS and word[idx + 1] in VOWELS


@dataclass(frozen=True, slots=True)
class Family:
    """The four faces of a typeface."""

    regular: Face
    italic: Face
    bold: Face
    bold_italic: Face


def _family(*fonts: str, embedded: bool) -> Family:
    return Family(*(Face(font, embedded) for font in fonts))


_ROMAN = ("NimbusRoman-Regular", "NimbusRoman-Italic", "NimbusRoman-Bold", "NimbusRoman-BoldItalic")
_SANS = ("NimbusSans-Regular", "NimbusSans-Italic", "NimbusSans-Bold", "NimbusSans-BoldItalic")
_BOOKMAN = ("URWBookman-Light", "URWBookman-LightItalic", "URWBookman-Demi", "URWBookman-DemiItalic")
TIMES = _family(*_ROMAN, embedded=False)
ROMAN = _family(*_ROMAN, embedded=True)
HELVETICA = _family(*_SANS, embedded=False)
PALATINO = _family("P052-Roman", "P052-Italic", "P052-Bold", "P052-BoldItalic", embedded=True)
CENTURY = _family("C059-Roman", "C059-Italic", "C059-Bold", "C059-BdIta", embedded=True)
BOOKMAN = _family(*_BOOKMAN, embedded=True)
TYPEWRITER = Face("NimbusMonoPS-Regular", embedded=False)


@dataclass(frozen=True, slots=True)
class TypedText:
    """Text in one face and size; `rise` raises it, as for superscripts (in points)."""

    text: str
    face: Face
    size: float
    rise: float = 0.0


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Text to be broken into lines. Lengths are in points."""

    types: tuple[TypedText, ...]
    leading: float
    align: str = "justify"  # justify, left, center, right
    first: float = 0.0  # extra indent of the first line; negative for a hanging indent
    left: float = 0.0
    right: float = 0.0
    before: float = 0.0
    keep: bool = False  # must stay with what follows


@dataclass(frozen=True, slots=True)
class TypeRun:
    """Printed characters at a position relative to the left end of the strip's baseline."""

    dx: float
    dy: float
    face: Face
    size: float
    operator: bytes


@dataclass(frozen=True, slots=True)
class Strip:
    """A horizontal slice of a column: a line of type, a drawing, or white space."""

    height: float
    runs: tuple[TypeRun, ...] = ()
    drawing: bytes = b""  # operators, origin at the strip's lower left corner
    keep: bool = False  # must not be the last strip of a column


def set_paragraph(paragraph: Paragraph, width: float) -> list[Strip]:
    """The paragraph's lines, preceded by its space above, for a column of this width."""
    strips = [Strip(paragraph.before, keep=True)] if paragraph.before else []
    measure = width - paragraph.left - paragraph.right
    lines = _break_lines(
        _words(paragraph.types), measure, paragraph.first, hyphenate=paragraph.align == "justify"
    )
    for idx, line in enumerate(lines):
        indent = paragraph.first if idx == 0 else 0.0
        last = idx == len(lines) - 1
        x, stretch = _alignment(paragraph.align, line, measure - indent, last=last)
        runs = _line_runs(line, paragraph.left + indent + x, stretch)
        strips.append(Strip(paragraph.leading, runs, keep=paragraph.keep or (idx == 0 and not last)))
    return strips


def set_line(types: tuple[TypedText, ...], dx: float) -> tuple[TypeRun, ...]:
    """One line of type, unbroken, starting at dx."""
    return _line_runs(_words(types), dx, 0.0)


def measure_line(types: tuple[TypedText, ...]) -> float:
    return _natural_width(_words(types))


def set_plain(text: str, face: Face, size: float) -> tuple[TypedText, ...]:
    return (TypedText(text, face, size),)


@dataclass(frozen=True, slots=True)
class _Word:
    """Characters without a space between them; several types if the face changes within the word."""

    types: tuple[TypedText, ...]
    width: float
    space: float  # natural width of the space that follows


def _words(types: tuple[TypedText, ...]) -> list[_Word]:
    words: list[_Word] = []
    glued = False  # whether the last word continues, in another type
    for kind in types:
        space = kind.face.width(" ", kind.size)
        for idx, part in enumerate(kind.text.split(" ")):
            if idx and words and words[-1].space != space:
                words[-1] = replace(words[-1], space=space)  # the space after a raised mark is not raised
            glued = glued and idx == 0
            if part:
                word = _word(part, kind.face, kind.size, kind.rise)
                words.append(_glue(words.pop(), word) if glued else word)
                glued = True
    return words


@cache
def _word(text: str, face: Face, size: float, rise: float) -> _Word:
    return _Word((TypedText(text, face, size, rise),), face.width(text, size), face.width(" ", size))


def _glue(first: _Word, second: _Word) -> _Word:
    return _Word(first.types + second.types, first.width + second.width, second.space)


def _natural_width(line: list[_Word]) -> float:
    return sum(word.width for word in line) + sum(word.space for word in line[:-1])


def _break_lines(words: list[_Word], measure: float, first: float, *, hyphenate: bool) -> list[list[_Word]]:
    lines: list[list[_Word]] = []
    line: list[_Word] = []
    used = 0.0
    room = measure - first
    pending = list(reversed(words))
    while pending:
        word = pending.pop()
        if used + word.width <= room or not line:
            line.append(word)
            used += word.width + word.space
            continue
        halves = _hyphenated(word, room - used) if hyphenate else None
        if halves:
            line.append(halves[0])
            word = halves[1]
        lines.append(line)
        line, used, room = [], 0.0, measure
        pending.append(word)
    return [*lines, line] if line else lines


def _hyphenated(word: _Word, room: float) -> tuple[_Word, _Word] | None:
    """The word split in two so that the first part, with its hyphen, is as long as fits; None if that is
    impossible.
    """
    if len(word.types) != 1:
        return None
    kind = word.types[0]
    after_hyphens = tuple(idx + 1 for idx, c in enumerate(kind.text[:-3]) if c == "-" and idx > 2)
    for point in reversed(after_hyphens or find_break_points(kind.text)):
        head = kind.text[:point] if point in after_hyphens else kind.text[:point] + "-"
        width = kind.face.width(head, kind.size)
        if width <= room:
            tail = replace(kind, text=kind.text[point:])
            rest = _Word((tail,), tail.face.width(tail.text, tail.size), word.space)
            return _Word((replace(kind, text=head),), width, word.space), rest
    return None


def _alignment(align: str, line: list[_Word], measure: float, *, last: bool) -> tuple[float, float]:
    """Where the line starts, and how much its spaces are stretched."""
    spare = measure - _natural_width(line)
    if align == "center":
        return spare / 2, 0.0
    if align == "right":
        return spare, 0.0
    n_gaps = len(line) - 1
    if align == "justify" and not last and n_gaps:
        return 0.0, spare / n_gaps
    return 0.0, 0.0


def _line_runs(line: list[_Word], dx: float, stretch: float) -> tuple[TypeRun, ...]:
    runs: list[TypeRun] = []
    group: list[str] = []
    style: TypedText | None = None
    start = x = dx
    for word in line:
        for idx, kind in enumerate(word.types):
            same = style is not None and (style.face, style.size, style.rise) == (
                kind.face,
                kind.size,
                kind.rise,
            )
            if same and idx:
                group[-1] += kind.text
            elif same:
                group.append(kind.text)
            else:
                if style:
                    runs.append(_run(start, style, group, stretch))
                start, style, group = x, kind, [kind.text]
            x += word.width if len(word.types) == 1 else kind.face.width(kind.text, kind.size)
        x += word.space + stretch
    if style:
        runs.append(_run(start, style, group, stretch))
    return tuple(runs)


def _run(dx: float, style: TypedText, words: list[str], stretch: float) -> TypeRun:
    if style.face.embedded:
        gap = style.face.width(" ", 1000) + stretch * 1000 / style.size
        operator = show_words(tuple(style.face.encode(word) for word in words), gap)
    else:
        operator = b"%.3f Tw " % stretch + show_string(style.face.encode(" ".join(words)))
    return TypeRun(dx, style.rise, style.face, style.size, operator)
