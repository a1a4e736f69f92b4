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
"""The file that `pack_journals` makes from the journal lists of JabRef and PubMed."""

# Maximum number of words in a name.
MOST_WORDS = 14
# Separators of additions after the name: "Evidence-based … medicine : eCAM", "Science (New York, N.Y.)".
_BEHIND_NAME = (" : ", " = ", " / ", " (", ". ")
# With 90,000 names, a table is many times faster than testing every character.
_LETTERS = {code: None for code in range(128) if not chr(code).isalnum()} | {ord("&"): "and"}
# Journals per compressed part: fewer make the file larger, more make lookups slower.
PACKED_JOURNALS = 64
_HEAD = struct.Struct("<3I")


@dataclass(frozen=True, slots=True)
class Journal:
    """A journal with its name, the abbreviations under which it is cited, and its ISSNs."""

    name: str
    abbreviations: tuple[str, ...] = ()
    issn: tuple[str, ...] = ()

    @property
    def short_name(self) -> str:
        """The name without additions such as a subtitle or place."""
        return min((self.name.partition(mark)[0] for mark in _BEHIND_NAME), key=len)

    def list_keys(self) -> Iterator[tuple[str, str]]:
        """The keys of the journal's names and abbreviations, each with the name it stands for."""
        for printed in (self.name, *self.abbreviations):
            yield journal_key(printed), self.name
        for mark in _BEHIND_NAME:
            short = self.name.partition(mark)[0]
            if short != self.name and len(short.split()) > 1:
                yield journal_key(short), short


class JournalList:
    """All journals in one file, unpacked only as needed, because each worker opens it anew.

    Journals are found by sorted checksums of keys and ISSNs. As checksums may collide, the journal itself is
    checked, too.
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
        """The name of the journal with this key."""
        for idx in _equal(self._keys, zlib.crc32(key.encode())):
            for known, name in self._journal(self._of_keys[idx]).list_keys():
                if known == key:
                    return name
        return None

    def find_by_issn(self, issn: str) -> str | None:
        """The short name of the journal with this ISSN."""
        for idx in reversed(_equal(self._numbers, zlib.crc32(issn.encode()))):
            journal = self._journal(self._of_numbers[idx])
            if issn in journal.issn:
                return journal.short_name
        return None

    def all(self) -> Iterator[Journal]:
        """Every journal, in the order of the file."""
        for part in range(len(self._parts) - 1):
            yield from _unpack(self._packed[self._parts[part] : self._parts[part + 1]])

    def _journal(self, idx: int) -> Journal:
        part, place = divmod(idx, PACKED_JOURNALS)
        return _unpack(self._packed[self._parts[part] : self._parts[part + 1]])[place]


def pack_journals(journals: Sequence[Journal]) -> bytes:
    """The content of a file of these journals.

    If journals share a key, the first one is found by it; if they share an ISSN, the last one.
    """
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
    """The journal list that ships with the software, opened once, when first needed."""
    return JournalList(JOURNALS.read_bytes())


@lru_cache(maxsize=10_000)  # headers and footers of a document, and the journals of a field, are repeated
def find_journal(printed: str) -> str | None:
    """The name of the journal if the whole text is a journal's name, in full or abbreviated."""
    return load_journals().find_name(journal_key(printed))


def is_journal(printed: str) -> bool:
    """Whether the whole text is the name of a journal, in full or abbreviated."""
    return find_journal(printed) is not None


def journal_key(printed: str) -> str:
    """A normalized name to look up journals by: letters and digits without accents, case and "The"."""
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
