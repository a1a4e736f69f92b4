"""Entity ids: short, safe in URLs, and stable when the portal is rebuilt or grows.

An id is derived from the title and first author of a paper, not from where it was found: it stays the same
when a document is added or read again, and when a paper known from citations is obtained.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence

from portico.match.mention import Mention
from portico.types.document import DocumentId
from portico.types.record import EntityId, Identity, RecordId

ALPHABET = "23456789bcdfghjkmnpqrstvwxz"
"""Without vowels, so that no id spells a word, and without characters that are easily confused."""

ID_LENGTH = 11
"""Letters of an id: 52 bits, so that the odds of a collision among a million entities are 1 to 10,000."""


def make_identity(
    mentions: Sequence[tuple[Mention, int]], records: Sequence[RecordId], *, held: bool
) -> Identity:
    """The identity of an entity, from its mentions and the number of records of each."""
    if len(mentions) == 1:
        mention, smallest = mentions[0][0], min(records)
        key = _key(mention) if mention.identifiable else f"record {smallest}"
        return Identity(key, mention.year, smallest, held)
    named = [(mention, count) for mention, count in mentions if mention.identifiable]
    anchored = [(mention, count) for mention, count in named if mention.anchor]
    smallest = min(records)
    keys: Counter[str] = Counter()
    filled: dict[str, int] = {}
    for mention, count in anchored or named:
        keys[_key(mention)] += count
        filled[_key(mention)] = max(mention.n_filled, filled.get(_key(mention), 0))
    commonest = min(keys, key=lambda key: (-keys[key], -filled[key], key), default=f"record {smallest}")
    years = Counter(mention.year for mention, _ in mentions if mention.year is not None)
    return Identity(
        key=commonest,
        year=min(years, key=lambda year: (-years[year], year)) if years else None,
        record=smallest,
        held=held,
    )


def make_bare_identity(document: DocumentId) -> Identity:
    """The identity of a held document without any data of its own."""
    return Identity(f"document {document}", None, RecordId(document), True)


def assign_entity_ids(identities: Sequence[Identity]) -> list[EntityId]:
    """One unique id for each. Entities with the same title and author are distinguished by year, then by
    record.
    """
    ids: list[EntityId | None] = [None] * len(identities)
    assigner = IdAssigner()
    for idx in sorted(range(len(identities)), key=lambda idx: (identities[idx].key, identities[idx].rank)):
        ids[idx] = assigner.assign(identities[idx])
    return [found for found in ids if found is not None]


class IdAssigner:
    """Assigns ids to identities that arrive in order of key and rank."""

    def __init__(self) -> None:
        self._taken: set[int] = set()  # as numbers: half the memory of the letters

    def assign(self, identity: Identity) -> EntityId:
        names = (identity.key, f"{identity.key} {identity.year}", f"{identity.key} {identity.record}")
        found = next(number for text in names if (number := _digest_number(text)) not in self._taken)
        self._taken.add(found)
        return EntityId(_spell(found))


def _key(mention: Mention) -> str:
    if mention.letters:
        return f"{mention.letters} {mention.surnames[0] if mention.surnames else ''}"
    where = sorted(mention.identifiers) or [
        *mention.surnames[:1],
        str(mention.year),
        mention.volume,
        *map(str, mention.pages),
    ]
    return " ".join(where)


def digest_letters(text: str) -> str:
    """A short digest of the text, in letters that are safe in a URL."""
    return _spell(_digest_number(text))


_N_IDS: int = len(ALPHABET) ** ID_LENGTH


def _digest_number(text: str) -> int:
    whole = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())
    return whole % _N_IDS


def _spell(number: int) -> str:
    letters = []
    for _ in range(ID_LENGTH):
        number, letter = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[letter])
    return "".join(letters)
