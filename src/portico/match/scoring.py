"""Scores the probability that two mentions are one paper, for one pair or for millions of pairs.

Both ways give the same log odds. The second compares each distinct pair of values once, and stops as soon as
nothing that is still to be compared could make the pair likely.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from rapidfuzz import fuzz, process

from portico.learn.candidate_pairs import (
    Levels,
    Pairs,
    encode_distinct,
    judge_pairs,
    renumber_pairs,
    sort_strongest_first,
    to_array,
    to_pairs,
    weigh_levels,
)
from portico.match.compare import (
    AGREEING_PEOPLE,
    LOWEST_TITLE_BOUND,
    compare,
    compare_forms,
    compare_identifiers,
    compare_pages,
    compare_people,
    compare_titles,
    compare_venues,
    compare_volumes,
    compare_years,
    compute_part_bound,
)
from portico.match.mention import Mention

CERTAIN = 12.0
"""Limit on the log odds, beyond which more agreement changes nothing: one in 160,000."""

# Natural log odds that a candidate pair is the same paper, without any evidence: 5,347 of the 28,707
# candidate pairs of DBLP-Scholar are matches.
PRIOR = math.log(5347 / (28707 - 5347))

# Fitted by logistic regression on the balanced training pairs of DBLP-Scholar; a field that is missing on
# either side is no evidence. `portico.lab.measures.matching_methods.fit_pair_weights` prints this table
# again.
_FITTED = {
    "bias": -0.26,
    "title:same": 3.01,
    "title:same-brief": -0.43,
    "title:same-short": -0.58,
    "title:close": 2.36,
    "title:near": 2.16,
    "title:reworded": 0.90,
    "title:part": 0.53,
    "title:similar": -0.98,
    "title:akin": -3.39,
    "people:same": 2.76,
    "people:part": 3.15,
    "people:part-late": 1.66,
    "people:most": 2.20,
    "people:few": 1.03,
    "people:other": -1.18,
    "year:same": 1.46,
    "year:next": -1.17,
    "year:near": -2.39,
    "year:other": -2.41,
    "venue:same": 0.94,
    "venue:like": 0.79,
    "venue:other": 0.18,
}

# Fields that DBLP-Scholar does not have. Judged, not fitted: each is the logarithm of how much likelier the
# level is for one paper than for two with similar titles. For example, half of the references to one paper
# with page numbers have the same ones, and one pair in a hundred has them by chance.
_JUDGED = {
    "title:other": -CERTAIN,  # see `compare`
    "title:raw": 2.1,  # found word by word, as in title:near
    "title:sequel": -3.3,  # nearly the same words but another paper, as in title:akin
    "title:none": -2.0,  # neither has one: only pages and volume can decide
    "title:lost": -3.0,  # one has a title whose words the other lacks, as in title:akin
    "pages:same": 3.0,
    "pages:last": 1.0,
    "pages:other": -1.5,
    "volume:same": 1.0,
    "volume:other": -1.0,
    "form:thesis": -6.0,  # a thesis often has the title, people and year of an article made from it
    "form:book": -4.0,  # less: a reference with only the publisher recognized looks like a book
    "identifier:same": 8.0,
    "identifier:other": -4.0,
}

WEIGHTS: Mapping[str, float] = MappingProxyType({**_FITTED, **_JUDGED})


def compute_log_odds(one: Mention, other: Mention) -> float:
    """The log odds that the two mean one paper; above 0 it is more likely than not."""
    return weigh(compare(one, other))


def weigh(levels: Iterable[str]) -> float:
    total = PRIOR + WEIGHTS["bias"] + sum(WEIGHTS.get(level, 0.0) for level in levels)
    return max(-CERTAIN, min(CERTAIN, total))


def to_probability(odds: float) -> float:
    """The probability for given log odds."""
    return 1.0 / (1.0 + math.exp(-odds))


Level = Callable[[Mention, Mention], str]
Edge = tuple[float, int, int]


class PairScores:
    """Log odds of pairs of these mentions, cached."""

    def __init__(self, mentions: Sequence[Mention], known: Iterable[Edge] = ()) -> None:
        self._mentions = mentions
        self._known = {(one, other): odds for odds, one, other in known}

    def learn(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Compute many of them at once, which is faster than one after the other."""
        asked = {(one, other) if one < other else (other, one) for one, other in pairs}
        unknown = sorted(asked.difference(self._known))
        self._known.update(zip(unknown, score_pairs(self._mentions, to_pairs(unknown)), strict=True))

    def __call__(self, one: int, other: int) -> float:
        pair = (one, other) if one < other else (other, one)
        odds = self._known.get(pair)
        if odds is None:
            odds = self._known[pair] = compute_log_odds(self._mentions[pair[0]], self._mentions[pair[1]])
        return odds


