"""Follow learned paths: what a page is, given how it was reached, and what each of its links promises.

Nothing is kept here: a prefix goes in with a page, and prefixes come out with its links. So the crawler,
which keeps prefixes in its store, and a preview of the next fetches see the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from portico.crawl.path_encoding import Encoder
from portico.crawl.path_learning import PathModel
from portico.types.page import PageView, Sighting

Prefix = tuple[float, ...]
"""How likely a link leads to a page of each label, given all that was seen on the way to it."""


@dataclass(frozen=True, slots=True)
class Prospect:
    """A link of a page: the reward to be expected of it, and what it leads to most likely."""

    sighting: Sighting
    score: float
    label: str
    prefix: Prefix


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a page is, by label, and what its links promise."""

    chances: Mapping[str, float]
    prospects: tuple[Prospect, ...]


class Forager:
    """Goes by one model: the paper's forward probabilities (equation 6) and scores of links (7)."""

    def __init__(self, model: PathModel) -> None:
        self._scheme = model.scheme
        self._crf = model.crf
        self._rewards = [model.rewards[state] for state in model.scheme.links]

    def look(self, page: PageView, prefix: Prefix | None = None) -> Outlook:
        """The links of a page with their scores; without a prefix, of a page where a search begins."""
        encoder = Encoder(self._scheme)
        here = self._arrive(encoder, page, prefix)
        moments = [encoder.link(sighting) for sighting in page.sightings]
        links = self._crf.onward(here, moments)
        first = self._scheme.links[0]
        return Outlook(
            dict(zip(self._scheme.labels, here, strict=False)),
            tuple(
                self._prospect(sighting, tuple(chances[first : first + len(self._scheme.labels)]))
                for sighting, chances in zip(page.sightings, links, strict=True)
            ),
        )

    def score(self, prefix: Prefix) -> float:
        """The reward to be expected of a link."""
        return sum(chance * reward for chance, reward in zip(prefix, self._rewards, strict=True))

    def _arrive(self, encoder: Encoder, page: PageView, prefix: Prefix | None) -> list[float]:
        """The chances of the page's states."""
        moment = encoder.page(page)
        if prefix is None or not any(prefix):
            return self._crf.begin(moment)
        if not self._scheme.dual:
            return self._crf.arrived(prefix, moment)
        before = [0.0] * len(self._scheme.labels) + list(prefix)
        return self._crf.onward(before, [moment])[0]

    def _prospect(self, sighting: Sighting, prefix: Prefix) -> Prospect:
        likeliest = max(range(len(prefix)), key=prefix.__getitem__)
        return Prospect(sighting, self.score(prefix), self._scheme.labels[likeliest], prefix)
