"""Separates the editions of a work: report, conference paper and journal article with one title.

A paper in the portal is a work. The references to it mean one or another of its editions: the technical
report of 1989, the proceedings of 1990. Title and authors do not separate editions; year, venue, pages,
volume, form and report number do (with Fellegi and Sunter's weights), and average link keeps one careless
reference from merging two editions.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence

from portico.learn.candidate_pairs import encode_distinct, sum_agreement
from portico.learn.linkage import Linkage, Scores, group_by_average_link
from portico.match.compare import compare_pages, compare_venues, compare_volumes, compare_years
from portico.match.mention import Mention

Level = Callable[[Mention, Mention], str]
Rarity = Callable[[str, Mention], float]

CERTAIN = 8.0
"""Limit on the log odds, beyond which more agreement between two references changes nothing: one in 3,000."""

MOST_VARIANTS = 250
"""Maximum number of different citations of one work that are compared with each other; rarer ones join the
most similar."""

# Initial probabilities of each level for a pair of one edition, and of two. Chosen by hand.
FIRST_GUESS = Linkage(
    share=0.8,
    same={
        "year:same": 0.9, "year:next": 0.06, "year:near": 0.02, "year:other": 0.02,
        "venue:same": 0.5, "venue:like": 0.45, "venue:other": 0.05,
        "pages:same": 0.93, "pages:last": 0.02, "pages:other": 0.05,
        "volume:same": 0.93, "volume:other": 0.07,
        "form:same": 0.9, "form:other": 0.1,
        "report:same": 0.93, "report:other": 0.07,
    },
    other={
        "year:same": 0.2, "year:next": 0.4, "year:near": 0.25, "year:other": 0.15,
        "venue:same": 0.1, "venue:like": 0.25, "venue:other": 0.65,
        "pages:same": 0.03, "pages:last": 0.02, "pages:other": 0.95,
        "volume:same": 0.2, "volume:other": 0.8,
        "form:same": 0.3, "form:other": 0.7,
        "report:same": 0.03, "report:other": 0.97,
    },
)  # fmt: skip

# Learned by EM without labels, from the entries with the same title and first author in 50,000 entries of
# public .bib files; `portico.lab.measures.matching.fit_editions` prints it again.
PRIOR = 0.77
WEIGHTS = {
    "form:other": -1.20, "form:same": 1.57,
    "pages:last": 0.91, "pages:other": -2.97, "pages:same": 1.90,
    "report:other": -1.67, "report:same": 1.90,
    "venue:like": 1.16, "venue:other": -1.07, "venue:same": 2.39,
    "volume:other": -2.93, "volume:same": 1.89,
    "year:near": -2.46, "year:next": -1.78, "year:other": -0.99, "year:same": 1.22,
}  # fmt: skip


def compare_editions(one: Mention, other: Mention) -> tuple[str, ...]:
    """How two mentions of one work agree on where and when it was published. Symmetric."""
    return tuple(level(one, other) for _, level in _FIELDS)


class EditionScore:
    """The log odds that two mentions of one work mean the same edition."""

    def __init__(
        self, prior: float = PRIOR, weights: dict[str, float] | None = None, rarity: Rarity | None = None
    ) -> None:
        """`rarity` is the weight of agreement on a mention's exact value, beyond its level."""
        self._prior = prior
        self._weights = WEIGHTS if weights is None else weights
        self._rarity = rarity

    def __call__(self, one: Mention, other: Mention) -> float:
        total = self._prior + sum(self._worth(level(one, other), one) for _, level in _FIELDS)
        return max(-CERTAIN, min(CERTAIN, total))

    def table(self, mentions: Sequence[Mention]) -> Scores:
        """The same for every pair; each pair of values of a field is compared once."""
        codes, tables = [], []
        for value, level in _FIELDS:
            found, firsts = encode_distinct(map(value, mentions))
            different = [mentions[position] for position in firsts]
            codes.append(found)
            tables.append(self._of_field(different, level))
        return (self._prior + sum_agreement(codes, tables)).clip(-CERTAIN, CERTAIN)

    def _worth(self, level: str, one: Mention) -> float:
        worth = self._weights.get(level, 0.0)
        return worth if self._rarity is None else worth + self._rarity(level, one)

    def _of_field(self, mentions: Sequence[Mention], level: Level) -> list[list[float]]:
        table = [[0.0] * len(mentions) for _ in mentions]
        for row, one in enumerate(mentions):
            for column, other in enumerate(mentions[: row + 1]):
                worth = self._worth(level(one, other), one)
                table[row][column] = table[column][row] = worth
        return table


def split_editions(mentions: Sequence[Mention], score: EditionScore | None = None) -> list[int]:
    """The edition number of every mention of one work, numbered by first appearance."""
    judge = score or EditionScore()
    counts = Counter(map(_printed, mentions))
    sample: dict[tuple[object, ...], Mention] = {}
    for mention in mentions:
        sample.setdefault(_printed(mention), mention)
    ways = sorted(sample, key=lambda way: (-counts[way], repr(way)))
    leading = ways[:MOST_VARIANTS]
    table = judge.table([sample[way] for way in leading])
    found = dict(zip(leading, group_by_average_link(table, [counts[way] for way in leading]), strict=True))
    for way in ways[MOST_VARIANTS:]:
        nearest = max(leading, key=lambda other: judge(sample[way], sample[other]))
        found[way] = found[nearest]
    numbers = {
        group: number for number, group in enumerate(dict.fromkeys(found[_printed(m)] for m in mentions))
    }
    return [numbers[found[_printed(mention)]] for mention in mentions]


# Forms in which a work may appear repeatedly and still be one paper to a reader; other forms are separate.
_ARTICLES = frozenset({"journal", "proceedings", "chapter"})


def split_by_form(mentions: Sequence[Mention]) -> list[int]:
    """The paper number of every mention of one work: its thesis, report, book and article are four papers.

    The form of an edition is that of most of its mentions, so that a careless mention stays with the others.
    Editions of unknown form join the largest.
    """
    numbers = split_editions(mentions)
    said: dict[int, Counter[str]] = {number: Counter() for number in numbers}
    for mention, number in zip(mentions, numbers, strict=True):
        said[number]["article" if mention.form in _ARTICLES else mention.form] += 1
    forms = {number: _commonest_form(counts) for number, counts in said.items()}
    largest = max(said, key=lambda number: (bool(forms[number]), said[number].total(), -number))
    found = [forms[number] or forms[largest] for number in numbers]
    places = {form: place for place, form in enumerate(dict.fromkeys(found))}
    return [places[form] for form in found]


def _commonest_form(counts: Counter[str]) -> str:
    return min((form for form in counts if form), key=lambda form: (-counts[form], form), default="")


def _printed(mention: Mention) -> tuple[object, ...]:
    """All values that separate editions."""
    return mention.year, mention.venue, mention.pages, mention.volume, mention.form, mention.report


def _agreement(name: str, one: str, other: str) -> str:
    if not one or not other:
        return f"{name}:none"
    return f"{name}:same" if one == other else f"{name}:other"


_FIELDS: tuple[tuple[Callable[[Mention], Hashable], Level], ...] = (
    (lambda mention: mention.year, compare_years),
    (lambda mention: mention.venue, compare_venues),
    (lambda mention: mention.pages, compare_pages),
    (lambda mention: mention.volume, compare_volumes),
    (lambda mention: mention.form, lambda one, other: _agreement("form", one.form, other.form)),
    (lambda mention: mention.report, lambda one, other: _agreement("report", one.report, other.report)),
)  # what distinguishes editions, and how two mentions agree on it
