"""Learn without labels what tells editions of one work apart, from collections of references."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from portico.lab.bibtex import read_archive
from portico.learn.linkage import Linkage, count_patterns, fit_linkage
from portico.match.editions import FIRST_GUESS, compare_editions
from portico.match.mention import Mention, parse_mention
from portico.types.document import DocumentId, Span
from portico.types.record import Field, Record, RecordId

STRENGTH = 20.0
"""Pairs that the first guess counts for; the .bib files have 2,440 works with pairs."""

SHORTEST_TITLE = 24
"""Letters from which a title and its first author name one work."""

MOST_OF_A_WORK = 60
"""Different mentions of one work that are compared with each other."""


def fit_editions(works: Iterable[Sequence[Mention]], start: Linkage = FIRST_GUESS) -> Linkage:
    """Fellegi and Sunter's model of editions by EM; all pairs of a work count as one pair."""
    groups = []
    for mentions in works:
        different = list(dict.fromkeys(mentions))[:MOST_OF_A_WORK]
        if len(different) > 1:
            groups.append([compare_editions(one, other) for one, other in combinations(different, 2)])
    return fit_linkage(count_patterns(groups), start, strength=STRENGTH)


def works_of(records: Iterable[Record]) -> list[list[Mention]]:
    """Mentions with the very same title and first author: one work as nearly as titles tell."""
    found: Mapping[tuple[str, str], list[Mention]] = defaultdict(list)
    for record in records:
        mention = parse_mention(record)
        if len(mention.letters) >= SHORTEST_TITLE and mention.people:
            found[mention.letters, mention.surnames[0]].append(mention)
    return [mentions for mentions in found.values() if len(mentions) > 1]


def bibtex_records(path: Path) -> list[Record]:
    """The entries of an archive of .bib files as references."""
    return [_record(number, entry.fields) for number, entry in enumerate(read_archive(path))]


def _record(number: int, fields: Sequence[tuple[str, str]]) -> Record:
    raw = " ".join(value for _, value in fields)
    whole = Span(0, len(raw))
    found = tuple(Field(name, value, whole, 1.0) for name, value in fields if value.strip())
    return Record(RecordId(f"bib-{number}"), "reference", DocumentId("lab"), raw, whole, found)
