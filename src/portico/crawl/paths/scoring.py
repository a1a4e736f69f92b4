"""Follow learned paths: what a page is, given how it was reached, and what each of its links promises.

Nothing is kept here: a prefix goes in with a page, and prefixes come out with its links. So the crawler,
which keeps prefixes in its store, and a preview of the next fetches see the same.
"""

from collections.abc import Sequence
from dataclasses import replace

from portico.crawl.paths.encoding import PathEncoder
from portico.crawl.paths.learning import PathModel
from portico.crawl.paths.states import GOAL
from portico.crawl.policies.policy import LinkScore, PageScore, Policy, Prefix
from portico.types.page import PageLink, PageView

PATHS = "paths"

# Links that promise less than this share of a sure link to a goal are left: about what a link five clicks
# from a goal promises to be that. Not swept; the builder sets it ([spider] worth).
WORTH = 0.02


def make_path_policy(model: PathModel, *, worth: float = WORTH) -> Policy:
    """The policy of a crawl that goes by a model of paths."""
    path_scorer = TrainedPathScorer(model)

    def score_links(links: Sequence[tuple[PageView, PageLink]]) -> list[float]:
        """What links promise whose ways are not known."""
        return [path_scorer.look(replace(page, sightings=(one,))).link_scores[0].score for page, one in links]

    return Policy(
        PATHS, score_links, reads_text=True, path_scorer=path_scorer, floor=worth * path_scorer.sure
    )


class TrainedPathScorer:
    """Goes by one model: the paper's forward probabilities (equation 6) and scores of links (7)."""

    def __init__(self, model: PathModel) -> None:
        self._scheme = model.scheme
        self._crf = model.crf
        self._rewards = [model.rewards[state] for state in model.scheme.links]

    def look(self, page: PageView, prefix: Prefix | None = None) -> PageScore:
        """The links of a page with their scores; without a prefix, of a page where a search begins."""
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
        """The reward to be expected of a link."""
        return sum(chance * reward for chance, reward in zip(prefix, self._rewards, strict=True))

    @property
    def sure(self) -> float:
        """What a link promises that surely leads to a goal."""
        return self._rewards[self._scheme.labels.index(GOAL)]

    def _arrive(self, encoder: PathEncoder, page: PageView, prefix: Prefix | None) -> list[float]:
        """The chances of the page's states."""
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
