"""Fingerprints tell apart what is different and nothing else."""

import pytest

from portico.pipeline.runners import fingerprint


@pytest.mark.parametrize(
    ("one", "other"),
    [(("ab", "c"), ("a", "bc")), (("a",), ("a", "")), ((1, 2), (2, 1)), (("\ud800",), ("\ud801",))],
)
def test_different_parts_differ(one: tuple[object, ...], other: tuple[object, ...]) -> None:
    assert fingerprint(*one) != fingerprint(*other)


def test_equal_parts_agree() -> None:
    assert fingerprint("convert", 3, "model") == fingerprint("convert", 3, "model")
