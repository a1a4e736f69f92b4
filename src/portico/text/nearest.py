"""Which of these words was meant? For messages that say "did you mean"."""

from collections.abc import Iterable
from difflib import SequenceMatcher

# Share of letters two words must have in common, in order: the value `difflib` recommends for close
# matches. With it "dealy" finds "delay_s", and "speed" finds none of our keys.
LIKENESS = 0.6


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like this one, if any is like it at all; the first of equals."""
    best, best_likeness = None, LIKENESS
    for candidate in known:
        likeness = SequenceMatcher(None, word.casefold(), candidate.casefold()).ratio()
        if likeness > best_likeness:
            best, best_likeness = candidate, likeness
    return best
