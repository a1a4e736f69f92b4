"""Counts the papers found by topic, year, author and venue."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest

import tantivy

from portico.types.search import Entry, ListedPaper

Facets = tuple[tuple[str, tuple[tuple[str, int], ...]], ...]

# More than the tree of a portal has nodes and the literature has years.
_MOST_TOPICS, _MOST_YEARS = 500, 300
# Number of names shown next to the results: looking up one takes a tenth of a millisecond.
_MOST_NAMES = 8
# Number of values of declared fields, which need no lookup.
_MOST_VALUES = 12
# Authors are counted by number: looking up the names of all authors of a thousand papers takes ten times as
# long as counting, and only a few are shown.
_ASKED = {
    "topic": {"terms": {"field": "topics", "size": _MOST_TOPICS}},
    "year": {"terms": {"field": "year", "size": _MOST_YEARS}},
    "author": {"terms": {"field": "person_keys", "size": _MOST_NAMES}},
    "venue": {"terms": {"field": "venue_name", "size": _MOST_NAMES}},
}
NO_FACETS: Facets = tuple((name, ()) for name in _ASKED)
# Number of authors whose names are loaded in advance: those with the most papers are counted most often, and
# in 45,000 papers this halves later lookups.
_PROLIFIC = 4_000
# Maximum number of cached names, about 100 bytes each; the most frequent ones are needed again and again.
_MOST_KEPT = 50_000


class AuthorNames:
    """The name for an author's number, cached."""

    def __init__(self) -> None:
        self._known: dict[int, str] = {}
        self._learned: set[tuple[str, str]] = set()

    def get_ready(self, searcher: tantivy.Searcher, schema: tantivy.Schema) -> None:
        """Look up the most prolific authors now."""
        asked = {"author": {"terms": {"field": "person_keys", "size": _PROLIFIC}}}
        for bucket in searcher.aggregate(tantivy.Query.all_query(), asked)["author"]["buckets"]:
            self.name(searcher, schema, int(bucket["key"]))

    def learn(self, shown: ListedPaper) -> None:
        for name, person in _pair_people(shown):
            if (name, person) not in self._learned:
                key = make_person_key(name, person)
                self._known[key] = _choose_name(self._known.get(key, ""), name, person)
                self._learned.add((name, person))
        if len(self._known) > _MOST_KEPT:
            self._known, self._learned = {}, set()

    def name(self, searcher: tantivy.Searcher, schema: tantivy.Schema, key: int) -> str:
        if key not in self._known:
            wrote = tantivy.Query.term_query(schema, "person_keys", key, index_option="basic")
            for _, address in searcher.search(wrote, 1).hits:
                self.learn(read_shown(searcher.doc(address)))
        return self._known.get(key, "")


def count_declared(searcher: tantivy.Searcher, query: tantivy.Query, fields: Mapping[str, str]) -> Facets:
    """For each of these facets, the number of results with each value; `fields` are index fields by
    facet.
    """
    asked = {
        facet: {"terms": {"field": field, "size": _MOST_TOPICS if field == "topics" else _MOST_VALUES}}
        for facet, field in fields.items()
    }
    answer = searcher.aggregate(query, asked)
    return tuple(
        (facet, tuple((bucket["key"], int(bucket["doc_count"])) for bucket in answer[facet]["buckets"]))
        for facet in asked
    )


def count_facets(
    searcher: tantivy.Searcher, schema: tantivy.Schema, query: tantivy.Query, names: AuthorNames
) -> Facets:
    answer = searcher.aggregate(query, _ASKED)
    counted = {
        facet: tuple((bucket["key"], int(bucket["doc_count"])) for bucket in answer[facet]["buckets"])
        for facet in _ASKED
    }
    named = {
        "author": [(names.name(searcher, schema, int(key)), count) for key, count in counted["author"]],
        "year": [(str(int(key)), count) for key, count in counted["year"]],
    }
    return tuple((facet, tuple(named.get(facet, counted[facet]))) for facet in _ASKED)


def count_facets_of_papers(papers: Sequence[ListedPaper]) -> Facets:
    """The same counted from the papers themselves, if all results are at hand; ties are ordered by name."""
    names: dict[int, str] = {}
    for name, person in (pair for each in papers for pair in _pair_people(each)):
        key = make_person_key(name, person)
        names[key] = _choose_name(names.get(key, ""), name, person)
    counted = (
        (_MOST_TOPICS, [place for each in papers for place in list_topics_above(each.topics)]),
        (_MOST_YEARS, [str(each.year) for each in papers if each.year is not None]),
        (_MOST_NAMES, [names[key] for each in papers for key in dict.fromkeys(_list_keys(each))]),
        (_MOST_NAMES, [each.venue for each in papers if each.venue]),
    )
    return tuple(
        (facet, tuple(sorted(Counter(values).items(), key=_most_first)[:most]))
        for facet, (most, values) in zip(_ASKED, counted, strict=True)
    )


def _most_first(counted: tuple[str, int]) -> tuple[int, str]:
    return -counted[1], counted[0]


@lru_cache(maxsize=1_000)  # as many as a tree has nodes
def list_topics_above(topics: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """The topics with all their ancestors, each once."""
    return tuple(
        dict.fromkeys("/".join(path[:depth]) for path in topics for depth in range(1, len(path) + 1))
    )


_PERSON = re.compile(r"(.+) <(\w+)>")


def split_person(value: str) -> tuple[str, str]:
    """A filter value, "Ada Young <young>", as the name and the person's id; "" if the person is unknown."""
    found = _PERSON.fullmatch(value)
    return (found[1], found[2]) if found else (value, "")


def _choose_name(known: str, name: str, person: str) -> str:
    """The name under which a person is counted: the fullest one seen."""
    before = split_person(known)[0]
    fullest = name if (len(name), name) > (len(before), before) else before
    return f"{fullest} <{person}>" if person else name


def _pair_people(shown: ListedPaper) -> Iterable[tuple[str, str]]:
    return zip_longest(shown.authors, shown.people[: len(shown.authors)], fillvalue="")


def _list_keys(shown: ListedPaper) -> list[int]:
    return [make_person_key(name, person) for name, person in _pair_people(shown)]


def make_person_key(name: str, person: str) -> int:
    """A number for a person, whatever name is printed; for a name if the person is unknown."""
    return make_author_key(f"<{person}>" if person else name)


def make_author_key(name: str) -> int:
    """A 48-bit number for a name, which the engine counts without rounding.

    Among 100,000 names, two share a number in one of 50,000 portals.
    """
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=6).digest(), "big")


def read_shown(document: tantivy.Document) -> ListedPaper:
    """The data that lists show of a paper, as stored in the index."""
    written = (document.get_first("shown") or b"").decode()
    (title, authors, people, venue, year, topics, *others), _ = _read(written)
    return ListedPaper(title, tuple(authors), tuple(people), venue, year, tuple(map(tuple, topics)), *others)


def encode_shown(entry: Entry, names: Sequence[str], venue: str) -> bytes:
    """The inverse of `read_shown`; unpaired surrogates, which broken PDF files contain, become `?`."""
    values = (
        entry.title, names, entry.people, venue, entry.year, entry.topics, max(0, entry.n_citations),
        entry.held, entry.source, entry.media_type,
    )  # fmt: skip
    return _write(values).encode("utf-8", "replace")


_read = json.JSONDecoder().raw_decode  # `json.loads` detects the encoding first, and skips spaces
_write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
