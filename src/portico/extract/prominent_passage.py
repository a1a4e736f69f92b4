"""Finds the most prominent passage of a header, its title, from words and layout together."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median

from portico.extract.header_looks import LARGEST
from portico.extract.tagger import Segment, Tagged
from portico.extract.words import Row

# Points by which two sizes must differ to be distinct.
SIZE_STEP = 0.6
# Points within which two lines have exactly the same size.
SAME_SIZE = 0.1
# Share by which the lines of one title may differ in size, because scanned and scaled pages vary.
SAME_LINE_SIZE = 0.15
# Maximum number of rows of a title. Titles of the Cora headers have at most 5 rows; 7 occur in the narrow
# columns of journals.
MOST_ROWS = 8
# Letters a row must have to be taken for a title by its look alone.
FEWEST_LETTERS = 6
# Probability of a passage chosen by its look alone. A guess: only one title of papers/* needs it.
BY_LOOKS = 0.6
# Factor for the probability of a passage whose look disagrees with its label. Of .8, .9 and 1 it calibrated
# the titles of held-out headers of Cora and GROBID best, in tenfold cross-validation.
AGAINST_LOOKS = 0.9
# A row belongs to another field, whatever its size, if the model is this sure of it.
SURE_OF_ANOTHER = 0.9
# The same for a row below a title in the same style.
LIKELY_ANOTHER = 0.5


def find_prominent(
    tagged: Tagged,
    label: str,
    *,
    other: str,
    not_where: Callable[[str], bool] | None = None,
    is_another: Callable[[str], bool] = lambda line: False,
) -> Segment | None:
    """Find the passage with a label, corrected by its look; if no word has the label, by its look alone.

    `other` is the label of words outside all fields. `not_where` recognizes paragraphs that cannot hold the
    field, and `is_another` lines that have the form of another field.
    """
    labelled = [segment for segment in tagged.segments() if segment.label == label]
    if not labelled:
        return _by_looks(tagged, label, other)
    if not_where:
        labelled = [trim_paragraphs(tagged.rows, segment, not_where, apart=True) for segment in labelled]
    best = max(labelled, key=lambda segment: sum(segment.probabilities) - 0.001 * segment.first_row)
    if any(row.size for row in tagged.rows):
        best = _grown(tagged, best, other, is_another)
    return _weighed(tagged, best)


def part_at_heading(
    tagged: Tagged,
    is_heading: Callable[[str], bool],
    is_another: Callable[[str], bool],
    *,
    labels: tuple[str, str, str],
) -> Tagged:
    """Correct the labels around the heading of running text: a title must not go on into the abstract.

    `labels` are those of the title, of the field whose lines `is_another` recognizes, and of the text below
    the heading. If no word above it has the second label, paragraphs below the title that have its form get
    it; if no word has the third, the paragraph below the heading gets it.
    """
    title, name, text = labels
    rows = tagged.rows
    said = [label for label, _ in tagged.row_labels()]
    openings = [idx for idx in range(1, len(rows)) if rows[idx].block != rows[idx - 1].block]
    heading = next((idx for idx in openings if is_heading(rows[idx].text)), 0)
    if not heading:
        return tagged
    corrected = list(tagged.labels)
    place = tagged.first_word(heading)
    if said[heading] in (title, name):
        below = place + len(rows[heading].words)
        while below < len(corrected) and corrected[below] in (title, name):
            below += 1
        corrected[place:below] = [text] * (below - place)
    wanted = {}
    first = said.index(title) if title in said[:heading] else 0
    if name not in corrected[:place]:
        wanted = {idx: name for idx in openings if first < idx < heading and is_another(rows[idx].text)}
    if text not in corrected and heading + 1 < len(rows):
        block = rows[heading + 1].block
        wanted |= {idx: text for idx in range(heading + 1, len(rows)) if rows[idx].block == block}
    for idx, label in wanted.items():
        start = tagged.first_word(idx)
        corrected[start : start + len(rows[idx].words)] = [label] * len(rows[idx].words)
    return replace(tagged, labels=tuple(corrected))


def trim_paragraphs(
    rows: Sequence[Row], segment: Segment, is_none: Callable[[str], bool], *, apart: bool = False
) -> Segment:
    """Trim paragraphs that cannot hold the field from both ends, as long as another one is left.

    With `apart`, the last paragraph stays if it looks like the ones before it.
    """
    while True:
        own = rows[segment.first_row : segment.first_row + len(segment.lines)]
        blocks = [row.block for row in own]
        looks = {row.block: (round(row.size), "bold" in row.looks, "italic" in row.looks) for row in own}
        alike = apart and len(set(looks.values())) == 1
        ends = blocks[:1] if alike else [blocks[0], blocks[-1]]
        cut = next((block for block in ends if is_none(_paragraph(rows, block))), None)
        if cut is None or len(set(blocks)) == 1:
            return segment
        if cut == blocks[0]:
            n_lines = next(idx for idx, block in enumerate(blocks) if block != cut)
            n_words = sum(map(len, segment.lines[:n_lines]))
            segment = Segment(
                segment.label,
                segment.lines[n_lines:],
                segment.probabilities[n_words:],
                segment.first_row + n_lines,
            )
        else:
            n_lines = next(idx for idx, block in enumerate(reversed(blocks)) if block != cut)
            lines = segment.lines[:-n_lines]
            n_words = sum(map(len, lines))
            segment = Segment(segment.label, lines, segment.probabilities[:n_words], segment.first_row)


def _paragraph(rows: Sequence[Row], block: int) -> str:
    return "\n".join(row.text for row in rows if row.block == block)


def _weighed(tagged: Tagged, segment: Segment) -> Segment:
    """Lower the probabilities if the passage is not exactly the lines of the largest size."""
    largest = {idx for idx, row in enumerate(tagged.rows) if LARGEST in row.looks}
    found = set(range(segment.first_row, segment.first_row + len(segment.lines)))
    if not largest or found == largest:
        return segment
    return replace(segment, probabilities=tuple(AGAINST_LOOKS * chance for chance in segment.probabilities))


def _grown(tagged: Tagged, segment: Segment, other: str, is_another: Callable[[str], bool]) -> Segment:
    """Extend a segment to the lines of its size: a model may miss a title's first or last line."""
    rows = tagged.rows
    indices = range(segment.first_row, segment.first_row + len(segment.lines))
    core = max(indices, key=lambda idx: (rows[idx].size, len(rows[idx].words)))
    if rows[core].size < _usual_size(rows) + SIZE_STEP:
        return segment
    first = last = core
    while first > 0 and _joins(tagged, segment, first - 1, core):
        first -= 1
    labels = tagged.row_labels()
    while last + 1 < len(rows) and (
        _joins(tagged, segment, last + 1, core)
        or (
            _is_set_as(rows[last + 1], rows[last])
            and (
                not _is_another(labels[last + 1], other, LIKELY_ANOTHER)
                or (LARGEST in rows[last].looks and _is_last_word(rows[last + 1]))
            )
        )
    ):
        if labels[last + 1][0] != segment.label and is_another(rows[last + 1].text):
            break
        last += 1
    return _rows_segment(tagged, first, min(last, first + MOST_ROWS - 1), segment.label)


