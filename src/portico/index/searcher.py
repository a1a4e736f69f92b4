"""Answers queries from an index folder: ranked or sorted hits with snippets, and facet counts."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
from portico.index.query import MAX_CHARACTERS, ParsedQuery, parse_query
from portico.index.related import find_telling_words, join_links
from portico.index.snippets import PassageFinder
from portico.index.vocabulary import IndexVocabulary, find_completions
from portico.index.word_forms import WordForms
from portico.types.record import EntityId
from portico.types.search import Hit, QueryNotice, Results

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

WITH_SOME = 100
"""If fewer papers have all words, papers with some of them may follow, up to this number in all."""

# In queries of so few words, a short paper is no likelier to be meant than a long one: the chance that a text
# has every word without being about them grows with its length to the power of the number of words.
_FEW_WORDS = 2

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
        with_some: bool = False,
    ) -> Results:
        """The best `limit` hits after `offset`. Never raises for what the visitor typed.

        If `with_some`, few papers that have all words are followed by papers that have some of them. These
        belong neither to the total nor to the facets.

        Raises PortalError where the index is damaged.
        """
        if sort not in self.sorts:
            raise ConfigError(f"there is no order “{sort}”; choose one of {', '.join(self.sorts)}")
        parsed = parse_query(query, make_language(self._fields))
        limit, offset = min(max(limit, 1), MOST_HITS), min(max(offset, 0), DEEPEST)
        with translate_faults(explain_unreadable(self._folder)):
            parsed = self._expand(self._latest(), parsed)
            return self._answer(parsed, _Wish(query, sort, within, limit, offset, with_some))

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
            query = join_links(searcher, schema, words, entity)
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
        n_words = _n_plain(parsed)
        wish = replace(wish, sort=sort, prior="prior" if n_words > _FEW_WORDS else "prior_without_length")
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
        more: list[Found] = []
        n_with_some = 0
        if not total and n_words > 1:
            engine, wish = _ask_for_some(grounds, parsed, wish)
            found, total = self._ranked(searcher, engine, wish, parsed)
            some = _SOME_WORDS_OF_THINGS if self._fields else _SOME_WORDS
            notices = (*notices, some) if total else notices
        elif wish.with_some and sort == "relevance" and n_words > 1 and total < _end_with_some(wish):
            query, of_some = _ask_for_some(grounds, parsed, wish)
            more, n_with_some = _list_with_some(searcher, (engine, query), of_some, found, total)
        passages = PassageFinder(parsed.sought)
        hits = tuple([_hit(searcher, score, address, passages) for score, address in found])
        others = [_hit(searcher, score, address, passages) for score, address in more]
        hits = (*hits, *[hit._replace(has_all=False) for hit in others])
        beside = self._beside(hits[: len(found)], total, searcher, engine)
        return Results(hits, total, notices, beside, n_cited_only, suggestion, n_with_some=n_with_some)

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
    with_some: bool
    prior: str | None = (
        None  # the field of factors by which scores are multiplied: being held, citations, brevity
    )


def _run(
    searcher: tantivy.Searcher, query: tantivy.Query, order: str | None, wish: _Wish
) -> tuple[list[Found], int]:
    """Scores (or sort values) with document addresses, and the total number of matches."""
    if order is None:
        found = searcher.search(query, wish.limit, offset=wish.offset, weight_by_field=wish.prior)
    else:
        direction = tantivy.Order.Asc if wish.sort in _ASCENDING else tantivy.Order.Desc
        found = searcher.search(query, wish.limit, offset=wish.offset, order_by_field=order, order=direction)
    return found.hits, int(found.count)  # type: ignore[attr-defined]  # missing in tantivy's stubs


def _ask_for_some(grounds: QueryContext, parsed: ParsedQuery, wish: _Wish) -> tuple[tantivy.Query, _Wish]:
    """The search for papers with some of the words. What a short abstract lacks is no sign that it was meant,
    unless it has all the words.
    """
    query = build_engine_query(grounds, parsed, within=wish.within, every_word=False)
    return query, replace(wish, prior=None if wish.within.held else wish.prior)


def _list_with_some(
    searcher: tantivy.Searcher,
    queries: tuple[tantivy.Query, tantivy.Query],
    wish: _Wish,
    with_every: Sequence[Found],
    n_every: int,
) -> tuple[list[Found], int]:
    """Papers that follow those with every word on this page, and how many follow them in all.

    The queries are for every word and for some. Whatever has every word has some; on the first page, papers
    with every word are therefore left out here, in half the time that the engine takes.
    """
    every, some = queries
    first = max(wish.offset, n_every)
    room = max(0, min(wish.offset + wish.limit, WITH_SOME) - first)
    if not wish.offset:
        shown = {(address.segment_ord, address.doc) for _, address in with_every}
        found, n_found = _run(searcher, some, None, replace(wish, limit=wish.limit if room else 1))
        others = [each for each in found if (each[1].segment_ord, each[1].doc) not in shown]
        return others[:room], min(n_found, WITH_SOME) - n_every
    rest = tantivy.Query.boolean_query([(tantivy.Occur.Must, some), (tantivy.Occur.MustNot, every)])
    found, n_found = _run(searcher, rest, None, replace(wish, offset=first - n_every, limit=room or 1))
    return found[:room], min(n_found, WITH_SOME - n_every)


def _end_with_some(wish: "_Wish") -> int:
    """How many papers with all words leave no room for others; a page full of them needs no second query."""
    return min(WITH_SOME, wish.offset + wish.limit)


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
