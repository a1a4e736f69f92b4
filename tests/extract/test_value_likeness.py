"""Fields that were marked for each other are told by what is read elsewhere."""

import pytest

from portico.extract.value_likeness import find_swapped

TITLES = ["tea bowl", "brass sextant", "tea jug with lid", "carved chest", "brass bowl in blue"]
DATES = ["1850", "about 1780", "1662–1686", "1875", "late 1700s"]
PEOPLE = ["ann bell", "bo lind", "cem aksoy", "dana petrov", "eli moreau"]
READ = {"title": TITLES, "date": DATES, "maker": PEOPLE}


@pytest.mark.parametrize(
    ("marked", "swapped"),
    [
        ({"title": ["tea bowl with cover"], "date": ["about 1699"]}, set()),
        ({"title": ["about 1699"], "date": ["tea bowl with cover"]}, {"title", "date"}),
        ({"title": ["about 1699"], "date": ["brass chest"], "maker": ["bo bell"]}, {"title", "date"}),
        ({"owner": ["ann lind"], "maker": ["eli petrov"]}, set()),  # alike, but not each other
        ({"size": ["5 × 7 cm"], "date": ["1699"]}, set()),  # of sizes nothing was read
        ({"size": ["1699", "about 1710"], "date": ["5 × 7 cm", "9 × 12 cm"]}, {"size", "date"}),
        ({"title": ["1699"]}, set()),
    ],
)
def test_swapped_fields(marked: dict[str, list[str]], swapped: set[str]) -> None:
    assert find_swapped(marked, READ) == swapped


def test_of_what_was_hardly_read_nothing_is_said() -> None:
    few = {"title": TITLES[:2], "date": DATES[:2]}
    assert find_swapped({"title": ["1699"], "date": ["tea bowl"]}, few) == frozenset()
