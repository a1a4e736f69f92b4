"""Learns from BibTeX files which words belong to names, titles, places, publishers and so on."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from portico.lab.datasets.bibtex import BibtexEntry, read_archive

_CLASS_OF_FIELD = {
    "title": "title",
    "booktitle": "booktitle",
    "journal": "journal",
    "journaltitle": "journal",
    "publisher": "publisher",
    "institution": "institution",
    "school": "institution",
    "organization": "institution",
    "affiliation": "institution",
    "address": "place",
    "location": "place",
}
_PEOPLE = ("author", "editor")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_PARTICLES = frozenset({"von", "van", "de", "der", "den", "la", "le", "du", "di", "da", "dos", "del", "and"})

# A word is kept if it occurs this often in total, and a class of it is written if it has at least this share
# of the word's relative frequency. Both keep the file below 1 MB.
MIN_COUNT = 3
MIN_SHARE = 0.12


def learn_lexicon(archive: Path, out: Path) -> int:
    """Write `word<TAB>class=tenths ...` lines; returns how many words were kept."""
    lines = list(format_lexicon(read_archive(archive)))
    out.write_text("".join(lines), encoding="utf-8")
    return len(lines)


def format_lexicon(entries: Iterable[BibtexEntry]) -> Iterator[str]:
    """One line per word, in alphabetical order."""
    counts = _count(entries)
    totals = {name: sum(counter.values()) for name, counter in counts.items()}
    shares: dict[str, dict[str, float]] = defaultdict(dict)
    n_seen: Counter[str] = Counter()
    for name, counter in counts.items():
        for word, n_word in counter.items():
            shares[word][name] = n_word / totals[name]
            n_seen[word] += n_word
    for word in sorted(shares):
        if n_seen[word] < MIN_COUNT or len(word) < 2:
            continue
        whole = sum(shares[word].values())
        tenths = {name: share / whole for name, share in shares[word].items() if share / whole >= MIN_SHARE}
        ranked = sorted(tenths.items(), key=lambda item: (-item[1], item[0]))
        yield word + "\t" + " ".join(f"{name}={min(9, int(share * 10))}" for name, share in ranked) + "\n"


def _count(entries: Iterable[BibtexEntry]) -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for entry in entries:
        for name, value in entry.fields:
            if name in _PEOPLE:
                for person in re.split(r"\s+and\s+", value):
                    given, family = _name_parts(person)
                    counts["given"].update(given)
                    counts["family"].update(family)
            elif name in _CLASS_OF_FIELD:
                # An unresolved abbreviation ("{maamaw91}") is one word with a digit: it matches nothing.
                counts[_CLASS_OF_FIELD[name]].update(word.lower() for word in _WORD.findall(value))
    return counts


def _name_parts(person: str) -> tuple[list[str], list[str]]:
    if "," in person:
        family, _, given = person.partition(",")
    else:
        given, _, family = person.strip().rpartition(" ")
    return _name_words(given), _name_words(family)


def _name_words(text: str) -> list[str]:
    words = (word.lower() for word in _WORD.findall(text))
    return [word for word in words if len(word) > 1 and word not in _PARTICLES]
