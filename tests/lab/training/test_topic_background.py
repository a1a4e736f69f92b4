"""Making the shipped background of the topic tree."""

import json
import lzma
from pathlib import Path

import pytest

from portico.classify.background import read_background
from portico.config.topics import read_topics
from portico.domains import papers
from portico.errors import ConfigError
from portico.lab.training.name_words import judge_words, learn_name_words
from portico.lab.training.topic_background import train_background
from portico.learn.counts import list_cells
from portico.text.function_words import read_name_words
from portico.types.topic import Topic

HERE = Path(papers.__file__).parent
TREE = (Topic(("Sea",), ("squid",)), Topic(("Air",), ("bird",)))


def test_words_beside_a_keyword_become_words_of_its_leaf(tmp_path: Path) -> None:
    pool, out = tmp_path / "pool.jsonl.xz", tmp_path / "words.gz"
    lines = [{"id": n, "title": "A squid", "abstract": "tentacle tentacle"} for n in range(20)]
    lines += [{"id": n, "title": "A bird", "abstract": "feather"} for n in range(20)]
    with lzma.open(pool, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    content = train_background(pool, TREE, out)
    assert out.read_bytes() == content
    background = read_background(content)
    counts = {(leaf, background.words[word]): n for leaf, word, n in list_cells(background.counts)}
    assert counts[0, "tentacle"] > 20
    assert counts[1, "feather"] > 10 > counts.get((1, "tentacle"), 0)


def test_a_missing_pool_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no file"):
        train_background(tmp_path / "none.xz", TREE, tmp_path / "out")


@pytest.mark.data
@pytest.mark.slow
def test_the_shipped_file_can_be_remade(labelled_data: Path, tmp_path: Path) -> None:
    pool = labelled_data / "data" / "topics" / "arxiv_cs_pool.jsonl.xz"
    made = read_background(train_background(pool, read_topics(HERE / "topics.toml"), tmp_path / "words.gz"))
    shipped = read_background((HERE / "models" / "topics.words.gz").read_bytes())
    # Sums in another order may round a count up instead of down on another machine, no more than that.
    assert made.words == shipped.words
    assert abs(made.counts - shipped.counts).max() <= 1


def test_words_are_judged_by_titles() -> None:
    about = "We are able to show how neural networks learn: in the neural way we are able to do so. " * 3
    papers = [("Neural networks", about)] * 60
    found = judge_words(papers)
    assert found["able"] == "general"
    assert found["neural"] == "unfinished"
    assert "networks" not in found


@pytest.mark.data
@pytest.mark.slow
def test_the_shipped_words_of_names_are_the_learned_ones(labelled_data: Path) -> None:
    made = dict(
        row.split("\t")
        for row in learn_name_words(labelled_data / "data/fields/abstracts.jsonl.xz").splitlines()
    )
    assert made == read_name_words()
