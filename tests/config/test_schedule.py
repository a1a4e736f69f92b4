"""What the words of a schedule mean, and when the next build is."""

from datetime import datetime

import pytest

from portico.config.schedule import parse_schedule

FRIDAY = datetime(2024, 3, 1, 12, 30, 5)


@pytest.mark.parametrize(
    ("words", "following"),
    [
        ("never", None),
        ("hourly", datetime(2024, 3, 1, 13, 30, 5)),
        ("every 15 minutes", datetime(2024, 3, 1, 12, 45, 5)),
        ("every 1 day", datetime(2024, 3, 2, 12, 30, 5)),
        ("daily at 03:00", datetime(2024, 3, 2, 3, 0)),
        ("Daily  at 23:59", datetime(2024, 3, 1, 23, 59)),
        ("daily at 12:30", datetime(2024, 3, 2, 12, 30)),
        ("weekly on friday at 12:00", datetime(2024, 3, 8, 12, 0)),
        ("weekly on friday at 13:00", datetime(2024, 3, 1, 13, 0)),
        ("weekly on sunday at 3:05", datetime(2024, 3, 3, 3, 5)),
    ],
)
def test_the_next_build(words: str, following: datetime | None) -> None:
    schedule = parse_schedule(words)
    assert schedule is not None
    assert schedule.next_after(FRIDAY) == following


@pytest.mark.parametrize(
    "words", ["", "sometimes", "daily at 25:00", "every 0 hours", "weekly on 1 at 03:00", "* * * * *"]
)
def test_words_that_say_no_time(words: str) -> None:
    assert parse_schedule(words) is None
