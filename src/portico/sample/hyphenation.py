"""Where an English word may be broken at the end of a line."""

from functools import cache

VOWELS = frozenset("aeiouy")
# Two consonants that sound as one, or that begin a syllable together, are not parted.
TOGETHER = frozenset((
    "ch", "sh", "th", "ph", "gh", "ck", "qu", "bl", "br", "cl", "cr", "dr", "fl", "fr", "gl", "gr", "pl",
    "pr", "tr", "tw", "wh", "wr", "st", "sp", "sc", "sk",
))  # fmt: skip
ENDINGS = ("tion", "sion", "ment", "ness", "ture", "able", "ing", "tive", "ful", "less")
LEAST_BEFORE, LEAST_AFTER, LEAST_LENGTH = 2, 3, 6  # letters; TeX's own limits are 2, 3 and 5


@cache
def break_points(word: str) -> tuple[int, ...]:
    """Positions before which a hyphen may be set, in order."""
    letters = word.strip(".,;:()“”[]")
    offset = word.find(letters) if letters else 0
    if len(letters) < LEAST_LENGTH or not (letters.isalpha() and letters.isascii() and letters[1:].islower()):
        return ()
    inside = range(LEAST_BEFORE, len(letters) - LEAST_AFTER + 1)
    return tuple(offset + idx for idx in inside if _breakable(letters.lower(), idx))


def _breakable(word: str, idx: int) -> bool:
    before, after = word[:idx], word[idx:]
    if not (VOWELS & set(before) and VOWELS & set(after)):
        return False
    if after.removesuffix("s") in ENDINGS:
        return after[:3] != "ing" or before[-1] not in VOWELS
    if after[1:].removesuffix("s") in ENDINGS:
        return False  # learn-ing, not lear-ning
    pair = word[idx - 1 : idx + 1]
    two_consonants = not VOWELS & set(pair)
    return two_consonants and pair not in TOGETHER and word[idx - 2] in VOWELS and word[idx + 1] in VOWELS
