"""Groups of documents as topics that could be, and whole trees of them."""

import random
from pathlib import Path

import pytest

from portico.classify.expected_words import read_company
from portico.classify.inducing import choose_n_leaves, induce, suggest_leaves
from portico.classify.phrases import find_phrases
from portico.domains import papers
from portico.types.document import DocumentId
from portico.types.topic import Topic, TopicText

COMPANY = read_company((Path(papers.__file__).parent / "models" / "word-vectors.npz").read_bytes())
SUBJECTS = {
    "giant squid": "tentacle ink beak jet mantle siphon",
    "singing bird": "feather wing nest song flight migration",
    "sour dough": "flour oven yeast knead bake crust",
}


def a_collection(n_documents: int) -> list[TopicText]:
    rng = random.Random(2)
    subjects = list(SUBJECTS.items())
    return [
        TopicText(
            DocumentId(f"d{n}"),
            f"The {subjects[n % 3][0]} {rng.choice(subjects[n % 3][1].split())}",
            " ".join(rng.choices(subjects[n % 3][1].split(), k=12)),
            authors=("A. Verrill",),
        )
        for n in range(n_documents)
    ]


def test_every_subject_becomes_a_topic_with_its_words_and_examples() -> None:
    found = suggest_leaves(a_collection(90), n_topics=8)
    gathered: dict[str, int] = {}
    for each in found:
        words = {word for key in each.topic.keywords for word in key.split()}
        subject = max(SUBJECTS, key=lambda name: len(words & set(f"{name} {SUBJECTS[name]}".split())))
        assert all(subject in title for title in each.examples)
        gathered[subject] = gathered.get(subject, 0) + each.n_documents
    assert set(gathered) == set(SUBJECTS)
    assert sum(gathered.values()) >= 80
    assert len({each.topic.path for each in found}) == len(found)
    assert found == suggest_leaves(a_collection(90), n_topics=8)


def test_leaves_stand_under_the_node_they_were_asked_for() -> None:
    found = suggest_leaves(a_collection(90), n_topics=3, above=("Life", "Many"))
    assert {each.topic.path[:2] for each in found} == {("Life", "Many")}
    assert all(len(each.topic.path) == 3 for each in found)
    assert found[0].remarks()[0] == f"{found[0].n_documents} documents, among them:"


@pytest.mark.parametrize(
    "texts", [[], a_collection(2), [TopicText(DocumentId(f"e{n}"), "") for n in range(9)]]
)
def test_too_little_to_suggest_from(texts: list[TopicText]) -> None:
    assert suggest_leaves(texts, n_topics=5) == ()


SEA = (
    "the giant squid and its tentacles",
    "ink of the giant squid",
    "coral reefs and the squid",
    "fish of coral reefs",
)
AIR = "song of the singing bird", "the bird and its nest", "flight of birds of prey", "birds of prey and mice"
MONEY = (
    "inflation and monetary policy",
    "the central bank",
    "inflation targets of a central bank",
    "monetary policy",
)
LAW = "courts and human rights", "human rights of children", "the supreme court", "courts and a supreme court"


def texts_of(*subjects: tuple[str, ...], n_each: int = 12) -> list[TopicText]:
    return [
        TopicText(
            DocumentId(f"{number}-{n:02}"),
            said[n % 4].capitalize(),
            f"We study {said[(n + 1) % 4]}, and {said[n % 4]}.",
        )
        for number, said in enumerate(subjects)
        for n in range(n_each)
    ]


def test_a_tree_has_two_levels_of_names_that_papers_say() -> None:
    texts = texts_of(SEA, AIR, MONEY, LAW)
    found = induce(texts)
    assert sum(each.n_documents for each in found) == len(texts)
    assert all(1 <= len(each.topic.path) <= 2 for each in found)
    names = [name for each in found for name in each.topic.path[-1:]]
    assert len(set(names)) == len(names)
    said = " ".join(f"{text.title} {text.abstract}" for text in texts).lower()
    for name in {name for each in found for name in each.topic.path}:
        assert len(name.split()) <= 3
        assert name.lower() in said
    assert {"Monetary Policy", "Human Rights"} <= {name for each in found for name in each.topic.path}


