"""Uses titles from metadata and cover pages, as far as the first page agrees."""

import re
from collections.abc import Sequence
from dataclasses import replace

from rapidfuzz import fuzz

from portico.extract.cover_pages import list_cover_titles
from portico.extract.zones import Zones
from portico.types.document import Document, Line, Span
from portico.types.record import Field

# Names of metadata that hold a title.
_NAMES = ("xmp:title", "info:title")
# Values that programs and publishers write there but are not titles.
_NO_TITLE = re.compile(
    r"\.(?:docx?|dvi|tex|pdf|indd|qxd|qxp|ps|rtf|wpd|odt|tmp|fm|book)\b|^microsoft|^untitled|^doi\b|^pii\b"
    r"|^layout|^print$|\\|^\W*(?:lncs|lnai)\s\d|^https?:|^title\b|^\S+$|^[\W\d]+$",
    re.IGNORECASE,
)
# Fewest words of a title; shorter values are names of files and sections.
FEWEST_WORDS = 3
# Similarity, in percent, from which the page prints the metadata's title apart from OCR errors.
ALIKE = 88.0
_AROUND = ".,:;!?()[]\"'“”‘’"
_MISREAD = re.compile(r"[^\W\d_]*[/\\|{}<>~=\d][^\W\d_]*")
_OPEN_END = re.compile(
    r"(?:[,:–—]|\b(?:the|of|and|for|in|with|a|an|to|on|from|by|at|as|der|die|das|und|für|von|zur|zum|de|del|la|el|y"
    r"|et|des|du|e|do|da))$",
    re.IGNORECASE,
)
# Share by which the lines of one title may differ in size.
SAME_SIZE = 0.15
# Minimum length of a name that is dropped for being part of the title: a paper may be about Bach.
NAME_LETTERS = 10
# Probability of a title on which page and metadata agree. None of 60 papers of many fields had a wrong one.
AGREED = 0.97
# Similarity, in percent, from which lines of the page are the given title in another wording or spelling
# ("Hannover" and "Hanover"); fewest letters and most lines of such a title.
TOLD_ALIKE, TOLD_LETTERS, TOLD_LINES = 93.0, 20, 8
# What may wrongly end a title: a date, a number, a single word.
_BEHIND = re.compile(r"\W*(?:\S+\s+)?(?:1[89]|20)\d\d\W*|\W*\S{0,12}\W*")


def correct_title(document: Document, zones: Zones, fields: Sequence[Field]) -> tuple[Field, ...]:
    """Replace the title with that of the metadata or a cover, if the page prints it so or nearly so."""
    found = next((field for field in fields if field.name == "title"), None)
    embedded = _told_titles(document)
    # A cover may print the name of a journal in large letters, so its title must overlap the one found.
    on_cover = list_cover_titles(document, zones.cover)
    for told in (*embedded, *on_cover):
        better = _agreed(document, zones.header, found, told)
        if better is not None and (told in embedded or _meets(found, better.span)):
            return (better, *(field for field in fields if field.name != "title"))
    for told in (*embedded, *on_cover):
        lines = _lines_alike(document, zones.header, found, _letters(told))
        if lines is not None and (told in embedded or _meets(found, lines)):
            others = [field for field in fields if field.name != "title" and not _is_within(field, lines)]
            return (Field("title", " ".join(lines.of(document.text).split()), lines, AGREED), *others)
    return tuple(fields)


def _lines_alike(document: Document, header: Sequence[Line], found: Field | None, wanted: str) -> Span | None:
    """Return the lines most like a given title; None unless they are more like it than the title found."""
    if len(wanted) < TOLD_LETTERS:
        return None
    enough = max(TOLD_ALIKE, fuzz.ratio(_letters(found.value), wanted) if found else 0.0)
    best = None
    for first in range(len(header)):
        for last in range(first, min(first + TOLD_LINES, len(header))):
            if header[last].page != header[first].page or header[last].span.end < header[first].span.start:
                break
            span = Span(header[first].span.start, header[last].span.end)
            likeness = fuzz.ratio(_letters(span.of(document.text)), wanted, score_cutoff=enough)
            if likeness > enough:
                best, enough = span, likeness
    return best


