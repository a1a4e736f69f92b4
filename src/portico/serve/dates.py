"""When a paper appeared, as exactly as it is known: 1999, 1999-07 or 1999-07-04, and the same in words."""

import re

from portico.serve import describe
from portico.types.record import Entity

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
_DATE = re.compile(r"(\d{4})-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?")


def date_of(paper: Entity) -> str:
    """A month or day counts where it is of the paper's year, and likely enough to be told."""
    year = describe.year(paper)
    days = (
        field.value
        for field in paper.all("published")
        if not describe.is_uncertain([field]) and _DATE.fullmatch(field.value)
    )
    return max((day for day in days if day[:4] == year), default=year)


def said(date: str) -> str:
    """The date as people write it: 4 July 1999."""
    found = _DATE.fullmatch(date)
    if found is None:
        return date
    month = f"{_MONTHS[int(found[2]) - 1]} {found[1]}"
    return f"{int(found[3])} {month}" if found[3] else month
