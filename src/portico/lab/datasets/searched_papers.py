"""Collections with queries whose answers are known: from citations, from topics, and for a known item."""

import gzip
import json
import random
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from portico.errors import ConfigError
from portico.index.schema import split_words
from portico.types.record import EntityId
from portico.types.search import Entry

# One in so many papers that cite others is left out of the index: its title is a query.
_LEFT_OUT = 5
# Minimum number of answers to a query.
_FEWEST_ANSWERS = 2
# Number of words in a query from an abstract, and minimum number of letters in each.
_N_WORDS, _SHORTEST = 4, 5


@dataclass(frozen=True, slots=True)
class Question:
    """A visitor's query, and the papers that answer it."""

    query: str
    answers: frozenset[EntityId]


@dataclass(frozen=True, slots=True)
class CitedPapers:
    """Papers, and which of them each one cites."""

    entries: tuple[Entry, ...]
    cites: Mapping[EntityId, frozenset[EntityId]]


def read_cited_papers(folder: Path) -> CitedPapers:
    """The papers in papers.jsonl.gz (id, title, abstract, authors), with edges.tsv (citing, cited), of a
    folder.
    """
    cites: dict[EntityId, set[EntityId]] = defaultdict(set)
    try:
        with gzip.open(folder / "papers.jsonl.gz", "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        edges = (folder / "edges.tsv").read_text(encoding="utf-8").split("\n")
    except (OSError, ValueError) as error:
        raise ConfigError(f"{folder}: {error}; it needs papers.jsonl.gz and edges.tsv") from error
    for edge in filter(None, edges):
        citing, cited = edge.split("\t")
        cites[EntityId(citing)].add(EntityId(cited))
    entries = tuple(
        Entry(
            EntityId(row["id"]),
            row["title"],
            tuple(row["authors"]),
            row["abstract"],
            cites=tuple(sorted(cites[row["id"]])),
        )
        for row in rows
    )
    return CitedPapers(entries, {citing: frozenset(cited) for citing, cited in cites.items()})


def ask_for_cited(papers: CitedPapers) -> tuple[list[Entry], list[Question]]:
    """The papers to index, and the titles of the others as queries, whose answers are the papers they
    cite.
    """
    citing = [each for each in papers.entries if len(papers.cites.get(each.entity, ())) >= _FEWEST_ANSWERS]
    left_out = {each.entity for each in citing[::_LEFT_OUT]}
    kept = [each for each in papers.entries if each.entity not in left_out]
    known = {each.entity for each in kept}
    questions = [Question(each.title, papers.cites[each.entity] & known) for each in citing[::_LEFT_OUT]]
    return kept, [question for question in questions if len(question.answers) >= _FEWEST_ANSWERS]


def read_topic_questions(folder: Path) -> tuple[list[Entry], list[Question]]:
    """Labeled documents, and any two keywords of a leaf as a query, whose answers are the leaf's
    documents.
    """
    with gzip.open(folder / "documents.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    entries = [Entry(EntityId(row["id"]), row["title"], abstract=row["abstract"]) for row in rows]
    answers: dict[str, set[EntityId]] = defaultdict(set)
    for line in (folder / "labels.tsv").read_text(encoding="utf-8").splitlines():
        document, path = line.split("\t")
        answers[path].add(EntityId(document))
    questions = []
    for line in (folder / "topics.tsv").read_text(encoding="utf-8").splitlines():
        path, keywords = line.split("\t")
        pairs = combinations(keywords.split(", "), 2)
        questions += [Question(" ".join(pair), frozenset(answers[path])) for pair in pairs]
    return entries, questions


def ask_for_known(
    entries: Collection[Entry], n_questions: int, change: Callable[[str], str] = str
) -> list[Question]:
    """Queries of four words from an abstract, each word passed through `change`; the answer is that
    paper.
    """
    rng, questions = random.Random(0), []
    for entry in rng.sample([*entries], n_questions):
        words = [word for word in dict.fromkeys(split_words(entry.abstract)) if len(word) >= _SHORTEST]
        chosen = rng.sample(words, min(_N_WORDS, len(words)))
        questions.append(Question(" ".join(map(change, chosen)), frozenset({entry.entity})))
    return questions


def change_number(word: str) -> str:
    """A noun in singular instead of plural or vice versa, by simple rules: visitors may type either."""
    if not word.isalpha() or word.endswith(("ss", "us", "is", "ly", "ed", "ing")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith("s"):
        return word[:-1]
    return word[:-1] + "ies" if word.endswith("y") and word[-2] not in "aeiou" else word + "s"
