"""Groups of documents as topics that could be."""

import random

import pytest

from portico.classify.suggesting import suggest_leaves
from portico.types.document import DocumentId
from portico.types.topic import TopicText

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
