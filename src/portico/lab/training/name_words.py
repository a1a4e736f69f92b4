"""Makes the shipped list of English words that are bad topic names, from papers of all fields.

Titles say what a paper is about. A word that is in many abstracts but few titles ("able", "decades") has no
subject, one in somewhat more titles ("distinction") has little of one; a word that is in titles but hardly
ever at their end ("neural", "social") needs another word after it.
"""

import json
import lzma
import re
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from portico.text.function_words import guess_language

LEAST_ABSTRACTS = 12  # words in fewer abstracts are not judged
FEWEST_WORDS = 30  # of an abstract that is read
# Priors: an average word has .2 titles per abstract and is the last word in .12 of its titles. They have the
# weight of this many abstracts and titles.
USUAL_TITLES, TITLES_PRIOR = 0.2, 20.0
USUAL_LAST, LAST_PRIOR = 0.12, 10.0
# Words below these bounds are "general", "weak" or "unfinished". Judged by reading the words near each bound.
LEAST_TITLES, FEW_TITLES, LEAST_LAST = 0.11, 0.18, 0.03
MOST_PREDICATES = 0.25  # maximum share of a word's occurrences after "is", "to", "we" and the like

_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_PREDICATE_SIGNS = frozenset(
    {"am", "are", "be", "been", "being", "can", "could", "did", "do", "does", "had", "has", "have", "he", "i",
     "is", "it", "may", "might", "must", "not", "she", "should", "that", "they", "to", "was", "we", "were",
     "which", "who", "will", "would"}
)  # fmt: skip


def learn_name_words(rows: Path) -> str:
    """The content of `portico/text/name_words.tsv`: one word and its kind per line.

    `rows` is an xz-compressed file with one JSON object (title, abstract) per line.
    """
    with lzma.open(rows, "rt", encoding="utf-8") as lines:
        kinds = judge_words(
            (paper.get("title") or "", paper.get("abstract") or "") for paper in map(json.loads, lines)
        )
    return "".join(f"{word}\t{kind}\n" for word, kind in sorted(kinds.items()))


def judge_words(papers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The kind of every word that makes a bad topic name: "general", "weak" or "unfinished"."""
    abstracts, said, predicates, titles, lasts = (Counter[str]() for _ in range(5))
    for title, abstract in papers:
        printed = [word.casefold() for word in _WORD.findall(abstract)]
        if len(printed) >= FEWEST_WORDS and guess_language(printed) == "en":
            abstracts.update(set(printed))
            said.update(printed)
            predicates.update(word for before, word in pairwise(printed) if before in _PREDICATE_SIGNS)
        heading = [word.casefold() for word in _WORD.findall(title)]
        titles.update(set(heading))
        lasts.update(heading[-1:])
    found: dict[str, str] = {}
    for word, n_abstracts in abstracts.items():
        if n_abstracts < LEAST_ABSTRACTS or len(word) < 3:
            continue
        titled = (titles[word] + USUAL_TITLES * TITLES_PRIOR) / (n_abstracts + TITLES_PRIOR)
        last = (lasts[word] + USUAL_LAST * LAST_PRIOR) / (titles[word] + LAST_PRIOR)
        if titled < LEAST_TITLES or predicates[word] > MOST_PREDICATES * said[word]:
            found[word] = "general"
        elif last < LEAST_LAST:
            found[word] = "unfinished"
        elif titled < FEW_TITLES:
            found[word] = "weak"
    return found
