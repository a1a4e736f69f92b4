"""What became of a fetched page."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from portico.types.record import EntityId


class Fate(StrEnum):
    """What became of a page in a portal of web pages; every fetched page has one."""

    THING = "a thing"
    PART = "part of a thing"
    MERGED = "merged"
    OTHER = "not of this domain"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class PageFate:
    """One page, what became of it, and why."""

    source: str
    fate: Fate
    reason: str = ""
    things: tuple[EntityId, ...] = ()  # described here first or, if merged, the merged ones
    cause: str = ""  # the reason without the name of another page or thing, if it has one

    @property
    def summary(self) -> str:
        return self.cause or self.reason


FateCounts = Mapping[Fate, Mapping[str, int]]
"""Numbers of pages by fate and reason."""


def count_fates(fates: Iterable[PageFate]) -> FateCounts:
    """Empty if there are no pages."""
    counts: dict[Fate, Counter[str]] = {}
    for each in fates:
        counts.setdefault(each.fate, Counter())[each.summary] += 1
    return {fate: counts[fate] for fate in Fate if fate in counts}


def describe_fates(counts: FateCounts) -> str:
    """`60 pages: 40 a thing, 14 merged (the same title and site), 6 not of this domain (…)`, or empty."""
    parts = []
    for fate, reasons in counts.items():
        total = sum(reasons.values())
        common = max(reasons, key=lambda reason: reasons[reason], default="")
        why = f" ({common}{', …' if len(reasons) > 1 else ''})" if common else ""
        parts.append(f"{total} {fate.value}{why}")
    n_pages = sum(sum(reasons.values()) for reasons in counts.values())
    return f"{n_pages} page{'' if n_pages == 1 else 's'} fetched: {', '.join(parts)}" if parts else ""
