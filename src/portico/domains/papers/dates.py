"""Printed dates as a machine sorts them: "14 June 1992" is 1992-06-14, "June 1992" is 1992-06."""

import re

from portico.types.domain import Reading

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY = r"(?P<day>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>1[89]\d\d|20[0-4]\d)(?!\d)"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?<!\d){_DAY}(?:\s*[-–/]\s*\d{{1,2}})?(?:\s+of)?[\s-]+{_MONTH}[\s,-]*{_YEAR}",
        rf"\b{_MONTH}\s+{_DAY}(?:\s*[-–]\s*\d{{1,2}})?\s*,?\s+{_YEAR}",
        rf"(?<!\d){_YEAR}-(?P<number>0[1-9]|1[0-2])-{_DAY}\b",
        rf"\b{_MONTH}(?:\s*[-–/]\s*[a-z]{{3,9}}\.?)?[\s,'’]*{_YEAR}",
        rf"(?<!\d){_YEAR}[\s,;:(-]+{_MONTH}",
    )
)


def read_date(passage: str) -> tuple[Reading, ...]:
    """The last date that has a month: "received May 1996, revised 2 June 1997" is of 1997-06-02."""
    taken: list[Reading] = []
    for form in _FORMS:
        for match in form.finditer(passage):
            if not any(match.start() < one.end and one.start < match.end() for one in taken):
                taken.append(Reading(_written(match.groupdict()), match.start(), match.end()))
    return (max(taken, key=lambda reading: reading.start),) if taken else ()


def _written(parts: dict[str, str | None]) -> str:
    month = parts.get("number") or f"{_MONTHS.index((parts['month'] or '')[:3].lower()) + 1:02}"
    day = parts.get("day")
    return f"{parts['year']}-{month}" + (f"-{int(day):02}" if day else "")
