"""The interface of a crawl policy, which decides which link to follow next."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from portico.types.frontier import FetchOutcome, LearnedRanks
from portico.types.page import PageLink, PageView

ScoreLinks = Callable[[Sequence[tuple[PageView, PageLink]]], list[float]]
"""Links as they stand on their pages → the log odds of what each will bring, one for each link."""

Prefix = tuple[float, ...]
"""How likely a link leads to a page of each label, given all that was seen on the way to it."""


@dataclass(frozen=True, slots=True)
class LinkScore:
    """A link of a page: the reward to be expected of it, and what it leads to most likely."""

    sighting: PageLink
    score: float
    label: str
    prefix: Prefix


@dataclass(frozen=True, slots=True)
class PageScore:
    """What a page is, by label, and what its links promise."""

    chances: Mapping[str, float]
    link_scores: tuple[LinkScore, ...]


class PathScorer(Protocol):
    """Knows the ways to what is sought: `portico.crawl.paths.scoring.TrainedPathScorer`."""

    def look(self, page: PageView, prefix: Prefix | None = None) -> PageScore:
        """What a page that was reached so is, and what its links promise."""

    def score(self, prefix: Prefix) -> float:
        """What a link that was reached so promises."""


class LinkRanker(Protocol):
    """Orders the links of a crawl as they are found."""

    def study(self, outcomes: Sequence[FetchOutcome]) -> tuple[list[FetchOutcome], LearnedRanks]:
        """The outcomes with their links in order, and what else changes with them; nothing is written."""

    def adopt(self) -> None:
        """Order the links that wait from a crawl that went by another policy."""


@dataclass(frozen=True, slots=True)
class Policy:
    """How links are ordered before anything is known of them, and how what they bring changes that.

    The log odds that `score_links` gives count `model_weight` times, the records of a link's families
    `family_weight` times (0: the crawl does not learn). With `is_near_first` the odds of a link are divided
    by its distance from the seed, in clicks. `trust` is how many rewards a family must have brought until its
    record counts as much as what was foreseen. With a `path_scorer` links are ordered by the ways they were
    reached; those that promise less than `floor` wait, and are not followed.
    """

    name: str
    score_links: ScoreLinks
    model_weight: float = 1.0
    family_weight: float = 0.0
    trust: float = 1.0
    is_near_first: bool = False
    reads_text: bool = False  # whether the whole text of pages is looked at
    reads_headings: bool = True  # whether titles and headings are
    path_scorer: PathScorer | None = None
    floor: float = -math.inf
