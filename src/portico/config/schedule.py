"""Parses `[schedule] build` ("daily at 03:00") and computes the next time."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
ALLOWED_SCHEDULES = '"never", "hourly", "every 6 hours", "daily at 03:00" or "weekly on sunday at 03:00"'

_EVERY = re.compile(r"every (?P<number>[1-9]\d{0,3}) (?P<unit>minute|hour|day)s?")
_DAILY = re.compile(r"daily at (?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)")
_WEEKLY = re.compile(rf"weekly on (?P<day>{'|'.join(DAYS)}) at (?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)")


@dataclass(frozen=True, slots=True)
class Schedule:
    """A fixed interval after the start of the last build, or a time of day; neither means never."""

    every: timedelta | None = None
    hour: int | None = None
    minute: int = 0
    weekday: int | None = None  # 0 is Monday; None is every day

    def next_after(self, last: datetime) -> datetime | None:
        """Return the first moment after `last` at which a build is due, or None for never."""
        if self.every is not None:
            return last + self.every
        if self.hour is None:
            return None
        at = last.replace(hour=self.hour, minute=self.minute, second=0, microsecond=0)
        days = (self.weekday - at.weekday()) % 7 if self.weekday is not None else 0
        at += timedelta(days=days)
        return at if at > last else at + timedelta(days=1 if self.weekday is None else 7)


def parse_schedule(words: str) -> Schedule | None:
    """Parse a schedule; None if the words are not understood."""
    said = " ".join(words.lower().split())
    if said == "never":
        return Schedule()
    if said == "hourly":
        return Schedule(every=timedelta(hours=1))
    if found := _EVERY.fullmatch(said):
        return Schedule(every=timedelta(**{f"{found['unit']}s": int(found["number"])}))
    if found := _DAILY.fullmatch(said):
        return Schedule(hour=int(found["hour"]), minute=int(found["minute"]))
    if found := _WEEKLY.fullmatch(said):
        return Schedule(
            hour=int(found["hour"]), minute=int(found["minute"]), weekday=DAYS.index(found["day"])
        )
    return None
