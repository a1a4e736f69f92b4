"""Any string is a query; what it was taken to mean is a value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.index.query import MAX_CLAUSES, Choice, Clause, Group, Sign, Words, Years, parse

CATS, DOGS, BIRDS = Words(("cats",)), Words(("dogs",)), Words(("birds",))


def plain(*choices: Choice) -> Clause:
    return Clause(Sign.PLAIN, choices)


@pytest.mark.parametrize(
    ("query", "clauses"),
    [
        ("", ()),
        ("   \t ", ()),
        ("Neural networks", (plain(Words(("neural",))), plain(Words(("networks",))))),
        ('"hidden Markov model"', (plain(Words(("hidden", "markov", "model"))),)),
        ("“hidden Markov”", (plain(Words(("hidden", "markov"))),)),
        ("state-of-the-art", (plain(Words(("state", "of", "the", "art"))),)),
        ("Gödel", (plain(Words(("godel",))),)),
        (
            "+neural -biology",
            (Clause(Sign.MUST, (Words(("neural",)),)), Clause(Sign.NOT, (Words(("biology",)),))),
        ),
        ("author:Knuth", (plain(Words(("knuth",), "authors")),)),
        ("AUTHOR:Knuth", (plain(Words(("knuth",), "authors")),)),
        ('author:"Donald Knuth"', (plain(Words(("donald", "knuth"), "authors")),)),
        ('-title:"a b"', (Clause(Sign.NOT, (Words(("a", "b"), "title"),)),)),
        ("topic:machine-learning", (plain(Words(("machine", "learning"), "topic_words")),)),
        ("year:1998", (plain(Years(1998, 1998)),)),
        ("year:1995..1999", (plain(Years(1995, 1999)),)),
        ("year:1999-1995", (plain(Years(1995, 1999)),)),
        ("year:1995..", (plain(Years(1995, None)),)),
        ("year:..1999", (plain(Years(None, 1999)),)),
        ("neur*", (plain(Words(("neur",), prefix=True)),)),
        ("title:neur*", (plain(Words(("neur",), "title", prefix=True)),)),
        ("cats OR dogs", (plain(Words(("cats",)), Words(("dogs",))),)),
        (
            "a cats OR dogs b",
            (plain(Words(("a",))), plain(Words(("cats",)), Words(("dogs",))), plain(Words(("b",)))),
        ),
        ("cats AND dogs", (plain(Words(("cats",))), plain(Words(("dogs",))))),
        ("half\ud800", (plain(Words(("half",))),)),
        ("(cats)", (plain(Words(("cats",))),)),
        ("(cats dogs)", (plain(CATS), plain(DOGS))),
        ("(cats OR dogs) birds", (plain(CATS, DOGS), plain(BIRDS))),
        ("birds OR (cats dogs)", (plain(BIRDS, Group((plain(CATS), plain(DOGS)))),)),
        ("(cats dogs) OR birds", (plain(Group((plain(CATS), plain(DOGS))), BIRDS),)),
        ("(cats OR (dogs OR birds))", (plain(CATS, DOGS, BIRDS),)),
        ("-(cats OR dogs)", (Clause(Sign.NOT, (CATS, DOGS)),)),
        ("-(cats dogs)", (Clause(Sign.NOT, (Group((plain(CATS), plain(DOGS))),)),)),
        ("+(cats OR dogs)", (Clause(Sign.MUST, (CATS, DOGS)),)),
        ("(cats -dogs) OR birds", (plain(Group((plain(CATS), Clause(Sign.NOT, (DOGS,)))), BIRDS),)),
        ("title:(cats OR author:dogs)", (plain(Words(("cats",), "title"), Words(("dogs",), "authors")),)),
        ("year:(1995 OR 1997..)", (plain(Years(1995, 1995), Years(1997, None)),)),
        ("f(x)", (plain(Words(("f",))), plain(Words(("x",))))),
        ('"f(x"', (plain(Words(("f", "x"))),)),
        ("cats NOT dogs", (plain(CATS), Clause(Sign.NOT, (DOGS,)))),
        ("cats AND NOT (dogs OR birds)", (plain(CATS), Clause(Sign.NOT, (DOGS, BIRDS)))),
        ("not cats", (plain(Words(("not",))), plain(CATS))),
        ("Title: cats dogs", (plain(Words(("cats",), "title")), plain(DOGS))),
        ("hot topic: cats", (plain(Words(("hot",))), plain(Words(("topic",))), plain(CATS))),
        ("Word2vec: a study", (plain(Words(("word2vec",))), plain(Words(("a",))), plain(Words(("study",))))),
    ],
)
def test_what_is_understood(query: str, clauses: tuple[Clause, ...]) -> None:
    parsed = parse(query)
    assert parsed.clauses == clauses
    assert parsed.notice == ""


@pytest.mark.parametrize(
    ("query", "clauses", "notice"),
    [
        ('"lone quote', (plain(Words(("lone",))), plain(Words(("quote",)))), "quotation mark"),
        ("*", (), "star"),
        ("colour:red", (plain(Words(("colour", "red"))),), "no field “colour”"),
        ("year:soon", (plain(Words(("year", "soon"))),), "year:1995..1999"),
        ("year:19951999", (plain(Words(("year", "19951999"))),), "year:1995..1999"),
        ("year:..", (plain(Words(("year",))),), "year:1995..1999"),
        ("OR cats", (plain(Words(("cats",))),), "nothing to join"),
        ("cats OR", (plain(Words(("cats",))),), "nothing to join"),
        ("(cats dogs", (plain(CATS), plain(DOGS)), "parenthesis"),
        ("cats) (dogs", (plain(CATS), plain(DOGS)), "parenthesis"),
        ("cats NOT", (plain(CATS),), "NOT stands before"),
        ("cats (OR dogs)", (plain(CATS), plain(DOGS)), "nothing to join"),
        ("😀", (), "no word"),
        ("()", (), "no word"),
        ("% \\", (), "no word"),
        ("x" * 100, (), "longer than any"),
        ("cats OR OR dogs", (plain(Words(("cats",))), plain(Words(("dogs",)))), "nothing to join"),
    ],
)
def test_a_broken_query_is_words_and_says_so(query: str, clauses: tuple[Clause, ...], notice: str) -> None:
    parsed = parse(query)
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
    parsed = parse(query)
    assert sum(len(clause.choices) for clause in parsed.clauses) <= MAX_CLAUSES
    assert parsed.notice
    assert parsed.clauses or "a" not in query, "what fits is searched for"


@given(st.text(max_size=300) | st.text(alphabet='ab"*+-:. ORyeart()', max_size=60))
def test_no_text_is_refused(query: str) -> None:
    for clause in parse(query).clauses:
        assert clause.choices
        assert all(choice.words for choice in clause.choices if isinstance(choice, Words))


def test_unwanted_words_are_not_marked() -> None:
    assert parse("good -bad year:1999").sought == (Words(("good",)),)