def find_likely_edges(mentions: Sequence[Mention], pairs: Pairs) -> list[Edge]:
    """(log odds, one, other) for the pairs that are more likely than not one paper, the most certain
    first.
    """
    titles = _judged(mentions, pairs, _TITLE)
    # A brief title counts in full until the people are known: see `compare`.
    odds = PRIOR + WEIGHTS["bias"] + _odds(titles, {"title:same-brief": WEIGHTS["title:same"]})
    brief = titles.are(("title:same-brief",))
    for idx, field in enumerate(_FIELDS):
        hopeful = odds + sum(later.best for later in _FIELDS[idx:]) > 0
        pairs, odds, brief = pairs[hopeful], odds[hopeful], brief[hopeful]
        found = _judged(mentions, pairs, field)
        odds = odds + _odds(found)
        if field is _PEOPLE:
            odds = odds - (brief & ~found.are(AGREEING_PEOPLE)) * _BRIEFNESS
    likely = odds > 0
    return sort_strongest_first(pairs[likely], odds[likely].clip(-CERTAIN, CERTAIN))


def score_pairs(mentions: Sequence[Mention], pairs: Pairs) -> list[float]:
    """The log odds of every pair, exactly as `compute_log_odds` gives them."""
    titles = _judged(mentions, pairs, _TITLE)
    people, *others = (_judged(mentions, pairs, field) for field in (_PEOPLE, *_COMPARED))
    fuller = titles.are(("title:same-brief",)) & people.are(AGREEING_PEOPLE)  # see `compare`
    total = _odds(titles) * ~fuller + WEIGHTS["title:same"] * fuller
    for found in (people, *others):
        total = total + _odds(found)
    total = (PRIOR + WEIGHTS["bias"] + total).clip(-CERTAIN, CERTAIN)
    total[titles.are(("title:other",)) & ~others[-1].are(("identifier:same",))] = -CERTAIN
    answer: list[float] = total.tolist()
    return answer


@dataclass(frozen=True, slots=True)
class _Field:
    """A compared field: the value by which mentions differ, and how two values are judged."""

    value: Callable[[Mention], Hashable]
    judge: Callable[[Sequence[Mention], Sequence[Mention]], Iterable[str]]
    best: float  # the highest weight of its levels


def _judged(mentions: Sequence[Mention], pairs: Pairs, field: _Field) -> Levels:
    positions, pairs = renumber_pairs(pairs)
    asked = [mentions[idx] for idx in positions]
    codes, firsts = encode_distinct(map(field.value, asked))

    def judge(ones: Sequence[int], others: Sequence[int]) -> Iterable[str]:
        return field.judge([asked[idx] for idx in ones], [asked[idx] for idx in others])

    return judge_pairs(codes, firsts, pairs, judge)


def _odds(found: Levels, instead: dict[str, float] | None = None) -> Pairs:
    weights = {**WEIGHTS, **(instead or {})}
    return weigh_levels(found, [weights.get(name, 0.0) for name in found.names])


def _one_by_one(level: Level) -> Callable[[Sequence[Mention], Sequence[Mention]], Iterable[str]]:
    return lambda ones, others: map(level, ones, others)


def _judge_titles(ones: Sequence[Mention], others: Sequence[Mention]) -> Iterator[str]:
    """As `compare_titles`; most pairs have clearly different titles and are settled all at once."""
    left, right = [mention.letters for mention in ones], [mention.letters for mention in others]
    similarity = process.cpdist(left, right, scorer=fuzz.ratio)
    one, other = to_array(map(len, left)), to_array(map(len, right))
    shorter = (one + other - abs(one - other)) / 2
    far = (shorter > 0) & (similarity < LOWEST_TITLE_BOUND)
    far &= similarity * (one + other) < compute_part_bound(1) * shorter
    for idx, lost in enumerate(far.tolist()):
        yield "title:other" if lost else compare_titles(ones[idx], others[idx])


def _best(name: str) -> float:
    return max(0.0, *(weight for level, weight in WEIGHTS.items() if level.startswith(f"{name}:")))


_BRIEFNESS = WEIGHTS["title:same"] - WEIGHTS["title:same-brief"]
_TITLE = _Field(
    lambda mention: mention.title or (mention.raw, mention.identifiers), _judge_titles, _best("title")
)
_PEOPLE = _Field(
    lambda mention: tuple((person.key, person.first) for person in mention.people),
    _one_by_one(compare_people),
    _best("people"),
)
_IDENTIFIER = _Field(
    lambda mention: mention.identifiers, _one_by_one(compare_identifiers), _best("identifier")
)
_YEAR = _Field(lambda mention: mention.year, _one_by_one(compare_years), _best("year"))
_PAGES = _Field(lambda mention: mention.pages, _one_by_one(compare_pages), _best("pages"))
_VOLUME = _Field(lambda mention: mention.volume, _one_by_one(compare_volumes), _best("volume"))
_VENUE = _Field(lambda mention: mention.venue, _one_by_one(compare_venues), _best("venue"))
_FORM = _Field(lambda mention: mention.form, _one_by_one(compare_forms), _best("form"))
# The fast ones first, which make most of the slow ones unnecessary.
_FIELDS = (_IDENTIFIER, _YEAR, _PAGES, _VOLUME, _FORM, _PEOPLE, _VENUE)
_COMPARED = (_YEAR, _VENUE, _PAGES, _VOLUME, _FORM, _IDENTIFIER)  # in the order of `compare.COMPARISONS`
