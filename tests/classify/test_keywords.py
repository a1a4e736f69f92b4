"""Which keywords a document shows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.classify.keywords import compile_keywords, write_notices
from portico.types.document import DocumentId
from portico.types.topic import Topic, TopicText

TREE = (
    Topic(("Learning", "Rewards"), ("reinforcement learning", "Q-learning")),
    Topic(("Learning", "Genes"), ("genetic algorithms", "crossover")),
    Topic(("Systems", "Languages"), ("C++", "object-oriented")),
)
KEYWORDS = compile_keywords(TREE)


def seen(text: TopicText) -> set[str]:
    return {KEYWORDS.all[number].written for number in KEYWORDS.own(text)}


@pytest.mark.parametrize(
    ("title", "abstract", "expected"),
    [
        ("Reinforcement Learning in Games", "", {"reinforcement learning"}),
        ("Learning by means of reinforcement", "", {"reinforcement learning"}),  # any order in a title
        ("", "We study learning. Reinforcement helps.", set()),  # side by side in prose
        ("", "We study reinforcement\nlearning.", {"reinforcement learning"}),
        ("A genetic algorithm", "", {"genetic algorithms"}),  # the plural does not matter
        ("Geneticists and algorithms", "", set()),  # whole words only
        ("Object Oriented Design in C++", "", {"C++", "object-oriented"}),
        ("", "Q-learning with crossover", {"Q-learning", "crossover"}),
        ("", "", set()),
    ],
)
def test_own_keywords(title: str, abstract: str, expected: set[str]) -> None:
    assert seen(TopicText(DocumentId("d"), title, abstract)) == expected


def test_near_keywords_count_once_a_title() -> None:
    titles = ("Crossover, crossover", "More crossover")
    text = TopicText(DocumentId("d"), "", cited_titles=titles[:1], citing_titles=titles[1:])
    assert [KEYWORDS.all[number].written for number in KEYWORDS.near(text)] == ["crossover", "crossover"]


@given(st.text(), st.text())
def test_any_text_can_be_searched(title: str, abstract: str) -> None:
    found = KEYWORDS.own(TopicText(DocumentId("d"), title, abstract))
    assert found == sorted(set(found))


def test_one_keyword_in_two_leaves_is_one_keyword() -> None:
    keywords = compile_keywords([Topic(("a",), ("cache", "caches")), Topic(("b",), ("Caches",))])
    assert [(keyword.written, keyword.leaves) for keyword in keywords.all] == [("cache", (0, 1))]


@pytest.mark.parametrize("written", [(), ("the",), ("",), ("?!",)])
def test_a_leaf_without_a_usable_keyword_is_looked_for_by_name(written: tuple[str, ...]) -> None:
    keywords = compile_keywords([Topic(("Machines", "Garbage Collection"), written)])
    assert [keyword.stems for keyword in keywords.all] == [("garbage", "collection")]


@pytest.mark.parametrize(
    ("topics", "frequency", "n_documents", "expected"),
    [
        ([Topic(("a",), ("cache",))], [3], 100, ()),
        ([Topic(("b",), ())], [3], 100, ('topic "b" has no keywords; its name is used instead',)),
        (
            [Topic(("x", "a"), ("the", "cache"))],
            [3],
            100,
            ('topic "x/a": the keyword "the" is a stop word and was left out',),
        ),
        (
            [Topic(("a",), ("cache",)), Topic(("b",), ("cache",))],
            [3],
            100,
            ('the keyword "cache" stands in 2 topics (a, b) and counts in equal parts for each',),
        ),
        (
            [
                Topic(("a",), ("cache", "page", "disk", "swap")),
                Topic(("b",), ("swap", "disk", "page", "cache")),
            ],
            [3] * 4,
            100,
            (
                (
                    "4 keywords stand in several topics and count in equal parts for each, among them "
                    '"cache", "page", "disk"'
                ),
            ),
        ),
        (
            [Topic(("a",), ("cache",))],
            [80],
            100,
            ('the keyword "cache" is in 80 of 100 documents and says little',),
        ),
        ([Topic(("a",), ("cache",))], [0], 100, ("1 keywords are in no document, among them cache",)),
        ([Topic(("a",), ("cache",))], [9], 10, ()),
    ],
)
def test_notices(
    topics: list[Topic], frequency: list[float], n_documents: int, expected: tuple[str, ...]
) -> None:
    assert write_notices(topics, compile_keywords(topics), frequency, n_documents) == expected


@pytest.mark.parametrize(
    ("language", "title", "abstract", "shown"),
    [
        ("de", "Sozialer Wandel in den Städten", "", ["Stadt"]),
        ("de", "", "Wir befragten Familien in sozialen Netzwerken.", ["Soziales Netzwerk"]),
        ("en", "", "Familien in sozialen Netzwerken", []),
        ("es", "Las redes sociales", "", ["red social"]),
    ],
)
def test_a_document_shows_keywords_in_the_forms_of_its_language(
    language: str, title: str, abstract: str, shown: list[str]
) -> None:
    keywords = compile_keywords(
        [Topic(("Stadt",), ("Stadt", "Städte")), Topic(("Netze",), ("Soziales Netzwerk", "red social"))]
    )
    text = TopicText(DocumentId("d"), title, abstract, language=language)
    assert [keywords.all[number].written for number in keywords.own(text)] == shown
