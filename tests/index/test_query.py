"""Any string is a query; what it was taken to mean is a value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.index.query import (
    MAX_CLAUSES,
    Choice,
    Clause,
    QueryGroup,
    QueryWords,
    QueryYears,
    Sign,
    parse_query,
)

CATS, DOGS, BIRDS = QueryWords(("cats",)), QueryWords(("dogs",)), QueryWords(("birds",))


def plain(*choices: Choice) -> Clause:
    return Clause(Sign.PLAIN, choices)


@pytest.mark.parametrize(
    ("query", "clauses"),
    [
        ("", ()),
        ("   \t ", ()),
        ("Neural networks", (plain(QueryWords(("neural",))), plain(QueryWords(("networks",))))),
        ('"hidden Markov model"', (plain(QueryWords(("hidden", "markov", "model"), exact=True)),)),
        ("“hidden Markov”", (plain(QueryWords(("hidden", "markov"), exact=True)),)),
        ("state-of-the-art", (plain(QueryWords(("state", "of", "the", "art"))),)),
        ("Gödel", (plain(QueryWords(("godel",))),)),
        (
            "+neural -biology",
            (Clause(Sign.MUST, (QueryWords(("neural",)),)), Clause(Sign.NOT, (QueryWords(("biology",)),))),
        ),
        ("author:Knuth", (plain(QueryWords(("knuth",), "authors")),)),
        ("AUTHOR:Knuth", (plain(QueryWords(("knuth",), "authors")),)),
        ('author:"Donald Knuth"', (plain(QueryWords(("donald", "knuth"), "authors", exact=True)),)),
        ('-title:"a b"', (Clause(Sign.NOT, (QueryWords(("a", "b"), "title", exact=True),)),)),
        ("topic:machine-learning", (plain(QueryWords(("machine", "learning"), "topic_words")),)),
        ("year:1998", (plain(QueryYears(1998, 1998)),)),
        ("year:1995..1999", (plain(QueryYears(1995, 1999)),)),
        ("year:1999-1995", (plain(QueryYears(1995, 1999)),)),
        ("year:1995..", (plain(QueryYears(1995, None)),)),
        ("year:..1999", (plain(QueryYears(None, 1999)),)),
        ("neur*", (plain(QueryWords(("neur",), prefix=True)),)),
        ("title:neur*", (plain(QueryWords(("neur",), "title", prefix=True)),)),
        ("cats OR dogs", (plain(QueryWords(("cats",)), QueryWords(("dogs",))),)),
        (
            "a cats OR dogs b",
            (
                plain(QueryWords(("a",))),
                plain(QueryWords(("cats",)), QueryWords(("dogs",))),
                plain(QueryWords(("b",))),
            ),
        ),
        ("cats AND dogs", (plain(QueryWords(("cats",))), plain(QueryWords(("dogs",))))),
        ("half\ud800", (plain(QueryWords(("half",))),)),
        ("(cats)", (plain(QueryWords(("cats",))),)),
        ("(cats dogs)", (plain(CATS), plain(DOGS))),
        ("(cats OR dogs) birds", (plain(CATS, DOGS), plain(BIRDS))),
        ("birds OR (cats dogs)", (plain(BIRDS, QueryGroup((plain(CATS), plain(DOGS)))),)),
        ("(cats dogs) OR birds", (plain(QueryGroup((plain(CATS), plain(DOGS))), BIRDS),)),
        ("(cats OR (dogs OR birds))", (plain(CATS, DOGS, BIRDS),)),
        ("-(cats OR dogs)", (Clause(Sign.NOT, (CATS, DOGS)),)),
        ("-(cats dogs)", (Clause(Sign.NOT, (QueryGroup((plain(CATS), plain(DOGS))),)),)),
        ("+(cats OR dogs)", (Clause(Sign.MUST, (CATS, DOGS)),)),
        ("(cats -dogs) OR birds", (plain(QueryGroup((plain(CATS), Clause(Sign.NOT, (DOGS,)))), BIRDS),)),
        (
            "title:(cats OR author:dogs)",
            (plain(QueryWords(("cats",), "title"), QueryWords(("dogs",), "authors")),),
        ),
        ("year:(1995 OR 1997..)", (plain(QueryYears(1995, 1995), QueryYears(1997, None)),)),
        ("f(x)", (plain(QueryWords(("f",))), plain(QueryWords(("x",))))),
        ('"f(x"', (plain(QueryWords(("f", "x"), exact=True)),)),
        ("cats NOT dogs", (plain(CATS), Clause(Sign.NOT, (DOGS,)))),
        ("cats AND NOT (dogs OR birds)", (plain(CATS), Clause(Sign.NOT, (DOGS, BIRDS)))),
        ("not cats", (plain(QueryWords(("not",))), plain(CATS))),
        ("Title: cats dogs", (plain(QueryWords(("cats",), "title")), plain(DOGS))),
        ("hot topic: cats", (plain(QueryWords(("hot",))), plain(QueryWords(("topic",))), plain(CATS))),
        (
            "Word2vec: a study",
            (plain(QueryWords(("word2vec",))), plain(QueryWords(("a",))), plain(QueryWords(("study",)))),
        ),
    ],
)
def test_what_is_understood(query: str, clauses: tuple[Clause, ...]) -> None:
    parsed = parse_query(query)
    assert parsed.clauses == clauses
    assert parsed.notice == ""


@pytest.mark.parametrize(
    ("query", "clauses", "notice"),
    [
        ('"lone quote', (plain(QueryWords(("lone",))), plain(QueryWords(("quote",)))), "quotation mark"),
        ("*", (), "star"),
        ("colour:red", (plain(QueryWords(("colour", "red"))),), "no field “colour”"),
        ("year:soon", (plain(QueryWords(("year", "soon"))),), "year:1995..1999"),
        ("year:19951999", (plain(QueryWords(("year", "19951999"))),), "year:1995..1999"),
        ("year:..", (plain(QueryWords(("year",))),), "year:1995..1999"),
        ("OR cats", (plain(QueryWords(("cats",))),), "nothing to join"),
        ("cats OR", (plain(QueryWords(("cats",))),), "nothing to join"),
        ("(cats dogs", (plain(CATS), plain(DOGS)), "parenthesis"),
        ("cats) (dogs", (plain(CATS), plain(DOGS)), "parenthesis"),
        ("cats NOT", (plain(CATS),), "NOT stands before"),
        ("cats (OR dogs)", (plain(CATS), plain(DOGS)), "nothing to join"),
        ("😀", (), "no word"),
        ("()", (), "no word"),
        ("% \\", (), "no word"),
        ("x" * 100, (), "longer than any"),
        ("cats OR OR dogs", (plain(QueryWords(("cats",))), plain(QueryWords(("dogs",)))), "nothing to join"),
    ],
)
def test_a_broken_query_is_words_and_says_so(query: str, clauses: tuple[Clause, ...], notice: str) -> None:
    parsed = parse_query(query)
    assert parsed.clauses == clauses
    assert notice in parsed.notice


@pytest.mark.parametrize(
    "query",
    [
        "x " * 500_000,
        "+a " * 1000,
        '"' * 999,
        "a OR " * 1000,
        "title:" * 5000,
        "(" * 900 + ")" * 900,
        "(a OR " * 300,
        '"' + "a " * 500 + '"',
    ],
)
def test_absurd_queries_are_cut_short(query: str) -> None:
    parsed = parse_query(query)
    assert sum(len(clause.choices) for clause in parsed.clauses) <= MAX_CLAUSES
    assert parsed.notice
    assert parsed.clauses or "a" not in query, "what fits is searched for"


@given(st.text(max_size=300) | st.text(alphabet='ab"*+-:. ORyeart()', max_size=60))
def test_no_text_is_refused(query: str) -> None:
    for clause in parse_query(query).clauses:
        assert clause.choices
        assert all(choice.words for choice in clause.choices if isinstance(choice, QueryWords))


def test_unwanted_words_are_not_marked() -> None:
    assert parse_query("good -bad year:1999").sought == (QueryWords(("good",)),)