def _meets(found: Field | None, span: Span) -> bool:
    return found is None or (found.span.start < span.end and span.start < found.span.end)


def _is_within(field: Field, span: Span) -> bool:
    return span.start <= field.span.start < span.end


def complete_title(document: Document, header: Sequence[Line], fields: Sequence[Field]) -> tuple[Field, ...]:
    """Append the next line to a title that ends in a word no title ends in: "… and the"."""
    found = next((field for field in fields if field.name == "title"), None)
    if found is None or not _OPEN_END.search(found.value):
        return tuple(fields)
    last = next((line for line in header if line.span.start < found.span.end <= line.span.end), None)
    following = next((line for line in header if line.span.start >= found.span.end), None)
    if last is None or following is None or abs(last.size - following.size) > SAME_SIZE * last.size:
        return tuple(fields)
    span = Span(found.span.start, following.span.end)
    value = f"{found.value} {' '.join(following.span.of(document.text).split())}"
    whole = replace(found, value=value, span=span)
    # Fields in that line were read incorrectly.
    others = [field for field in fields if not following.span.start <= field.span.start < following.span.end]
    return (whole, *(field for field in others if field.name != "title"))


def without_parts_of_title(fields: Sequence[Field]) -> tuple[Field, ...]:
    """Drop authors whose names are words of the title."""
    title = next((_letters(field.value) for field in fields if field.name == "title"), "")
    return tuple(
        field
        for field in fields
        if field.name != "author" or len(field.value) < NAME_LETTERS or _letters(field.value) not in title
    )


def _told_titles(document: Document) -> list[str]:
    told = [value for wanted in _NAMES for name, value in document.asides if name == wanted]
    return [value for value in told if len(value.split()) >= FEWEST_WORDS and not _NO_TITLE.search(value)]


def _agreed(document: Document, header: Sequence[Line], found: Field | None, told: str) -> Field | None:
    """Return the title on which page and metadata agree; None if they do not, or nothing is gained."""
    wanted = _letters(told)
    said = _letters(found.value) if found else ""
    if found is not None and said == wanted:
        # If the page lost a space, the metadata has it.
        is_better = len(told.split()) != len(found.value.split()) and not told.isupper()
        return replace(
            found, value=told if is_better else found.value, confidence=max(found.confidence, AGREED)
        )
    if found is not None and said.startswith(wanted) and not _BEHIND.fullmatch(found.value[len(told) - 1 :]):
        return None  # a subtitle that the metadata leaves out
    span = _printed_at(document, header, wanted)
    if span is not None:
        value = " ".join(span.of(document.text).split())
        is_whole = len(value.split()) == len(told.split())
        return Field("title", value if is_whole else told.rstrip(" ."), span, AGREED)
    if found is not None and fuzz.ratio(said, wanted) >= ALIKE and _is_misread(found.value, told):
        return replace(found, value=told.rstrip(" ."))
    return None


def _is_misread(printed: str, told: str) -> bool:
    """Whether all words that differ contain characters no word has, as in a scanner's "AGAR/C/A"."""
    words, others = printed.lower().split(), told.lower().split()
    return len(words) == len(others) and all(
        one.strip(_AROUND) == other.strip(_AROUND) or _MISREAD.search(one.strip(_AROUND)) is not None
        for one, other in zip(words, others, strict=True)
    )


def _printed_at(document: Document, header: Sequence[Line], wanted: str) -> Span | None:
    """Return where the letters of a title stand in the header, whatever stands between them."""
    places = [
        place
        for line in header
        for place in range(line.span.start, line.span.end)
        if document.text[place].isalnum()
    ]
    printed = "".join(document.text[place].lower() for place in places)
    # Lower-casing may change the length, which would shift positions.
    start = printed.find(wanted) if len(printed) == len(places) else -1
    if start < 0:
        return None
    return Span(places[start], places[start + len(wanted) - 1] + 1)


def _letters(text: str) -> str:
    return "".join(character.lower() for character in text if character.isalnum())
