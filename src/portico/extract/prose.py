"""Cleans up running text in a header: keeps paragraphs whole and stops at the next heading."""

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from portico.extract.prominent_passage import BY_LOOKS, SIZE_STEP
from portico.extract.tagger import Tagged
from portico.extract.words import Row

# Maximum lengths of a heading on a line of its own that opens running text, and of one that ends it, which
# may say more than "Abstract".
OPENING_CHARACTERS, HEADING_CHARACTERS = 30, 60
# Share of a paragraph's words that must have the label for the whole to get it. Names, years and titles cited
# in an abstract are up to half of a paragraph.
PROSE_SHARE = 0.4
# Mean probability of a paragraph's words from which it may be the first of the text. Chosen by eye.
SURE = 0.6
# Maximum number of rows of a title that is repeated above the text.
TITLE_ROWS = 3
# Last characters of a sentence.
SENTENCE_ENDS = ".?!"


@dataclass(slots=True)
class _Paragraph:
    """The rows of one block; `start` and `stop` are the positions of its words among all words."""

    rows: Sequence[Row]
    start: int
    stop: int

    @property
    def size(self) -> float:
        """The size of most words."""
        sizes = Counter[float]()
        for row in self.rows:
            sizes[row.size] += len(row.words)
        return sizes.most_common(1)[0][0]

    @property
    def style(self) -> tuple[bool, bool]:
        """Whether most rows are bold, and whether most are italic."""
        n_bold = sum("bold" in row.looks for row in self.rows)
        n_italic = sum("italic" in row.looks for row in self.rows)
        return n_bold * 2 > len(self.rows), n_italic * 2 > len(self.rows)


def complete_paragraphs(tagged: Tagged, label: str, *, other: str) -> Tagged:
    """Correct the labels of running text by its layout.

    Words inside a paragraph that a model took for something else (names and years of cited works) get the
    label, and so do paragraphs outside all fields between a heading and the next similar one. Words in
    another size than the text's (footnotes) and those after the next heading get the label `other`. Without
    layout nothing changes.
    """
    if label not in tagged.labels or not any(row.size for row in tagged.rows):
        return tagged
    labels = list(tagged.labels)
    paragraphs = _paragraphs(tagged.rows)
    prose = [_is_prose(labels, paragraph, label) for paragraph in paragraphs]
    text = _first_text(tagged, paragraphs, prose, label)
    size, style = text.size, text.style
    opening, end = _headings(labels, paragraphs, text, label, other)
    for idx, paragraph in enumerate(paragraphs):
        if idx >= end or _is_outside(paragraphs, idx, size, style):
            _relabel(labels, paragraph, {label}, other)
        elif opening < idx and end < len(paragraphs) and _is_plain(labels, paragraph, {label, other}):
            _relabel(labels, paragraph, {other}, label)
        elif prose[idx]:
            sides = (idx - 1, idx + 1)
            goes_on = [0 <= side < len(prose) and prose[side] for side in sides]
            _fill(labels, paragraph, label, other=other, before=goes_on[0], behind=goes_on[1])
    chances = [
        chance if labels[idx] == tagged.labels[idx] else max(1 - chance, BY_LOOKS)
        for idx, chance in enumerate(tagged.probabilities)
    ]
    return replace(tagged, labels=tuple(labels), probabilities=tuple(chances))


def _paragraphs(rows: Sequence[Row]) -> list[_Paragraph]:
    paragraphs = []
    start = 0
    for _, group in groupby(rows, key=lambda row: row.block):
        block = tuple(group)
        stop = start + sum(len(row.words) for row in block)
        paragraphs.append(_Paragraph(block, start, stop))
        start = stop
    return paragraphs


def _is_prose(labels: Sequence[str], paragraph: _Paragraph, label: str) -> bool:
    inside = labels[paragraph.start : paragraph.stop]
    return inside.count(label) >= PROSE_SHARE * len(inside)


def _is_plain(labels: Sequence[str], paragraph: _Paragraph, plain: Set[str]) -> bool:
    return plain >= set(labels[paragraph.start : paragraph.stop])


def _first_text(
    tagged: Tagged, paragraphs: Sequence[_Paragraph], prose: Sequence[bool], label: str
) -> _Paragraph:
    """Return the first paragraph of running text that the model is sure of.

    Later ones need not be such text. Before it the title may be repeated below a heading, or there may be a
    table of contents or a disclaimer.
    """
    found = [one for one, is_prose in zip(paragraphs, prose, strict=True) if is_prose]
    long = [one for one in found if len(one.rows) > 1]
    sure = [one for one in long if _chance(tagged, one, label) >= SURE]
    for one, following in pairwise(sure):
        is_title = len(one.rows) <= TITLE_ROWS and one.rows[-1].words[-1].text[-1] not in SENTENCE_ENDS
        if one.size <= following.size + SIZE_STEP or not is_title:
            return one
    return (sure[-1:] or long or found or list(paragraphs))[0]


