"""Crawl policies made from trained models: the learned spider, and those of the papers."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import add

from portico.crawl.policies.observations import LinkParts, WordGroup, find_families, split_link
from portico.crawl.policies.policy import Policy
from portico.learn.adaptive_queue import AdaptiveQueue
from portico.learn.binned_bayes import WordValue
from portico.learn.logistic import HashedLogistic
from portico.text.urls import get_path
from portico.text.words import split_tokens
from portico.types.page import PageLink, PageView, Url

_NO_LETTERS = re.compile(r"[^a-z]+")
_MAX_WORD = 30  # letters; longer ones are code or URLs, and occur only once


@dataclass(frozen=True, slots=True)
class LinkWords:
    """The words of a link: those it shares with all links of its page, and its own.

    A link on several pages has the words of all of them.
    """

    name: str
    of_page: Callable[[PageView], list[str]]
    of_link: Callable[[PageLink], list[str]]


def _page_text(page: PageView) -> list[str]:
    return _part("page", split_tokens(page.text))


def _anchor_and_address(sighting: PageLink) -> list[str]:
    words = [*split_tokens(sighting.link.anchor), *_address_words(sighting)]
    return _part("link", words)


def _title_and_headings(page: PageView) -> list[str]:
    return _part("head", split_tokens(f"{page.title} {page.headings}"))


def _anchor_address_and_near(sighting: PageLink) -> list[str]:
    return [
        *_part("link", split_tokens(sighting.link.anchor)),
        *_part("url", _address_words(sighting)),
        *_part("near", split_tokens(sighting.link.context)),
    ]


FULL_PAGE = LinkWords("full-page", _page_text, _anchor_and_address)
RELATED = LinkWords("related", _title_and_headings, _anchor_address_and_near)
NEIGHBORHOODS = (FULL_PAGE, RELATED)


def _address_words(sighting: PageLink) -> list[str]:
    """Names of folders and of the file, ending included."""
    return _NO_LETTERS.sub(" ", get_path(sighting.link.target).lower()).split()


def _part(name: str, words: Iterable[str]) -> list[str]:
    return [f"{word} ({name})" for word in words if len(word) <= _MAX_WORD]


LEARNED = "learned"


@dataclass(frozen=True, slots=True)
class BayesSpider:
    """One of the papers' spiders: how finely it tells values of links apart, and by which words."""

    n_bins: int
    words: LinkWords


BAYES: Mapping[str, BayesSpider] = {
    f"{name}{ending}": BayesSpider(n_bins, words)
    for ending, words in (("", RELATED), ("-full-page", FULL_PAGE))
    for name, n_bins in (("immediate", 2), ("future", 3), ("future-4", 4), ("future-5", 5))
}
"""The naive Bayes spiders by their policy name in portal.toml."""


def make_learned_policy(model: HashedLogistic) -> Policy:
    """Our own policy: a trained model, corrected by the rewards of the crawl itself."""
    log_odds = make_link_scorer(model)
    return Policy(
        LEARNED,
        lambda links: log_odds([sighting for _page, sighting in links]),
        model_weight=ADAPTIVE.model_weight,
        family_weight=ADAPTIVE.family_weight,
        trust=ADAPTIVE.trust,
        is_near_first=True,
        reads_headings=False,
    )


def make_bayes_policy(name: str, model: WordValue) -> Policy:
    """The papers': naive Bayes over bins of future reward by words; it does not learn on its way.

    A link has the words of the page it was first found on: the papers pool those of all pages that show it.
    """
    words = BAYES[name].words

    def score_links(links: Sequence[tuple[PageView, PageLink]]) -> list[float]:
        pages = {id(page): page for page, _ in links}
        of_pages = {key: model.likelihood(words.of_page(page)) for key, page in pages.items()}
        return [
            model.rank(list(map(add, of_pages[id(page)], model.likelihood(words.of_link(sighting)))))
            for page, sighting in links
        ]

    return Policy(name, score_links, reads_text=words is FULL_PAGE)


MODEL_WEIGHT = 0.5
"""Weight of a trained model's log odds in a crawl that learns, because a model trained on another kind of
sites is overconfident. Chosen on ten sites, with models of departments on personal sites and vice versa; with
models of the same kind of sites it makes little difference."""

FAMILY_WEIGHT = 0.8
"""Weight of each family's record; six separate weights were no better than one. With weights between 0.5 and
1.1 and a trust from 1 to 4, the share of links is .104 to .119 at 25 % of the papers and .303 to .318 at 75 %
(leave one site out, 14 sites)."""