def _is_last_word(row: Row) -> bool:
    """Whether a row is a single word, as the end of a title may be, and has no mark."""
    return len(row.words) == 1 and row.text.isalpha()


def _is_set_as(row: Row, above: Row) -> bool:
    """Whether a line has exactly the size and style of the one above it."""
    looks = ("bold", "italic", LARGEST)
    return abs(row.size - above.size) < SAME_SIZE and [look in row.looks for look in looks] == [
        look in above.looks for look in looks
    ]


def _joins(tagged: Tagged, segment: Segment, idx: int, core: int) -> bool:
    """Whether a row belongs with the row `core`: in its block, or labelled and of its size."""
    row, middle = tagged.rows[idx], tagged.rows[core]
    labelled = segment.first_row <= idx < segment.first_row + len(segment.lines)
    if row.block == middle.block:
        # A name above or below its title may be in the same paragraph, but seldom is bold if the title is.
        is_alike = abs(row.size - middle.size) <= SIZE_STEP and ("bold" in row.looks) == (
            "bold" in middle.looks
        )
        return labelled or is_alike
    return labelled and abs(row.size - middle.size) <= SAME_LINE_SIZE * middle.size


def _by_looks(tagged: Tagged, label: str, other: str) -> Segment | None:
    """Return the first block of the largest size, or the first row if no size is known."""
    rows = tagged.rows
    labels = tagged.row_labels()
    candidates = [
        idx
        for idx, row in enumerate(rows)
        if _n_letters(row) >= FEWEST_LETTERS and not _is_another(labels[idx], other) and "@" not in row.text
    ]
    if not candidates:
        return None
    core = max(candidates, key=lambda idx: (rows[idx].size, -idx))
    last = core
    while (
        last + 1 < len(rows)
        and last + 1 - core < MOST_ROWS
        and rows[core].size
        and abs(rows[last + 1].size - rows[core].size) <= SIZE_STEP
        and (rows[last + 1].block == rows[core].block or _is_set_as(rows[last + 1], rows[core]))
        and not _is_another(labels[last + 1], other)
    ):
        last += 1
    segment = _rows_segment(tagged, core, last, label)
    return Segment(label, segment.lines, (BY_LOOKS,) * len(segment.words), core)


def _is_another(labelled: tuple[str, float], other: str, sure: float = SURE_OF_ANOTHER) -> bool:
    """Whether the model is sure that a row is another field; words outside all fields may be anything."""
    name, share = labelled
    return name != other and share >= sure


def _rows_segment(tagged: Tagged, first: int, last: int, label: str) -> Segment:
    rows = tagged.rows[first : last + 1]
    start = tagged.first_word(first)
    chances = [
        chance if found == label else 1 - chance
        for found, chance in zip(tagged.labels[start:], tagged.probabilities[start:], strict=True)
    ]
    lines = tuple(row.words for row in rows)
    n_words = sum(len(line) for line in lines)
    # The look supports words that the model gave another label.
    mended = tuple(max(chance, BY_LOOKS) for chance in chances[:n_words])
    return Segment(label, lines, mended, first)


def _usual_size(rows: tuple[Row, ...]) -> float:
    return median(row.size for row in rows for _ in row.words)


def _n_letters(row: Row) -> int:
    return sum(character.isalpha() for word in row.words for character in word.text)
