"""What is known of a topic tree before a portal has documents: the words of its leaves, as a small file.

The file is gzipped text that a person can read: a line that names the format, one line a leaf, an empty
line, then one line a word with the leaves (by number) and counts in which it occurs.
"""

import gzip
import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from portico.classify.features import Vocabulary
from portico.errors import ConfigError
from portico.learn.counts import Counts, Table, cells, dense, from_cells, moved, row_scaled, row_sums
from portico.types.topic import Topic

FORMAT = "portico topic words 1"

# A leaf's background speaks as loudly as this many words of the portal's own documents, about ten
# abstracts. 500, 1,000 and 2,000 tried on Cora-70 in samples of 50 to 11,881 documents: 500 and 1,000
# gain 1 to 3 points of accuracy in samples up to 1,000, and confidence is nearest to accuracy with 1,000.
BACKGROUND_WORDS = 1000.0


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """How often each word occurs in documents of each leaf of some tree."""

    paths: tuple[tuple[str, ...], ...]
    words: tuple[str, ...]
    counts: Counts  # one row a leaf, one column a word
    id: str  # names the content

    def known(self, topics: Sequence[Topic], vocabulary: Vocabulary) -> Table:
        """Word counts for the leaves of `topics`; zeros for a leaf this background has not heard of."""
        leaves = {topic.path: leaf for leaf, topic in enumerate(topics)}
        table = moved(
            row_scaled(self.counts, [_scale(n_words) for n_words in row_sums(self.counts)]),
            rows=[leaves.get(path, -1) for path in self.paths],
            columns=[vocabulary.columns.get(word, -1) for word in self.words],
            shape=(len(topics), len(vocabulary.words)),
        )
        return dense(table)

    def knows(self, topics: Sequence[Topic]) -> bool:
        """Whether any leaf of the tree is one of this background's."""
        return not {topic.path for topic in topics}.isdisjoint(self.paths)


def write(topics: Sequence[Topic], words: Sequence[str], counts: Counts) -> bytes:
    """The content of a background file; the same counts always give the same bytes."""
    columns: list[list[str]] = [[] for _ in words]
    for leaf, word, occurrences in cells(counts):
        columns[word].append(f"{leaf}:{round(occurrences)}")
    lines = [FORMAT, *map(str, topics), ""]
    lines += [f"{word}\t{' '.join(found)}" for word, found in zip(words, columns, strict=True)]
    return gzip.compress("\n".join(lines).encode(), compresslevel=9, mtime=0)


def read(content: bytes) -> Background:
    """The background in a file's content."""
    try:
        text = gzip.decompress(content).decode()
        head, _, body = text.partition("\n\n")
        digest = hashlib.sha256(content).hexdigest()
        return _parsed(head.split("\n"), body.split("\n") if body else [], digest)
    except (OSError, EOFError, zlib.error, ValueError, IndexError) as problem:
        raise ConfigError(
            f"the background model of the topic tree is damaged ({problem}); install Portico again "
            "or remake it as its model card says"
        ) from problem


def _parsed(head: list[str], body: list[str], digest: str) -> Background:
    if head[0] != FORMAT:
        raise ConfigError(f'the background model of the topic tree is "{head[0][:40]}", not "{FORMAT}"')
    paths = tuple(tuple(line.split("/")) for line in head[1:])
    words: list[str] = []
    leaves: list[int] = []
    columns: list[int] = []
    occurrences: list[float] = []
    for column, line in enumerate(body):
        word, _, found = line.partition("\t")
        words.append(word)
        for cell in found.split():
            leaf, _, n_words = cell.partition(":")
            leaves.append(int(leaf))
            columns.append(column)
            occurrences.append(float(n_words))
    counts = from_cells(leaves, columns, occurrences, (len(paths), len(words)))
    return Background(paths, tuple(words), counts, digest)


def _scale(n_words: float) -> float:
    return min(1.0, BACKGROUND_WORDS / n_words) if n_words else 0.0
