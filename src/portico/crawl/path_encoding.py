"""Paths as sequences that a chain learns from: pages and links in turn, with what is seen of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from portico.crawl.path_features import link_features, page_features
from portico.crawl.path_states import FAIL, Scheme, labels_of
from portico.learn.chain_crf import Moment, Seen
from portico.learn.chain_training import Example
from portico.text.urls import host_of
from portico.types.page import PageView, Sighting, Url
from portico.types.path import Path, Step

MAX_UNFOLLOWED = 60
"""Links of one page that nobody followed, of which more would teach little: they are taken evenly."""

LEAST_UNFOLLOWED = 10
"""So many there must be to count in full: that one or two others were left says little of them."""


class Encoder:
    """Turns pages and links into moments, each page and link once."""

    def __init__(self, scheme: Scheme) -> None:
        self._scheme = scheme
        self._pages: dict[int, tuple[PageView, Seen]] = {}  # by identity; kept, so that none is given twice
        self._links: dict[int, tuple[Sighting, Seen]] = {}

    def moments(self, steps: Sequence[Step]) -> tuple[Moment, ...]:
        """The whole path: with states of links, a moment for each link before that of its page."""
        moments: list[Moment] = []
        for step in steps:
            link = step.link
            if self._scheme.dual:
                moments += [self.link(link)] if moments and link is not None else []
                moments.append(self.page(step.page))
            else:
                moments.append(replace(self.page(step.page), between=self._of_link(link) if link else ()))
        return tuple(moments)

    def page(self, page: PageView) -> Moment:
        """A page that is seen."""
        if id(page) not in self._pages:
            self._pages[id(page)] = (page, page_features(page))
        return Moment(self._pages[id(page)][1], possible=self._scheme.pages)

    def link(self, sighting: Sighting) -> Moment:
        """A link whose page is not seen, or not yet."""
        seen = self._of_link(sighting)
        if self._scheme.dual:
            return Moment(seen, possible=self._scheme.links)
        return Moment(between=seen, possible=self._scheme.pages)

    def _of_link(self, sighting: Sighting) -> Seen:
        if id(sighting) not in self._links:
            self._links[id(sighting)] = (sighting, link_features(sighting))
        return self._links[id(sighting)][1]


@dataclass(frozen=True, slots=True)
class Lessons:
    """Examples with the site each is from: the paths as they were gone, then their beginnings and others."""

    examples: tuple[Example, ...]
    sites: tuple[str, ...]
    n_gone: int

    def widespread(self) -> "Lessons":
        """Without the observations that one site alone has: mostly names, of no use elsewhere."""
        if len(set(self.sites)) < 2:
            return self
        met: dict[str, set[str]] = {}
        for example, site in zip(self.examples, self.sites, strict=True):
            for moment in example.moments:
                for name, _ in (*moment.seen, *moment.between):
                    met.setdefault(name, set()).add(site)
        wide = {name for name, sites in met.items() if len(sites) > 1}
        narrowed: dict[int, Seen] = {}

        def narrow(seen: Seen) -> Seen:
            if id(seen) not in narrowed:
                narrowed[id(seen)] = tuple(one for one in seen if one[0] in wide)
            return narrowed[id(seen)]

        def narrow_moment(moment: Moment) -> Moment:
            return replace(moment, seen=narrow(moment.seen), between=narrow(moment.between))

        examples = [
            replace(example, moments=tuple(map(narrow_moment, example.moments))) for example in self.examples
        ]
        return replace(self, examples=tuple(examples))


def lessons_of(paths: Sequence[Path], scheme: Scheme, *, beginnings: float, unfollowed: float) -> Lessons:
    """What paths teach.

    A whole path is labeled by all that is seen on it, but a forager stands in its middle: every beginning
    of a path is an example of its own, which counts `beginnings` times, once however many paths share it.

    For every page on a path, its links to pages nobody went to lead nowhere. That is not certain (the list
    of which somebody followed one name has others), so those of one page count `unfollowed` times together.
    """
    encoder = Encoder(scheme)
    numbers = {label: idx for idx, label in enumerate(scheme.labels)}
    gone = [
        Example(encoder.moments(path.steps), _states([numbers[one] for one in labels], scheme))
        for path, labels in zip(paths, labels_of(paths, scheme), strict=True)
    ]
    sites = [host_of(path.steps[0].page.url) for path in paths]
    further = [(idx, replace(one, weight=beginnings)) for idx, one in _beginnings(gone)] if beginnings else []
    if unfollowed:
        ways = _ways_not_taken(paths, gone, encoder, scheme)
        further += [(idx, replace(way, weight=unfollowed * way.weight)) for idx, way in ways]
    return Lessons(
        (*gone, *(one for _, one in further)), (*sites, *(sites[idx] for idx, _ in further)), len(gone)
    )


def _beginnings(gone: Sequence[Example]) -> Iterator[tuple[int, Example]]:
    """The beginnings of paths, each once, with the number of a path that begins so.

    One ends with each page and each link: where links have no states, with a page that is not yet seen.
    """
    met: set[tuple[tuple[int, int, int], ...]] = set()
    unseen: set[tuple[tuple[int, int, int], ...]] = set()
    for path_idx, example in enumerate(gone):
        steps = tuple(
            (id(moment.seen), id(moment.between), state)
            for moment, state in zip(example.moments, example.states, strict=True)
        )
        for length in range(1, len(steps)):
            if steps[:length] not in met:
                met.add(steps[:length])
                yield path_idx, Example(example.moments[:length], example.states[:length])
            if (coming := example.moments[length]).between and steps[: length + 1] not in unseen:
                unseen.add(steps[: length + 1])
                moments = (*example.moments[:length], replace(coming, seen=()))
                yield path_idx, Example(moments, example.states[: length + 1])


def _ways_not_taken(
    paths: Sequence[Path], gone: Sequence[Example], encoder: Encoder, scheme: Scheme
) -> Iterator[tuple[int, Example]]:
    """Each with the number of the path it leaves."""
    known = {step.page.url for path in paths for step in path.steps}
    nowhere = scheme.links[scheme.labels.index(FAIL)]
    met: set[Url] = set()
    for path_idx, (path, example) in enumerate(zip(paths, gone, strict=True)):
        for idx, step in enumerate(path.steps[:-1]):
            at = 2 * idx if scheme.dual else idx
            if step.page.url in met or scheme.labels[example.states[at]] == FAIL:
                continue
            met.add(step.page.url)
            others = _others(step.page, known)
            for sighting in others:
                moments = (*example.moments[: at + 1], encoder.link(sighting))
                yield (
                    path_idx,
                    Example(
                        moments,
                        (*example.states[: at + 1], nowhere),
                        1.0 / max(len(others), LEAST_UNFOLLOWED),
                    ),
                )


def _others(page: PageView, known: set[Url]) -> list[Sighting]:
    """Links of a page to pages nobody went to."""
    found = [one for one in page.sightings if one.link.target not in known]
    step = max(1, -(-len(found) // MAX_UNFOLLOWED))
    return found[::step]


def _states(labels: Sequence[int], scheme: Scheme) -> tuple[int, ...]:
    """The states of the pages and, where links have their own, of the links between them."""
    if not scheme.dual:
        return tuple(labels)
    links = scheme.links
    return (labels[0], *(state for label in labels[1:] for state in (links[label], label)))