def _chance(tagged: Tagged, paragraph: _Paragraph, label: str) -> float:
    """Return the mean probability of the words to which the model gave the label."""
    places = range(paragraph.start, paragraph.stop)
    chances = [tagged.probabilities[place] for place in places if tagged.labels[place] == label]
    return sum(chances) / len(chances) if chances else 0.0


def _is_outside(paragraphs: Sequence[_Paragraph], idx: int, size: float, style: tuple[bool, bool]) -> bool:
    """Whether a paragraph differs from the text in size or style, or is the heading of one that does.

    A single line of another size within the text is a formula.
    """
    paragraph = paragraphs[idx]
    if len(paragraph.rows) > 1:
        return abs(paragraph.size - size) > SIZE_STEP or paragraph.style != style
    following = paragraphs[idx + 1 : idx + 2]
    return (
        bool(following)
        and len(following[0].rows) > 1
        and abs(following[0].size - size) > SIZE_STEP
        and _stands_out(paragraph.rows[0], following[0].rows[0])
    )


def _relabel(labels: list[str], paragraph: _Paragraph, given: Set[str], new: str) -> None:
    for place in range(paragraph.start, paragraph.stop):
        if labels[place] in given:
            labels[place] = new


def _fill(
    labels: list[str], paragraph: _Paragraph, label: str, *, other: str, before: bool, behind: bool
) -> None:
    """Give the label to the words between words that have it.

    At the ends of a paragraph, words outside all fields get it too, but only if the text continues beyond
    that end or a sentence would be cut in two.
    """
    places = [place for place in range(paragraph.start, paragraph.stop) if labels[place] == label]
    first, last = places[0], places[-1]
    words = [word.text for row in paragraph.rows for word in row.words]
    before = before or _opens_within_sentence(words, first - paragraph.start)
    behind = behind or _ends_within_sentence(words, last - paragraph.start)
    labels[first:last] = [label] * (last - first)
    if before and set(labels[paragraph.start : first]) == {other}:
        labels[paragraph.start : first] = [label] * (first - paragraph.start)
    if behind and set(labels[last + 1 : paragraph.stop]) == {other}:
        labels[last + 1 : paragraph.stop] = [label] * (paragraph.stop - last - 1)


def _opens_within_sentence(words: Sequence[str], first: int) -> bool:
    """Whether the text would begin in mid-sentence while the paragraph begins with a sentence."""
    return bool(first) and words[first][:1].islower() and words[0][:1].isupper()


def _ends_within_sentence(words: Sequence[str], last: int) -> bool:
    """Whether the text would end in mid-sentence while the paragraph ends with a sentence."""
    return last < len(words) - 1 and words[last][-1:].isalnum() and words[-1][-1:] in SENTENCE_ENDS


def _headings(
    labels: Sequence[str], paragraphs: Sequence[_Paragraph], text: _Paragraph, label: str, other: str
) -> tuple[int, int]:
    """Return the indices of the heading that opens a text and of the next similar one, or the end."""
    none, plain = len(paragraphs), {label, other}
    named = [idx for idx, paragraph in enumerate(paragraphs) if labels[paragraph.start] == label]
    opening = next(
        (idx for idx in named if paragraphs[idx + 1 : idx + 2] == [text]), named[0] if named else none
    )
    if opening + 1 >= none or not _stands_alone(paragraphs[opening], OPENING_CHARACTERS):
        return none, none
    heading = paragraphs[opening].rows[0]
    if not _stands_out(heading, paragraphs[opening + 1].rows[0]):
        return none, none
    for idx in range(opening + 2, none):
        row = paragraphs[idx].rows[0]
        if (
            _stands_alone(paragraphs[idx], HEADING_CHARACTERS)
            and _is_plain(labels, paragraphs[idx], plain)
            and abs(row.size - heading.size) <= SIZE_STEP
            and ("bold" in row.looks) == ("bold" in heading.looks)
        ):
            return opening, idx
    return opening, none


def _stands_alone(paragraph: _Paragraph, most_characters: int) -> bool:
    return len(paragraph.rows) == 1 and len(paragraph.rows[0].text) <= most_characters


def _stands_out(heading: Row, text: Row) -> bool:
    return heading.size > text.size + SIZE_STEP or ("bold" in heading.looks and "bold" not in text.looks)
