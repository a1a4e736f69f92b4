"""An understood query becomes the engine's: which fields a word is looked for in, and what a hit is worth."""

from collections.abc import Mapping
from types import MappingProxyType

import tantivy

from portico.index.query import Clause, ParsedQuery, Sign, Words, Years

# BM25 weights of a word by field. `front` (title, authors, abstract and venue as one text) carries
# the score; the others lift it. Measured on 45,000 abstracts (docs/6-index.md): lifts of .5 and more
# push the paper one is looking for down, for its words stand in other papers' titles as well.
WEIGHTS: Mapping[str, float] = MappingProxyType({"front": 1.0, "title": 0.2, "authors": 0.15, "body": 0.3})


def engine_query(
    schema: tantivy.Schema, parsed: ParsedQuery, *, topic: str | None, every_word: bool
) -> tantivy.Query:
    """The engine's query; `every_word` asks for all plain clauses, else one of them is enough."""
    required = [_one_of(schema, clause) for clause in parsed.clauses if clause.sign is Sign.MUST]
    plain = [_one_of(schema, clause) for clause in parsed.clauses if clause.sign is Sign.PLAIN]
    unwanted = [_one_of(schema, clause) for clause in parsed.clauses if clause.sign is Sign.NOT]
    if plain and every_word:
        required += plain
    elif plain:
        required.append(_any(plain))
    if topic is not None:
        place = tantivy.Query.term_query(schema, "topics", topic, index_option="basic")
        required.append(tantivy.Query.const_score_query(place, 0.0))
    if not required:
        required.append(tantivy.Query.all_query())
    return tantivy.Query.boolean_query(
        [(tantivy.Occur.Must, query) for query in required]
        + [(tantivy.Occur.MustNot, query) for query in unwanted]
    )


def _one_of(schema: tantivy.Schema, clause: Clause) -> tantivy.Query:
    return _any([_choice(schema, choice) for choice in clause.choices])


def _choice(schema: tantivy.Schema, choice: Words | Years) -> tantivy.Query:
    if isinstance(choice, Years):
        return tantivy.Query.range_query(schema, "year", tantivy.FieldType.Integer, choice.low, choice.high)
    if choice.field is not None:
        return _in_field(schema, choice.field, choice)
    return _any(
        [
            tantivy.Query.boost_query(_in_field(schema, field, choice), weight)
            for field, weight in WEIGHTS.items()
        ]
    )


def _in_field(schema: tantivy.Schema, field: str, choice: Words) -> tantivy.Query:
    words = list(choice.words)
    if choice.prefix:
        return _beginning(schema, field, words)
    if len(words) == 1:
        return tantivy.Query.term_query(schema, field, words[0], index_option="freq")
    if field == "authors":
        # "Donald Knuth" and "Knuth, Donald" are one name: the first word may stand last and the last first.
        orders = (words, [words[-1], *words[:-1]], [*words[1:], words[0]])
        return _any([tantivy.Query.phrase_query(schema, field, [*order]) for order in orders])
    return tantivy.Query.phrase_query(schema, field, [*words])


def _beginning(schema: tantivy.Schema, field: str, words: list[str]) -> tantivy.Query:
    if len(words) > 1:
        return tantivy.Query.phrase_prefix_query(schema, field, [*words])
    # Words are letters and digits only, so nothing needs escaping.
    return tantivy.Query.regex_query(schema, field, f"{words[0]}.*")


def _any(queries: list[tantivy.Query]) -> tantivy.Query:
    if len(queries) == 1:
        return queries[0]
    return tantivy.Query.boolean_query([(tantivy.Occur.Should, query) for query in queries])
