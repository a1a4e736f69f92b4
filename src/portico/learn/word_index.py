"""Maps the words of many texts to columns at once, with array operations on 64-bit hashes.

Splitting a text into words and looking up each in a dictionary costs a quarter of a microsecond per word.
Here a batch of texts is one array of bytes: the positions of its spaces delimit all words, eight bytes of
each are read as one number, and the numbers are looked up in a hash table made of arrays.
"""

from collections.abc import Callable, Sequence

import numpy as np

from portico.learn.counts import Counts, from_flat

UNKNOWN = -1
"""The column number of words without a column."""

Marks = np.ndarray
"""One unsigned 64-bit number per word, equal for equal words. Two words of up to eight bytes never have the
same number; a collision of longer ones would take billions of different words."""

_BLANK = ord(" ")
_TEXTS_AT_ONCE = 2000  # abstracts: about ten megabytes of arrays, which fit into a processor's cache
_BYTES = 8  # bytes of a word read at once
_EMPTY = 0  # the mark of a free slot; no word has it, since no word consists of zero bytes
_NEW = -2  # the column of a mark that is not in the table yet
_FIRST_PLACES = 1 << 16
_MOST_FORMS = 1 << 20  # twenty times the words of 45,000 abstracts; beyond it, all are dropped (24 MB)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # odd, with well-mixed bits: multiplying by it moves every bit upward
_HALF = np.uint64(32)
_MASKS = np.array([(1 << 8 * n_bytes) - 1 for n_bytes in range(_BYTES + 1)], dtype=np.uint64)


class WordIndex:
    """Columns of words as written. `column_of` is called once per written form; results are remembered."""

    def __init__(self, column_of: Callable[[str], int]) -> None:
        self._column_of = column_of
        self._n_forms = 0
        self._clear(_FIRST_PLACES)

    def count(self, texts: Sequence[str], n_columns: int | None) -> Counts:
        """How often each column is named in each text; words are separated by spaces.

        Where the number of columns is not known before, there are as many as any word of these texts names.
        """
        parts = [
            self._columns_of(texts[first : first + _TEXTS_AT_ONCE])
            for first in range(0, len(texts), _TEXTS_AT_ONCE)
        ]
        columns = np.concatenate([columns for columns, _ in parts]) if parts else np.zeros(0, dtype=np.intc)
        n_words = [np.zeros(1, dtype=np.intp), *(n_words for _, n_words in parts)]
        if n_columns is None:
            n_columns = int(columns.max(initial=UNKNOWN)) + 1
        return from_flat(columns, np.cumsum(np.concatenate(n_words)), n_columns)

    def _columns_of(self, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """The column of every word of the texts, in sequence, and the number of words of each text."""
        content = [text.encode() for text in texts]
        # A blank before the first word, and enough after the last to read eight bytes from anywhere.
        data = b" " + b" ".join(content) + b" " * (_BYTES + 1)
        blank = np.frombuffer(data, dtype=np.uint8) == _BLANK
        edges = np.flatnonzero(blank[1:] != blank[:-1]) + 1
        starts, stops = edges[0::2], edges[1::2]
        marks = _marks(data, starts, stops)
        columns = self._find(marks)
        new = np.flatnonzero(columns == _NEW)
        if len(new):
            self._learn(data, marks[new], starts[new], stops[new])
            columns[new] = self._find(marks[new])
        ends = np.searchsorted(starts, np.cumsum([len(each) + 1 for each in content]))
        return columns, np.diff(ends, prepend=0)

    def _learn(self, data: bytes, marks: Marks, starts: np.ndarray, stops: np.ndarray) -> None:
        marks, first = np.unique(marks, return_index=True)
        written = (
            data[start:stop].decode()
            for start, stop in zip(starts[first].tolist(), stops[first].tolist(), strict=True)
        )
        columns = np.fromiter(map(self._column_of, written), dtype=np.intc, count=len(marks))
        self._n_forms += len(marks)
        if 2 * self._n_forms > len(self._marks):
            self._make_room()
        self._seat(marks, columns)

    def _make_room(self) -> None:
        """A table at most half full, so that a word is usually found in the first slot."""
        kept = self._marks != _EMPTY if self._n_forms <= _MOST_FORMS else np.zeros(len(self._marks), bool)
        marks, columns, n_forms = self._marks[kept], self._columns[kept], self._n_forms
        self._clear(1 << (4 * n_forms).bit_length())
        self._n_forms = n_forms
        self._seat(marks, columns)

    def _clear(self, n_places: int) -> None:
        self._marks: Marks = np.zeros(n_places, dtype=np.uint64)
        self._columns = np.full(n_places, _NEW, dtype=np.intc)
        self._shift = np.uint64(65 - n_places.bit_length())
        self._n_forms = 0

    def _seat(self, marks: Marks, columns: np.ndarray) -> None:
        """Store every hash in its slot, or in the next free one."""
        places = self._places(marks)
        while len(marks):
            free = self._marks[places] == _EMPTY
            self._marks[places[free]] = marks[free]  # of several that want one place, the last has it
            seated = self._marks[places] == marks
            self._columns[places[seated]] = columns[seated]
            marks, columns, places = (each[~seated] for each in (marks, columns, self._next(places)))

    def _find(self, marks: Marks) -> np.ndarray:
        """The column of every hash; `_NEW` if it is unknown."""
        places = self._places(marks)
        columns: np.ndarray = self._columns[places]
        rows = np.flatnonzero(self._marks[places] != marks)
        while len(rows):
            rows = rows[self._marks[places[rows]] != _EMPTY]  # the others are new, as a free place says
            places[rows] = self._next(places[rows])
            columns[rows] = self._columns[places[rows]]
            rows = rows[self._marks[places[rows]] != marks[rows]]
        return columns

    def _places(self, marks: Marks) -> np.ndarray:
        return np.asarray((marks * _SPREAD) >> self._shift, dtype=np.intp)

    def _next(self, places: np.ndarray) -> np.ndarray:
        return np.asarray((places + 1) & (len(self._marks) - 1))


def _marks(data: bytes, starts: np.ndarray, stops: np.ndarray) -> Marks:
    """The hash of every word: its bytes, eight at a time, folded into one number."""
    eights = np.ndarray((len(data) - _BYTES + 1,), dtype="<u8", buffer=data, strides=(1,))
    lengths = stops - starts
    marks = _stirred(eights[starts] & _MASKS[np.minimum(lengths, _BYTES)])
    read = _BYTES
    rows = np.flatnonzero(lengths > read)
    while len(rows):
        part = eights[starts[rows] + read] & _MASKS[np.minimum(lengths[rows] - read, _BYTES)]
        marks[rows] = _stirred(marks[rows] ^ part)
        read += _BYTES
        rows = rows[lengths[rows] > read]
    return marks


def _stirred(marks: Marks) -> Marks:
    marks = marks * _SPREAD
    return np.asarray(marks ^ (marks >> _HALF))
