"""Whether two names of a journal or conference mean the same one: abbreviations and acronyms known."""

from functools import lru_cache

ENOUGH = 0.6
"""Share of the shorter name's telling words that must be found in the longer for "like"."""


@lru_cache(maxsize=500_000)
def venue_agreement(one: str, other: str) -> str:
    """ "none" where either is missing, else "same", "like" or "other". Takes folded words."""
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


# Words that most venues have and that therefore tell none from another.
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
    """ "mach" abbreviates "machine", "proc" and "procs" each other; one letter is not enough."""
    if one[0] != other[0]:
        return False
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    return long.startswith(short) if len(short) >= 3 else short == long


def _is_acronym(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """ "ml" for machine learning, "nips" for neural information processing systems, "icml" as well."""
    if len(short) != 1 or len(long) < 2:
        return False
    initials = "".join(word[0] for word in long)
    return len(initials) >= 2 and short[0].endswith(initials) and len(short[0]) - len(initials) <= 3
