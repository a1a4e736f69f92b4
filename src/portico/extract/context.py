"""What a tagger sees of a word's place: in its line, among the lines, in the whole."""

from collections.abc import Sequence

from portico.extract.words import Row


def header_context(rows: Sequence[Row]) -> list[list[str]]:
    """Line features stand on a line's first word alone: copied onto every word they drown the words."""
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


def reference_context(rows: Sequence[Row]) -> list[list[str]]:
    """A word's place in the reference, in twelfths."""
    n_words = sum(len(row.words) for row in rows)
    return [
        [f"at={12 * idx // n_words}", f"start={min(idx, 4)}", f"end={min(n_words - 1 - idx, 3)}", "bias"]
        for idx in range(n_words)
    ]


def _bucket(n_words: int) -> str:
    return str(n_words) if n_words < 6 else "6-9" if n_words < 10 else "10+"
