"""Small charts, such as papers per year: numbers in, coordinates out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from portico.store.crawl.harvest import Harvest, HarvestPoint, count_requests_until

# Units of the drawing, which the page scales.
_CURVE_WIDTH, _CURVE_HEIGHT = 560, 220
_SHARES = (0.25, 0.5, 0.75, 0.9, 1.0)


@dataclass(frozen=True, slots=True)
class Milestone:
    """How many requests it took to find a given share of the documents, with our strategy and
    breadth-first.
    """

    percent: int
    n_documents: int
    ours: int | None
    breadth_first: int | None


@dataclass(frozen=True, slots=True)
class HarvestChart:
    """Both curves on the same axes, and the same as numbers for people who cannot see the chart."""

    width: int
    height: int
    ours: str
    breadth_first: str
    n_requests: int
    n_documents: int
    milestones: tuple[Milestone, ...]

    @property
    def summary(self) -> str:
        half = self.milestones[1]
        other = f"; breadth-first would have after {half.breadth_first}" if half.breadth_first else ""
        return (
            f"{self.n_documents} documents in {self.n_requests} requests. "
            f"Half of them were found after {half.ours} requests{other}."
        )


def draw_harvest_chart(found: Harvest | None) -> HarvestChart | None:
    """A chart of documents found per request; None if nothing was crawled or nothing was found."""
    if found is None or not found.n_targets:
        return None
    curves = (*found.ours, *found.breadth_first)
    n_requests = max(point.n_requests for point in curves)
    n_documents = max(point.n_targets for point in curves)
    return HarvestChart(
        width=_CURVE_WIDTH,
        height=_CURVE_HEIGHT,
        ours=_draw_line(found.ours, n_requests, n_documents),
        breadth_first=_draw_line(found.breadth_first, n_requests, n_documents),
        n_requests=n_requests,
        n_documents=n_documents,
        milestones=tuple(_make_milestone(found, share) for share in _SHARES),
    )


def _draw_line(curve: Sequence[HarvestPoint], n_requests: int, n_documents: int) -> str:
    shares = ((point.n_requests / n_requests, point.n_targets / n_documents) for point in curve)
    return " ".join(f"{_CURVE_WIDTH * across:.1f},{_CURVE_HEIGHT * (1 - up):.1f}" for across, up in shares)


def _make_milestone(found: Harvest, share: float) -> Milestone:
    return Milestone(
        percent=round(100 * share),
        n_documents=round(share * found.n_targets),
        ours=count_requests_until(found.ours, share),
        breadth_first=count_requests_until(found.breadth_first, share),
    )


# Units of the drawing, which the page scales.
_BAR, _STEP, _BAR_HEIGHT = 9, 12, 48
# Minimum height, so that a count above zero is always visible.
_SHORTEST = 2
# Older years are left out: a misread date of 1066 must not squeeze everything else together.
_MOST_YEARS = 50


class Bar(NamedTuple):
    """The bar of one year, drawn as a path, which is one attribute where a rectangle needs four."""

    year: int
    label: str
    path: str


@dataclass(frozen=True, slots=True)
class YearChart:
    """A row of bars, with gaps for years without papers between the first and the last."""

    bars: tuple[Bar, ...]
    first: int
    last: int
    width: int
    height: int

    @property
    def summary(self) -> str:
        """The chart in words, for people who cannot see it."""
        return "; ".join([bar.label for bar in self.bars])


def draw_year_chart(counts: Sequence[tuple[int, int]]) -> YearChart | None:
    """A bar chart of counts per year; None if fewer than two years have any."""
    known = {year: count for year, count in counts if count > 0}
    if len(known) < 2:
        return None
    last = max(known)
    first = max(min(known), last - _MOST_YEARS + 1)
    shown = sorted([(year, count) for year, count in known.items() if year >= first])
    most = max([count for _, count in shown])
    bars = [_draw_bar(year - first, year, count, most) for year, count in shown]
    return YearChart(tuple(bars), first, last, (last - first + 1) * _STEP - (_STEP - _BAR), _BAR_HEIGHT)


def _draw_bar(place: int, year: int, count: int, most: int) -> Bar:
    height = max(_SHORTEST, round(_BAR_HEIGHT * count / most))
    return Bar(year, f"{year}: {count}", f"M{place * _STEP} {_BAR_HEIGHT}v-{height}h{_BAR}v{height}z")
