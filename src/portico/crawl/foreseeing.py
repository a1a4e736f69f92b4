"""What a forager would fetch on a site it does not know: link after link, the most promising first."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from portico.crawl.foraging import Forager, Prefix, Prospect
from portico.crawl.path_states import GOAL
from portico.errors import FetchError
from portico.text.urls import host_of, registered_domain
from portico.types.page import PageView, Sighting, Url
from portico.types.preview import Foreseen

See = Callable[[Url], PageView]
"""Shows a page as spiders see it; FetchError says why it cannot."""


def foreseen(forager: Forager, see: See, site: Url, *, n_fetches: int) -> Iterator[Foreseen]:
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
        outlook = forager.look(page, best.prefix)
        label = max(outlook.chances, key=lambda name: outlook.chances[name])
        chance, goal = outlook.chances[label], outlook.chances[GOAL]
        yield replace(best.fetch(), found=label, chance=chance, goal=goal, title=page.title)
        queue.seen(page.url)
        queue.add(outlook.prospects, number)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A link that was found, with what it promises over all pages that show it."""

    url: Url
    score: float = 0.0
    label: str = ""
    prefix: Prefix | None = None
    before: int | None = None
    link: Sighting | None = None

    def fetch(self) -> Foreseen:
        return Foreseen(self.url, self.score, self.label, self.before, self.link)


class _Queue:
    """Links of one site by their promise; what several pages promise of a link is added up."""

    def __init__(self, site: Url) -> None:
        self._domain = registered_domain(host_of(site))
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

    def add(self, prospects: tuple[Prospect, ...], before: int) -> None:
        for prospect in prospects:
            url = prospect.sighting.link.target
            if url not in self._seen and registered_domain(host_of(url)) == self._domain:
                self._waiting[url] = _added(self._waiting.get(url), prospect, before)


def _added(known: _Waiting | None, prospect: Prospect, before: int) -> _Waiting:
    url = prospect.sighting.link.target
    new = _Waiting(url, prospect.score, prospect.label, prospect.prefix, before, prospect.sighting)
    if known is None or known.prefix is None:
        return new
    together = tuple(one + other for one, other in zip(known.prefix, prospect.prefix, strict=True))
    better = new if new.score > known.score else known
    return replace(better, score=known.score + new.score, prefix=together)
