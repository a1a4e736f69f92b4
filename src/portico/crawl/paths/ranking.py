"""Ranks the links of a crawl by the paths that led to them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from portico.crawl.frontier import Prefixes, Ranks
from portico.crawl.policies.policy import LinkScore, PathScorer, Policy, Prefix
from portico.crawl.responses import SEED_PRIORITY, UNRANKED
from portico.types.frontier import FetchOutcome, LearnedRanks, Offer, Rank, RankedLink
from portico.types.page import PageLink, PageView, Url

ADOPTED_AT_ONCE = 1000  # links from an earlier crawl without a model, ranked at a time


class PathRanking:
    """Scores the links of pages; a link on several pages has the sum of its scores."""

    def __init__(self, ranks: Ranks, prefixes: Prefixes, policy: Policy, path_scorer: PathScorer) -> None:
        self._ranks = ranks
        self._prefixes = prefixes
        self._policy = policy
        self._path_scorer = path_scorer

    def study(self, outcomes: Sequence[FetchOutcome]) -> tuple[list[FetchOutcome], LearnedRanks]:
        """The outcomes with their new links scored, and links whose score rises; writes nothing."""
        ways = self._prefixes.of([outcome.link.url for outcome in outcomes])
        promises: dict[Url, _Promise] = {}
        for outcome in outcomes:
            for url, score, prefix in self._shown(outcome, ways.get(outcome.link.url)):
                promises[url] = promises.get(url, _NOTHING).more(score, prefix)
        unknown = self._ranks.unknown(promises)
        settled = {outcome.link.url for outcome in outcomes}
        waiting = self._prefixes.promised(promises.keys() - unknown - settled)
        moved = tuple(
            RankedLink(id_, host, priority + promises[url].total, Rank(promises[url].total, ()))
            for url, (id_, host, priority) in sorted(waiting.items())
        )
        new = {url: promise for url, promise in promises.items() if url in unknown}
        studied = [
            replace(outcome, offers=tuple(_placed(offer, new) for offer in outcome.offers))
            for outcome in outcomes
        ]
        return studied, LearnedRanks(moved=moved, prefixes=self._better(promises, unknown, waiting))

    def adopt(self) -> None:
        """Score the links waiting from a crawl with another policy: their paths are not known."""
        last = 0
        while links := self._ranks.unranked(after=last, limit=ADOPTED_AT_ONCE):
            views = [(PageView(link.source or Url("")), PageLink(link)) for _, _, link in links]
            scores = self._policy.score_links(views)
            rows = [(id_, score, Rank(score, ())) for (id_, _, _), score in zip(links, scores, strict=True)]
            self._ranks.adopt(rows)
            last = links[-1][0]

    def _shown(self, outcome: FetchOutcome, way: Prefix | None) -> Iterable[tuple[Url, float, Prefix]]:
        """The links of a page, with their scores; a page that is read again adds nothing."""
        view = outcome.view
        if view is None or outcome.link.kept or outcome.link.revisit is not None:
            return ()
        if outcome.obtained is not None and outcome.obtained.final != outcome.link.url:
            score = self._path_scorer.score(way) if way is not None else SEED_PRIORITY
            return [(offer.url, score, way or ()) for offer in outcome.offers if offer.skip is None]
        link_scores: Sequence[LinkScore] = self._path_scorer.look(view, way).link_scores
        return [
            (offer.url, link_score.score, link_score.prefix)
            for offer, link_score in zip(outcome.offers, link_scores, strict=True)
            if offer.skip is None
        ]

    def _better(
        self, promises: Mapping[Url, "_Promise"], unknown: set[Url], waiting: Mapping[Url, object]
    ) -> dict[Url, Prefix]:
        """Paths to links that are new, or better than the known path."""
        known = self._prefixes.of(waiting.keys())
        best = {url: self._path_scorer.score(way) for url, way in known.items()}
        return {
            url: promise.prefix
            for url, promise in promises.items()
            if promise.prefix and (url in unknown or (url in waiting and promise.best > best.get(url, -1.0)))
        }


@dataclass(frozen=True, slots=True)
class _Promise:
    """The expected value of one link: in total, and by the best path."""

    total: float = 0.0
    best: float = -1.0
    prefix: Prefix = ()

    def more(self, score: float, prefix: Prefix) -> "_Promise":
        if score > self.best:
            return _Promise(self.total + score, score, prefix)
        return replace(self, total=self.total + score)


_NOTHING = _Promise()


def _placed(offer: Offer, new: Mapping[Url, _Promise]) -> Offer:
    promise = new.get(offer.url)
    if promise is None or offer.skip is not None:
        return replace(offer, priority=UNRANKED)
    return replace(offer, priority=promise.total, rank=Rank(promise.total, ()))
