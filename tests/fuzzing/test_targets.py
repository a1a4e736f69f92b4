"""A short run of every fuzz target, always the same, and whatever longer runs have found."""

from itertools import islice
from pathlib import Path

import pytest

from tests.fuzzing.mutating import make_variants
from tests.fuzzing.targets import TARGETS

FINDINGS = Path(__file__).parent / "findings"
N_VARIANTS = 150


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_whatever_comes_is_read_or_refused(name: str) -> None:
    target = TARGETS[name]
    variants = islice(make_variants(target.seeds, target.words, seed=1), N_VARIANTS)
    for body in (*target.seeds, *variants):
        target.run(body)


@pytest.mark.parametrize(
    "path", sorted(FINDINGS.glob("*/*")), ids=lambda path: f"{path.parent.name}-{path.name}"
)
def test_what_fuzzing_once_found(path: Path) -> None:
    TARGETS[path.parent.name].run(path.read_bytes())
