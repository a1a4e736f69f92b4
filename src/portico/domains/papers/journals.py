"""Journal names, in full and abbreviated, with their ISSNs."""

import struct
import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate
from pathlib import Path
from sys import byteorder
from unicodedata import category, normalize

JOURNALS = Path(__file__).with_name("lexicons") / "journals.bin"
"""What `pack_journals` makes of the lists of JabRef and PubMed."""

# Words of a name at most.
MOST_WORDS = 14
# What stands behind the name itself: "Evidence-based … medicine : eCAM", "Science (New York, N.Y.)".
_BEHIND_NAME = (" : ", " = ", " / ", " (", ". ")
# Of all 90,000 names: one table is many times as fast as asking every character.
_LETTERS = {code: None for code in range(128) if not chr(code).isalnum()} | {ord("&"): "and"}
# Journals that are packed together: fewer make the file larger, more make a look slower.
PACKED_JOURNALS = 64
_HEAD = struct.Struct("<3I")


@dataclass(frozen=True, slots=True)
class Journal:
    """A journal by its name, the abbreviations it is cited by, and its ISSN."""

    name: str
    abbreviations: tuple[str, ...] = ()
    issn: tuple[str, ...] = ()

    @property
    def short_name(self) -> str:
        """The name without what stands behind it."""
        return min((self.name.partition(mark)[0] for mark in _BEHIND_NAME), key=len)

    def list_keys(self) -> Iterator[tuple[str, str]]:
        """What prints of the journal have in common, each with the name that such a print stands for."""
        for printed in (self.name, *self.abbreviations):
            yield journal_key(printed), self.name
        for mark in _BEHIND_NAME:
            short = self.name.partition(mark)[0]
            if short != self.name and len(short.split()) > 1:
                yield journal_key(short), short


class JournalList:
    """All journals in one file, of which only what is asked for is unpacked: each worker opens it anew.

    Sorted checksums of keys and numbers lead to the journals that have them; these tell whose it is.
    """

    def __init__(self, packed: bytes) -> None:
        n_keys, n_numbers, n_parts = _HEAD.unpack_from(packed)
        values = array("I", packed[_HEAD.size : _HEAD.size + 4 * (2 * n_keys + 2 * n_numbers + n_parts)])
        if byteorder == "big":
            values.byteswap()
        ends = list(accumulate((n_keys, n_keys, n_numbers, n_numbers, n_parts)))
        self._keys, self._of_keys = values[: ends[0]], values[ends[0] : ends[1]]
        self._numbers, self._of_numbers = values[ends[1] : ends[2]], values[ends[2] : ends[3]]
        start = _HEAD.size + 4 * ends[-1]
        self._parts = list(accumulate(values[ends[3] :], initial=start))
        self._packed = packed

    def find_name(self, key: str) -> str | None:
        """The name of the journal that prints with such a key are of."""
        for idx in _equal(self._keys, zlib.crc32(key.encode())):
            for known, name in self._journal(self._of_keys[idx]).list_keys():
                if known == key:
                    return name
        return None

    def find_by_issn(self, issn: str) -> str | None:
        """The short name of the journal with this number."""
        for idx in reversed(_equal(self._numbers, zlib.crc32(issn.encode()))):
            journal = self._journal(self._of_numbers[idx])
            if issn in journal.issn:
                return journal.short_name
        return None

    def all(self) -> Iterator[Journal]:
        """Every journal, by its name."""
        for part in range(len(self._parts) - 1):
            yield from _unpack(self._packed[self._parts[part] : self._parts[part + 1]])

    def _journal(self, idx: int) -> Journal:
        part, place = divmod(idx, PACKED_JOURNALS)
        return _unpack(self._packed[self._parts[part] : self._parts[part + 1]])[place]


def pack_journals(journals: Sequence[Journal]) -> bytes:
    """The file of these journals; of two with one key the first has it, of two with one ISSN the last."""
    keys = sorted(
        {
            (zlib.crc32(key.encode()), idx)
            for idx, journal in enumerate(journals)
            for key, _ in journal.list_keys()
        }
    )
    numbers = sorted(
        {(zlib.crc32(issn.encode()), idx) for idx, journal in enumerate(journals) for issn in journal.issn}
    )
    parts = [
        zlib.compress("\n".join(map(_write, journals[start : start + PACKED_JOURNALS])).encode(), 9)
        for start in range(0, len(journals), PACKED_JOURNALS)
    ]
    values = array("I", [*(value for value, _ in keys), *(idx for _, idx in keys)])
    values.extend([*(value for value, _ in numbers), *(idx for _, idx in numbers), *map(len, parts)])
    if byteorder == "big":
        values.byteswap()
    return b"".join((_HEAD.pack(len(keys), len(numbers), len(parts)), values.tobytes(), *parts))


@cache
def load_journals() -> JournalList:
    """The list that ships, opened once, when first needed."""
    return JournalList(JOURNALS.read_bytes())


@lru_cache(maxsize=10_000)  # heads and feet of a document, and the journals of a field, come back
def find_journal(printed: str) -> str | None:
    """The name of the journal that a text is the name of, in full or abbreviated, and nothing else."""
    return load_journals().find_name(journal_key(printed))


def is_journal(printed: str) -> bool:
    """Whether a text is the name of a journal, in full or abbreviated, and nothing else."""
    return find_journal(printed) is not None


def journal_key(printed: str) -> str:
    """What two prints of one name have in common: letters and digits without accents, case and "The"."""
    plain = printed.lower().removeprefix("the ").translate(_LETTERS)
    if plain.isascii():
        return plain
    apart = normalize("NFKD", plain)
    return "".join([character for character in apart if character.isalnum() and category(character) != "Mn"])


def _equal(values: "array[int]", wanted: int) -> range:
    return range(bisect_left(values, wanted), bisect_right(values, wanted))


@lru_cache(maxsize=64)
def _unpack(part: bytes) -> tuple[Journal, ...]:
    lines = zlib.decompress(part).decode().split("\n")
    return tuple(Journal(name, *map(_listed, cells)) for name, *cells in (line.split("\t") for line in lines))


def _write(journal: Journal) -> str:
    return "\t".join((journal.name, "|".join(journal.abbreviations), "|".join(journal.issn)))


def _listed(cell: str) -> tuple[str, ...]:
    return tuple(cell.split("|")) if cell else ()