TRUST = 2.0
"""Rewards after which a family's own record counts as much as the prediction."""

BATCH = 4
"""Links taken from the queue before it is reordered; fewer from a short queue."""

REMEMBERED_WORDS = 50_000
"""Words whose weights are cached: links of one site have most words in common."""

REMEMBERED_GROUPS = 10_000
"""The same for groups of words: links of one page into one folder have half of them in common."""

REMEMBERED_ENDINGS = 1000  # of file names

LogOdds = Callable[[Sequence[PageLink]], list[float]]


@dataclass(frozen=True, slots=True)
class Adaptation:
    """How a spider learns during the crawl; with a weight of zero, not at all."""

    model_weight: float = MODEL_WEIGHT
    family_weight: float = FAMILY_WEIGHT
    trust: float = TRUST


ADAPTIVE = Adaptation()
STATIC = Adaptation(family_weight=0.0)


def make_link_scorer(model: HashedLogistic) -> LogOdds:
    """The model's prediction for links: the log odds of their best rate of targets per request."""

    @lru_cache(maxsize=REMEMBERED_WORDS)
    def said(part: str, kind: str, word: str) -> float:
        """What a word adds, alone and together with the kind of the link."""
        return model.weight(f"{part}={word}") + model.weight(f"{part},{kind}={word}")

    @lru_cache(maxsize=REMEMBERED_GROUPS)
    def told(group: WordGroup, kind: str) -> float:
        return sum(
            [share * sum([said(name, kind, word) for word in words]) for name, share, words in group.parts]
        )

    @lru_cache(maxsize=REMEMBERED_ENDINGS)
    def ended(kind: str, ending: str) -> float:
        return model.weight(f"kind={kind}") + model.weight(f"ending={ending}")

    def log_odds(sightings: Sequence[PageLink]) -> list[float]:
        return [odds(split_link(sighting.link)) for sighting in sightings]

    def odds(parts: LinkParts) -> float:
        kind = parts.kind
        start = model.bias + ended(kind, parts.ending)
        return start + sum([told(group, kind) for group in parts.groups])

    return log_odds


class LearnedSpider:
    """A spider in memory: offer the links of pages, take the next link, report its reward."""

    def __init__(self, log_odds: LogOdds, adaptation: Adaptation = ADAPTIVE) -> None:
        self._log_odds = log_odds
        self._model_weight = adaptation.model_weight
        self._queue = AdaptiveQueue(adaptation.family_weight, trust=adaptation.trust)
        self._urls: list[Url] = []  # by the queue's numbers
        self._items: dict[Url, int] = {}
        self._depths: dict[Url, int] = {}  # clicks from the start, on the way by which they were found
        self._taken: list[int] = []  # the present batch, best last

    def next(self) -> Url | None:
        """The most promising link that was offered and not yet given out."""
        if not self._taken:
            n_links = min(BATCH, max(1, len(self._queue) // 8))
            self._taken = self._queue.take(n_links)[::-1]
        return self._urls[self._taken.pop()] if self._taken else None

    def offer(self, sightings: Iterable[PageLink]) -> float:
        """Queue the links of a page that are new; returns what the page is worth for them.

        That is the best share of targets to requests, the page's own included, if its links bring
        what is foreseen.
        """
        new = {one.link.target: one for one in sightings if one.link.target not in self._items}
        if not new:
            return 0.0
        self._depths |= {url: 1 + self._depths.get(one.link.source or Url(""), 0) for url, one in new.items()}
        odds = [
            self._model_weight * (one - log_distance(self._depths[url]))
            for url, one in zip(new, self._log_odds(list(new.values())), strict=True)
        ]
        added = self._queue.add(odds, [find_families(one) for one in new.values()])
        self._items.update(zip(new, added, strict=True))
        self._urls.extend(new)
        return estimate_best_rate(self._queue.chances(added))

    def learn(self, url: Url, reward: float) -> None:
        """Tell what a link brought: 1 for a target, what `offer` returned for a page, 0 for nothing."""
        self._queue.learn(self._items[url], reward)


def log_distance(n_clicks: int) -> float:
    """The reduction for the distance from the start in clicks: odds are divided by it.

    The further a crawl has followed a model of other sites, the less reliable the model is.
    """
    return math.log(max(n_clicks, 1))


def estimate_best_rate(chances: Iterable[float]) -> float:
    """The most targets a request to be expected of a page with links of these chances."""
    total, best = 0.0, 0.0
    for n_links, chance in enumerate(sorted(chances, reverse=True), start=1):
        total += chance
        best = max(best, total / (n_links + 1))
    return best
