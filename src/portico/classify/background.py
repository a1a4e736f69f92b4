"""Word statistics of a topic tree, learned before a portal has any documents and stored in a small file.

The file is gzipped text: a line with the name of the format, one line per leaf, an empty line, then one line
per word with its count in each leaf (by number).
"""

import gzip
import hashlib
import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from portico.classify.features import Vocabulary
from portico.errors import ConfigError
from portico.learn.counts import (
    Counts,
    Table,
    from_cells,
    list_cells,
    move_cells,
    scale_rows,
    sum_rows,
    to_dense,
)
from portico.types.topic import Topic

FORMAT = "portico topic words 1"

# A leaf's background counts as much as this many words of the portal's own documents, about ten
# abstracts. 500, 1,000 and 2,000 were tried on Cora-70 in samples of 50 to 11,881 documents: 500 and 1,000
# gain 1 to 3 points of accuracy in samples up to 1,000, and confidence is closest to accuracy with 1,000.
BACKGROUND_WORDS = 1000.0


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """How often each word occurs in documents of each leaf of some tree."""

    paths: tuple[tuple[str, ...], ...]
    words: tuple[str, ...]
    counts: Counts  # one row a leaf, one column a word
    id: str  # names the content

    def known(self, topics: Sequence[Topic], vocabulary: Vocabulary) -> Table:
        """Word counts for the leaves of `topics`; zeros for a leaf that is not in this background."""
        leaves = {topic.path: leaf for leaf, topic in enumerate(topics)}
        table = move_cells(
            scale_rows(self.counts, [_scale(n_words) for n_words in sum_rows(self.counts)]),
            rows=[leaves.get(path, -1) for path in self.paths],
            columns=[vocabulary.columns.get(word, -1) for word in self.words],
            shape=(len(topics), len(vocabulary.words)),
        )
        return to_dense(table)

    def knows(self, topics: Sequence[Topic]) -> bool:
        """Whether this background contains at least one leaf of the tree."""
        return not {topic.path for topic in topics}.isdisjoint(self.paths)


def write_background(topics: Sequence[Topic], words: Sequence[str], counts: Counts) -> bytes:
    """The content of a background file; the same counts always produce the same bytes."""
    columns: list[list[str]] = [[] for _ in words]
    for leaf, word, occurrences in list_cells(counts):
        columns[word].append(f"{leaf}:{round(occurrences)}")
    lines = [FORMAT, *map(str, topics), ""]
    lines += [f"{word}\t{' '.join(found)}" for word, found in zip(words, columns, strict=True)]
    return gzip.compress("\n".join(lines).encode(), compresslevel=9, mtime=0)


def read_background_for(content: bytes, topics: Sequence[Topic]) -> Background | None:
    """The background in a file's content, or None if it contains no leaf of the tree."""
    return _read(content, {str(topic) for topic in topics})


def read_background(content: bytes) -> Background:
    """The background in a file's content."""
    background = _read(content, None)
    assert background is not None, "it was asked for, whatever its leaves"
    return background


def _read(content: bytes, wanted: Collection[str] | None) -> Background | None:
    try:
        text = gzip.decompress(content).decode()
        head, _, body = text.partition("\n\n")
        names = head.split("\n")
        if wanted is not None and names[0] == FORMAT and set(names[1:]).isdisjoint(wanted):
            return None
        digest = hashlib.sha256(content).hexdigest()
        return _parsed(names, body.split("\n") if body else [], digest)
    except (OSError, EOFError, zlib.error, ValueError, IndexError) as problem:
        raise ConfigError(
            f"the background model of the topic tree is damaged ({problem}); install Portico again "
            "or remake it as its model card says"
        ) from problem


def _parsed(head: list[str], body: list[str], digest: str) -> Background:
    if head[0] != FORMAT:
        raise ConfigError(f'the background model of the topic tree is "{head[0][:40]}", not "{FORMAT}"')
    paths = tuple(tuple(line.split("/")) for line in head[1:])
    lines = [line.partition("\t") for line in body]
    words = tuple(word for word, _, _ in lines)
    # All cells at once: one by one would take as long as training on a small portal.
    numbers = [int(number) for number in " ".join(found for _, _, found in lines).replace(":", " ").split()]
    columns = [column for column, (_, _, found) in enumerate(lines) for _ in range(found.count(":"))]
    counts = from_cells(numbers[0::2], columns, numbers[1::2], (len(paths), len(words)))
    return Background(paths, words, counts, digest)


def _scale(n_words: float) -> float:
    return min(1.0, BACKGROUND_WORDS / n_words) if n_words else 0.0
