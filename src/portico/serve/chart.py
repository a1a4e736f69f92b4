"""Papers by year as a small picture: numbers in, bars out; the template draws them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

# Units of the picture; it is scaled by the page.
_BAR, _STEP, _HEIGHT = 9, 12, 48
# A count above zero is always seen.
_SHORTEST = 2
# Older years are left out: a misread date of 1066 must not squeeze everything else together.
_MOST_YEARS = 50


class Bar(NamedTuple):
    """One year that has papers, drawn as a path: one value where a rectangle has four."""

    year: int
    label: str
    path: str


@dataclass(frozen=True, slots=True)
class YearChart:
    """A row of bars, with a gap for every year between the first and the last that has none."""

    bars: tuple[Bar, ...]
    first: int
    last: int
    width: int
    height: int

    @property
    def summary(self) -> str:
        """The picture in words, for those who do not see it."""
        return "; ".join([bar.label for bar in self.bars])


def draw_year_chart(counts: Sequence[tuple[int, int]]) -> YearChart | None:
    """None where there are not two years to compare."""
    known = {year: count for year, count in counts if count > 0}
    if len(known) < 2:
        return None
    last = max(known)
    first = max(min(known), last - _MOST_YEARS + 1)
    shown = sorted([(year, count) for year, count in known.items() if year >= first])
    most = max([count for _, count in shown])
    bars = [_bar(year - first, year, count, most) for year, count in shown]
    return YearChart(tuple(bars), first, last, (last - first + 1) * _STEP - (_STEP - _BAR), _HEIGHT)


def _bar(place: int, year: int, count: int, most: int) -> Bar:
    height = max(_SHORTEST, round(_HEIGHT * count / most))
    return Bar(year, f"{year}: {count}", f"M{place * _STEP} {_HEIGHT}v-{height}h{_BAR}v{height}z")
