"""Features of a word's position: in its line, among the lines, in the whole text."""

import re
from collections.abc import Sequence
from functools import lru_cache

from portico.extract.features import Seen, look_around
from portico.extract.reference_parts import observe_parts
from portico.extract.words import MEMORY_WORDS, Row

# The end of a part of a reference: a full stop or colon that does not belong to an abbreviation.
_STOP = re.compile(r"(?:[^\W\d_]{3,}|[\d)\]”\"])[.:?!][”\"]?$")
_YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
_QUOTE_OPENS = frozenset('“"‘„«')
# Characters at the end of a word that decide whether it ends a part.
_TAIL = 16
_QUOTE_CLOSES = re.compile(r"[”\"’»][.,;:]?$")


def observe_header_context(rows: Sequence[Row], seen: Sequence[Seen]) -> list[list[str]]:
    """Return positional features; most line features go to the first word only, lest they dominate."""
    out: list[list[str]] = []
    n_rows = len(rows)
    for row_idx, row in enumerate(rows):
        place = f"line={min(row_idx, 8)}"
        n_words = len(row.words)
        for idx in range(n_words):
            features = [place, "bias"]
            if idx == 0:
                features += ["first", f"len={_bucket(n_words)}", f"fromend={min(n_rows - row_idx, 4)}"]
                if row_idx:
                    features.append(f"len-1={_bucket(len(rows[row_idx - 1].words))}")
            if idx == n_words - 1:
                features.append("last")
            features += row.looks
            out.append(features)
    return out


def observe_reference_context(rows: Sequence[Row], seen: Sequence[Seen]) -> list[list[str]]:
    """Return features of a word's place in the reference, and of the stops, quotes and years before it."""
    words = [word.text for row in rows for word in row.words]
    n_words = len(words)
    out = observe_parts(words, [word.told for word in seen])
    look_around(out, seen)
    n_stops = 0
    since_stop = 0
    after_year = is_quoted = False
    for idx, word in enumerate(words):
        is_quoted = is_quoted or word[0] in _QUOTE_OPENS
        is_stop, closes_quote = _ends(word[-_TAIL:])
        state = f"stops={min(n_stops, 4)}"
        out[idx] += [
            "bias",
            f"at={12 * idx // n_words}",
            f"start={min(idx, 4)}",
            f"end={min(n_words - 1 - idx, 3)}",
            state,
            f"{state},since={min(since_stop, 3)},stop={is_stop}",
            f"{state},year={after_year},quoted={is_quoted}",
        ]
        is_quoted = is_quoted and not closes_quote
        after_year = after_year or bool(_YEAR.search(word))
        n_stops += is_stop
        since_stop = 0 if is_stop else since_stop + 1
    return out


@lru_cache(maxsize=MEMORY_WORDS)
def _ends(tail: str) -> tuple[bool, bool]:
    """Whether a word with this ending ends a part, and whether it ends a quotation."""
    return _STOP.search(tail) is not None, _QUOTE_CLOSES.search(tail) is not None


def _bucket(n_words: int) -> str:
    return str(n_words) if n_words < 6 else "6-9" if n_words < 10 else "10+"
