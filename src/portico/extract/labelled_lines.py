"""The labels of a page's lines while they are being made to agree."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from portico.extract.announcements import find_columns
from portico.extract.page_rows import HEADING
from portico.extract.tagger import Tagged
from portico.extract.words import Row, Word
from portico.types.domain import Kind

# Maximum number of words of a line that may be a list item; longer ones are running text.
STATED_WORDS = 18
# Fewest words of a line with a full stop that is a sentence.
SENTENCE_WORDS = 5
# Probability of labels found by their look alone: chosen by hand, slightly below the precision of all names
# on held-out sites (`portico lab organisations`).
BY_LOOKS = 0.9

_BY_LENGTH = frozenset({"bold", "partly-bold", "italic", HEADING})
_FURNITURE = frozenset({"in=nav", "in=foot", "in=head", "in=title"})
_SEPARATORS = (",", "–", "-", "—", ":", "|", "(")
# The end of a sentence, not of an abbreviation such as "Inc.".
_STOP = re.compile(r"[^\W\d_]{4}[.!?]$")
_LEADERS = re.compile(r"[.…_·]{3,}")


class LabelledLines:
    """The lines of a page with their looks, and a label for each of their words, which can be changed."""

    def __init__(self, tagged: Tagged, kind: Kind) -> None:
        assert kind.may_begin is not None
        self._tagged, self.rows = tagged, tagged.rows
        self.may_begin = kind.may_begin
        self.name, self.beside, self.other = kind.begins, kind.beside, kind.other
        labels, chances = iter(tagged.labels), iter(tagged.probabilities)
        self.labels = [[next(labels) for _ in row.words] for row in self.rows]
        self.chances = [[next(chances) for _ in row.words] for row in self.rows]
        columns = find_columns(self.rows)
        self.looks = [_describe_look(row, columns.get(idx)) for idx, row in enumerate(self.rows)]

    def as_tagged(self) -> Tagged:
        """Return the labels as they are now."""
        return replace(
            self._tagged,
            labels=tuple(label for line in self.labels for label in line),
            probabilities=tuple(chance for line in self.chances for chance in line),
        )

    def list_begun(self) -> Iterator[int]:
        """Yield the lines in which a record begins."""
        return (idx for idx, labels in enumerate(self.labels) if self.name in labels)

    def is_told(self, idx: int) -> bool:
        """Whether a line is running text or belongs to navigation, head or foot."""
        row = self.rows[idx]
        return len(row.words) > STATED_WORDS or not _FURNITURE.isdisjoint(row.looks)

    def is_beside(self, idx: int) -> bool:
        """Whether a line has what stands beside names, such as a role, and no name."""
        if not 0 <= idx < len(self.rows):
            return False
        return self.beside in self.labels[idx] and self.name not in self.labels[idx]

    def stands_at_name(self, idx: int) -> bool:
        """Whether a name is in the line before or after."""
        return any(
            0 <= there < len(self.rows) and self.name in self.labels[there] for there in (idx - 1, idx + 1)
        )

    def has_look(self, idx: int, look: tuple[str, ...]) -> bool:
        """Whether a line has a look, but no name."""
        return 0 <= idx < len(self.rows) and self.looks[idx] == look and self.name not in self.labels[idx]

    def has_this_look(self, idx: int, look: tuple[str, ...]) -> bool:
        """Whether a line has a look."""
        return 0 <= idx < len(self.looks) and self.looks[idx] == look

    def may_stand_beside(self, idx: int) -> bool:
        """Whether the words of a line allow it to be a role."""
        labels = self.labels[idx]
        text = self.rows[idx].text
        is_stated = len(labels) <= STATED_WORDS and "@" not in text and any(map(str.isalpha, text))
        is_stated = is_stated and not (len(labels) >= SENTENCE_WORDS and _STOP.search(text))
        return is_stated and (self.beside in labels or not any(map(str.isdigit, text)))

    def relabel(self, idx: int, places: range, label: str) -> None:
        """Give some words of a line a label."""
        for place in places:
            if self.labels[idx][place] != label:
                self.labels[idx][place] = label
                self.chances[idx][place] = BY_LOOKS

    def drop(self, idx: int, label: str) -> None:
        """Take a label away from a line."""
        self.labels[idx] = [self.other if one == label else one for one in self.labels[idx]]


def find_separator(words: Sequence[Word], idx: int) -> str:
    """Return what separates this word from the next (colon, comma, dash, leaders), or ""."""
    text = words[idx].text
    if _LEADERS.fullmatch(text):
        return "…"
    if text[-1] in ",:：" or (text in _SEPARATORS and idx):
        return text[-1].replace("：", ":")
    following = words[idx + 1].text if idx + 1 < len(words) else ""
    return following[0] if following and following[0] in _SEPARATORS else ""


def join_words(words: Sequence[Word]) -> str:
    return " ".join(word.text for word in words)


def _describe_look(row: Row, column: tuple[int, int] | None) -> tuple[str, ...]:
    """Return the features shared by lines that are printed alike.

    Whether a line with several typefaces is mostly bold depends on the length of its parts.
    """
    passed = ("alike=", "block=", "size=")
    told = tuple(look for look in row.looks if not look.startswith(passed))
    if row.cuts:
        told = (*(look for look in told if look not in _BY_LENGTH), "mixed")
    return (*told, f"{row.size:.0f}", f"column={column}")
