"""Finds abstracts without a heading or in unusual places, such as those of theses."""

import re
from collections import Counter
from collections.abc import Sequence

from portico.extract.headings import compiled, is_heading
from portico.extract.passage import read_spans
from portico.extract.zones import WIDER_TEXT, Zones
from portico.types.document import Document, Line, Span
from portico.types.record import Field

# Characters before an abstract, and at its beginning, in which its heading is searched.
REACH = 40
# Lines of the text that are used to find its usual style.
TEXT_LINES = 80

# The first and last page (counted from 0) on which a thesis may have its abstract.
EARLY_PAGES, LATE_PAGES = 1, 14
# Minimum length of a line of running text, and the fewest lines of an abstract.
LONG_LINE, FEWEST_LINES = 50, 4
# Minimum length of an abstract recognized only by the heading of the introduction after it.
FEWEST_LETTERS = 250
PAGE_NUMBER = 5  # maximum length
_STOPS = '.?!”")'
# Minimum length of a prose line in a narrow column, and the probability of an abstract without a heading (a
# guess).
SHORT_LINE, PLAIN = 28, 0.7
_PARAGRAPH_NUMBER = re.compile(r"^\[?1\]\s+")
# Words of notices, licenses and addresses that do not occur in abstracts.
_NO_PROSE = re.compile(
    r"@|©|\ball rights reserved\b|\blicen[cs]ed?\b|\bcorrespond(?:ence|ing author)\b|\bpermission to\b"
    r"|\bwe (?:thank|are grateful)\b|\bviews expressed\b|\breceived:?\s\d|\bdownloaded\b"
    r"|(?:[.·ꞏ•]\s){5}|\.{6}",
    re.IGNORECASE,
)
# The dots between the name of a section and its page.
_LEADERS = re.compile(r"(?:[.·ꞏ•]\s){5}|\.{6}")
# The probability of such an abstract: a guess.
LATE = 0.8

Look = tuple[float, bool, bool]


def without_text(
    document: Document, zones: Zones, fields: tuple[Field, ...], heading: str
) -> tuple[Field, ...]:
    """Drop an abstract that has no heading and is set like the text: it is part of the text."""
    abstract = next((field for field in fields if field.name == "abstract"), None)
    if abstract is None or zones.has_abstract or not zones.body or _is_headed(document, abstract, heading):
        return fields
    if abstract.value[:1].islower():
        # Begins in mid-sentence: lines of two columns that ran together, or body text.
        return tuple(field for field in fields if field is not abstract)
    if zones.has_introduction and len(abstract.value) >= FEWEST_LETTERS:
        return fields  # what stands between the names and the heading of the introduction
    lines = [line for line in zones.header if _is_within(line, abstract.span)]
    if not lines or _look(lines) != _look(zones.body[:TEXT_LINES]) or _is_narrower(lines, zones.body):
        return fields
    return tuple(field for field in fields if field is not abstract)


def find_plain_abstract(document: Document, zones: Zones, title: Span) -> Field | None:
    """Find an abstract without a heading: the longest run of prose below the title in one style.

    It must be followed by the heading of the introduction or by text set in another style.
    """
    lines = [
        line for line in zones.header if line.span.start > title.end and line.span.of(document.text).strip()
    ]
    lines = [line for line in lines if line.page == lines[0].page]
    usual = _look(zones.body[:TEXT_LINES]) if zones.body else None
    runs = [
        run
        for run in _runs_alike(document, lines)
        if zones.has_introduction or (usual is not None and _look(run) != usual and zones.body)
    ]
    best = max(runs, key=lambda run: sum(len(line.span) for line in run), default=[])
    if len(best) < FEWEST_LINES:
        return None
    value = read_spans(document.text, [line.span for line in best], ()).text
    span = Span(best[0].span.start, best[-1].span.end)
    value = _PARAGRAPH_NUMBER.sub("", value)
    is_prose = len(value) >= FEWEST_LETTERS and value[:1].isupper() and value.rstrip()[-1:] in _STOPS
    return Field("abstract", value, span, PLAIN) if is_prose and not _NO_PROSE.search(value) else None


def _runs_alike(document: Document, lines: Sequence[Line]) -> list[list[Line]]:
    """Return runs of consecutive prose lines in one style; only the last line of a paragraph may be
    short.
    """
    runs: list[list[Line]] = [[]]
    for line in lines:
        text = line.span.of(document.text)
        if _NO_PROSE.search(text):
            runs.append([])
            continue
        if runs[-1] and _look([line]) != _look([runs[-1][-1]]):
            runs.append([])
        if len(text) >= SHORT_LINE or (runs[-1] and text.rstrip()[-1:] in _STOPS):
            runs[-1].append(line)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def find_late_abstract(document: Document, heading: str) -> Field | None:
    """Find the headed abstract of a thesis or report, which comes after title page, dedication and
    signatures.
    """
    lines = [
        line for line in document.lines if line.page < LATE_PAGES and line.span.of(document.text).strip()
    ]
    texts = [line.span.of(document.text) for line in lines]
    for idx, line in enumerate(lines):
        if line.page >= EARLY_PAGES and is_heading(texts[idx], heading):
            own = [place for place in range(idx + 1, len(lines)) if lines[place].page <= line.page + 1]
            found = _running_text(texts, own)
            if len(found) >= FEWEST_LINES:
                span = Span(lines[found[0]].span.start, lines[found[-1]].span.end)
                words = read_spans(document.text, [lines[place].span for place in found], ())
                return Field("abstract", words.text, span, LATE)
    return None


def _running_text(texts: Sequence[str], places: Sequence[int]) -> list[int]:
    """Return the longest run of long lines, including last lines of paragraphs and skipping page numbers."""
    runs: list[list[int]] = [[]]
    for place in places:
        text = texts[place].rstrip()
        if len(text) <= PAGE_NUMBER:
            continue
        if _LEADERS.search(text):
            runs.append([])  # a table of contents
        elif len(text) >= LONG_LINE or (runs[-1] and text[-1] in _STOPS):
            runs[-1].append(place)
        else:
            runs.append([])
    return max(runs, key=len)


def _is_headed(document: Document, abstract: Field, heading: str) -> bool:
    start = abstract.span.start
    around = document.text[max(0, start - REACH) : start + REACH].lower()
    letters = "".join(character for character in around if character.isalpha())
    return compiled(heading).search(letters) is not None


def _is_within(line: Line, span: Span) -> bool:
    return span.start <= line.span.start and line.span.end <= span.end + 1


def _look(lines: Sequence[Line]) -> Look:
    """Return the most frequent size and style of the lines."""
    return Counter((round(line.size * 2) / 2, line.bold, line.italic) for line in lines).most_common(1)[0][0]


def _is_narrower(lines: Sequence[Line], body: Sequence[Line]) -> bool:
    """Whether an abstract is indented from the left edge of most lines of the text."""
    edges = [Counter(round(line.box.left) for line in some if line.box) for some in (lines, body)]
    if not all(edges):
        return False
    own, usual = (edge.most_common(1)[0][0] for edge in edges)
    return own > min(usual, min(edges[1])) + WIDER_TEXT and own - usual != 0
