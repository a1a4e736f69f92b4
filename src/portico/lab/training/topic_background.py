"""Makes the shipped word statistics of the topic tree from unlabeled abstracts."""

import json
import lzma
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from portico.classify.background import read_background, write_background
from portico.classify.bootstrap import Evidence, LearningStart, Method, bootstrap, count_keywords
from portico.classify.features import build_vocabulary
from portico.classify.keywords import compile_keywords
from portico.errors import ConfigError
from portico.learn.counts import from_cells, list_cells, prune_table
from portico.learn.naive_bayes import count_class_words
from portico.learn.shrinkage import Tree
from portico.types.document import DocumentId
from portico.types.topic import Topic, TopicText

# With more rounds, the leaves that are large in today's abstracts take over the small ones.
ROUNDS = 1
# A word is kept if it occurs this often in all leaves together, a cell if its count is at least this.
LEAST_WORD, LEAST_CELL = 10.0, 1.0


def train_background(pool: Path, topics: Sequence[Topic], out: Path) -> bytes:
    """Learn the leaves' words from a file of unlabeled titles and abstracts; write and return the result."""
    content = learn_background(tuple(read_abstracts(pool)), topics)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(content)
    return content


def learn_background(texts: Sequence[TopicText], topics: Sequence[Topic]) -> bytes:
    """The content of a background file trained on these texts; the same texts always give the same bytes."""
    keywords = compile_keywords(topics)
    words = build_vocabulary(texts, {stem for keyword in keywords.all for stem in keyword.stems})
    counts = words.count(texts)
    tree, _ = Tree.of_paths([topic.path for topic in topics])
    method = Method(rounds=ROUNDS)
    seeds = Evidence.of(texts, keywords, len(topics)).labels(method.seeds)
    known = count_keywords(keywords, words, len(topics))
    learned = bootstrap(counts, LearningStart(seeds, known), tree, method=method)
    leaf_words = count_class_words(counts, learned.labels)[: len(topics)]  # without the class "elsewhere"
    kept, table = prune_table(leaf_words, least_column=LEAST_WORD, least_cell=LEAST_CELL)
    return write_background(topics, [words.words[column] for column in kept], table)


def train_branch_backgrounds(
    texts: Mapping[str, Sequence[TopicText]], topics: Sequence[Topic], out: Path
) -> bytes:
    """Train a background for a tree, one branch at a time; `texts` are the texts of each top-level topic."""
    columns: dict[str, int] = {}
    cells: list[tuple[int, int, float]] = []
    for top in dict.fromkeys(topic.path[0] for topic in topics):
        leaves = [leaf for leaf, topic in enumerate(topics) if topic.path[0] == top]
        branch = read_background(learn_background(texts.get(top, ()), [topics[leaf] for leaf in leaves]))
        places = [columns.setdefault(word, len(columns)) for word in branch.words]
        cells += [(leaves[row], places[column], value) for row, column, value in list_cells(branch.counts)]
    rows, words, values = zip(*cells, strict=True)
    counts = from_cells(rows, words, values, (len(topics), len(columns)))
    content = write_background(topics, list(columns), counts)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(content)
    return content


def read_abstracts(pool: Path) -> Iterator[TopicText]:
    """The texts in an xz-compressed file with one JSON object (id, title, abstract) per line."""
    if not pool.exists():
        raise ConfigError(
            f"there is no file {pool}; name one with a title and an abstract a line, as .jsonl.xz"
        )
    with lzma.open(pool, "rt", encoding="utf-8") as lines:
        for line in lines:
            paper = json.loads(line)
            yield TopicText(DocumentId(str(paper["id"])), paper["title"], paper["abstract"])
