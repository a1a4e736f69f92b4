"""Scores pages and links along a path with a learned model, and chooses what to fetch next.

No state is kept here: a prefix goes in with a page, and prefixes come out with its links. So the crawler,
which keeps prefixes in its store, and a preview of the next fetches use the same code.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from portico.crawl.paths.encoding import PathEncoder
from portico.crawl.paths.learning import PathModel
from portico.crawl.paths.states import GOAL
from portico.crawl.policies.policy import LinkScore, PageScore, Policy, Prefix
from portico.errors import FetchError
from portico.text.urls import get_host, get_registered_domain
from portico.types.page import PageLink, PageView, Url
from portico.types.path import PreviewedFetch

PATHS = "paths"

# Links worth less than this share of a sure link to a goal are not followed: about the worth of a link that
# seems to be five clicks from a goal. Not tuned; the builder sets it ([spider] worth).
WORTH = 0.02


def make_path_policy(model: PathModel, *, worth: float = WORTH) -> Policy:
    """The policy of a crawl that uses a model of paths."""
    path_scorer = TrainedPathScorer(model)

    def score_links(links: Sequence[tuple[PageView, PageLink]]) -> list[float]:
        """Scores of links whose paths are not known."""
        return [path_scorer.look(replace(page, sightings=(one,))).link_scores[0].score for page, one in links]

    return Policy(
        PATHS, score_links, reads_text=True, path_scorer=path_scorer, floor=worth * path_scorer.sure
    )


class TrainedPathScorer:
    """Scores by one model: the paper's forward probabilities (equation 6) and link scores (equation 7)."""

    def __init__(self, model: PathModel) -> None:
        self._scheme = model.scheme
        self._crf = model.crf
        self._rewards = [model.rewards[state] for state in model.scheme.links]

    def look(self, page: PageView, prefix: Prefix | None = None) -> PageScore:
        """The links of a page with their scores; without a prefix, for a page where a search begins."""
        encoder = PathEncoder(self._scheme)
        here = self._arrive(encoder, page, prefix)
        moments = [encoder.link(sighting) for sighting in page.sightings]
        links = self._crf.onward(here, moments)
        first = self._scheme.links[0]
        return PageScore(
            dict(zip(self._scheme.labels, here, strict=False)),
            tuple(
                self._score_link(sighting, tuple(chances[first : first + len(self._scheme.labels)]))
                for sighting, chances in zip(page.sightings, links, strict=True)
            ),
        )

    def score(self, prefix: Prefix) -> float:
        """The expected reward of a link."""
        return sum(chance * reward for chance, reward in zip(prefix, self._rewards, strict=True))

    @property
    def sure(self) -> float:
        """The score of a link that certainly leads to a goal."""
        return self._rewards[self._scheme.labels.index(GOAL)]

    def _arrive(self, encoder: PathEncoder, page: PageView, prefix: Prefix | None) -> list[float]:
        """The probabilities of the page's states."""
        moment = encoder.page(page)
        if prefix is None or not any(prefix):
            return self._crf.begin(moment)
        if not self._scheme.dual:
            return self._crf.arrived(prefix, moment)
        before = [0.0] * len(self._scheme.labels) + list(prefix)
        return self._crf.onward(before, [moment])[0]

    def _score_link(self, sighting: PageLink, prefix: Prefix) -> LinkScore:
        likeliest = max(range(len(prefix)), key=prefix.__getitem__)
        return LinkScore(sighting, self.score(prefix), self._scheme.labels[likeliest], prefix)


See = Callable[[Url], PageView]
"""Fetches a page as spiders see it; raises FetchError with the reason if it cannot."""


def preview_crawl(
    scorer: TrainedPathScorer, see: See, site: Url, *, n_fetches: int
) -> Iterator[PreviewedFetch]:
    """The fetches a spider would make starting at `site`, each as soon as it is made; it stays on that
    site.
    """
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
    """A link that was found, with its score over all pages that contain it."""

    url: Url
    score: float = 0.0
    label: str = ""
    prefix: Prefix | None = None
    before: int | None = None
    link: PageLink | None = None

    def fetch(self) -> PreviewedFetch:
        return PreviewedFetch(self.url, self.score, self.label, self.before, self.link)


class _Queue:
    """Links of one site by score; scores of a link on several pages are added."""

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
        """Never fetch this again, not even under another URL, if a redirect ended here."""
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
