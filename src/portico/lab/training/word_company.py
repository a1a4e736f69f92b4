"""Trains the shipped word vectors on titles and abstracts of all sciences."""

from collections.abc import Iterator
from pathlib import Path

from portico.classify.expected_words import write_company
from portico.classify.features import build_vocabulary
from portico.lab.datasets.field_rows import is_for_measuring, read_abstracts
from portico.lab.datasets.topic_sets import read_topic_set
from portico.lab.training.topic_background import read_abstracts as read_pool
from portico.learn.word_vectors import train_word_vectors
from portico.types.topic import TopicText

LEAST_TEXTS = 12  # minimum number of texts a word must occur in
N_DIMENSIONS = 200  # 100 are a little worse if keywords are rare words


def train_company(data: Path, out: Path) -> bytes:
    """Train word vectors on half of the texts in a folder of data, leaving the rest for measuring; write
    and return them.
    """
    texts = list(read_learned(data))
    words = build_vocabulary(texts, least=LEAST_TEXTS)
    counts = words.count_words([f"{text.title}\n{text.abstract}" for text in texts])
    content = write_company(words.words, train_word_vectors(counts, n_dimensions=N_DIMENSIONS))
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(content)
    return content


def read_learned(data: Path) -> Iterator[TopicText]:
    """Half of the abstracts and titles of all fields, of the arXiv pool, and of arXiv-53."""
    yield from (row.text for row in read_abstracts(data) if not is_for_measuring(row.text))
    yield from list(read_pool(data / "topics" / "arxiv_cs_pool.jsonl.xz"))[0::2]
    yield from read_topic_set(data / "topics" / "arxiv53", ()).texts[0::2]
