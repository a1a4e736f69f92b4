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
    "title:same": 3.21,
    "title:same-brief": -0.36,
    "title:same-short": -0.57,
    "title:close": 2.59,
    "title:near": 2.12,
    "title:part": 0.67,
    "title:similar": -0.93,
    "title:akin": -3.33,
    "people:same": 2.61,
    "people:part": 3.02,
    "people:part-late": 1.42,
    "people:most": 1.91,
    "people:few": 0.86,
    "people:other": -1.41,
    "year:same": 1.05,
    "year:next": -1.38,
    "year:near": -2.60,
    "year:other": -2.60,
    "venue:same": 0.96,
    "venue:like": 0.91,
    "venue:other": 0.07,
}

# Fields that DBLP-Scholar does not have. Judged, not fitted: each is the logarithm of how much
# likelier the level is for one paper than for two of similar title. Half of the references to one
# paper that print pages print the same ones, one pair in a hundred does so by chance, and so on.
_JUDGED = {
    "title:other": -CERTAIN,  # see `compare`
    "title:raw": 2.1,  # found word by word, as in title:near
    "title:none": -2.0,  # neither has one: only pages and volume can tell
    "title:lost": -3.0,  # one has a title that is not among the other's words, as in title:akin
    "pages:same": 3.0,
    "pages:last": 1.0,
    "pages:other": -1.5,
    "volume:same": 1.0,
    "volume:other": -1.0,
    "identifier:same": 8.0,
    "identifier:other": -4.0,
}

WEIGHTS: Mapping[str, float] = MappingProxyType({**_FITTED, **_JUDGED})


def log_odds(one: Mention, other: Mention) -> float:
    """The logarithm of the odds that the two speak of one paper: above 0 they rather do."""
    return weigh(compare(one, other))


def weigh(levels: Iterable[str]) -> float:
    total = PRIOR + sum(WEIGHTS.get(level, 0.0) for level in levels)
    return max(-CERTAIN, min(CERTAIN, total))


def probability(odds: float) -> float:
    """The probability for log-odds."""
    return 1.0 / (1.0 + math.exp(-odds))
