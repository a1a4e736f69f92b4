"""What a crawl by learned paths would fetch on an unknown site: link after link, the best score first."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from portico.crawl.paths.scoring import TrainedPathScorer
from portico.crawl.paths.states import GOAL
from portico.crawl.policies.policy import LinkScore, Prefix
from portico.errors import FetchError
from portico.text.urls import get_host, get_registered_domain
from portico.types.page import PageLink, PageView, Url
from portico.types.preview import PreviewedFetch

See = Callable[[Url], PageView]
"""Shows a page as spiders see it; FetchError says why it cannot."""


def preview_crawl(
    scorer: TrainedPathScorer, see: See, site: Url, *, n_fetches: int
) -> Iterator[PreviewedFetch]:
    """The fetches a spider would make from `site` on, each as soon as it is made; it stays on that site."""
    queue = _Queue(site)
    for number in range(n_fetches):
        best = queue.pop()
        if best is None:
            return
        try:
            page = see(best.url)
        except FetchError as error:
            yield replace(best.fetch(), trouble=str(error))
            continue
        page_score = scorer.look(page, best.prefix)
        label = max(page_score.chances, key=lambda name: page_score.chances[name])
        chance, goal = page_score.chances[label], page_score.chances[GOAL]
        yield replace(best.fetch(), found=label, chance=chance, goal=goal, title=page.title)
        queue.seen(page.url)
        queue.add(page_score.link_scores, number)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A link that was found, with what it promises over all pages that show it."""

    url: Url
    score: float = 0.0
    label: str = ""
    prefix: Prefix | None = None
    before: int | None = None
    link: PageLink | None = None

    def fetch(self) -> PreviewedFetch:
        return PreviewedFetch(self.url, self.score, self.label, self.before, self.link)


class _Queue:
    """Links of one site by their promise; what several pages promise of a link is added up."""

    def __init__(self, site: Url) -> None:
        self._domain = get_registered_domain(get_host(site))
        self._waiting = {site: _Waiting(site)}
        self._seen: set[Url] = set()

    def pop(self) -> _Waiting | None:
        best = max(self._waiting.values(), key=lambda each: each.score, default=None)
        if best is not None:
            self.seen(best.url)
        return best

    def seen(self, url: Url) -> None:
        """Not to be fetched again: not even by another name, where a redirect ended."""
        self._seen.add(url)
        self._waiting.pop(url, None)

    def add(self, link_scores: tuple[LinkScore, ...], before: int) -> None:
        for link_score in link_scores:
            url = link_score.sighting.link.target
            if url not in self._seen and get_registered_domain(get_host(url)) == self._domain:
                self._waiting[url] = _added(self._waiting.get(url), link_score, before)


def _added(known: _Waiting | None, link_score: LinkScore, before: int) -> _Waiting:
    url = link_score.sighting.link.target
    new = _Waiting(url, link_score.score, link_score.label, link_score.prefix, before, link_score.sighting)
    if known is None or known.prefix is None:
        return new
    together = tuple(one + other for one, other in zip(known.prefix, link_score.prefix, strict=True))
    better = new if new.score > known.score else known
    return replace(better, score=known.score + new.score, prefix=together)
