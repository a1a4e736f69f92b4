"""Converts the lines of a web page to rows of words with layout: heading, cell, link, footer."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import groupby, pairwise

from portico.extract.words import Row, Word, split_words
from portico.types.document import Document, Line, Span

# Points by which two sizes must differ to be distinct.
SIZE_STEP = 0.6
# Maximum number of words of a line that may be a heading without heading markup.
HEADING_WORDS = 8
# Words read of a line; what comes later in a long paragraph is hardly ever a value.
ROW_WORDS = 30
# Maximum number of words read of a page; a list of all members of a large club has fewer.
MAX_WORDS = 20_000

# Fewest parts separated by semicolons that make a line a list, and the maximum number of words in each.
LEAST_PARTS, PART_WORDS = 3, 10

HEADING = "heading"
"""The style of a line that is a heading of others."""


def read_page_rows(document: Document) -> tuple[Row, ...]:
    """Return the lines that have words, each with its look."""
    lines = _first_words(document, [line for line in document.lines if line.span.of(document.text).strip()])
    usual = _usual_size(lines)
    in_block = Counter(line.block for line in lines)
    alike = Counter(map(_outfit, lines))
    rows = []
    for idx, line in enumerate(lines):
        before = lines[idx - 1] if idx else None
        looks = [
            *_elements(line),
            f"size={_compared(line.size, usual)}",
            "block=" + ("alone" if in_block[line.block] == 1 else _place(line, before)),
            f"alike={_bucket(alike[_outfit(line)])}",
        ]
        words = _split_labels(split_words(document.text, line.span))
        if _is_heading(line, len(words), alone=in_block[line.block] == 1):
            looks.append(HEADING)
        for part in _split_at_semicolons(words):
            part = part[:ROW_WORDS]
            rows.append(Row(part, tuple(looks), line.size, line.block, _find_cuts(line, part)))
    return tuple(rows)


def _split_at_semicolons(words: Sequence[Word]) -> list[tuple[Word, ...]]:
    """Split a long line that lists something in short parts: "Chair: Ann Bell; Clerk: Bo Lind; …"."""
    ends = [idx + 1 for idx, word in enumerate(words) if word.text.endswith(";")]
    cuts = [0, *(end for end in ends if end < len(words)), len(words)]
    sizes = [end - start for start, end in pairwise(cuts)]
    if len(sizes) < LEAST_PARTS or max(sizes) > PART_WORDS:
        return [tuple(words)]
    return [tuple(words[start:end]) for start, end in pairwise(cuts)]


def _split_labels(words: Sequence[Word]) -> tuple[Word, ...]:
    """Split words after a full-width colon, behind which there is no space: "氏名：三宅誠" has two."""
    out: list[Word] = []
    for word in words:
        at = word.text.find("：") + 1
        if 0 < at < len(word.text):
            cut = word.span.start + at
            out.append(Word(word.text[:at], Span(word.span.start, cut)))
            word = Word(word.text[at:], Span(cut, word.span.end))
        out.append(word)
    return tuple(out)


def _find_cuts(line: Line, words: Sequence[Word]) -> tuple[int, ...]:
    """Return the positions of the words with which another element or typeface begins."""
    looks = [(run.font, run.bold, run.italic) for run in line.runs]
    starts = [run.span.start for idx, run in enumerate(line.runs) if idx and looks[idx] != looks[idx - 1]]
    found = (bisect_left([word.span.start for word in words], start) for start in starts)
    return tuple(dict.fromkeys(idx for idx in found if 0 < idx < len(words)))


def _first_words(document: Document, lines: Sequence[Line]) -> list[Line]:
    kept, n_words = [], 0
    for line in lines:
        n_words += len(line.span.of(document.text).split())
        if n_words > MAX_WORDS:
            break
        kept.append(line)
    return kept


def _usual_size(lines: Sequence[Line]) -> float:
    """Return the size of most characters."""
    sizes: Counter[float] = Counter()
    for size, group in groupby(sorted(lines, key=lambda line: line.size), key=lambda line: line.size):
        sizes[size] = sum(len(line.span) for line in group)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _elements(line: Line) -> list[str]:
    names = line.runs[0].font.split() if line.runs else []
    looks = [f"in={name}" for name in names] or ["in=none"]
    looks.append(f"first={names[0] if names else 'none'}")
    if line.bold:
        looks.append("bold")
    elif any(run.bold for run in line.runs):
        looks.append("partly-bold")
    if line.italic:
        looks.append("italic")
    return looks


def _outfit(line: Line) -> tuple[str, float, bool]:
    return (line.runs[0].font if line.runs else "", line.size, line.bold)


def _compared(size: float, usual: float) -> str:
    return "same" if abs(size - usual) < SIZE_STEP else "larger" if size > usual else "smaller"


def _place(line: Line, before: Line | None) -> str:
    return "first" if before is None or before.block != line.block else "inside"


def _is_heading(line: Line, n_words: int, *, alone: bool) -> bool:
    names = line.runs[0].font.split() if line.runs else []
    by_markup = any(name in _HEADINGS for name in names)
    return by_markup or (alone and line.bold and n_words <= HEADING_WORDS)


_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "title", "dt", "th"})


def _bucket(n_lines: int) -> str:
    return str(n_lines) if n_lines < 3 else "3-5" if n_lines < 6 else "6-20" if n_lines <= 20 else "more"
