"""What the lines of a header are, before its words are labelled: a first pass that the words then see."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from portico.extract.features import Seen, SeeWord
from portico.extract.words import Row
from portico.learn.crf import Crf

JOINT = "|"
"""Between the labels of a line that has several: "affiliation|address"."""

LINES = "lines"
"""The name of the model of lines among the models of words that were trained on what it says."""

FROM_LINES = "L"
"""What the features begin with that tell what the first pass says, and no others."""

# Labels of one line that are told apart; behind the third the rest of a line is no surprise.
MOST_LABELS = 3
# From these probabilities on a line's label is told as sure, or as likely.
SURE, LIKELY = 0.9, 0.6
# What of a line its neighbors see.
_SHARED = (
    "in:g=",
    "in:form=",
    "in:group=",
    "in:w=",
    "top=",
    "len=",
    "1:w=",
    "caps=",
    "stop=",
    "shape=",
    "upper=",
)
_OF_WORDS = ("w=", "g=", "form=", "group=", "and", "lexany=")


@dataclass(frozen=True, slots=True)
class Said:
    """What the first pass says of a line, and with what probability."""

    label: str
    chance: float


@dataclass(frozen=True, slots=True)
class LineReader:
    """Labels lines; the answers become observations about their words."""

    model: Crf
    see: SeeWord

    def __call__(self, rows: Sequence[Row]) -> tuple[Said, ...]:
        """For each row its label."""
        tagging = self.model.tag(line_features(rows, self.see))
        return tuple(map(Said, tagging.labels, tagging.probabilities))


def line_label(labels: Sequence[str]) -> str:
    """One label for the labels of a line's words: each run of them once, in order."""
    runs = [label for idx, label in enumerate(labels) if not idx or labels[idx - 1] != label]
    return JOINT.join(runs[:MOST_LABELS])


def line_features(rows: Sequence[Row], see: SeeWord) -> list[list[str]]:
    """What is seen of each row: its words, its place, its looks, and the rows around it."""
    own = [_own_features(row, [see(word.text) for word in row.words]) for row in rows]
    shared = [[text for text in features if text.startswith(_SHARED)] for features in own]
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


def line_context(rows: Sequence[Row], said: Sequence[Said], seen: Sequence[Seen]) -> list[list[str]]:
    """For each word what the first pass said of its line and of the lines around."""
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


def _sureness(chance: float) -> str:
    return "!" if chance > SURE else "" if chance > LIKELY else "?"


def _own_features(row: Row, seen: Sequence[Seen]) -> list[str]:
    n_words = len(seen)
    features = ["in:" + text for word in seen for text in word.own if text.startswith(_OF_WORDS)]
    features += ["1:" + text for text in seen[0].own]
    features += ["z:" + text for text in seen[-1].own]
    if n_words > 1:
        features += ["2:" + text for text in seen[1].own if not text.startswith("x=")]
    (top, n_top), *_ = Counter(word.group for word in seen).most_common(1)
    n_capitals = sum(word.text[0].isupper() for word in row.words)
    text = row.text
    features += [
        "bias",
        f"len={n_words if n_words < 6 else '6-9' if n_words < 10 else '10+'}",
        f"top={top}{'!' if n_top == n_words else ''}",
        "shape=" + " ".join(word.group for word in seen[:4]),
        f"caps={4 * n_capitals // n_words}",
        f"upper={text.isupper()}",
        "stop=" + ("" if text[-1].isalnum() else text[-1]),
    ]
    return list(dict.fromkeys([*features, *row.looks]))
