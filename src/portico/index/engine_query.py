"""Translates a parsed query to the search engine: which fields to search, and how matches are weighted."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import log1p

import tantivy

from portico.index.facets import make_person_key, split_person
from portico.index.query import (
    Choice,
    Clause,
    ParsedQuery,
    QueryCitation,
    QueryGroup,
    QueryWords,
    QueryYears,
    Sign,
)
from portico.index.schema import IN, TEXTS, to_encodable
from portico.index.word_forms import differ_in_number
from portico.text.function_words import FUNCTION_WORDS

# If a word is in heading and abstract, the better hit counts, plus this share of the other: its score in one
# combined text with the title twice, without indexing abstracts twice. Compared with adding up on two sets of
# known-item queries, including that of tests/index/test_quality.py (docs/6-index.md).
_OTHER_SHARE = 0.2

# Weight of the heading relative to the abstract: it contains the title twice, and is short. Weights of .8 to
# 1.25 were compared on half of the queries of `portico lab search`.
_HEADING_WEIGHT = 0.9

# Weight of a hit in the body, which is longer and says less about the subject of a paper.
_BODY_WEIGHT = 0.3

# Additional score of two words that are next to each other in a text, as a share of the phrase's score, and
# how many other forms of the second word are tried. Shares of .3 to 1.5 were compared (`portico lab search`)
# and differ little.
_PAIR_WEIGHT, _PAIR_FORMS = 0.4, 2
_FUNCTION_WORDS = FUNCTION_WORDS["en"]

# Weight of other forms of a word relative to the word as typed: its singular or plural, and any other form.
_NUMBER_SHARE, _FORM_SHARE = 0.9, 0.6
# Additional scores, as shares, of a paper with every word as typed, and with every word as typed but for its
# number. Both and the weights above were compared on half of the queries of `portico lab search`.
_AS_TYPED, _BUT_FOR_NUMBER = 2.0, 0.5

_Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SearchScope:
    """Where to search: in a topic and below it, in an author's or a venue's papers, in held papers only.

    `named` are fields of the index, which `declared_fields.py` lists.
    """

    topic: str = ""
    author: str = ""
    venue: str = ""
    held: bool = False
    named: tuple[tuple[str, str], ...] = ()  # declared fields, or the kind, and their values


@dataclass(frozen=True, slots=True)
class QueryContext:
    """What an engine query is built from: the index fields, and document frequencies of words.

    The queries for words are kept, because they are part of several queries of one search.
    """

    schema: tantivy.Schema
    searcher: tantivy.Searcher
    kept: dict[tuple[_Words, float, bool], tantivy.Query] = field(default_factory=dict)


def build_engine_query(
    grounds: QueryContext, parsed: ParsedQuery, *, within: SearchScope, every_word: bool
) -> tantivy.Query:
    """The engine's query; `every_word` requires all plain words, otherwise one of them is enough.

    Restrictions to a field, such as years and topics, are always required. Function words ("of", "the")
    only add to the score, unless there are no others.
    """
    wanted = [clause for clause in parsed.clauses if clause.sign is not Sign.NOT]
    plain = [clause for clause in wanted if clause.is_plain_words]
    required = [_one_of(grounds, clause) for clause in wanted if clause not in plain]
    apart = plain if every_word else [part for clause in plain for part in clause.take_apart()]
    telling = [clause for clause in apart if not _is_function_word(clause)]
    if required or telling:
        optional = [_one_of(grounds, clause) for clause in apart if clause not in telling]
    else:
        telling, optional = apart, []
    if every_word:
        required += [_one_of(grounds, clause) for clause in telling]
    elif telling:
        required.append(_any([_one_of(grounds, clause) for clause in telling]))
    optional += _find_pairs(grounds, plain)
    if every_word and any(_has_forms(clause) for clause in wanted):
        for narrow, bonus in ((_as_typed, _AS_TYPED), (_in_either_number, _BUT_FOR_NUMBER)):
            close = _all([_one_of(grounds, narrow(clause)) for clause in wanted], [])
            optional.append(tantivy.Query.boost_query(close, bonus))
    unwanted = [_one_of(grounds, clause) for clause in parsed.clauses if clause.sign is Sign.NOT]
    required += [tantivy.Query.const_score_query(place, 0.0) for place in _places(grounds.schema, within)]
    fitting = _all(required, unwanted)
    if not optional:
        return fitting
    return tantivy.Query.boolean_query(
        [(tantivy.Occur.Must, fitting), *((tantivy.Occur.Should, query) for query in optional)]
    )


def _is_function_word(clause: Clause) -> bool:
    """Whether the clause is one word like "of", not in quotation marks."""
    choice = clause.choices[0]
    if len(clause.choices) > 1 or not isinstance(choice, QueryWords) or choice.exact or choice.prefix:
        return False
    return len(choice.words) == 1 and choice.words[0] in _FUNCTION_WORDS


def _find_pairs(grounds: QueryContext, plain: Sequence[Clause]) -> list[tantivy.Query]:
    """Neighboring words of the query as phrases, the second also in another form."""
    words = [[*_list_single_words(part)] for clause in plain for part in clause.take_apart()]
    pairs = []
    for firsts, seconds in pairwise(words):
        if not firsts or not seconds:
            continue
        phrases = [
            tantivy.Query.boost_query(
                tantivy.Query.phrase_query(grounds.schema, text, [firsts[0], second]), _PAIR_WEIGHT
            )
            for second in seconds[: 1 + _PAIR_FORMS]
            for text in TEXTS
        ]
        pairs.append(tantivy.Query.disjunction_max_query(phrases))
    return pairs


def _list_single_words(clause: Clause) -> Iterator[str]:
    """The word as typed and its other forms; nothing of function words, phrases and incomplete words."""
    choice = clause.choices[0]
    if not isinstance(choice, QueryWords) or choice.exact or choice.prefix or _is_function_word(clause):
        return
    for words in (choice.words, *choice.forms):
        if len(words) == 1:
            yield words[0]


def _has_forms(clause: Clause) -> bool:
    return any(isinstance(choice, QueryWords) and choice.forms for choice in clause.choices)


def _as_typed(clause: Clause) -> Clause:
    """The clause without other forms of its words."""
    return _keep_forms(clause, lambda _words, _form: False)


def _in_either_number(clause: Clause) -> Clause:
    """The clause with no other forms of its words than singular and plural."""
    return _keep_forms(clause, differ_in_number)


def _keep_forms(clause: Clause, is_kept: Callable[[_Words, _Words], bool]) -> Clause:
    choices = [
        replace(choice, forms=tuple([form for form in choice.forms if is_kept(choice.words, form)]))
        if isinstance(choice, QueryWords)
        else choice
        for choice in clause.choices
    ]
    return replace(clause, choices=tuple(choices))


def _all(required: list[tantivy.Query], unwanted: list[tantivy.Query]) -> tantivy.Query:
    return tantivy.Query.boolean_query(
        [(tantivy.Occur.Must, query) for query in required or [tantivy.Query.all_query()]]
        + [(tantivy.Occur.MustNot, query) for query in unwanted]
    )


def _places(schema: tantivy.Schema, within: SearchScope) -> list[tantivy.Query]:
    named = (("topics", within.topic), ("venue_name", within.venue))
    places = [_term(schema, field, value) for field, value in (*named, *within.named) if value]
    if within.author:
        name, person = split_person(to_encodable(within.author))
        field = "person_keys" if person else "author_keys"
        key = make_person_key(name, person)
        places.append(tantivy.Query.term_query(schema, field, key, index_option="basic"))
    if within.held:
        places.append(tantivy.Query.term_query(schema, "held", True, index_option="basic"))
    return places


def _one_of(grounds: QueryContext, clause: Clause) -> tantivy.Query:
    return _any([_choice(grounds, choice) for choice in clause.choices])


def _choice(grounds: QueryContext, choice: Choice) -> tantivy.Query:
    schema = grounds.schema
    if isinstance(choice, QueryCitation):
        return _linked(grounds, choice)
    if isinstance(choice, QueryGroup):
        wanted = [_one_of(grounds, each) for each in choice.clauses if each.sign is not Sign.NOT]
        return _all(wanted, [_one_of(grounds, each) for each in choice.clauses if each.sign is Sign.NOT])
    if isinstance(choice, QueryYears):
        return tantivy.Query.range_query(schema, "year", tantivy.FieldType.Integer, choice.low, choice.high)
    if choice.field is not None:
        forms = [_in_field(schema, choice.field, replace(choice, words=form)) for form in choice.forms]
        lesser = [tantivy.Query.boost_query(form, _FORM_SHARE) for form in forms]
        return _any([_in_field(schema, choice.field, choice), *lesser])
    shares = [_weigh_form(choice.words, form) for form in choice.forms]
    forms = [
        _in_any_text(grounds, words, share, prefix=choice.prefix)
        for words, share in zip((choice.words, *choice.forms), (1.0, *shares), strict=True)
    ]
    return forms[0] if len(forms) == 1 else tantivy.Query.disjunction_max_query(forms)


def _weigh_form(words: _Words, form: _Words) -> float:
    return _NUMBER_SHARE if differ_in_number(words, form) else _FORM_SHARE


def _in_any_text(grounds: QueryContext, words: _Words, share: float, *, prefix: bool) -> tantivy.Query:
    """The query for one form of the words in every text field and the body."""
    key = (words, share, prefix)
    if key not in grounds.kept:
        schema, form = grounds.schema, QueryWords(words, prefix=prefix)
        lifts = [1.0] * len(TEXTS) if prefix else _lift_texts(grounds.searcher, words)
        weights = [share * lift for lift in (lifts[0] * _HEADING_WEIGHT, *lifts[1:])]
        texts = [
            tantivy.Query.boost_query(_in_field(schema, text, form), weight)
            for text, weight in zip(TEXTS, weights, strict=True)
        ]
        body = tantivy.Query.boost_query(_in_field(schema, "body", form), share * _BODY_WEIGHT)
        grounds.kept[key] = _any([tantivy.Query.disjunction_max_query(texts, _OTHER_SHARE), body])
    return grounds.kept[key]


def _lift_texts(searcher: tantivy.Searcher, words: _Words) -> list[float]:
    """The factor for the rarity of the words in each text field.

    A word counts as equally rare in every text field, as rare as where it is most frequent: otherwise a word
    that is rare in titles but frequent in abstracts would rank papers first that happen to have it in the
    title. Other forms have weights of their own. Prefixes have the same weight everywhere already.
    """
    n_all = int(searcher.num_docs)
    of_texts = [[_rarity(int(searcher.doc_freq(text, word)), n_all) for word in words] for text in TEXTS]
    least = sum(map(min, zip(*of_texts, strict=True)))
    return [least / sum(each) for each in of_texts]


def _rarity(n_papers: int, n_all: int) -> float:
    """The inverse document frequency of BM25, as the engine computes it."""
    return log1p((max(0, n_all - n_papers) + 0.5) / (n_papers + 0.5))


def _in_field(schema: tantivy.Schema, field: str, choice: QueryWords) -> tantivy.Query:
    words = list(choice.words)
    if choice.prefix:
        return _beginning(schema, field, words)
    if len(words) == 1:
        return tantivy.Query.term_query(schema, field, words[0], index_option="freq")
    if field == "authors" or field.startswith(IN):
        # "Donald Knuth" and "Knuth, Donald" are one name: the first word may stand last and the last first.
        orders = (words, [words[-1], *words[:-1]], [*words[1:], words[0]])
        return _any([tantivy.Query.phrase_query(schema, field, [*order]) for order in orders])
    return tantivy.Query.phrase_query(schema, field, [*words])


def _beginning(schema: tantivy.Schema, field: str, words: list[str]) -> tantivy.Query:
    if len(words) > 1:
        return tantivy.Query.phrase_prefix_query(schema, field, [*words])
    # Words are letters and digits only, so nothing needs escaping.
    return tantivy.Query.regex_query(schema, field, f"{words[0]}.*")


def _linked(grounds: QueryContext, choice: QueryCitation) -> tantivy.Query:
    if choice.field == "cites":
        return _term(grounds.schema, "cites", choice.entity)
    itself = _term(grounds.schema, "id", choice.entity)
    found = grounds.searcher.search(itself, 1).hits
    cited = [entity for _, address in found for entity in grounds.searcher.doc(address).get_all("cites")]
    return tantivy.Query.term_set_query(grounds.schema, "id", cited)


def _term(schema: tantivy.Schema, field: str, value: str) -> tantivy.Query:
    return tantivy.Query.term_query(schema, field, to_encodable(value), index_option="basic")


def _any(queries: list[tantivy.Query]) -> tantivy.Query:
    if len(queries) == 1:
        return queries[0]
    return tantivy.Query.boolean_query([(tantivy.Occur.Should, query) for query in queries])
