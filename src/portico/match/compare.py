"""Compares two mentions field by field: one named level per field, from "same" to "other".

A level is a word such as `title:close`; `scoring` holds the weight of each. Levels instead of raw
similarities keep the decision explainable: the list of levels is the reason.
"""

from functools import lru_cache

from rapidfuzz import fuzz

from portico.match.mention import SHORTEST_TITLE, Mention
from portico.text.names import PersonName, have_same_given

ENOUGH = 0.6
"""Share of the shorter name's distinctive words that must occur in the longer name for "like"."""


@lru_cache(maxsize=500_000)
def compare_venue_names(one: str, other: str) -> str:
    """ "none" if either is missing, else "same", "like" or "other". Takes folded words."""
    if not one or not other:
        return "none"
    if one == other:
        return "same"
    short, long = sorted((_telling(one), _telling(other)), key=len)
    if not short:
        return "none"
    if short == long or _is_acronym(short, long) or _is_acronym(long, short):
        return "same"
    if len(set(short).intersection(long)) >= ENOUGH * len(short):
        return "like"
    return "like" if _n_found(short, list(long)) >= ENOUGH * len(short) else "other"


# Words of most venues, which therefore do not distinguish them.
_UNTELLING = frozenset(
    {"a", "acm", "and", "annual", "conf", "conference", "eighth", "fifth", "first", "for", "fourth", "ieee",
     "in", "int", "international", "intl", "j", "journal", "meeting", "national", "ninth", "of", "on", "proc",
     "proceedings", "procs", "second", "seventh", "sixth", "symp", "symposium", "tenth", "the", "third",
     "trans", "transactions", "workshop"}
)  # fmt: skip


@lru_cache(maxsize=100_000)
def _telling(venue: str) -> tuple[str, ...]:
    return tuple(word for word in venue.split() if word not in _UNTELLING and not word[0].isdigit())


def _n_found(short: tuple[str, ...], free: list[str]) -> int:
    n_found = 0
    for word in short:
        match = next((idx for idx, candidate in enumerate(free) if _abbreviates(word, candidate)), None)
        if match is not None:
            del free[match]
            n_found += 1
    return n_found


def _abbreviates(one: str, other: str) -> bool:
    """Whether one word abbreviates the other: "mach" and "machine", "proc" and "procs"; one letter is not
    enough.
    """
    if one[0] != other[0]:
        return False
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    return long.startswith(short) if len(short) >= 3 else short == long


