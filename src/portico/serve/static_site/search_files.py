"""A search index as small JSON files that a browser can read, for portals without a server."""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from portico.index.schema import split_words

PAPERS_IN_FILE = 500
"""Papers of one file: small enough that a page of results loads a few of them quickly."""

# Words are kept in files by their first letters.
_FIRST_LETTERS = 2


def write_static_files(
    listings: Iterable[tuple[dict[str, float], list[object]]], folder: Path, **told: object
) -> int:
    """The words of each thing with their weights, and what a list shows of it; how many things.

    What else is told stands in the file that a search reads first.
    """
    folder.mkdir(parents=True, exist_ok=True)
    postings: dict[str, list[float]] = defaultdict(list)
    shown: list[list[object]] = []
    n_papers = 0
    for weights, listed in listings:
        for word, weight in sorted(weights.items()):
            postings[word] += (n_papers, round(weight, 1))
        shown.append(listed)
        n_papers += 1
        if len(shown) == PAPERS_IN_FILE:
            _write(folder / f"papers-{(n_papers - 1) // PAPERS_IN_FILE}.json", shown)
            shown = []
    if shown:
        _write(folder / f"papers-{(n_papers - 1) // PAPERS_IN_FILE}.json", shown)
    _write_words(postings, folder)
    _write(folder / "index.json", {"papers": n_papers, "in_file": PAPERS_IN_FILE, **told})
    return n_papers


def word_weights(texts: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Logarithmic term frequencies over all texts, each with its weight."""
    weights: defaultdict[str, float] = defaultdict(float)
    for text, weight in texts:
        for word, count in Counter(split_words(text)).items():
            weights[word] += weight * (1 + math.log(count))
    return dict(weights)


def _write_words(postings: dict[str, list[float]], folder: Path) -> None:
    files: dict[str, dict[str, list[float]]] = defaultdict(dict)
    for word in sorted(postings):
        files[shard(word)][word] = postings[word]
    for name, words in files.items():
        _write(folder / name, words)


def shard(word: str) -> str:
    """The file a word is in; letters as numbers, since not every file system keeps them apart."""
    return "words-" + "-".join(f"{ord(letter):x}" for letter in word[:_FIRST_LETTERS]) + ".json"


def _write(path: Path, value: object) -> None:
    path.write_text(
        json.dumps(value, ensure_ascii=False, separators=(",", ":")), encoding="utf-8", errors="replace"
    )
