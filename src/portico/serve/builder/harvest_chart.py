"""How the crawl's harvest grew, as two lines of a picture: points in, coordinates out."""

from collections.abc import Sequence
from dataclasses import dataclass

from portico.store.crawl.harvest import Harvest, HarvestPoint, count_requests_until

# Units of the picture; it is scaled by the page.
_WIDTH, _HEIGHT = 560, 220
_SHARES = (0.25, 0.5, 0.75, 0.9, 1.0)


@dataclass(frozen=True, slots=True)
class Milestone:
    """After how many requests a share of the documents was found, our way and breadth-first."""

    percent: int
    n_documents: int
    ours: int | None
    breadth_first: int | None


@dataclass(frozen=True, slots=True)
class HarvestChart:
    """Both curves over the same axes, and the same in numbers for those who do not see it."""

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
    """None where nothing was crawled or nothing was found."""
    if found is None or not found.n_targets:
        return None
    curves = (*found.ours, *found.breadth_first)
    n_requests = max(point.n_requests for point in curves)
    n_documents = max(point.n_targets for point in curves)
    return HarvestChart(
        width=_WIDTH,
        height=_HEIGHT,
        ours=_line(found.ours, n_requests, n_documents),
        breadth_first=_line(found.breadth_first, n_requests, n_documents),
        n_requests=n_requests,
        n_documents=n_documents,
        milestones=tuple(_milestone(found, share) for share in _SHARES),
    )


def _line(curve: Sequence[HarvestPoint], n_requests: int, n_documents: int) -> str:
    shares = ((point.n_requests / n_requests, point.n_targets / n_documents) for point in curve)
    return " ".join(f"{_WIDTH * across:.1f},{_HEIGHT * (1 - up):.1f}" for across, up in shares)


def _milestone(found: Harvest, share: float) -> Milestone:
    return Milestone(
        percent=round(100 * share),
        n_documents=round(share * found.n_targets),
        ours=count_requests_until(found.ours, share),
        breadth_first=count_requests_until(found.breadth_first, share),
    )