def _is_acronym(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """Whether it is an acronym of the words: "ml" of machine learning, "nips" of neural information
    processing systems.
    """
    if len(short) != 1 or len(long) < 2:
        return False
    initials = "".join(word[0] for word in long)
    return len(initials) >= 2 and short[0].endswith(initials) and len(short[0]) - len(initials) <= 3


# Thresholds of normalized edit similarity (0 to 100) between the letters of two titles. One wrong letter in a
# title of 40 is 97.5; a wrong or missing word is 80 to 92; below 50 any similarity is chance.
TITLE_BOUNDS = ((95.0, "title:close"), (88.0, "title:near"), (75.0, "title:similar"), (55.0, "title:akin"))

LOWEST_TITLE_BOUND = TITLE_BOUNDS[-1][0]

AGREEING_PEOPLE = ("people:same", "people:part")
"""Levels at which the author lists do not contradict each other."""

TITLE_PART = 95.0
"""Similarity of the shorter title to the best-matching part of the longer one, from which it counts as a part
of it."""

BRIEF_TITLE = 24
"""Letters (about three words) from which two papers hardly ever have the same title by chance."""

SHORTEST_PART = 15
"""Minimum letters of a title that can be part of another: "neural networks" is part of too many."""

SHORTEST_WORD = 4
"""Minimum letters of a word that can make two titles different: "for" and "in" are often miscopied."""

WORD_TYPO = 75.0
"""Similarity from which a word counts as found in a title: two swapped letters of four reach it."""

SURNAME_TYPO = 84.0
"""Similarity from which two surnames are the same apart from a typo: one wrong letter in seven."""

SHORTEST_TYPO = 5
"""Minimum letters of such a surname: Wang and Wong are two people."""


def compare(one: Mention, other: Mention) -> tuple[str, ...]:
    """The levels of agreement of all fields, title first. Symmetric.

    If titles have nothing in common, the comparison ends: no other agreement outweighs that, because authors
    who publish twice in one volume agree in everything else. Only a shared identifier does.
    """
    title = compare_titles(one, other)
    if title == "title:other" and not one.identifiers & other.identifiers:
        return (title,)
    people = compare_people(one, other)
    if title == "title:same-brief" and people in AGREEING_PEOPLE:
        title = "title:same"  # the same few words by the same people are no chance
    return (title, people, *(judge(one, other) for judge in COMPARISONS))


def compare_titles(one: Mention, other: Mention) -> str:
    if not one.letters or not other.letters:
        return _title_in_raw(one, other)
    if one.letters == other.letters:
        return _same_title(len(one.letters))
    similarity = fuzz.ratio(one.letters, other.letters)
    for bound, level in TITLE_BOUNDS[:2]:
        if similarity >= bound:
            return _but_for_a_word(one, other) or level
    if is_title_part(one.letters, other.letters, similarity):
        return "title:part"
    return next((level for bound, level in TITLE_BOUNDS[2:] if similarity >= bound), "title:other")


def is_title_part(one: str, other: str, similarity: float) -> bool:
    """Whether one of two texts of this similarity occurs, almost letter by letter, inside the other."""
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    if len(short) < SHORTEST_PART:
        return False
    if similarity * (len(short) + len(long)) < compute_part_bound(len(short)):
        return False  # the exact test is slow
    return short in long or fuzz.partial_ratio(short, long) >= TITLE_PART


def compute_part_bound(n_letters: int) -> float:
    """The least product of similarity and total length that two texts have if the shorter, of this
    length, is part of the other.
    """
    return 2 * TITLE_PART * _HASTE * n_letters


_HASTE = 0.95  # share of that threshold, because partial_ratio counts a little differently


def compare_people(one: Mention, other: Mention) -> str:
    """How the author lists agree; a list cut off by "et al." agrees with the whole one."""
    if not one.people or not other.people:
        return "people:none"
    if one.people == other.people:
        return "people:same"
    short, long = sorted((one.people, other.people), key=len)
    n_same = _n_same(short, long)
    if n_same == len(short):
        if len(short) == len(long):
            return "people:same"
        return "people:part" if _same_person(short[0], long[0]) else "people:part-late"
    if n_same:
        return "people:most" if 2 * n_same >= len(short) else "people:few"
    return "people:other"


def compare_years(one: Mention, other: Mention) -> str:
    if one.year is None or other.year is None:
        return "year:none"
    distance = abs(one.year - other.year)
    return ("year:same", "year:next", "year:near", "year:near")[distance] if distance <= 3 else "year:other"


def compare_venues(one: Mention, other: Mention) -> str:
    return f"venue:{compare_venue_names(one.venue, other.venue)}"


def compare_pages(one: Mention, other: Mention) -> str:
    if not one.pages or not other.pages:
        return "pages:none"
    if one.pages[0] == other.pages[0]:
        return "pages:same"
    return "pages:last" if one.pages[-1] == other.pages[-1] and len(one.pages) > 1 else "pages:other"


def compare_volumes(one: Mention, other: Mention) -> str:
    if not one.volume or not other.volume:
        return "volume:none"
    return "volume:same" if one.volume == other.volume else "volume:other"


def compare_identifiers(one: Mention, other: Mention) -> str:
    """ "same" if they share an identifier; "other" only if both have a DOI, because one work has many
    URLs.
    """
    if one.identifiers & other.identifiers:
        return "identifier:same"
    both = [{name for name in mention.identifiers if name.startswith("doi:")} for mention in (one, other)]
    return "identifier:other" if all(both) else "identifier:none"


def compare_forms(one: Mention, other: Mention) -> str:
    """Whether both state a form of publication, and one is a thesis or a book and the other is not.

    A thesis printed as a report, or a paper that appeared three times, is no contradiction.
    """
    forms = {one.form, other.form}
    if len(forms) < 2 or "" in forms:
        return "form:none"
    if "thesis" in forms:
        return "form:none" if "report" in forms else "form:thesis"
    return "form:book" if "book" in forms else "form:none"


COMPARISONS = (
    compare_years,
    compare_venues,
    compare_pages,
    compare_volumes,
    compare_forms,
    compare_identifiers,
)

# Levels that are no disagreement between a paper's header and a reference to that paper.
_CONTRADICTIONS = frozenset(
    {"people:few", "people:other", "year:near", "year:other", "venue:other", "pages:other", "volume:other",
     "form:thesis", "form:book", "identifier:other"}
)  # fmt: skip


def may_cite_itself(header: Mention, reference: Mention) -> bool:
    """Whether a reference in a paper may mean that paper: titles are equal and nothing contradicts it.

    Authors cite their own earlier papers, which have similar titles and the same authors, so the evidence
    that suffices for other references is not enough here.
    """
    if header.letters != reference.letters:
        return False
    levels = compare(header, reference)
    return levels[0] == "title:same" and _CONTRADICTIONS.isdisjoint(levels)


def _same_title(n_letters: int) -> str:
    """The level of equal titles; longer titles are stronger evidence, because many papers are called
    "Editor's notes".
    """
    if n_letters < SHORTEST_TITLE:
        return "title:same-short"
    return "title:same-brief" if n_letters < BRIEF_TITLE else "title:same"


def _but_for_a_word(one: Mention, other: Mention) -> str:
    """The level of titles that hardly differ in letters but mean something else, or ""."""
    if _are_sequels(one.title, other.title):
        return "title:sequel"
    return "title:reworded" if _has_own_word(one, other) and _has_own_word(other, one) else ""


def _has_own_word(one: Mention, other: Mention) -> bool:
    """Whether one title has a word that the other lacks, even allowing for misspelling and splitting."""
    return any(
        len(word) >= SHORTEST_WORD and fuzz.partial_ratio(word, other.letters) < WORD_TYPO
        for word in set(one.title.split()).difference(other.title.split())
    )


def _are_sequels(one: str, other: str) -> bool:
    """Whether titles differ only in their number: "part I" and "part II", "II" and none."""
    first, first_numerals = _without_numerals(one)
    second, second_numerals = _without_numerals(other)
    if first != second or first_numerals == second_numerals:
        return False
    return bool(first_numerals and second_numerals) or bool((first_numerals | second_numerals) & _LATER_PARTS)


_NUMERALS = frozenset({"i", "ii", "iii", "iv"} | {str(number) for number in range(1, 10)})
_LATER_PARTS = frozenset({"ii", "iii", "iv"})  # a single digit may be a footnote mark, these cannot


def _without_numerals(title: str) -> tuple[str, set[str]]:
    words = title.split()
    return "".join(word for word in words if word not in _NUMERALS), {
        word for word in words if word in _NUMERALS
    }


def _title_in_raw(one: Mention, other: Mention) -> str:
    """For a record without a title: whether the other's title is among its words, or all words are the
    same.
    """
    if not one.letters and not other.letters:
        if min(len(one.raw), len(other.raw)) < SHORTEST_PART or _are_elsewhere(one, other):
            return "title:none"
        return "title:raw" if fuzz.ratio(one.raw, other.raw) >= TITLE_PART else "title:none"
    title, raw = (one.letters, other.raw) if one.letters else (other.letters, one.raw)
    raw = raw.replace(" ", "")
    found = len(title) < len(raw) and is_title_part(title, raw, fuzz.ratio(title, raw))
    return "title:raw" if found else "title:lost"


def _are_elsewhere(one: Mention, other: Mention) -> bool:
    """Whether both have URLs and share none: lists of links look alike but for a number."""
    return bool(one.identifiers and other.identifiers) and not one.identifiers & other.identifiers


def _n_same(short: tuple[PersonName, ...], long: tuple[PersonName, ...]) -> int:
    free = list(long)
    n_same = 0
    for person in short:
        for idx, candidate in enumerate(free):
            if _same_person(person, candidate):
                del free[idx]
                n_same += 1
                break
    return n_same


def _same_person(one: PersonName, other: PersonName) -> bool:
    if one.key == other.key:
        return have_same_given(one, other)
    if min(len(one.key), len(other.key)) < SHORTEST_TYPO or fuzz.ratio(one.key, other.key) < SURNAME_TYPO:
        return False
    return have_same_given(one, other)
