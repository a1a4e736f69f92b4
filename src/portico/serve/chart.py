"""Papers by year as a small picture: numbers in, rectangles out; the template draws them."""

from collections.abc import Sequence
from dataclasses import dataclass

# Units of the picture; it is scaled by the page.
_BAR, _STEP, _HEIGHT = 9, 12, 48
# A count above zero is always seen.
_SHORTEST = 2
# Older years are left out: a misread date of 1066 must not squeeze everything else together.
_MOST_YEARS = 50


@dataclass(frozen=True, slots=True)
class Bar:
    """One year."""

    year: int
    count: int
    x: int
    y: int
    height: int


@dataclass(frozen=True, slots=True)
class YearChart:
    """A row of bars, every year between the first and the last included."""

    bars: tuple[Bar, ...]
    width: int
    height: int
    bar_width: int
    most: int

    @property
    def first(self) -> int:
        return self.bars[0].year

    @property
    def last(self) -> int:
        return self.bars[-1].year

    @property
    def summary(self) -> str:
        """The picture in words, for those who do not see it."""
        return "; ".join(f"{bar.year}: {bar.count}" for bar in self.bars if bar.count)


def year_chart(counts: Sequence[tuple[int, int]]) -> YearChart | None:
    """None where there are not two years to compare."""
    known = {year: count for year, count in counts if count > 0}
    if len(known) < 2:
        return None
    last = max(known)
    years = range(max(min(known), last - _MOST_YEARS + 1), last + 1)
    most = max(known.get(year, 0) for year in years)
    bars = tuple(_bar(idx, year, known.get(year, 0), most) for idx, year in enumerate(years))
    return YearChart(bars, len(bars) * _STEP - (_STEP - _BAR), _HEIGHT, _BAR, most)


def _bar(idx: int, year: int, count: int, most: int) -> Bar:
    height = max(_SHORTEST, round(_HEIGHT * count / most)) if count else 0
    return Bar(year, count, idx * _STEP, _HEIGHT - height, height)
