"""Which link next? What a crawl goes by where it does not go by distance alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from portico.types.page import PageView, Sighting

Foresee = Callable[[Sequence[tuple[PageView, Sighting]]], list[float]]
"""Links as they stand on their pages → the log odds of what each will bring, one for each link."""


@dataclass(frozen=True, slots=True)
class Policy:
    """How links are ordered before anything is known of them, and how what they bring changes that.

    The records of a link's families count `family_weight` times (0: the crawl does not learn); `trust` is
    how many rewards a family must have brought until its record counts as much as what was foreseen.
    """

    name: str
    foresee: Foresee
    family_weight: float = 0.0
    trust: float = 1.0
    reads_text: bool = False  # whether the whole text of pages is looked at
