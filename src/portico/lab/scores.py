"""Scores labelings: words right, whole sequences right, F1 of each label."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LabelScores:
    """Shares between 0 and 1; `f1` is the mean over the labels, each counting the same."""

    word: float
    whole: float
    f1: float
    by_label: tuple[tuple[str, float], ...]

    def as_json(self) -> dict[str, float]:
        return {"word": round(self.word, 4), "whole": round(self.whole, 4), "f1": round(self.f1, 4)}


def score_labels(
    pairs: Iterable[tuple[Sequence[str], Sequence[str]]], *, ignored: frozenset[str] = frozenset()
) -> LabelScores:
    """Compare true with given labels; labels that are `ignored` have no part in the mean F1."""
    n_words = n_right = n_sequences = n_whole = 0
    right: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for truth, given in pairs:
        n_sequences += 1
        n_whole += tuple(truth) == tuple(given)
        n_words += len(truth)
        for one, other in zip(truth, given, strict=True):
            if one == other:
                n_right += 1
                right[one] += 1
            else:
                wrong[one] += 1
                wrong[other] += 1
    names = sorted((set(right) | set(wrong)) - ignored)
    by_label = tuple((name, 2 * right[name] / (2 * right[name] + wrong[name])) for name in names)
    return LabelScores(
        word=n_right / n_words if n_words else 0.0,
        whole=n_whole / n_sequences if n_sequences else 0.0,
        f1=sum(value for _, value in by_label) / len(by_label) if by_label else 0.0,
        by_label=by_label,
    )
