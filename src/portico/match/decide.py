"""Same paper or not, with a probability: every level of agreement has a weight, and weights add up."""

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from portico.match.compare import compare
from portico.match.mention import Mention

CERTAIN = 12.0
"""Log-odds beyond which more agreement changes nothing: one in 160,000."""

# Log-odds (natural) of "the same paper" for a pair of candidates about which nothing is known:
# 5,347 of the 28,707 candidate pairs of DBLP-Scholar are matches.
PRIOR = math.log(5347 / (28707 - 5347))

# Fitted by logistic regression on the balanced training pairs of DBLP-Scholar; a field that either
# side lacks says nothing. `portico.lab.measure_matching.fit` prints this table anew.
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

# Fields that DBLP-Scholar does not have. Judged, not fitted: each is the logarithm of how much
# likelier the level is for one paper than for two of similar title. Half of the references to one
# paper that print pages print the same ones, one pair in a hundred does so by chance, and so on.
_JUDGED = {
    "title:other": -CERTAIN,  # see `compare`
    "title:raw": 2.1,  # found word by word, as in title:near
    "title:sequel": -3.3,  # nearly the same words, and yet another paper, as in title:akin
    "title:none": -2.0,  # neither has one: only pages and volume can tell
    "title:lost": -3.0,  # one has a title that is not among the other's words, as in title:akin
    "pages:same": 3.0,
    "pages:last": 1.0,
    "pages:other": -1.5,
    "volume:same": 1.0,
    "volume:other": -1.0,
    "form:thesis": -6.0,  # title, people and year of a thesis are often those of an article made of it
    "form:book": -4.0,  # less: a reference of which only the publisher was made out looks like a book
    "identifier:same": 8.0,
    "identifier:other": -4.0,
}

WEIGHTS: Mapping[str, float] = MappingProxyType({**_FITTED, **_JUDGED})


def log_odds(one: Mention, other: Mention) -> float:
    """The logarithm of the odds that the two speak of one paper: above 0 they rather do."""
    return weigh(compare(one, other))


def weigh(levels: Iterable[str]) -> float:
    total = PRIOR + WEIGHTS["bias"] + sum(WEIGHTS.get(level, 0.0) for level in levels)
    return max(-CERTAIN, min(CERTAIN, total))


def probability(odds: float) -> float:
    """The probability for log-odds."""
    return 1.0 / (1.0 + math.exp(-odds))
