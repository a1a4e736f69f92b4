"""The interface of a crawl policy, which decides which link to follow next."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from portico.types.frontier import FetchOutcome, LearnedRanks
from portico.types.page import PageLink, PageView

ScoreLinks = Callable[[Sequence[tuple[PageView, PageLink]]], list[float]]
"""Scores links with their pages: the log odds of the expected reward, one for each link."""

Prefix = tuple[float, ...]
"""The probability that a link leads to a page of each label, given all observations on the path to it."""


@dataclass(frozen=True, slots=True)
class LinkScore:
    """The expected reward of a link of a page, and what it most likely leads to."""

    sighting: PageLink
    score: float
    label: str
    prefix: Prefix


@dataclass(frozen=True, slots=True)
class PageScore:
    """The label of a page, and the scores of its links."""

    chances: Mapping[str, float]
    link_scores: tuple[LinkScore, ...]


class PathScorer(Protocol):
    """Scores pages and links by the path to them: `portico.crawl.paths.scoring.TrainedPathScorer`."""

    def look(self, page: PageView, prefix: Prefix | None = None) -> PageScore:
        """The label of a page reached by this path, and the scores of its links."""

    def score(self, prefix: Prefix) -> float:
        """The score of a link reached by this path."""


class LinkRanker(Protocol):
    """Orders the links of a crawl as they are found."""

    def study(self, outcomes: Sequence[FetchOutcome]) -> tuple[list[FetchOutcome], LearnedRanks]:
        """The outcomes with their links in order, and what else changes; nothing is written."""

    def adopt(self) -> None:
        """Order the links waiting from a crawl with another policy."""


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
    reads_text: bool = False  # whether it uses the whole text of pages
    reads_headings: bool = True  # whether it uses titles and headings
    path_scorer: PathScorer | None = None
    floor: float = -math.inf
