"""How probable it is that two mentions are one paper: for one pair, and for millions of pairs at once.

Both give the same log-odds. The latter judges each distinct pair of values once, and gives up on a
pair as soon as nothing that is still to be compared could save it.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from portico.learn.pairs import (
    Levels,
    Pairs,
    encode_distinct,
    judge_pairs,
    sort_strongest_first,
    to_array,
    to_pairs,
    weigh_levels,
)
from portico.match.compare import (
    AGREEING_PEOPLE,
    LOWEST_TITLE_BOUND,
    form_level,
    identifier_level,
    pages_level,
    part_bound,
    people_level,
    title_level,
    venue_level,
    volume_level,
    year_level,
)
from portico.match.decide import CERTAIN, PRIOR, WEIGHTS, log_odds
from portico.match.mention import Mention

Level = Callable[[Mention, Mention], str]
Edge = tuple[float, int, int]


class PairScores:
    """Log-odds of pairs of these mentions; what was once asked is remembered."""

    def __init__(self, mentions: Sequence[Mention], known: Iterable[Edge] = ()) -> None:
        self._mentions = mentions
        self._known = {(one, other): odds for odds, one, other in known}

    def learn(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Make out many of them at once, which is quicker than one after the other."""
        asked = {(one, other) if one < other else (other, one) for one, other in pairs}
        unknown = sorted(asked.difference(self._known))
        self._known.update(zip(unknown, all_odds(self._mentions, to_pairs(unknown)), strict=True))

    def __call__(self, one: int, other: int) -> float:
        pair = (one, other) if one < other else (other, one)
        odds = self._known.get(pair)
        if odds is None:
            odds = self._known[pair] = log_odds(self._mentions[pair[0]], self._mentions[pair[1]])
        return odds


def likely_edges(mentions: Sequence[Mention], pairs: Pairs) -> list[Edge]:
    """(log-odds, one, other) of those pairs that are rather one paper, the most certain first."""
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


def all_odds(mentions: Sequence[Mention], pairs: Pairs) -> list[float]:
    """The log-odds of every pair, to the last digit as `log_odds` gives them."""
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
    """What is compared: by which value mentions are told apart, and how two of them are judged."""

    value: Callable[[Mention], Hashable]
    judge: Callable[[Sequence[Mention], Sequence[Mention]], Iterable[str]]
    best: float  # the highest weight that one of its levels has


def _judged(mentions: Sequence[Mention], pairs: Pairs, field: _Field) -> Levels:
    codes, firsts = encode_distinct(field.value(mention) for mention in mentions)

    def judge(ones: Sequence[int], others: Sequence[int]) -> Iterable[str]:
        return field.judge([mentions[idx] for idx in ones], [mentions[idx] for idx in others])

    return judge_pairs(codes, firsts, pairs, judge)


def _odds(found: Levels, instead: dict[str, float] | None = None) -> Pairs:
    weights = {**WEIGHTS, **(instead or {})}
    return weigh_levels(found, [weights.get(name, 0.0) for name in found.names])


def _one_by_one(level: Level) -> Callable[[Sequence[Mention], Sequence[Mention]], Iterable[str]]:
    return lambda ones, others: map(level, ones, others)


def _judge_titles(ones: Sequence[Mention], others: Sequence[Mention]) -> Iterator[str]:
    """As `title_level`; most pairs are far from any title and are settled all at once."""
    left, right = [mention.letters for mention in ones], [mention.letters for mention in others]
    similarity = process.cpdist(left, right, scorer=fuzz.ratio)
    one, other = to_array(map(len, left)), to_array(map(len, right))
    shorter = (one + other - abs(one - other)) / 2
    far = (shorter > 0) & (similarity < LOWEST_TITLE_BOUND)
    far &= similarity * (one + other) < part_bound(1) * shorter
    for idx, lost in enumerate(far.tolist()):
        yield "title:other" if lost else title_level(ones[idx], others[idx])


def _best(name: str) -> float:
    return max(0.0, *(weight for level, weight in WEIGHTS.items() if level.startswith(f"{name}:")))


_BRIEFNESS = WEIGHTS["title:same"] - WEIGHTS["title:same-brief"]
_TITLE = _Field(
    lambda mention: mention.title or (mention.raw, mention.identifiers), _judge_titles, _best("title")
)
_PEOPLE = _Field(
    lambda mention: tuple((person.key, person.first) for person in mention.people),
    _one_by_one(people_level),
    _best("people"),
)
_IDENTIFIER = _Field(lambda mention: mention.identifiers, _one_by_one(identifier_level), _best("identifier"))
_YEAR = _Field(lambda mention: mention.year, _one_by_one(year_level), _best("year"))
_PAGES = _Field(lambda mention: mention.pages, _one_by_one(pages_level), _best("pages"))
_VOLUME = _Field(lambda mention: mention.volume, _one_by_one(volume_level), _best("volume"))
_VENUE = _Field(lambda mention: mention.venue, _one_by_one(venue_level), _best("venue"))
_FORM = _Field(lambda mention: mention.form, _one_by_one(form_level), _best("form"))
# The quick ones first: they spare the slow ones most of the work.
_FIELDS = (_IDENTIFIER, _YEAR, _PAGES, _VOLUME, _FORM, _PEOPLE, _VENUE)
_COMPARED = (_YEAR, _VENUE, _PAGES, _VOLUME, _FORM, _IDENTIFIER)  # in the order of `compare.COMPARISONS`