def test_the_order_of_documents_changes_nothing() -> None:
    texts = texts_of(SEA, AIR, MONEY)
    shuffled = random.Random(1).sample(texts, len(texts))
    assert induce(texts) == induce(shuffled)


def test_an_earlier_tree_stays_when_papers_are_added() -> None:
    earlier = tuple(each.topic for each in induce(texts_of(SEA, AIR)))
    more = texts_of(SEA, AIR, n_each=20)
    assert tuple(each.topic for each in induce(more, earlier=earlier)) == earlier
    strangers = induce(texts_of(SEA, AIR, MONEY), earlier=earlier)
    assert tuple(each.topic for each in strangers)[: len(earlier)] == earlier
    fresh = {name for each in strangers[len(earlier) :] for name in each.topic.path}
    assert fresh & {"Inflation", "Monetary Policy", "Central Bank", "Inflation Targets"}


@pytest.mark.parametrize(
    ("titles", "name", "no_names"),
    [
        (
            [
                "Migration und Arbeit in Europa",
                "Die Migration und ihre Folgen",
                "Soziale Ungleichheit und Migration",
            ],
            "Migration",
            ["Migration Und", "Und", "Die Migration"],
        ),
        (
            [
                "Soziale Ungleichheit im Alter",
                "Die soziale Ungleichheit wächst",
                "Wächst die soziale Ungleichheit?",
            ],
            "Soziale Ungleichheit",
            ["Soziale", "Wächst"],
        ),
        (
            [
                "Le droit du travail en France",
                "Histoire du droit du travail",
                "Le droit du travail et les femmes",
            ],
            "Droit",
            ["Le Droit", "Droit Du"],
        ),
        (
            [
                "Python open source tools",
                "An open source library in Python",
                "The Python open source stack",
                "Python for all",
            ],
            "Python",
            ["Python Open", "Open"],
        ),
        (
            [
                "Despite neural networks",
                "Neural networks are able to learn",
                "Many neural networks, despite noise",
            ],
            "Neural Networks",
            ["Neural", "Despite", "Able"],
        ),
    ],
)
def test_names_are_noun_phrases_of_their_language(titles: list[str], name: str, no_names: list[str]) -> None:
    texts = [TopicText(DocumentId(str(n)), title) for n, title in enumerate(titles)]
    names = {phrase.name for phrase in find_phrases(texts)}
    assert name in names
    assert names.isdisjoint(no_names)


@pytest.mark.parametrize(("n_documents", "n_leaves"), [(6, 4), (60, 10), (300, 23), (100_000, 40)])
def test_how_many_leaves(n_documents: int, n_leaves: int) -> None:
    assert choose_n_leaves(n_documents) == n_leaves


def test_an_earlier_tree_of_a_person_is_kept_word_for_word() -> None:
    own = Topic(("Life", "Sea"), ("squid", "coral reefs"), vetoed=("ink",))
    assert induce(texts_of(SEA), earlier=(own,))[0].topic == own


def test_words_of_one_company_bring_documents_together_that_share_none() -> None:
    robots = ("Kinematic trajectories", "Humanoid navigation", "Motion planning", "Actuators and sensors")
    poems = ("Sonnets and verse", "A literary epic", "Lyric poetry", "Rhyme in prose")
    texts = [TopicText(DocumentId(title), title) for title in (*robots, *poems)]
    found = suggest_leaves(texts, n_topics=2, company=COMPANY)
    assert {frozenset(each.examples) for each in found} <= {frozenset(robots), frozenset(poems)}


GERMAN = "Die {} in der deutschen Gesellschaft und die {} vieler Familien."


def test_forms_of_a_german_word_are_one_name() -> None:
    subjects = ("Schule", "Schulen", "Wanderung", "Wanderungen")
    texts = [
        TopicText(
            DocumentId(f"{subject}{n}"), GERMAN.format(subject, subjects[idx // 2 * 2 + n % 2]), language="de"
        )
        for idx, subject in enumerate(subjects)
        for n in range(8)
    ]
    keys = [phrase.key for phrase in find_phrases(texts)]
    assert len(keys) == len(set(keys))
    assert {"schul", "wander"} <= set(keys)
