"""Ranks the links of a crawl by predicted value, corrected by the observed rewards of similar links."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b

from portico.crawl.frontier import Ranks
from portico.crawl.policies.observations import find_families
from portico.crawl.policies.policy import Policy
from portico.crawl.policies.trained import estimate_best_rate, log_distance
from portico.types.frontier import (
    FamilyRecord,
    FetchOutcome,
    LearnedRanks,
    LinkState,
    Obtained,
    Offer,
    Rank,
    RankedLink,
)
from portico.types.page import PageLink, PageView, Url

# Limits on the work after each batch of outcomes, so that it does not grow with the queue: the families
# considered, those that changed most; the best links of each; and the first in the queue of each host with a
# finished request. How much this differs from reordering the whole queue: docs/spider.md.
MAX_FAMILIES = 48
MAX_KIN = 24
MAX_HEAD = 48

# Log odds by which a family's links must be misplaced before they are moved. Records based on many links
# change little with each, so less is moved as a crawl goes on.
MATERIAL = 0.05

ADOPTED_AT_ONCE = 1000  # links from an earlier crawl without a model, ranked at a time

# Documents per batch that are examined. This takes about a tenth of a second each, and there is at least one
# batch every half second: so it takes less than one core, however many hosts are crawled at once.
JUDGED_AT_ONCE = 4


class FamilyRanking:
    """Ranks new links, learns from the rewards of links, and moves similar links in the queue."""

    def __init__(
        self,
        ranks: Ranks,
        policy: Policy,
        target_types: Iterable[str],
        judge: Callable[[Obtained], bool] | None = None,
    ) -> None:
        self._ranks = ranks
        self._policy = policy
        self._targets = frozenset(target_types)
        self._judge = judge
        self._n_judged, self._n_approved = 1, 1  # so that the first documents count whole

    def study(self, outcomes: Sequence[FetchOutcome]) -> tuple[list[FetchOutcome], LearnedRanks]:
        """The outcomes with their new links ranked, and what was learned; nothing is written here."""
        fresh = self._fresh(outcomes)
        links = [(view, sighting) for new in fresh for _, view, sighting in new]
        depths = [
            outcome.offers[place].depth
            for outcome, new in zip(outcomes, fresh, strict=True)
            for place, _, _ in new
        ]
        ranks = iter(self._rank(links, depths))
        ranked = [[(place, next(ranks)) for place, _, _ in new] for new in fresh]
        followed = self._ranks.ranks([outcome.link.id for outcome in outcomes if _was_asked(outcome)])
        records = _Records(self._policy, self._ranks)
        records.read([*(rank for new in ranked for _, rank in new), *followed.values()])
        rewards = self._reward_documents([outcome for outcome in outcomes if outcome.link.id in followed])
        for outcome, new in zip(outcomes, ranked, strict=True):
            # What is foreseen of the page's links before the page itself teaches anything.
            worth = estimate_best_rate([records.chance(rank) for _, rank in new])
            if outcome.link.id in followed:
                records.learn(followed[outcome.link.id], rewards.get(outcome.link.id, worth))
        moved = self._moved(outcomes, records)
        placed = [_placed(outcome, new, records) for outcome, new in zip(outcomes, ranked, strict=True)]
        return placed, LearnedRanks(records.changed(), moved, read=records.read_before())

    def adopt(self) -> None:
        """Rank the links waiting from a crawl with another policy."""
        last = 0
        while links := self._ranks.unranked(after=last, limit=ADOPTED_AT_ONCE):
            views = [(PageView(link.source or Url("")), PageLink(link)) for _, _, link in links]
            ranks = self._rank(views, [depth for _, depth, _ in links])
            records = _Records(self._policy, self._ranks)
            records.read(ranks)
            ids = [id_ for id_, _, _ in links]
            self._ranks.adopt(
                [(id_, records.score(rank), rank) for id_, rank in zip(ids, ranks, strict=True)]
            )
            last = ids[-1]

    def _fresh(self, outcomes: Sequence[FetchOutcome]) -> list[list[tuple[int, PageView, PageLink]]]:
        """For each outcome the links nobody has seen before: which of its offers, and how they stand there.

        A link that several of these pages show is the first one's.
        """
        shown: dict[Url, None] = {}
        fresh: list[list[tuple[int, PageView, PageLink]]] = []
        for outcome in outcomes:
            new: list[tuple[int, PageView, PageLink]] = []
            if outcome.view is not None:
                links = zip(outcome.offers, outcome.view.sightings, strict=True)
                for place, (offer, sighting) in enumerate(links):
                    if offer.skip is None and offer.url not in shown:
                        shown[offer.url] = None
                        new.append((place, outcome.view, sighting))
            fresh.append(new)
        unknown = self._ranks.unknown(shown)
        return [[each for each in new if each[2].link.target in unknown] for new in fresh]

    def _rank(self, links: Sequence[tuple[PageView, PageLink]], depths: Sequence[int]) -> list[Rank]:
        """Ranks of links at this distance from a seed, in clicks."""
        if not links:
            return []
        odds = self._policy.score_links(links)
        if self._policy.is_near_first:
            odds = [one - log_distance(depth) for one, depth in zip(odds, depths, strict=True)]
        adapts = self._policy.family_weight != 0
        return [
            Rank(one, number_families(sighting) if adapts else ())
            for one, (_, sighting) in zip(odds, links, strict=True)
        ]

    def _reward_documents(self, outcomes: Sequence[FetchOutcome]) -> dict[int, float]:
        """The rewards of documents and wanted pages, by the number of their link.

        Of many documents at once only some are examined; the others get the average reward of those examined
        so far.
        """
        rewards: dict[int, float] = {}
        n_looks = JUDGED_AT_ONCE
        for outcome in outcomes:
            got = outcome.obtained
            if got is None or not (got.media_type in self._targets or got.page_kind != ""):
                continue
            if self._judge is None or got.page_kind != "" or got.body is None:
                rewards[outcome.link.id] = 1.0
            elif n_looks:
                n_looks -= 1
                approved = self._judge(got)
                self._n_judged, self._n_approved = self._n_judged + 1, self._n_approved + approved
                rewards[outcome.link.id] = float(approved)
            else:
                rewards[outcome.link.id] = self._n_approved / self._n_judged
        return rewards

    def _moved(self, outcomes: Sequence[FetchOutcome], records: "_Records") -> tuple[RankedLink, ...]:
        """Waiting links that are now out of place: of families that changed, and at the head of the
        queue.
        """
        changed = records.out_of_place()[:MAX_FAMILIES]
        if not changed:
            return ()
        links = self._ranks.similar_links(changed, limit=MAX_KIN)
        for host in dict.fromkeys(outcome.link.host for outcome in outcomes):
            links += self._ranks.head(host, limit=MAX_HEAD)
        settled = {outcome.link.id for outcome in outcomes}
        waiting = {link.id: link for link in links if link.id not in settled}
        records.read(link.rank for link in waiting.values())
        records.apply(changed)
        scored = [(link, records.score(link.rank)) for link in waiting.values()]
        return tuple(
            RankedLink(link.id, link.host, score, link.rank)
            for link, score in scored
            if abs(score - link.priority) >= MATERIAL / 2
        )


def number_families(sighting: PageLink) -> tuple[int, ...]:
    """The families of a link, as numbers that are the same in every run."""
    return tuple([_family_id(name) for name in find_families(sighting)])


@lru_cache(maxsize=50_000)  # links of one page share most of their families
def _family_id(name: str) -> int:
    return int.from_bytes(blake2b(name.encode(errors="replace"), digest_size=8).digest(), signed=True)


class _Records:
    """The records that a batch of outcomes affects, read when needed."""

    def __init__(self, policy: Policy, ranks: Ranks) -> None:
        self._policy = policy
        self._ranks = ranks
        self._observed: dict[int, float] = {}
        self._foreseen: dict[int, float] = {}
        self._applied: dict[int, float] = {}
        self._corrections: dict[int, float] = {}
        self._changed: set[int] = set()
        self._known: dict[int, FamilyRecord] = {}

    def read(self, ranks: Iterable[Rank]) -> None:
        wanted = {family for rank in ranks for family in rank.families} - self._observed.keys()
        for each in (self._observed, self._foreseen, self._applied, self._corrections):
            each.update(dict.fromkeys(wanted, 0.0))  # most have brought nothing yet
        for family, record in (self._ranks.records(wanted) if wanted else {}).items():
            self._observed[family], self._foreseen[family] = record.observed, record.foreseen
            self._applied[family] = record.applied
            self._known[family] = record
            self._corrections[family] = self._corrected(record.observed, record.foreseen)

    def score(self, rank: Rank) -> float:
        """Log odds, corrected by the records of the link's families."""
        corrections = self._corrections
        learned = sum([corrections[one] for one in rank.families])
        return self._policy.model_weight * rank.odds + self._policy.family_weight * learned

    def chance(self, rank: Rank) -> float:
        return 1.0 / (1.0 + math.exp(-max(-_MAX_ODDS, min(self.score(rank), _MAX_ODDS))))

    def learn(self, rank: Rank, reward: float) -> None:
        foreseen = self.chance(rank)
        for family in dict.fromkeys(rank.families):
            observed = self._observed[family] = self._observed[family] + reward
            expected = self._foreseen[family] = self._foreseen[family] + foreseen
            self._corrections[family] = self._corrected(observed, expected)
        self._changed.update(rank.families)

    def out_of_place(self) -> list[int]:
        """The families whose links are no longer in the right place, the worst first."""
        gaps = {family: self._gap(family) for family in self._changed}
        return sorted((one for one in gaps if gaps[one] >= MATERIAL), key=lambda one: (-gaps[one], one))

    def apply(self, families: Iterable[int]) -> None:
        for family in families:
            self._applied[family] = self._corrections[family]

    def changed(self) -> dict[int, FamilyRecord]:
        return {
            family: FamilyRecord(self._observed[family], self._foreseen[family], self._applied[family])
            for family in sorted(self._changed)
        }

    def read_before(self) -> dict[int, FamilyRecord]:
        """The records of changed families as they were read; some had none."""
        return {family: self._known[family] for family in self._changed if family in self._known}

    def _corrected(self, observed: float, foreseen: float) -> float:
        return math.log((observed + self._policy.trust) / (foreseen + self._policy.trust))

    def _gap(self, family: int) -> float:
        return self._policy.family_weight * abs(self._corrections[family] - self._applied[family])


_MAX_ODDS = 500.0  # beyond it the exponential function overflows; probabilities are 0 or 1 long before


def _was_asked(outcome: FetchOutcome) -> bool:
    """Whether the link was requested: one left out, or read from the store, teaches nothing."""
    asked = outcome.state is LinkState.FAILED or outcome.obtained is not None
    return asked and outcome.link.revisit is None  # what a page brings when asked again is no surprise


def _placed(outcome: FetchOutcome, new: Sequence[tuple[int, Rank]], records: _Records) -> FetchOutcome:
    """The outcome with its new links in order; most pages have none."""
    if not new:
        return outcome
    offers = list(outcome.offers)
    for place, rank in new:
        offers[place] = _ranked(offers[place], rank, records.score(rank))
    return replace(outcome, offers=tuple(offers))


def _ranked(offer: Offer, rank: Rank, priority: float) -> Offer:
    """Constructed explicitly: `replace` takes three times as long, and every new link passes here."""
    return Offer(
        offer.url,
        offer.host,
        offer.depth,
        offer.chain,
        priority,
        offer.via,
        offer.anchor,
        offer.context,
        offer.skip,
        rank,
    )
