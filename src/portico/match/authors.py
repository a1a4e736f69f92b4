"""Disambiguates authors: groups names on papers into people by co-authors, addresses and citations.

Only names with the same surname and first initial can belong to one person, and never if two given names
contradict each other. Some evidence is needed as well: a common co-author, email address or affiliation, one
paper citing the other, the same full given name, or being the only person in the portal whom the name fits,
in the same topic and the same years.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

from portico.match.entity_ids import digest_letters
from portico.match.mention import fold_words
from portico.text.names import PersonName, fold_letters, parse_name
from portico.types.record import Author, AuthorId, Signature

CAREER = 40
"""Years between two papers beyond which they are hardly ever by the same person."""

CLOSE_YEARS = 10
"""Years within which equal names in the same topic may be the same person without further evidence."""

SHORTEST_AFFILIATION = 12
"""Minimum letters of an affiliation used as evidence: shorter ones ("Germany", "Department") are shared by
too many people."""

Place = tuple[str, int]
"""A paper and a position in its list of authors."""


def identify_authors(signatures: Iterable[Signature], before: Mapping[Place, AuthorId]) -> tuple[Author, ...]:
    """The people behind the names, ascending by id; people known before keep their ids."""
    blocks: dict[tuple[str, str], list[Signature]] = defaultdict(list)
    for signature in signatures:
        block = find_block(signature.name)
        if block is not None:
            blocks[block].append(signature)
    people = [
        person for block in blocks.values() for person in group_same_people(sorted(block, key=_place_of))
    ]
    names = _ids(people, before)
    found = [
        Author(names[idx], choose_fullest_name(person), tuple(person)) for idx, person in enumerate(people)
    ]
    return tuple(sorted(found, key=lambda author: author.id))


def find_block(printed: str) -> tuple[str, str] | None:
    """Surname and first initial: names that differ in them never belong to one person; None without a
    surname.
    """
    name = parse_name(printed)
    return (name.key, name.first[:1]) if name.key else None


def group_same_people(block: Sequence[Signature]) -> list[list[Signature]]:
    """Names with one surname and one first initial, grouped by person."""
    groups = _Groups(block)
    for clues in (_emails, _coauthors, _affiliations):
        groups.join_by(clues)
    groups.join_by_citation()
    groups.join_by(_full_names)
    groups.join_by_topic()
    return groups.people()


def are_contradictory(one: PersonName, other: PersonName) -> bool:
    """Whether two names of one surname and first initial cannot be one person's.

    "Andrew K." contradicts "Andrew L." and "Anna", but neither "A." nor "Andy"'s first three letters.
    """
    for first, second in zip(one.given, other.given, strict=False):
        short, long = sorted((fold_letters(first), fold_letters(second)), key=len)
        if short and not (long.startswith(short) or (len(short) > 2 and short[:3] == long[:3])):
            return True
    return bool(one.suffix and other.suffix and fold_letters(one.suffix) != fold_letters(other.suffix))


def choose_fullest_name(signatures: Sequence[Signature]) -> str:
    """The longest of the printed names; of equally long ones the most frequent."""
    counts = Counter(signature.name for signature in signatures)
    return min(counts, key=lambda name: (-len(fold_letters(name)), -counts[name], name))


class _Groups:
    """Names of a block, and the groups they are in so far."""

    def __init__(self, block: Sequence[Signature]) -> None:
        self._block = block
        self._names = [parse_name(signature.name) for signature in block]
        self._home = list(range(len(block)))
        self._members = {idx: [idx] for idx in range(len(block))}

    def people(self) -> list[list[Signature]]:
        return [[self._block[idx] for idx in sorted(found)] for _, found in sorted(self._members.items())]

    def join_by(self, clues: Callable[[Signature, PersonName], Iterable[Hashable]]) -> None:
        """Join names that share a piece of evidence."""
        holders: dict[Hashable, list[int]] = defaultdict(list)
        for idx, signature in enumerate(self._block):
            for clue in clues(signature, self._names[idx]):
                holders[clue].append(idx)
        # Of large collaborations thousands of clues have the same holders.
        for found in dict.fromkeys(tuple(each) for each in holders.values() if len(each) > 1):
            for idx in found[1:]:
                self._join(found[0], idx)
                self._join(found[-1], idx)

    def join_by_citation(self) -> None:
        """Join names on papers that cite each other: people cite their own work."""
        place = {signature.paper: idx for idx, signature in enumerate(self._block)}
        for idx, signature in enumerate(self._block):
            for cited in sorted(signature.cites & place.keys()):
                self._join(idx, place[cited])

    def join_by_topic(self) -> None:
        """Join two groups that fit only each other, if topic and years agree."""
        fitting = {home: self._fitting(home) for home in self._members}
        for home, others in fitting.items():
            if len(others) == 1 and fitting[others[0]] == [home] and self._near(home, others[0]):
                self._join(home, others[0])

    def _fitting(self, home: int) -> list[int]:
        return [other for other in self._members if other != home and self._agree(home, other)]

    def _join(self, one: int, other: int) -> None:
        small, large = sorted((self._home[one], self._home[other]), key=lambda idx: len(self._members[idx]))
        if small == large or not self._agree(small, large):
            return
        for idx in self._members[small]:
            self._home[idx] = large
        self._members[large] += self._members.pop(small)

    def _agree(self, one: int, other: int) -> bool:
        names = {self._names[idx] for idx in self._members[one]}
        others = {self._names[idx] for idx in self._members[other]}
        if any(are_contradictory(name, second) for name in names for second in others):
            return False
        papers = {self._block[idx].paper for idx in self._members[one]}
        if papers & {self._block[idx].paper for idx in self._members[other]}:
            return False  # nobody signs a paper twice
        return self._years_apart(one, other) <= CAREER

    def _years_apart(self, one: int, other: int) -> int:
        """The years between the nearest papers of the two; 0 if a year is unknown."""
        years, theirs = self._years(one), self._years(other)
        return min((abs(a - b) for a in years for b in theirs), default=0)

    def _years(self, home: int) -> set[int]:
        return {year for idx in self._members[home] if (year := self._block[idx].year) is not None}

    def _near(self, one: int, other: int) -> bool:
        if self._home[one] == self._home[other]:
            return False  # joined by now
        topics = {self._block[idx].topic for idx in self._members[one]} - {""}
        theirs = {self._block[idx].topic for idx in self._members[other]} - {""}
        return bool(topics & theirs) and self._years_apart(one, other) <= CLOSE_YEARS


def _emails(signature: Signature, name: PersonName) -> Iterator[Hashable]:
    """Email addresses of the paper that contain the surname."""
    for email in signature.emails:
        if name.key in fold_letters(email.partition("@")[0]):
            yield email.lower()


def _coauthors(signature: Signature, _name: PersonName) -> Iterator[Hashable]:
    for other in signature.others:
        parsed = parse_name(other)
        if parsed.first:
            yield parsed.key, parsed.first[:1]


def _affiliations(signature: Signature, _name: PersonName) -> Iterator[Hashable]:
    for printed in signature.affiliations:
        if len(words := fold_words(printed)) >= SHORTEST_AFFILIATION:
            yield words


def _full_names(_signature: Signature, name: PersonName) -> Iterator[Hashable]:
    if len(name.first) > 1:
        yield name.first


def _ids(people: Sequence[Sequence[Signature]], before: Mapping[Place, AuthorId]) -> list[AuthorId]:
    """The person with most papers of an earlier author keeps that author's id; the others get new ids."""
    claims = [
        (-count, min(map(_place_of, person)), old, idx)
        for idx, person in enumerate(people)
        for old, count in Counter(
            before[place] for place in map(_place_of, person) if place in before
        ).items()
    ]
    found: dict[int, AuthorId] = {}
    taken: set[str] = set(before.values())
    given: set[AuthorId] = set()
    for _, _, old, idx in sorted(claims):
        if idx not in found and old not in given:
            found[idx] = old
            given.add(old)
    for idx, person in enumerate(people):
        if idx not in found:
            first = min(map(_place_of, person))
            texts = (f"author {first[0]} {first[1]} {turn}" for turn in range(len(people) + len(taken) + 1))
            name = next(name for text in texts if (name := digest_letters(text)) not in taken)
            taken.add(name)
            found[idx] = AuthorId(name)
    return [found[idx] for idx in range(len(people))]


def _place_of(signature: Signature) -> Place:
    return signature.paper, signature.position
