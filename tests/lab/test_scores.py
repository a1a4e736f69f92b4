"""Scores are what they say: words, whole sequences, F1 of each label."""

import pytest

from portico.lab.scores import score_labels

TRUTH = ("title", "title", "author", "date")


@pytest.mark.parametrize(
    ("given", "word", "whole", "f1"),
    [
        (TRUTH, 1.0, 1.0, 1.0),
        (("title", "title", "author", "author"), 0.75, 0.0, (1 + 2 / 3 + 0) / 3),
        (("date", "date", "date", "author"), 0.0, 0.0, 0.0),
    ],
)
def test_label_scores(given: tuple[str, ...], word: float, whole: float, f1: float) -> None:
    scores = score_labels([(TRUTH, given)])
    assert (scores.word, scores.whole, scores.f1) == pytest.approx((word, whole, f1))


def test_ignored_labels_have_no_part_in_the_mean() -> None:
    scores = score_labels([(("a", "none"), ("a", "a"))], ignored=frozenset({"none"}))
    assert scores.f1 == pytest.approx(2 / 3)
