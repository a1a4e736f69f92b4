"""Telephone numbers are dialled rightly, and what cannot be one is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.text.telephones import find_dialled, may_be_phone


@pytest.mark.parametrize(
    ("printed", "host", "dialled"),
    [
        ("(502) 583-2821", "www.example.org", "+15025832821"),
        ("0231 39721-419", "www.example.de", "+4923139721419"),
        ("+49 (0)231 39721-419", "", "+4923139721419"),
        ("(+86)-21-61837588", "", "+862161837588"),
        ("0044 20 7946 0958", "", "+442079460958"),
        ("020 7946 0958", "example.co.uk", "+442079460958"),
        ("703.841.3200 ext. 12", "", "+17038413200;ext=12"),
        ("12345", "", "12345"),
        ("+999 1", "", "+9991"),
    ],
)
def test_a_number_is_dialled_from_anywhere(printed: str, host: str, dialled: str) -> None:
    assert find_dialled(printed, host) == dialled


@pytest.mark.parametrize(
    ("printed", "may_be"), [("+49 231 39721-419", True), ("+1 2", False), ("555-0199", True)]
)
def test_numbers_with_a_country_are_as_long_as_there(printed: str, may_be: bool) -> None:
    assert may_be_phone(printed) is may_be


@given(st.text(max_size=40), st.text(max_size=20))
def test_no_text_is_too_much(printed: str, host: str) -> None:
    find_dialled(printed, host)
    may_be_phone(printed)
