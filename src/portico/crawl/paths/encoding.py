"""Encodes paths as sequences for a chain model: pages and links in turn, with their features."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace

from portico.crawl.paths.states import FAIL, GOAL, StateScheme, Supervision, label_pages
from portico.crawl.policies.observations import split_link
from portico.learn.chain_crf import Moment, Seen
from portico.learn.chain_training import ChainExample
from portico.text.urls import get_host, get_path
from portico.text.words import split_tokens, split_words
from portico.types.page import PageLink, PageView, Url
from portico.types.path import Ending, Path, Step

MAX_UNFOLLOWED = 40
"""Maximum number of unfollowed links used of one page, evenly spaced: more would teach little."""

LEAST_UNFOLLOWED = 10
"""If a page has fewer unfollowed links, each still counts as one of this many: not following one or two of
them says little about them."""


class PathEncoder:
    """Turns pages and links into moments, each page and link once."""

    def __init__(self, scheme: StateScheme) -> None:
        self._scheme = scheme
        self._pages: dict[int, tuple[PageView, Seen]] = {}  # by identity; kept, so that none is given twice
        self._links: dict[int, tuple[PageLink, Seen]] = {}

    def moments(self, steps: Sequence[Step], *, whole: bool = False) -> tuple[Moment, ...]:
        """With link states, one moment for each link before that of its page.

        For a `whole` path the pages before the last are not the goal, and if pages are labeled by their
        distance, the last is the goal or a failure: a path that ends has no distance left.
        """
        moments: list[Moment] = []
        for step in steps:
            seen = self._of_link(step.link) if step.link is not None else ()  # typed in, or the first page
            if not self._scheme.dual:
                moments.append(replace(self.page(step.page), between=seen))
            else:
                moments += [Moment(seen, possible=self._scheme.links)] if moments else []
                moments.append(self.page(step.page))
        return tuple([*self._before_the_goal(moments[:-1]), self._last(moments[-1])] if whole else moments)

    def page(self, page: PageView) -> Moment:
        """A page that has been seen."""
        if id(page) not in self._pages:
            self._pages[id(page)] = (page, observe_path_page(page))
        return Moment(self._pages[id(page)][1], possible=self._scheme.pages)

    def link(self, sighting: PageLink) -> Moment:
        """A link whose page has not been seen."""
        seen = self._of_link(sighting)
        if self._scheme.dual:
            return Moment(seen, possible=self._scheme.links)
        return Moment(between=seen, possible=self._scheme.pages)

    def _before_the_goal(self, moments: Sequence[Moment]) -> list[Moment]:
        goal = self._scheme.labels.index(GOAL)
        return [
            replace(moment, possible=tuple(one for one in moment.possible if one != goal))
            for moment in moments
        ]

    def _last(self, moment: Moment) -> Moment:
        if self._scheme.supervision is Supervision.MILESTONES:
            return moment
        return replace(moment, possible=tuple(map(self._scheme.labels.index, (GOAL, FAIL))))

    def _of_link(self, sighting: PageLink) -> Seen:
        if id(sighting) not in self._links:
            self._links[id(sighting)] = (sighting, observe_path_link(sighting))
        return self._links[id(sighting)][1]


@dataclass(frozen=True, slots=True)
class PathExamples:
    """Examples with the site of each: whole paths, then prefixes and others."""

    examples: tuple[ChainExample, ...]
    sites: tuple[str, ...]
    n_gone: int

    def widespread(self) -> "PathExamples":
        """Without the observations that occur on one site only: mostly names, of no use elsewhere."""
        if len(set(self.sites)) < 2:
            return self
        different = {
            (id(seen), site): seen  # paths share pages
            for example, site in zip(self.examples, self.sites, strict=True)
            for moment in example.moments
            for seen in (moment.seen, moment.between)
        }
        met = {(name, site) for (_, site), seen in different.items() for name, _ in seen}
        n_sites = Counter(name for name, _ in met)
        wide = {name for name, n_met in n_sites.items() if n_met > 1}
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


@dataclass(frozen=True, slots=True)
class ExampleWeights:
    """The weights of prefixes, of links not followed from a page, and of whole paths without names."""

    beginnings: float
    unfollowed: float
    whole: float


def build_examples(paths: Sequence[Path], scheme: StateScheme, counting: ExampleWeights) -> PathExamples:
    """The training examples from paths.

    A whole path is labeled by everything seen on it, but a path scorer works in its middle: every prefix of a
    path is an example of its own, which counts `beginnings` times, once however many paths share it.

    For every page on a path, its links to unvisited pages count as leading nowhere. That is not certain (the
    list of which somebody followed one name has others), so those of one page count `unfollowed` times
    together.
    """
    encoder = PathEncoder(scheme)
    numbers = {label: idx for idx, label in enumerate(scheme.labels)}
    gone = [
        ChainExample(encoder.moments(path.steps), _states([numbers[one] for one in labels], scheme))
        for path, labels in zip(paths, label_pages(paths, scheme), strict=True)
    ]
    sites = [get_host(path.steps[0].page.url) for path in paths]
    further = [*_unseen(gone, counting.beginnings)] if counting.beginnings and not scheme.dual else []
    if counting.unfollowed:
        further += _ways_not_taken(paths, gone, encoder, scheme, counting.unfollowed)
    if scheme.supervision is Supervision.DISTANCES:
        further += _wholes(paths, gone, encoder, scheme, counting.whole)
        begun = _with_beginnings(_unsure(paths, gone, scheme), counting.beginnings, whole=0.0)
    else:
        begun = _with_beginnings(gone, counting.beginnings, whole=1.0)
    return PathExamples(
        (*begun, *(one for _, one in further)), (*sites, *(sites[idx] for idx, _ in further)), len(gone)
    )


def _wholes(
    paths: Sequence[Path],
    gone: Sequence[ChainExample],
    encoder: PathEncoder,
    scheme: StateScheme,
    weight: float,
) -> Iterator[tuple[int, ChainExample]]:
    """Whole paths with unnamed pages, each with its number.

    All that is known of a path to nowhere is its end: the model has to find out at which page it left the
    paths to the goal, among all possible sequences of distances.
    """
    fail = scheme.labels.index(FAIL)
    for idx, (path, example) in enumerate(zip(paths, gone, strict=True)):
        among = [_any_but_goal(scheme)] * (len(path.steps) - 1) + [(fail,)]
        whole = replace(
            example,
            moments=encoder.moments(path.steps, whole=True),
            among=_spread(among, scheme) if path.ending is Ending.DEAD_END else (),
        )
        yield idx, _ending(whole, weight)


def _unsure(paths: Sequence[Path], gone: Sequence[ChainExample], scheme: StateScheme) -> list[ChainExample]:
    """Prefixes with unnamed pages: a page that is on no path to a goal is off the path.

    Unless it links to a goal itself: then it may be on one, and so may the page before it.
    """
    goals = {path.steps[-1].page.url for path in paths if path.ending is Ending.GOAL}
    fail = scheme.labels.index(FAIL)
    anywhere = _any_but_goal(scheme)
    found = []
    for path, example in zip(paths, gone, strict=True):
        pages = example.states[:: 2 if scheme.dual else 1]
        near = {
            idx
            for idx, (step, state) in enumerate(zip(path.steps[:-1], pages, strict=False))
            if state == fail and _links_to(step.page, goals)
        }
        among = [anywhere if idx in near or idx + 1 in near else (state,) for idx, state in enumerate(pages)]
        found.append(replace(example, among=_spread(among, scheme)) if near else example)
    return found


def _links_to(page: PageView, goals: Set[Url]) -> bool:
    return any(one.link.target in goals for one in page.sightings)


def _any_but_goal(scheme: StateScheme) -> tuple[int, ...]:
    return tuple(one for one in scheme.pages if scheme.labels[one] != GOAL)


def _spread(pages: Sequence[tuple[int, ...]], scheme: StateScheme) -> tuple[tuple[int, ...], ...]:
    """The possible states of pages and, if links have their own, of the links to them."""
    if not scheme.dual:
        return tuple(pages)
    links = [tuple(scheme.links[one] for one in page) for page in pages]
    return (pages[0], *(state for pair in zip(links[1:], pages[1:], strict=True) for state in pair))


_Start = tuple[tuple[int, int, int], ...]
"""The beginning of a path: for each step the identities of the observations, and the state."""


def _with_beginnings(gone: Sequence[ChainExample], weight: float, *, whole: float) -> list[ChainExample]:
    """Paths count `whole` times each, their prefixes `weight` times, however many paths share one."""
    starts = [_starts(example) for example in gone]
    shared = Counter(start for of_path in starts for start in of_path)
    return [
        replace(example, weights=(*(weight / shared[start] for start in of_path), whole))
        for example, of_path in zip(gone, starts, strict=True)
    ]


def _starts(example: ChainExample) -> list[_Start]:
    steps = tuple(
        (id(moment.seen), id(moment.between), state)
        for moment, state in zip(example.moments, example.states, strict=True)
    )
    return [steps[:length] for length in range(1, len(steps))]


def _unseen(gone: Sequence[ChainExample], weight: float) -> Iterator[tuple[int, ChainExample]]:
    """Prefixes that end with a link whose page is not seen, each once, with the number of its path."""
    met: set[_Start] = set()
    for path_idx, example in enumerate(gone):
        for start in _starts(example):
            at = len(start)
            key = (*start, (0, id(example.moments[at].between), example.states[at]))
            if key not in met:
                met.add(key)
                moments = (*example.moments[:at], replace(example.moments[at], seen=()))
                yield path_idx, _ending(ChainExample(moments, example.states[: at + 1]), weight)


def _ending(example: ChainExample, weight: float) -> ChainExample:
    """The example as a whole, counted this many times."""
    return replace(example, weights=(*(0.0,) * (len(example.states) - 1), weight))


def _ways_not_taken(
    paths: Sequence[Path],
    gone: Sequence[ChainExample],
    encoder: PathEncoder,
    scheme: StateScheme,
    weight: float,
) -> Iterator[tuple[int, ChainExample]]:
    """Links not followed, each with the number of the path it leaves."""
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
            share = weight / max(len(others), LEAST_UNFOLLOWED)
            for sighting in others:
                moments = (*example.moments[: at + 1], encoder.link(sighting))
                yield path_idx, _ending(ChainExample(moments, (*example.states[: at + 1], nowhere)), share)


def _others(page: PageView, known: set[Url]) -> list[PageLink]:
    """Links of a page to pages that were not visited."""
    found = [one for one in page.sightings if one.link.target not in known]
    step = max(1, -(-len(found) // MAX_UNFOLLOWED))
    return found[::step]


def _states(labels: Sequence[int], scheme: StateScheme) -> tuple[int, ...]:
    """The states of the pages and, where links have their own, of the links between them."""
    if not scheme.dual:
        return tuple(labels)
    links = scheme.links
    return (labels[0], *(state for label in labels[1:] for state in (links[label], label)))


MAX_PAGE_WORDS = 120  # distinct words from the top of a page, which says what the page is
MAX_HEADING_WORDS = 30

_PARTS = re.compile(r"[a-z]+|[0-9]+")
_ADDRESS_PARTS = (
    "folder",
    "source",
    "folders",
    "pattern",
)  # of a spider's observations; here URLs are read in another way
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")


def observe_path_page(page: PageView) -> Seen:
    """Words of the page, its title and headings, and the parts of its URL."""
    return (
        *_shared("text", 1.0, split_words(page.text), MAX_PAGE_WORDS),
        *_shared("title", 1.0, split_words(page.title), MAX_HEADING_WORDS),
        *_shared("heading", 0.7, split_words(page.headings), MAX_HEADING_WORDS),
        *_address("at", page.url),
    )


def observe_path_link(sighting: PageLink) -> Seen:
    """Words in and around the anchor, the heading above, and the target."""
    parts = split_link(sighting.link)
    of_link = [
        (f"{part}={word}", weight)
        for part, weight, said in parts.words
        if part not in _ADDRESS_PARTS
        for word in said
    ]
    return (
        (f"kind={parts.kind}", 1.0),
        *of_link,
        *_shared("above", 0.7, split_tokens(sighting.heading), MAX_HEADING_WORDS),
        *_address("to", sighting.link.target),
    )


def _address(part: str, url: Url) -> Seen:
    """The tokens of a URL: a tilde, folders, the file and its depth."""
    path = get_path(url).partition("?")[0]
    folder, _, name = path.lower().rpartition("/")
    stem = name.partition(".")[0]
    signs = []
    if "~" in path:
        last = folder.rpartition("/")[2]
        signs.append(f"{part} ~home" if last.startswith("~") else f"{part} ~below")
        signs += [f"{part} ~home page"] if last.startswith("~") and stem in ("", "index", "home") else []
    signs.append(f"{part} file={stem if stem.isalpha() else _shape(stem)}")
    # A folder with a dot is the name of a host in a mirrored tree: it says where, not what.
    own = " ".join(one for one in folder.split("/") if "." not in one)
    tokens_ = dict.fromkeys(_number(one) for one in _PARTS.findall(own))
    share = 1.0 / max(1, len(tokens_)) ** 0.5
    return (*((sign, 1.0) for sign in signs), *((f"{part}/{one}", share) for one in tokens_))


def _shape(stem: str) -> str:
    return re.sub(r"[a-z]+", "a", re.sub(r"[0-9]+", "0", stem))[:8]


def _number(token: str) -> str:
    if not token.isdigit():
        return token
    return "<year>" if _YEAR.fullmatch(token) else "<number>"


def _shared(part: str, weight: float, found: list[str], limit: int) -> Seen:
    """Distinct words, each with 1/√n of the part's weight, so that long parts do not dominate."""
    unique = list(dict.fromkeys(found))[:limit]
    share = weight / max(1, len(unique)) ** 0.5
    return tuple((f"{part}={_number(word)}", share) for word in unique)
