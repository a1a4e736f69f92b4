"""Term frequencies for matching: agreement on a rare value says more than on a common one (Winkler 1989).

A level such as `venue:same` has one weight. Where two records agree on a value that a share f of all records
has, while two records agree by chance with probability u, log(u / f) is added to it. Frequencies are counted
in the set that is matched, so that every paper that is added would change the weights of others: the default
does without, and `portico lab matching` prints what it forgoes.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence

from portico.match.compare import AGREEING_PEOPLE, compare_people
from portico.match.editions import Rarity
from portico.match.mention import Mention

MOST = 3.0
"""Log-odds that rarity adds or takes at most: a value that is seen once may be misspelled."""

Worth = Callable[[Hashable], float]


def pair_rarity(mentions: Sequence[Mention]) -> Callable[[Mention, Mention], float]:
    """What two mentions have in addition for agreeing on a rare title or a rare first author."""
    title = _worth(mention.letters for mention in mentions)
    surname = _worth(mention.surnames[0] for mention in mentions if mention.surnames)

    def rarity(one: Mention, other: Mention) -> float:
        found = title(one.letters) if one.letters and one.letters == other.letters else 0.0
        if compare_people(one, other) in AGREEING_PEOPLE and one.surnames[0] == other.surnames[0]:
            found += surname(one.surnames[0])
        return found

    return rarity


def edition_rarity(mentions: Sequence[Mention]) -> Rarity:
    """The same for what tells editions of a work apart."""
    worth = {level: (value, _worth(filter(None, map(value, mentions)))) for level, value in _VALUES.items()}

    def rarity(level: str, one: Mention) -> float:
        if level not in worth:
            return 0.0
        value, of_value = worth[level]
        return of_value(value(one))

    return rarity


_VALUES: dict[str, Callable[[Mention], Hashable]] = {
    "year:same": lambda mention: mention.year,
    "venue:same": lambda mention: mention.venue,
    "pages:same": lambda mention: mention.pages[:1],
    "volume:same": lambda mention: mention.volume,
    "report:same": lambda mention: mention.report,
}


def _worth(values: Iterable[Hashable]) -> Worth:
    counts = Counter(values)
    total = sum(counts.values())
    by_chance = sum(count * count for count in counts.values()) / max(total * total, 1)

    def worth(value: Hashable) -> float:
        share = max(counts[value], 1) / max(total, 1)
        return max(-MOST, min(MOST, math.log(by_chance / share))) if by_chance else 0.0

    return worth
