"""Measures search quality with citations, topics and known items, and compares with other engines in the
same run.
"""

import random
import sqlite3
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from math import log2
from pathlib import Path
from tempfile import TemporaryDirectory

import tantivy

from portico.index.engine_query import SearchScope
from portico.index.schema import split_words
from portico.index.searcher import Searcher
from portico.index.writer import write_index
from portico.lab.datasets.searched_papers import (
    CitedPapers,
    Question,
    ask_for_cited,
    ask_for_known,
    change_number,
    read_cited_papers,
    read_topic_questions,
)
from portico.types.record import EntityId
from portico.types.search import Entry

Tell = Callable[[str], None]
Search = Callable[[str], Sequence[EntityId]]
"""Returns the best papers for a query, as many as are needed to measure recall."""

# Results on the first page, and those that a patient visitor looks through.
_FIRST, _PATIENT = 10, 100
_N_KNOWN, _N_QUICK = 1_000, 100
# Related papers on a paper's page.
_RELATED = 6


def measure_search(data: Path, *, quick: bool, tell: Tell) -> Mapping[str, Mapping[str, Mapping[str, float]]]:
    """Figures of every engine for every set of queries."""
    papers = read_cited_papers(data / "citations" / "peerread")
    kept, cited = ask_for_cited(papers)
    documents, by_topic = read_topic_questions(data / "topics" / "arxiv53")
    n_known = _N_QUICK if quick else _N_KNOWN
    figures: dict[str, dict[str, Mapping[str, float]]] = {}
    for entries, asked in (
        (kept, {"citing titles": cited, "four words": ask_for_known(kept, n_known),
                "four words in the other number": ask_for_known(kept, n_known, change_number)}),
        (documents, {"keywords of topics": by_topic}),
    ):  # fmt: skip
        with TemporaryDirectory() as folder:
            for engine, prepare in _ENGINES.items():
                if engine == "bm25s" and not find_spec("bm25s"):
                    tell("bm25s is left out: it is not installed (pip install bm25s).")
                    continue
                search = prepare(entries, Path(folder))
                for name, questions in asked.items():
                    tell(f"{engine}: {name}")
                    chosen = random.Random(0).sample(questions, min(n_known, len(questions)))
                    figures.setdefault(name, {})[engine] = _score(search, chosen)
    with TemporaryDirectory() as folder:
        related = measure_related(papers, Path(folder) / "index", n_asked=n_known)
    figures["related papers"] = {"portico": related}
    return figures


def measure_related(papers: CitedPapers, folder: Path, *, n_asked: int) -> Mapping[str, float]:
    """How many of the papers that a paper cites, or is cited by, are among its related papers, on
    average.
    """
    linked: dict[EntityId, set[EntityId]] = {each.entity: set() for each in papers.entries}
    for citing, cited in papers.cites.items():
        for each in cited:
            linked[citing].add(each)
            linked[each].add(citing)
    write_index(papers.entries, folder)
    searcher = Searcher(folder)
    asked = [entity for entity, others in linked.items() if others]
    shares, seconds = [], []
    for entity in random.Random(0).sample(asked, min(n_asked, len(asked))):
        started = time.perf_counter()
        found = {hit.entity for hit in searcher.similar(entity, limit=_RELATED).hits}
        seconds.append(time.perf_counter() - started)
        shares.append(len(found & linked[entity]) / len(linked[entity]))
    return {
        "recall@6": sum(shares) / len(shares),
        "ms": 1000 * sorted(seconds)[len(seconds) // 2],
        "papers": len(shares),
    }


def _score(search: Search, questions: Collection[Question]) -> Mapping[str, float]:
    """nDCG and reciprocal rank on the first page, recall of the first hundred results, and the median
    time.
    """
    gains, ranks, recalls, seconds = [], [], [], []
    for question in questions:
        started = time.perf_counter()
        found = [*search(question.query)]
        seconds.append(time.perf_counter() - started)
        right = [entity in question.answers for entity in found]
        ideal = sum(1 / log2(place + 2) for place in range(min(_FIRST, len(question.answers))))
        gains.append(sum(hit / log2(place + 2) for place, hit in enumerate(right[:_FIRST])) / ideal)
        ranks.append(1 / (right.index(True) + 1) if True in right[:_FIRST] else 0.0)
        recalls.append(sum(right) / min(_PATIENT, len(question.answers)))
    n_questions = len(questions)
    return {
        "ndcg@10": sum(gains) / n_questions,
        "mrr@10": sum(ranks) / n_questions,
        "recall@100": sum(recalls) / n_questions,
        "ms": 1000 * sorted(seconds)[n_questions // 2],
        "queries": n_questions,
    }


def _prepare_portico(entries: Sequence[Entry], folder: Path) -> Search:
    write_index(entries, folder / "portico")
    searcher = Searcher(folder / "portico")
    searcher.get_ready()
    held = SearchScope(held=True)  # the default of result pages, unless a visitor wants all papers
    return lambda query: [
        hit.entity for hit in searcher.search(query, within=held, limit=_PATIENT, with_some=True).hits
    ]


def _prepare_tantivy(entries: Sequence[Entry], folder: Path) -> Search:
    """Tantivy without additions: two fields, its own analyzer and query parser, and any matching word is
    enough.
    """
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw")
    for field in ("title", "abstract"):
        builder.add_text_field(field)
    index = tantivy.Index(builder.build())
    writer = index.writer()
    for entry in entries:
        writer.add_document(tantivy.Document(id=entry.entity, title=entry.title, abstract=entry.abstract))
    writer.commit()
    index.reload()
    searcher = index.searcher()

    def search(query: str) -> list[EntityId]:
        parsed = index.parse_query(" ".join(split_words(query)), ["title", "abstract"])
        addresses = [address for _, address in searcher.search(parsed, _PATIENT).hits]
        return [EntityId(str(searcher.doc(address).get_first("id"))) for address in addresses]

    return search


def _prepare_fts5(entries: Sequence[Entry], _: Path) -> Search:
    database = sqlite3.connect(":memory:")
    database.execute(
        "CREATE VIRTUAL TABLE papers USING fts5(id UNINDEXED, title, abstract, tokenize='porter')"
    )
    rows = ((each.entity, each.title, each.abstract) for each in entries)
    database.executemany("INSERT INTO papers VALUES (?, ?, ?)", rows)
    sql = "SELECT id FROM papers WHERE papers MATCH ? ORDER BY rank LIMIT ?"

    def search(query: str) -> list[EntityId]:
        words = " OR ".join(f'"{word}"' for word in split_words(query))
        return [EntityId(row[0]) for row in database.execute(sql, (words, _PATIENT))]

    return search


def _prepare_bm25s(entries: Sequence[Entry], _: Path) -> Search:
    """BM25S with its defaults, without a stemmer."""
    bm25s = import_module("bm25s")
    texts = [f"{each.title} {each.abstract}" for each in entries]
    retriever = bm25s.BM25()
    retriever.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)

    def search(query: str) -> list[EntityId]:
        tokens = bm25s.tokenize(query, stopwords="en", show_progress=False)
        places, _ = retriever.retrieve(tokens, k=_PATIENT, show_progress=False)
        return [entries[place].entity for place in places[0]]

    return search


_ENGINES: Mapping[str, Callable[[Sequence[Entry], Path], Search]] = {
    "portico": _prepare_portico,
    "bare tantivy": _prepare_tantivy,
    "sqlite fts5, porter": _prepare_fts5,
    "bm25s": _prepare_bm25s,
}
