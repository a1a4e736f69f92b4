"""Words likely to occur in the documents of a leaf, predicted from its keywords by word vectors.

They are to a new tree what the background is to the tree that ships with the software.
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
from portico.learn.word_vectors import WordVectors, from_small_numbers, measure_cosines, to_small_numbers

FORMAT = "portico word vectors 1"

# If all keywords of a leaf are well known, its expected words count as much as this many words of documents
# plus half the words of an average leaf: with less weight, EM drifts away from them. 300 to 8,000 and shares
# up to one were tried on trees of eight sets with 50 to 5,000 documents: 2,000 to 4,000 words tie.
EXPECTED_WORDS, SHARE_OF_LEAF = 3000.0, 0.5

# With fewer leaves, any word is nearer to one than to the others: papers without evidence would be assigned.
LEAST_LEAVES = 4
# With more documents per leaf, these are the better source: all of arXiv-53 would lose a point and a half.
MOST_DOCUMENTS_A_LEAF = 250.0


@dataclass(frozen=True, slots=True, eq=False)
class WordCompany:
    """Which words occur together, learned from abstracts of all sciences."""

    columns: dict[str, int]  # of words, to rows of the vectors
    vectors: WordVectors
    id: str  # names the content

    def expect(self, keywords: Keywords, vocabulary: Vocabulary, *, n_leaves: int, n_words: float) -> Table:
        """Expected word counts for the leaves; lower the less is known about a leaf's keywords, zero if
        nothing is.

        `n_words` is the number of words in the documents of an average leaf.
        """
        likely, known = _expect_words(self, keywords.all, n_leaves)
        places = [self.columns.get(word, -1) for word in vocabulary.words]
        loudness = EXPECTED_WORDS + SHARE_OF_LEAF * n_words
        counts: Table = loudness * known[:, None] * move_columns(likely, places)
        return counts

    def describe_texts(self, counts: Counts, vocabulary: Vocabulary) -> Table:
        """The position of each text among the vectors, given its word counts; see
        `WordVectors.average_rows`.
        """
        return self.vectors.average_rows(counts, self.list_rows(vocabulary))

    def measure_nearness(self, texts: Table, phrases: Sequence[Sequence[str]]) -> list[float]:
        """How near each phrase, given as normalized words, is to the mean position of the texts."""
        columns = [[self.columns.get(word, -1) for word in words] for words in phrases]
        return self.vectors.measure_nearness(texts, columns)

    def lead_to_leaves(
        self, keywords: Keywords, owners: Sequence[int], counts: Counts, vocabulary: Vocabulary
    ) -> "LeafNearness":
        """What tells how near documents are to the keywords of leaves; `owners` has the leaf of each class
        (-1: none), `counts` are those of documents like them.
        """
        words: list[set[int]] = [set() for _ in owners]
        for keyword in keywords.all:
            for number, leaf in enumerate(owners):
                if leaf in keyword.leaves:
                    words[number].update(self.columns.get(stem, -1) for stem in keyword.stems)
        middle = self.vectors.find_middle(counts, self.list_rows(vocabulary))
        return LeafNearness(self, self.vectors.find_directions([sorted(each) for each in words]), middle)

    def list_rows(self, vocabulary: Vocabulary) -> list[int]:
        """The row of every word of a vocabulary among the vectors (-1: none)."""
        return [self.columns.get(word, -1) for word in vocabulary.words]


@dataclass(frozen=True, slots=True, eq=False)
class LeafNearness:
    """How near documents are to the keywords of the leaves of a tree, by word vectors.

    `directions` has a row per class of a model, `middle` is the mean of its documents.
    """

    company: WordCompany
    directions: Table
    middle: Vector

    def measure(self, counts: Counts, vocabulary: Vocabulary) -> Table:
        """The cosine between each document and the keywords of each class; NaN where either is unknown."""
        places = self.company.vectors.center_rows(counts, self.company.list_rows(vocabulary), self.middle)
        return measure_cosines(places, self.directions)


@lru_cache(maxsize=1)  # measurements train on the same tree again and again
def _expect_words(company: WordCompany, keywords: tuple[Keyword, ...], n_leaves: int) -> tuple[Table, Vector]:
    signs = [
        ([company.columns.get(stem, -1) for stem in keyword.stems], keyword.leaves) for keyword in keywords
    ]
    return company.vectors.expect_words(signs, n_leaves)


def is_expectation_due(n_documents: int, n_leaves: int) -> bool:
    """Whether expected words improve the classification, given the numbers of documents and leaves."""
    return n_leaves >= LEAST_LEAVES and n_documents <= MOST_DOCUMENTS_A_LEAF * n_leaves


def write_company(words: tuple[str, ...], vectors: WordVectors) -> bytes:
    """The content of a file of word vectors."""
    header = {"format": FORMAT, "words": list(words), "n_texts": vectors.n_texts}
    return pack_arrays(json.dumps(header), to_small_numbers(vectors))


def read_company(content: bytes) -> WordCompany:
    """The word vectors in a file's content; ConfigError if it is damaged or has another format."""
    written, arrays = unpack_arrays(content)
    header = json.loads(written)
    if header.get("format") != FORMAT:
        raise ConfigError(f'the word vectors are "{header.get("format")}", not "{FORMAT}"')
    columns = {word: column for column, word in enumerate(header["words"])}
    digest = hashlib.sha256(content).hexdigest()
    return WordCompany(columns, from_small_numbers(arrays, header["n_texts"]), digest)
