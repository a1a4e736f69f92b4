"""Words likely to occur in the documents of a leaf, predicted from its keywords by word vectors.

A tree that nobody has seen before starts with them, as the tree that ships starts with its background.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from portico.classify.features import Vocabulary
from portico.classify.keywords import Keyword, Keywords
from portico.errors import ConfigError
from portico.learn.counts import Counts, Table, Vector, move_columns, pack_arrays, unpack_arrays
from portico.learn.word_vectors import WordVectors, from_small_numbers, to_small_numbers

FORMAT = "portico word vectors 1"

# Expected words of a leaf speak as loudly as so many words of documents, if all its keywords are known well,
# and half as loudly as all documents of a mean leaf: rounds of EM drift away from what they are not held by.
# 300 to 8,000 and shares up to one tried on trees of eight sets with 50 to 5,000 documents: 2,000 to 4,000
# words tie.
EXPECTED_WORDS, SHARE_OF_LEAF = 3000.0, 0.5

# In a tree of fewer leaves any word is nearer to one of them, and papers that say nothing would find a place.
LEAST_LEAVES = 4
# With more documents a leaf they tell its words better: the whole of arXiv-53 falls by a point and a half.
MOST_DOCUMENTS_A_LEAF = 250.0


@dataclass(frozen=True, slots=True, eq=False)
class WordCompany:
    """Which words keep company with which, learned from abstracts of all sciences."""

    columns: dict[str, int]  # of words, to rows of the vectors
    vectors: WordVectors
    id: str  # names the content

    def expect(self, keywords: Keywords, vocabulary: Vocabulary, *, n_leaves: int, n_words: float) -> Table:
        """Word counts for the leaves, fewer where the keywords are little known, none where they are not.

        `n_words` are those of the documents of a mean leaf.
        """
        likely, known = _expect_words(self, keywords.all, n_leaves)
        places = [self.columns.get(word, -1) for word in vocabulary.words]
        loudness = EXPECTED_WORDS + SHARE_OF_LEAF * n_words
        counts: Table = loudness * known[:, None] * move_columns(likely, places)
        return counts

    def describe_texts(self, counts: Counts, vocabulary: Vocabulary) -> Table:
        """Where texts with these words lie among the vectors, see `WordVectors.average_rows`."""
        return self.vectors.average_rows(counts, [self.columns.get(word, -1) for word in vocabulary.words])

    def measure_nearness(self, texts: Table, phrases: Sequence[Sequence[str]]) -> list[float]:
        """How near each phrase (its words as they are compared) is to the middle of the texts' rows."""
        columns = [[self.columns.get(word, -1) for word in words] for words in phrases]
        return self.vectors.measure_nearness(texts, columns)


@lru_cache(maxsize=1)  # the same tree is learned again and again where it is measured
def _expect_words(company: WordCompany, keywords: tuple[Keyword, ...], n_leaves: int) -> tuple[Table, Vector]:
    signs = [
        ([company.columns.get(stem, -1) for stem in keyword.stems], keyword.leaves) for keyword in keywords
    ]
    return company.vectors.expect_words(signs, n_leaves)


def is_expectation_due(n_documents: int, n_leaves: int) -> bool:
    """Whether a tree of so many leaves and a portal of so many documents gain by expected words."""
    return n_leaves >= LEAST_LEAVES and n_documents <= MOST_DOCUMENTS_A_LEAF * n_leaves


def write_company(words: tuple[str, ...], vectors: WordVectors) -> bytes:
    """The content of a file of word vectors."""
    header = {"format": FORMAT, "words": list(words), "n_texts": vectors.n_texts}
    return pack_arrays(json.dumps(header), to_small_numbers(vectors))


def read_company(content: bytes) -> WordCompany:
    """The word vectors in a file's content; ConfigError where it is damaged."""
    written, arrays = unpack_arrays(content)
    header = json.loads(written)
    if header.get("format") != FORMAT:
        raise ConfigError(f'the word vectors are "{header.get("format")}", not "{FORMAT}"')
    columns = {word: column for column, word in enumerate(header["words"])}
    digest = hashlib.sha256(content).hexdigest()
    return WordCompany(columns, from_small_numbers(arrays, header["n_texts"]), digest)
