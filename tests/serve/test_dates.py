"""When a paper appeared, as exactly as it is known."""

import pytest

from portico.serve.languages import format_date
from portico.serve.papers.describing import get_date
from tests.serve.made import field, paper


@pytest.mark.parametrize(
    ("year", "published", "date", "words"),
    [
        ("1999", [("1999-07-04", 0.9)], "1999-07-04", "4 July 1999"),
        ("1999", [("1999-07", 0.9)], "1999-07", "July 1999"),
        ("1999", [("1999-02-11", 0.9), ("1999-07", 0.9)], "1999-07", "July 1999"),
        ("1999", [("1998-07", 0.9)], "1999", "1999"),  # when it was received
        ("1999", [("1999-07", 0.3)], "1999", "1999"),
        ("1999", [("1999-13", 0.9), ("<b>", 0.9)], "1999", "1999"),
        ("1999", [], "1999", "1999"),
        ("", [("1999-07", 0.9)], "", ""),
    ],
)
def test_a_month_counts_where_it_is_of_the_year_and_likely(
    year: str, published: list[tuple[str, float]], date: str, words: str
) -> None:
    fields = [field("published", value, sure) for value, sure in published]
    told = paper("a", (), *([field("year", year)] if year else []), *fields)
    assert get_date(told) == date
    assert format_date(date) == words
