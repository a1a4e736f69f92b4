"""Answers queries from an index folder: ranked or sorted hits with snippets, and facet counts."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log, log1p
from pathlib import Path
from types import MappingProxyType

import tantivy

from portico.errors import ConfigError
from portico.index.abbreviations import add_abbreviations
from portico.index.declared_fields import SORTS as DECLARED_SORTS
from portico.index.declared_fields import make_language, read_declared_fields
from portico.index.engine_query import QueryContext, SearchScope, build_engine_query
from portico.index.facets import (
    NO_FACETS,
    AuthorNames,
    Facets,
    count_declared,
    count_facets,
    count_facets_of_papers,
    read_shown,
)
from portico.index.files import COMMITTED, explain_unreadable, open_to_read, translate_faults
from portico.index.ordering import RERANKED, Found, rerank, sort_by_title
from portico.index.query import MAX_CHARACTERS, Clause, ParsedQuery, QueryWords, Sign, parse_query
from portico.index.schema import TITLE_COPIES, count_papers_with, split_words, to_encodable
from portico.index.snippets import PassageFinder
from portico.index.vocabulary import IndexVocabulary, find_completions
from portico.index.word_forms import WordForms
from portico.types.record import EntityId
from portico.types.search import Hit, QueryNotice, Results

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


def _join_links(
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


SORTS: Mapping[str, str | None] = MappingProxyType(
    {
        "relevance": None,
        "citations": "n_citations",
        "date": "published",
        "seminal": "authority",
        "survey": "hub",
        "title": "title_key",
    }
)
"""Sort orders a visitor may choose, and the field each one sorts by."""

RANKINGS = ("bm25f", "log-tf")
"""Ways to rank by relevance: the one with the best measured results, and that of the first portals."""

_ASCENDING = frozenset({"title"})

# Nobody reads further, and every hit before a page has to be ranked to reach it.
DEEPEST = 10_000

FEW = 3
"""Maximum number of hits for which another spelling is suggested, because papers may contain misspellings
too."""

MOST_HITS = 100

# A similar paper must reach this share of a paper's own score on its telling words.
LIKE_ENOUGH = 0.1

EVERYWHERE = SearchScope()
_CITED_ONLY = QueryNotice("No paper in this portal matches; these are known only from citations.")
_SOME_WORDS = QueryNotice("No paper has all of these words; these have some of them.")
_SOME_WORDS_OF_THINGS = QueryNotice("Nothing here has all of these words; these have some of them.")


class Searcher:
    """Holds one index open; safe to use from many threads, and follows updates of its folder."""

    def __init__(self, folder: Path, *, ranking: str = RANKINGS[0]) -> None:
        if ranking not in RANKINGS:
            raise ConfigError(f"there is no ranking “{ranking}”; choose one of {', '.join(RANKINGS)}")
        self._folder, self._ranking = folder, ranking
        self._committed_path = str(folder / COMMITTED)  # looked at for every search
        self._committed = self._commit()
        self._index, self._follows = open_to_read(folder)
        self._reloaded = self._committed
        self._names, self._vocabulary = AuthorNames(), IndexVocabulary()
        self._forms = WordForms(self._vocabulary.list_common)
        self._fields = read_declared_fields(folder)

    @property
    def sorts(self) -> Mapping[str, str | None]:
        """Orders in which results can be listed."""
        return DECLARED_SORTS if self._fields else SORTS

    @property
    def facet_fields(self) -> Mapping[str, str]:
        """The facets of declared kinds, and the index field of each; none for papers."""
        return self._fields.facets if self._fields else {}

    @property
    def n_entries(self) -> int:
        return int(self._index.searcher().num_docs)

    @property
    def is_stale(self) -> bool:
        """Whether the folder has changed in a way that only reopening it will show."""
        return not self._follows and self._commit() != self._committed

    def follow(self) -> None:
        """Read what has been committed to the folder by now; the engine itself checks only now and then."""
        committed = self._commit()
        if self._follows and committed and committed != self._committed:
            with translate_faults(explain_unreadable(self._folder)):
                self._index.reload()
            self._committed = committed

    def search(
        self,
        query: str,
        *,
        sort: str = "relevance",
        within: SearchScope = EVERYWHERE,
        limit: int = 10,
        offset: int = 0,
    ) -> Results:
        """The best `limit` hits after `offset`. Never raises for what the visitor typed.

        Raises PortalError where the index is damaged.
        """
        if sort not in self.sorts:
            raise ConfigError(f"there is no order “{sort}”; choose one of {', '.join(self.sorts)}")
        parsed = parse_query(query, make_language(self._fields))
        limit, offset = min(max(limit, 1), MOST_HITS), min(max(offset, 0), DEEPEST)
        with translate_faults(explain_unreadable(self._folder)):
            parsed = self._expand(self._latest(), parsed)
            return self._answer(parsed, _Wish(query, sort, within, limit, offset))

    def get_ready(self) -> None:
        """Do now what the first searches would otherwise wait for: half a second with 45,000 papers.

        Raises PortalError if the index is damaged.
        """
        with translate_faults(explain_unreadable(self._folder)):
            searcher = self._latest()
            self._vocabulary.get_ready(searcher)
            self._forms.get_ready(searcher)
            if not self._fields:
                self._names.get_ready(searcher, self._index.schema)

    def suggest(self, typed: str) -> tuple[str, ...]:
        """Completions of what is being typed, the most frequent first."""
        with translate_faults(explain_unreadable(self._folder)):
            return find_completions(self._latest(), typed)

    def similar(self, entity: EntityId, *, limit: int = 6) -> Results:
        """Held papers that share the most characteristic words of this one, and citations, the most
        similar first.
        """
        with translate_faults(explain_unreadable(self._folder)):
            searcher, schema = self._latest(), self._index.schema
            telling = find_telling_words(searcher, schema, entity)
            if not telling.clauses:
                return Results((), 0)
            grounds = QueryContext(schema, searcher)
            words = build_engine_query(grounds, telling, within=SearchScope(held=True), every_word=False)
            query = _join_links(searcher, schema, words, entity)
            found = searcher.search(query, limit + 1, weight_by_field="prior").hits
            passages = PassageFinder(())
            hits = [_hit(searcher, score, address, passages) for score, address in found]
        enough = max((hit.score for hit in hits), default=0.0) * LIKE_ENOUGH
        like = tuple(hit for hit in hits if hit.entity != entity and hit.score >= enough)
        return Results(like[:limit], len(like[:limit]))

    def count(self, within: SearchScope = EVERYWHERE) -> Facets:
        """The number of papers of each topic, year, author and venue."""
        with translate_faults(explain_unreadable(self._folder)):
            searcher = self._latest()
            grounds = QueryContext(self._index.schema, searcher)
            everything = build_engine_query(grounds, parse_query(""), within=within, every_word=True)
            return self._facets(searcher, everything)

    def _latest(self) -> tantivy.Searcher:
        """The latest commit. The engine checks for one twice a second, but accepted corrections should be
        found at once. If the folder is gone, what is open continues to answer.
        """
        commit = self._commit()
        if self._follows and commit and commit != self._reloaded:
            self._index.reload()
            self._reloaded = commit
        return self._index.searcher()

    def _answer(self, parsed: ParsedQuery, wish: "_Wish") -> Results:
        searcher = self._latest()
        grounds = QueryContext(self._index.schema, searcher)
        sort = wish.sort
        if sort == "relevance" and not parsed.clauses:
            sort = "title" if self._fields else "citations"
        notices = parsed.notices
        engine = build_engine_query(grounds, parsed, within=wish.within, every_word=True)
        wish = replace(wish, sort=sort)
        found, total = self._ranked(searcher, engine, wish, parsed)
        n_cited_only = 0
        if wish.within.held:
            everything = replace(wish.within, held=False)
            wider = build_engine_query(grounds, parsed, within=everything, every_word=True)
            n_cited_only = _count(searcher, wider) - total
            if n_cited_only and not total:
                engine, wish, n_cited_only = wider, replace(wish, within=everything), 0
                found, total = self._ranked(searcher, engine, wish, parsed)
                notices = (*notices, _CITED_ONLY)
        suggestion = as_typed = ""
        if total <= FEW and parsed.clauses:
            typed = wish.query[:MAX_CHARACTERS]
            suggestion, as_typed = self._vocabulary.correct(searcher, typed, parsed.spelled)
        if suggestion and not total:
            meant = self._answer_meant(searcher, suggestion, wish)
            if meant.total and not meant.notices:
                return replace(meant, suggestion=suggestion, as_typed=as_typed)
        if not total and _n_plain(parsed) > 1:
            engine = build_engine_query(grounds, parsed, within=wish.within, every_word=False)
            # What a short abstract lacks is no sign that it was meant, unless it has all the words.
            wish = replace(wish, by_prior=not wish.within.held)
            found, total = self._ranked(searcher, engine, wish, parsed)
            some = _SOME_WORDS_OF_THINGS if self._fields else _SOME_WORDS
            notices = (*notices, some) if total else notices
        passages = PassageFinder(parsed.sought)
        hits = tuple([_hit(searcher, score, address, passages) for score, address in found])
        beside = self._beside(hits, total, searcher, engine)
        return Results(hits, total, notices, beside, n_cited_only, suggestion)

    def _answer_meant(self, searcher: tantivy.Searcher, meant: str, wish: "_Wish") -> Results:
        """The results for the query with its misspellings corrected, if papers contain the corrected
        words.
        """
        parsed = parse_query(meant, make_language(self._fields))
        return self._answer(self._expand(searcher, parsed), replace(wish, query=meant))

    def _expand(self, searcher: tantivy.Searcher, parsed: ParsedQuery) -> ParsedQuery:
        """The query with other forms of its words, and with the other forms of abbreviations."""
        return add_abbreviations(searcher, self._forms.expand(searcher, self._index.schema, parsed))

    def _beside(
        self, hits: Sequence[Hit], total: int, searcher: tantivy.Searcher, query: tantivy.Query
    ) -> Facets:
        """Facet counts; counted here if all results are at hand, as in half of all searches."""
        if not total:
            return self._no_facets
        if total == len(hits) and not self._fields:
            return count_facets_of_papers([hit.shown for hit in hits])
        for hit in hits:
            self._names.learn(hit.shown)
        return self._facets(searcher, query)

    def _ranked(
        self, searcher: tantivy.Searcher, query: tantivy.Query, wish: "_Wish", parsed: ParsedQuery
    ) -> tuple[list[Found], int]:
        order = self.sorts[wish.sort]
        if wish.sort == "title":
            return sort_by_title(
                searcher,
                lambda start, n: _run(searcher, query, order, replace(wish, offset=start, limit=n)),
                limit=wish.limit,
                offset=wish.offset,
            )
        reread = order is None and self._ranking == "log-tf" and wish.offset < RERANKED
        if not reread:
            return _run(searcher, query, order, wish)
        found, total = _run(searcher, query, order, replace(wish, limit=RERANKED, offset=0))
        return rerank(searcher, found, parsed)[wish.offset : wish.offset + wish.limit], total

    def _facets(self, searcher: tantivy.Searcher, query: tantivy.Query) -> Facets:
        if self._fields:
            return count_declared(searcher, query, self._fields.facets)
        return count_facets(searcher, self._index.schema, query, self._names)

    @property
    def _no_facets(self) -> Facets:
        return tuple((name, ()) for name in self._fields.facets) if self._fields else NO_FACETS

    def _commit(self) -> tuple[int, int] | None:
        """Time and size of the last commit."""
        try:
            written = os.stat(self._committed_path)
        except OSError:
            return None
        return written.st_mtime_ns, written.st_size


@dataclass(frozen=True, slots=True)
class _Wish:
    """One search request, within our limits."""

    query: str
    sort: str
    within: SearchScope
    limit: int
    offset: int
    by_prior: bool = True  # whether brevity, citations and being held affect the score


def _run(
    searcher: tantivy.Searcher, query: tantivy.Query, order: str | None, wish: _Wish
) -> tuple[list[Found], int]:
    """Scores (or sort values) with document addresses, and the total number of matches."""
    if order is None:
        prior = "prior" if wish.by_prior else None
        found = searcher.search(query, wish.limit, offset=wish.offset, weight_by_field=prior)
    else:
        direction = tantivy.Order.Asc if wish.sort in _ASCENDING else tantivy.Order.Desc
        found = searcher.search(query, wish.limit, offset=wish.offset, order_by_field=order, order=direction)
    return found.hits, int(found.count)  # type: ignore[attr-defined]  # missing in tantivy's stubs


def _count(searcher: tantivy.Searcher, query: tantivy.Query) -> int:
    return int(searcher.search(query, 1).count)  # type: ignore[attr-defined]  # missing in tantivy's stubs


def _n_plain(parsed: ParsedQuery) -> int:
    plain = [clause for clause in parsed.clauses if clause.is_plain_words]
    return sum(1 for clause in plain for _ in clause.take_apart())


def _hit(
    searcher: tantivy.Searcher, score: float | None, address: tantivy.DocAddress, passages: PassageFinder
) -> Hit:
    document = searcher.doc(address)
    # Read one by one: bodies are long, and seldom looked at.
    text, marks = passages.best(document.get_first(field) or "" for field in ("abstract", "body"))
    entity = EntityId(str(document.get_first("id")))
    return Hit(entity, float(score or 0.0), text, marks, read_shown(document))
