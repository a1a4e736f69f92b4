"""Searches are scored by what is known to answer them."""

import gzip
import json
from pathlib import Path

import pytest

from portico.errors import ConfigError
from portico.lab.measures.search import measure_search

WORDS = "alpha bravo carol delta error field grape hotel india joker"


def write_rows(path: Path, rows: list[dict[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)


def test_what_is_cited_known_or_of_a_topic_is_looked_for(tmp_path: Path) -> None:
    words = [f"{word}{ending}" for ending in "xyz" for word in WORDS.split()]
    rows: list[dict[str, object]] = [
        {
            "id": str(place),
            "title": f"Study of {word}",
            "abstract": f"{word} {' '.join(words[place:])}s",
            "authors": [],
        }
        for place, word in enumerate(words * 5)
    ]
    write_rows(tmp_path / "citations/peerread/papers.jsonl.gz", rows)
    (tmp_path / "citations/peerread/edges.tsv").write_text("0\t30\n0\t60\n")
    write_rows(tmp_path / "topics/arxiv53/documents.jsonl.gz", rows)
    (tmp_path / "topics/arxiv53/labels.tsv").write_text("1\ta/b\n")
    (tmp_path / "topics/arxiv53/topics.tsv").write_text("a/b\tbravox, alphax\n")
    told: list[str] = []
    figures = measure_search(tmp_path, quick=True, tell=told.append)
    assert figures["citing titles"]["portico"]["ndcg@10"] == 1.0, (
        "papers 30 and 60 share the title of paper 0"
    )
    assert figures["keywords of topics"]["portico"]["queries"] == 1
    assert figures["four words"]["sqlite fts5, porter"]["recall@100"] > 0
    assert told


def test_a_folder_without_papers_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"papers\.jsonl\.gz"):
        measure_search(tmp_path, quick=True, tell=print)
