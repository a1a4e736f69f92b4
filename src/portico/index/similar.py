"""The words that tell what one paper is about, as a query for papers like it."""

from collections import Counter
from math import log

import tantivy

from portico.index.facets import shown_of
from portico.index.query import Clause, ParsedQuery, Sign, Words
from portico.index.schema import TITLE_COPIES, encodable, n_papers_with, words_of
from portico.types.record import EntityId

# A dozen words are about what the sentence of an abstract that says most has; more only take longer.
_MOST_WORDS = 12
# Shorter ones are symbols and pieces of formulas.
_SHORTEST = 3


def telling_words(searcher: tantivy.Searcher, schema: tantivy.Schema, entity: EntityId) -> ParsedQuery:
    """The most telling words of a paper's title and abstract that others have, too; none of an unknown."""
    itself = tantivy.Query.term_query(schema, "id", encodable(entity), index_option="basic")
    counts: Counter[str] = Counter()
    for _, address in searcher.search(itself, 1).hits:
        document = searcher.doc(address)
        text = [document.get_first("abstract") or "", *[shown_of(document).title] * TITLE_COPIES]
        counts.update(words_of(" ".join(text)))
    weights = {
        word: times * _rarity(searcher, word)
        for word, times in counts.items()
        if len(word) >= _SHORTEST and not word.isdecimal()
    }
    best = sorted(weights, key=lambda word: (-weights[word], word))[:_MOST_WORDS]
    return ParsedQuery(tuple(Clause(Sign.PLAIN, (Words((word,)),)) for word in best if weights[word] > 0))


def _rarity(searcher: tantivy.Searcher, word: str) -> float:
    """Nothing for words of this paper alone, which lead to no other."""
    n_papers = n_papers_with(searcher, word)
    return log(max(1, int(searcher.num_docs)) / n_papers) if n_papers > 1 else 0.0
