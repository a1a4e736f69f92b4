"""Divides a document into header, body and references, and decides whether it is a paper at all."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from portico.errors import NotAPaper
from portico.extract.cover_pages import split_cover
from portico.extract.furniture import drop_furniture
from portico.extract.headings import HEADING_CHARACTERS, has_heading, is_heading
from portico.extract.zone_lines import read_zone_lines
from portico.extract.zone_reader import LEAD_LINES, ZoneReader
from portico.types.document import Document, Line
from portico.types.domain import Headings

_NUMBERED = re.compile(r"^(?:1|I)[.\s:]{1,3}\s*[A-Z][A-Za-z]")
_SECOND = re.compile(r"^2[.\s:]{0,3}[A-Z][A-Za-z]")
_YEAR = re.compile(r"\b(?:1[89]\d\d|20[0-4]\d)[a-z]?\b")
_FIRST_LABEL = re.compile(r"^\s*\[1\]")
_ANY_LABEL = re.compile(r"^\s*\[(\d{1,3})\]")

# The header ends on one of the first pages: a title page, a page with the abstract, then the text.
HEADER_PAGES = 3
# Maximum number of words of a header without a heading at its end; the longest of 935 Cora headers has 638.
HEADER_WORDS = 1_200
# Points by which the text must be wider than the abstract; chosen by eye on papers/ps_papers.
WIDER_TEXT = 8.0
# Points by which two sizes must differ to be distinct.
SIZE_STEP = 0.6
# How much larger than usual the letters of a title must be for its lines to be put together, and the most
# lines it may have.
LARGE, TITLE_LINES = 1.3, 6
# Most words at the end of a title that may look like a banner ("case studies", "a working paper").
TITLE_END_WORDS = 3
# Most lines of another column that may come between two lines of a title or abstract in reading order: a
# journal's column of editors, dates and citation has about forty.
SIDE_LINES = 60
# Fewest commas of an institution's address, and lines within which the next one follows.
PLACE_COMMAS, PLACE_LINES = 2, 3
# Share of lines with a year below which a passage headed "References" is not a list of references
# (a table of contents, a remark). Lists with four lines a reference have .25.
YEARS_PER_LINE = 0.06
# The same for lines that are hardly anything but a list of references.
LISTED_YEARS = 0.3
# Consecutive references, counted from [1], that make a list without a heading.
HEADLESS_LABELS = 4
# References that prove a paper without the headings "Abstract" and "Introduction".
PROVING_REFERENCES = 5
# Pages that prove a paper with an abstract and an introduction but without references.
PAGES_OF_A_PAPER = 5
# A page is landscape if it is this much wider than high; slides are, papers are not.
LANDSCAPE = 1.15


@dataclass(frozen=True, slots=True)
class Zones:
    """The lines of a document by zone, without running heads and page numbers."""

    header: tuple[Line, ...]
    body: tuple[Line, ...]
    references: tuple[Line, ...]
    has_abstract: bool
    has_introduction: bool
    cover: tuple[Line, ...] = ()  # of the page that an archive has put before the document


@dataclass(frozen=True, slots=True)
class ZoneFinder:
    """Divides documents into zones by the headings of a domain."""

    headings: Headings
    read_zones: ZoneReader | None = None  # without a model, headings alone decide

    @property
    def digest(self) -> str:
        """An identifier that changes when the model changes."""
        return self.read_zones.model.digest if self.read_zones else ""

    def __call__(self, document: Document) -> Zones:
        cover, lines = split_cover(document, drop_furniture(document), self.headings)
        texts = [line.span.of(document.text) for line in lines]
        first_page = lines[0].page if lines else 0
        n_front = sum(line.page < first_page + HEADER_PAGES for line in lines)
        abstract_idx = _first(self.headings.abstract, texts[:n_front])
        start = 0 if abstract_idx is None else abstract_idx
        introduction_idx = _first(self.headings.introduction, texts[:n_front], start=start)
        references = self._references(lines, texts)
        # Without any heading of a paper, a list of publications belongs to a curriculum vitae.
        has_heading = references is not None or abstract_idx is not None or introduction_idx is not None
        parts = self._learned(document, lines, references) if has_heading else ()
        header_end = introduction_idx
        if header_end is None or sum(len(text.split()) for text in texts[:header_end]) > HEADER_WORDS:
            header_end = _end_without_introduction(lines, texts, start)
        text_end = parts[0].start if parts else len(lines)
        header_end = min(header_end, text_end)
        header, body = _beside(lines[:header_end], lines[header_end:text_end], abstract_idx)
        return Zones(
            header=_large_lines_together(_before_the_side(self._without_banners(document, header))),
            body=body,
            references=tuple(lines[idx] for part in parts for idx in part),
            has_abstract=abstract_idx is not None,
            has_introduction=introduction_idx is not None,
            cover=cover,
        )

    def _without_banners(self, document: Document, header: tuple[Line, ...]) -> tuple[Line, ...]:
        """Remove blocks that only say what kind of text follows.

        The last words of a title may be some that banners consist of: "studies".
        """
        alike = [line for line in header if is_heading(line.span.of(document.text), self.headings.banners)]
        others = [line for line in header if line not in alike]
        banners = [line for line in alike if not any(_continues_below(other, line) for other in others)]
        n_in_block = Counter(line.block for line in header)
        n_of_banners = Counter(line.block for line in banners)
        kept = tuple(
            line
            for line in header
            if line not in banners
            or (n_in_block[line.block] > n_of_banners[line.block] and _is_short(line, document))
        )
        return kept or header

    def _references(self, lines: Sequence[Line], texts: Sequence[str]) -> range | None:
        """Find the lines after the last heading of references that is followed by references.

        If columns ran together, the heading is part of a line; if digits were lost, there are no years. Such
        headings count if there is no better one.
        """
        pattern = self.headings.references
        for looks_like, proof in _PROOFS:
            for idx in range(len(texts) - 1, -1, -1):
                if not looks_like(texts[idx], pattern):
                    continue
                found = range(idx + 1, self._end_of_references(texts, idx + 1))
                late = proof > 0 or idx > len(texts) // 2
                if len(found) and late and _share_of_years(texts[found.start : found.stop]) >= proof:
                    return found
        return _headless(texts)

    def _learned(self, document: Document, lines: Sequence[Line], found: range | None) -> tuple[range, ...]:
        """Return the list of references as the model finds it, in the section or, without one, anywhere."""
        if found is not None and (self.read_zones is None or not len(found)):
            return (found,)
        if self.read_zones is None:
            return ()
        if found is None:
            own = self.read_zones.references(read_zone_lines(document, lines))
            return (own,) if own else ()
        n_before = max(0, found.start - LEAD_LINES)
        seen = read_zone_lines(document, lines, start=n_before)
        return self.read_zones.list_of_references(seen, found, n_before=n_before)

    def _end_of_references(self, texts: Sequence[str], start: int) -> int:
        """Return the start of the next heading, unless it is from another column and the list follows."""
        for idx in range(start, len(texts)):
            if is_heading(texts[idx], self.headings.after_references):
                is_text = idx > start and _share_of_years(texts[start:idx]) < YEARS_PER_LINE
                is_list = _share_of_years(texts[idx:]) >= LISTED_YEARS
                return len(texts) if is_text and is_list else idx
        return len(texts)


def _is_short(line: Line, document: Document) -> bool:
    """Whether a banner is short enough to be the end of a title."""
    return len(line.span.of(document.text).split()) <= TITLE_END_WORDS


def check_paper(document: Document, zones: Zones, n_references: int) -> None:
    """Raise NotAPaper, with the reason, unless the document has the marks of a paper."""
    landscape = [page for page in document.pages if page.width > LANDSCAPE * page.height]
    if document.pages and len(landscape) * 2 > len(document.pages):
        raise NotAPaper("slides: most of the pages are landscape")
    opened = zones.has_abstract or zones.has_introduction
    if n_references >= PROVING_REFERENCES or (opened and n_references):
        return
    if zones.has_abstract and zones.has_introduction and len(document.pages) >= PAGES_OF_A_PAPER:
        return
    if not opened and not n_references:
        raise NotAPaper("no abstract or introduction heading and no reference section")
    if not n_references:
        raise NotAPaper("no reference section")
    raise NotAPaper("no abstract or introduction heading")


# How a heading of references is recognized, and the share of lines with years needed to prove it.
_PROOFS = ((is_heading, YEARS_PER_LINE), (has_heading, 2 * YEARS_PER_LINE), (is_heading, 0.0))


def _share_of_years(texts: Sequence[str]) -> float:
    return sum(bool(_YEAR.search(text)) for text in texts) / len(texts)


def _headless(texts: Sequence[str]) -> range | None:
    """Find references without a heading: the last count from [1] in the document's second half."""
    for idx in range(len(texts) - 1, len(texts) // 2, -1):
        if _FIRST_LABEL.match(texts[idx]):
            section = texts[idx:]
            labels = [match[1] for text in section if (match := _ANY_LABEL.match(text))]
            counted = labels[:HEADLESS_LABELS] == [str(number + 1) for number in range(HEADLESS_LABELS)]
            if counted and _share_of_years(section) >= 2 * YEARS_PER_LINE:
                return range(idx, len(texts))
    return None


def _first(pattern: str, texts: Sequence[str], *, start: int = 0) -> int | None:
    return next((idx for idx in range(start, len(texts)) if is_heading(texts[idx], pattern)), None)


def _beside(
    header: tuple[Line, ...], body: tuple[Line, ...], abstract_idx: int | None
) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """Move lines that stand higher on the first page than the abstract into the header.

    In two columns the second author's address follows the first column in reading order, with the text.
    """
    if abstract_idx is None or abstract_idx >= len(header):
        return header, body
    heading = header[abstract_idx]
    # A paragraph of the text may begin higher, in the next column, and continue below the heading.
    lower = {line.block for line in body if line.page == heading.page and not _is_higher(line, heading)}
    higher = tuple(line for line in body if _is_higher(line, heading) and line.block not in lower)
    if not higher:
        return header, body
    moved = {line.span.start for line in higher}
    rest = tuple(line for line in body if line.span.start not in moved)
    return header[:abstract_idx] + higher + header[abstract_idx:], rest


def _is_higher(line: Line, heading: Line) -> bool:
    return bool(line.page == heading.page and line.box and heading.box and line.box.bottom < heading.box.top)


def _large_lines_together(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """Put the lines of the largest size together, from top to bottom.

    A short last line of a title may be read with the column it is centered over.
    """
    largest = max((line.size for line in lines), default=0.0)
    large = [line for line in lines if line.box and line.size > largest - SIZE_STEP]
    usual = sorted(line.size for line in lines)[len(lines) // 2] if lines else 0.0
    if len(large) < 2 or largest < LARGE * usual or len(large) > TITLE_LINES:
        return lines
    ordered = sorted(large, key=lambda line: (line.page, line.box.top if line.box else 0.0))
    spread = [line.box.top for line in ordered if line.box]
    if ordered[0].page != ordered[-1].page or spread[-1] - spread[0] > 2 * largest * len(large):
        return lines
    first = lines.index(large[0])
    others = tuple(line for line in lines if line not in large)
    return others[:first] + tuple(ordered) + others[first:]


def _before_the_side(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """Move a line right after the line it continues, before the text set beside the two.

    The volume and number of an issue printed beside a title may be read between the title's lines.
    """
    ordered = list(lines)
    idx = 0
    while idx < len(ordered):
        below = next(
            (
                place
                for place in range(idx + 2, min(idx + 2 + SIDE_LINES, len(ordered)))
                if _continues_below(ordered[idx], ordered[place])
                and all(_is_aside(ordered[idx], line) for line in ordered[idx + 1 : place])
            ),
            None,
        )
        if below is not None:
            ordered.insert(idx + 1, ordered.pop(below))
        idx += 1
    return tuple(ordered)


def _continues_below(line: Line, other: Line) -> bool:
    if line.page != other.page or not line.box or not other.box or not line.size:
        return False
    return (
        _is_set_alike(line, other)
        and 0 < other.box.top - line.box.top < 2 * line.size
        and other.box.left < line.box.right
        and line.box.left < other.box.right
    )


def _is_aside(line: Line, other: Line) -> bool:
    """Whether a line of another size or style stands left or right of one."""
    if not line.box or not other.box or _is_set_alike(line, other):
        return False
    return other.box.left >= line.box.right or other.box.right <= line.box.left


def _is_set_alike(line: Line, other: Line) -> bool:
    return abs(line.size - other.size) < SIZE_STEP and line.bold == other.bold


def _end_without_introduction(lines: Sequence[Line], texts: Sequence[str], start: int) -> int:
    """Return where the header ends if there is no heading of an introduction.

    That is the first numbered heading, or else where lines reach further left than the abstract, or else the
    end of the abstract's page, but at most after HEADER_WORDS words.
    """
    if not lines:
        return 0
    first_page_end = next(
        (idx for idx, line in enumerate(lines) if line.page > lines[start].page), len(lines)
    )
    left = _left_of_block(lines, start + 1) if start else None
    n_words = 0
    for idx in range(first_page_end):
        if idx > start and _is_first_heading(texts, idx):
            return idx
        box = lines[idx].box
        if left is not None and idx > start + 1 and box and box.left < left - WIDER_TEXT:
            return idx
        n_words += len(texts[idx].split())
        if n_words > HEADER_WORDS:
            return idx
    return first_page_end


def _is_first_heading(texts: Sequence[str], idx: int) -> bool:
    """Whether a line is the heading numbered 1, and not the first of the authors' affiliations."""
    text = texts[idx]
    return (
        len(text) <= HEADING_CHARACTERS
        and _NUMBERED.match(text) is not None
        and text.count(",") < PLACE_COMMAS
        and not any(map(_SECOND.match, texts[idx + 1 : idx + 1 + PLACE_LINES]))
    )


def _left_of_block(lines: Sequence[Line], start: int) -> float | None:
    """Return the left edge of the paragraph that begins at a line."""
    if start >= len(lines):
        return None
    edges = [line.box.left for line in lines[start:] if line.block == lines[start].block and line.box]
    return min(edges, default=None)
