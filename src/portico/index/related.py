"""Finds related papers: by the words that best characterize a paper, shared references, and co-citation."""

from collections import Counter
from math import log, log1p

import tantivy

from portico.index.facets import read_shown
from portico.index.query import Clause, ParsedQuery, QueryWords, Sign
from portico.index.schema import TITLE_COPIES, count_papers_with, split_words, to_encodable
from portico.types.record import EntityId

# Number of words by which related papers are found, and the weights of a shared reference and of being cited
# together: chosen on 400 papers, and as good on 800 others (related papers in `portico lab search`).
_MOST_WORDS, _SHARED_REFERENCE, _CITED_TOGETHER = 25, 1.0, 20.0
# Number of citing papers whose references are read, at 0.05 ms each, and of links of each kind to follow.
_MOST_CITING, _MOST_LINKED = 50, 40
# Shorter words are symbols and pieces of formulas.
_SHORTEST = 3


def find_telling_words(searcher: tantivy.Searcher, schema: tantivy.Schema, entity: EntityId) -> ParsedQuery:
    """The words that best characterize a paper and occur in others too; none if the paper is unknown."""
    itself = tantivy.Query.term_query(schema, "id", to_encodable(entity), index_option="basic")
    counts: Counter[str] = Counter()
    for _, address in searcher.search(itself, 1).hits:
        document = searcher.doc(address)
        text = [document.get_first("abstract") or "", *[read_shown(document).title] * TITLE_COPIES]
        counts.update(split_words(" ".join(text)))
    weights = {
        word: times * _rarity(searcher, word)
        for word, times in counts.items()
        if len(word) >= _SHORTEST and not word.isdecimal()
    }
    best = sorted(weights, key=lambda word: (-weights[word], word))[:_MOST_WORDS]
    return ParsedQuery(
        tuple(Clause(Sign.PLAIN, (QueryWords((word,)),)) for word in best if weights[word] > 0)
    )


def _rarity(searcher: tantivy.Searcher, word: str) -> float:
    """Zero for words of this paper alone, because they lead to no other."""
    n_papers = count_papers_with(searcher, word)
    return log(max(1, int(searcher.num_docs)) / n_papers) if n_papers > 1 else 0.0


def join_links(
    searcher: tantivy.Searcher, schema: tantivy.Schema, words: tantivy.Query, entity: EntityId
) -> tantivy.Query:
    """Papers that share words with this one, first those that also share references or are cited together
    with it. Citations between them do not count.
    """
    itself = tantivy.Query.term_query(schema, "id", to_encodable(entity), index_option="basic")
    citing = tantivy.Query.term_query(schema, "cites", to_encodable(entity), index_option="basic")
    cited = _list_cited(searcher, itself, 1)
    together = _list_cited(searcher, citing, _MOST_CITING)
    together.pop(entity, None)
    linked = [
        (tantivy.Query.term_query(schema, "cites", each, index_option="basic"), _SHARED_REFERENCE)
        for each in list(cited)[:_MOST_LINKED]
    ]
    for each, times in together.most_common(_MOST_LINKED):
        alike = tantivy.Query.term_query(schema, "id", each, index_option="basic")
        linked.append((tantivy.Query.const_score_query(alike, 1.0), _CITED_TOGETHER * log1p(times)))
    return tantivy.Query.boolean_query(
        [(tantivy.Occur.Must, words)]
        + [(tantivy.Occur.Should, tantivy.Query.boost_query(query, boost)) for query, boost in linked]
    )


def _list_cited(searcher: tantivy.Searcher, query: tantivy.Query, n_papers: int) -> Counter[str]:
    """What these papers cite, and how many of them do."""
    found = searcher.search(query, n_papers).hits
    return Counter(str(each) for _, address in found for each in searcher.doc(address).get_all("cites"))
