"""Labels the lines of a header in a first pass; the labels become features of their words."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from portico.extract.features import Seen, SeeWord
from portico.extract.words import MEMORY_WORDS, Row
from portico.learn.crf import Crf

JOINT = "|"
"""Joins the labels of a line that has several: "affiliation|address"."""

LINES = "lines"
"""The name of the line model among the word models that are trained on its output."""

FROM_LINES = "L"
"""Prefix of the features, and only those, that come from the first pass."""

# Maximum number of labels in a line that are distinguished.
MOST_LABELS = 3
# Probabilities above which the label of a line counts as sure, or as likely.
SURE, LIKELY = 0.9, 0.6
# Features of words that become features of their line, and those of them that neighboring lines get.
_OF_WORDS = ("w=", "g=", "form=", "group=", "and", "lexany=")
_SHARED = ("in:g=", "in:form=", "in:group=", "in:w=")


@dataclass(frozen=True, slots=True)
class LineAnswer:
    """The label that the first pass gives a line, and its probability."""

    label: str
    chance: float


@dataclass(frozen=True, slots=True)
class LineReader:
    """Labels the lines of a header; the labels become features of their words."""

    model: Crf
    see: SeeWord

    def __call__(self, rows: Sequence[Row]) -> tuple[LineAnswer, ...]:
        """Return the label of each row."""
        tagging = self.model.tag(observe_lines(rows, self.see))
        return tuple(map(LineAnswer, tagging.labels, tagging.probabilities))


def join_line_labels(labels: Sequence[str]) -> str:
    """Combine the labels of a line's words into one label: each run once, in order."""
    runs = [label for idx, label in enumerate(labels) if not idx or labels[idx - 1] != label]
    return JOINT.join(runs[:MOST_LABELS])


def observe_lines(rows: Sequence[Row], see: SeeWord) -> list[list[str]]:
    """Return the features of each row: its words, its position, its look, and the rows around it."""
    own, shared = [], []
    for row in rows:
        features, seen_around = _own_features(row, [see(word.text) for word in row.words])
        own.append(features)
        shared.append(seen_around)
    n_rows = len(rows)
    out = []
    for idx, features in enumerate(own):
        seen = [*features, f"line={min(idx, 8)}", f"end={min(n_rows - idx, 5)}"]
        seen += ["-1" + text for text in shared[idx - 1]] if idx else ["-1start"]
        seen += ["+1" + text for text in shared[idx + 1]] if idx + 1 < n_rows else ["+1end"]
        if idx > 1:
            seen += ["-2" + text for text in shared[idx - 2] if text.startswith(("top=", "len="))]
        out.append(seen)
    return out


def observe_line_context(
    rows: Sequence[Row], said: Sequence[LineAnswer], seen: Sequence[Seen]
) -> list[list[str]]:
    """Return for each word features of the first pass's labels of its line and of the lines around."""
    labels = ["^", *(one.label for one in said), "$"]
    out: list[list[str]] = []
    for idx, (row, one) in enumerate(zip(rows, said, strict=True)):
        before, label, after = labels[idx : idx + 3]
        shared = [
            f"{FROM_LINES}={label}",
            f"{FROM_LINES}={label}{_sureness(one.chance)}",
            f"{FROM_LINES}-1={before}>{label}",
            f"{FROM_LINES}+1={label}>{after}",
        ]
        n_words = len(row.words)
        for position in range(n_words):
            features = [*shared, f"{FROM_LINES}g={label} {seen[len(out)].group}"]
            if JOINT in label:
                features.append(f"{FROM_LINES}p={label} {min(position, 4)}/{min(n_words - 1 - position, 4)}")
            out.append(features)
    return out


@dataclass(frozen=True, slots=True)
class _Told:
    """The features a word gives its line: by presence, as shared with neighboring lines, and by position."""

    inside: tuple[str, ...]
    shared: tuple[str, ...]
    first: tuple[str, ...]
    second: tuple[str, ...]
    last: tuple[str, ...]


@lru_cache(maxsize=MEMORY_WORDS)
def _told(own: tuple[str, ...]) -> _Told:
    inside = ["in:" + text for text in own if text.startswith(_OF_WORDS)]
    return _Told(
        tuple(inside),
        tuple([text for text in inside if text.startswith(_SHARED)]),
        tuple(["1:" + text for text in own]),
        tuple(["2:" + text for text in own if not text.startswith("x=")]),
        tuple(["z:" + text for text in own]),
    )


def _sureness(chance: float) -> str:
    return "!" if chance > SURE else "" if chance > LIKELY else "?"


def _own_features(row: Row, seen: Sequence[Seen]) -> tuple[list[str], list[str]]:
    """Return the features of a row, and those that its neighbors get; a word's first feature is the word
    itself.
    """
    n_words = len(seen)
    told = [_told(word.own) for word in seen]
    (top, n_top), *_ = Counter(word.group for word in seen).most_common(1)
    n_capitals = sum(word.text[0].isupper() for word in row.words)
    text = row.text
    whole = [
        f"len={n_words if n_words < 6 else '6-9' if n_words < 10 else '10+'}",
        f"top={top}{'!' if n_top == n_words else ''}",
        "shape=" + " ".join(word.group for word in seen[:4]),
        f"caps={4 * n_capitals // n_words}",
        f"upper={text.isupper()}",
        "stop=" + ("" if text[-1].isalnum() else text[-1]),
    ]
    features = [text for one in told for text in one.inside]
    features += told[0].first + told[-1].last + (told[1].second if n_words > 1 else ())
    shared = [text for one in told for text in one.shared]
    return (
        list(dict.fromkeys([*features, "bias", *whole, *row.looks])),
        list(dict.fromkeys([*shared, told[0].first[0], *whole])),
    )
