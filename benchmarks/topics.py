"""How long learning a topic tree takes, against scikit-learn's naive Bayes on the same documents.

    python benchmarks/topics.py ../shared/data/topics/arxiv_cs_pool.jsonl.xz

Learns the 70 leaves of the tree that ships from keywords and unlabeled abstracts (the full bootstrap) and
compares the processor time with what scikit-learn takes to vectorize the same abstracts and to fit
MultinomialNB once, in a virtual environment that is thrown away. Then places the abstracts. Prints JSON.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

from portico.classify.background import read_background
from portico.classify.classifier import train_topics
from portico.config.topics import read_topics
from portico.domains.registry import find_domain
from portico.lab.training.topic_background import read_abstracts

PEER = """
import json, lzma, sys, time
papers = map(json.loads, lzma.open(sys.argv[1], "rt", encoding="utf-8"))
texts = [paper["title"] + "\\n" + paper["abstract"] for paper in papers]
texts = texts[:int(sys.argv[2])]
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
started = time.process_time()
counts = CountVectorizer().fit_transform(texts)
MultinomialNB().fit(counts, [number % 70 for number in range(len(texts))])
print(time.process_time() - started)
"""
PLACED_AT_ONCE = 2000


def main() -> None:
    """Measures both and prints the ratio beside its limit."""
    parser = argparse.ArgumentParser(description="Topics against scikit-learn.")
    parser.add_argument("pool", type=Path, help="arxiv_cs_pool.jsonl.xz, or a file laid out like it")
    parser.add_argument("--documents", type=int, default=45_000)
    parser.add_argument("--peer", type=Path, help="a Python with scikit-learn; without it one is made")
    wish = parser.parse_args()
    texts = list(read_abstracts(wish.pool))[: wish.documents]
    domain = find_domain("papers")
    topics, background = read_topics(domain.topics), read_background(domain.topic_words.read_bytes())
    started = time.process_time()
    model = train_topics(texts, topics, background=background)
    learning_s = time.process_time() - started
    started = time.process_time()
    for first in range(0, len(texts), PLACED_AT_ONCE):
        model.assign_all(texts[first : first + PLACED_AT_ONCE])
    placing_s = time.process_time() - started
    peer_s = scikit_learn_s(wish.pool, len(texts), wish.peer)
    figures = {
        "documents": len(texts),
        "leaves": len(topics),
        "learning_s": round(learning_s, 1),
        "scikit_learn_s": round(peer_s, 1),
        "ratio": round(learning_s / peer_s, 2),
        "ratio_limit": 8,
        "placed_per_second": round(len(texts) / placing_s),
        "placed_per_second_wanted": 20_000,
        "memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "memory_mb_limit": 2048,
    }
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")


def scikit_learn_s(pool: Path, n_documents: int, python: Path | None) -> float:
    """Processor seconds of the peer, installed where nothing of ours is."""
    with tempfile.TemporaryDirectory() as folder:
        if python is None:
            venv.create(folder, with_pip=True)
            python = Path(folder) / "bin" / "python"
            subprocess.run([python, "-m", "pip", "install", "-q", "scikit-learn"], check=True)
        done = subprocess.run(
            [python, "-c", PEER, pool, str(n_documents)], check=True, capture_output=True, text=True
        )
    return float(done.stdout)


if __name__ == "__main__":
    main()
