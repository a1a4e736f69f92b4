"""Features from the parts of a reference: parts end at full stops, clauses at any punctuation."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate

from portico.extract.words import MEMORY_WORDS

Tells = Sequence[Sequence[str]]
"""The domain's features of each word: its form, and the group of words it belongs to."""

# A full stop, colon or closing quotation mark that does not belong to an abbreviation.
_STOP = re.compile(r"(?:[^\W\d_]{3,}|[\d)\]”\"'])[.:?!][”\"']*$|[”'\"],$|,[”'\"]+$")
_PAUSE = re.compile(r"[,.;:?!](?:''|[\"”])?$")
_EDITORS = re.compile(r"^\W*(?:eds?|editors?|hrsg)\W*$", re.IGNORECASE)
# Characters at the end of a word that decide whether it ends a part.
_TAIL = 16
# Maximum distance, in words, of a mark of editors ahead and back, and the steps of the feature.
_AHEAD, _AHEAD_STEP, _BACK, _BACK_STEP = 20, 4, 12, 3


def observe_parts(words: Sequence[str], tells: Tells) -> list[list[str]]:
    """Return for each word what its part and clause and their neighbors hold, and their positions."""
    out: list[list[str]] = [[] for _ in words]
    if not words:
        return out
    _describe(out, words, tells, _numbered(words, _ends_part), "P")
    _describe(out, words, tells, _numbered(words, _ends_clause), "C")
    _find_editors(out, words)
    return out


@lru_cache(maxsize=MEMORY_WORDS)
def _ends_part(tail: str) -> bool:
    return _STOP.search(tail) is not None


@lru_cache(maxsize=MEMORY_WORDS)
def _ends_clause(tail: str) -> bool:
    return _PAUSE.search(tail) is not None


def _numbered(words: Sequence[str], ends: Callable[[str], bool]) -> list[int]:
    """Return for each word (at least one) the number of the stretch it stands in."""
    return list(accumulate([ends(word[-_TAIL:]) for word in words[:-1]], initial=0))


def _describe(
    out: list[list[str]], words: Sequence[str], tells: Tells, stretch_of: Sequence[int], name: str
) -> None:
    n_stretches = stretch_of[-1] + 1
    held: list[dict[str, None]] = [{} for _ in range(n_stretches)]
    first = [""] * n_stretches
    for word, told, stretch in zip(words, tells, stretch_of, strict=True):
        if told:
            held[stretch].update(dict.fromkeys(told))
        first[stretch] = first[stretch] or word.lower().strip("()[]{}.,;:\"'“”`")
    lengths = [0] * n_stretches
    for stretch in stretch_of:
        lengths[stretch] += 1
    shared = []
    for idx in range(n_stretches):
        features = [f"{name}:{told}" for told in held[idx]]
        features += [f"{name}1:{first[idx]}", f"{name}n={min(idx, 4)}/{min(n_stretches - 1 - idx, 4)}"]
        features.append(f"{name}l={min(lengths[idx], 5)}")
        features += [f"{name}-:{told}" for told in held[idx - 1]] if idx else []
        features += [f"{name}+:{told}" for told in held[idx + 1]] if idx + 1 < n_stretches else []
        shared.append(features)
    for features, stretch in zip(out, stretch_of, strict=True):
        features += shared[stretch]


def _find_editors(out: list[list[str]], words: Sequence[str]) -> None:
    """Add the distances to the next and last mark of editors, since names before one are editors."""
    marks = [idx for idx, word in enumerate(words) if _EDITORS.match(word)]
    if not marks:
        return
    for idx, features in enumerate(out):
        ahead = min((mark - idx for mark in marks if mark >= idx), default=None)
        back = min((idx - mark for mark in marks if mark < idx), default=None)
        if ahead is not None:
            features.append(f"editors+{min(ahead, _AHEAD) // _AHEAD_STEP}")
        if back is not None:
            features.append(f"editors-{min(back, _BACK) // _BACK_STEP}")
