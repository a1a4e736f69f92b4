"""From a tree with keywords to places for documents."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from portico.classify.background import read_background, read_background_for, write_background
from portico.classify.bootstrap import PAPERS, Method
from portico.classify.classifier import TopicModel, train_topics
from portico.classify.features import NEIGHBOR_WEIGHT, build_vocabulary
from portico.errors import ConfigError
from portico.learn.counts import from_cells, to_dense
from portico.types.document import DocumentId
from portico.types.topic import Topic, TopicText

TREE = (
    Topic(("Learning", "Rewards"), ("reinforcement learning",)),
    Topic(("Learning", "Genes"), ("genetic algorithm",)),
    Topic(("Systems", "Memory"), ("cache",)),
    Topic(("Systems", "Networks"), ("router",)),
)

# Words that only documents of a leaf use, none of them a keyword: what bootstrapping must find out.
JARGON: dict[tuple[str, ...], str] = {
    ("Learning", "Rewards"): "policy reward state agent value exploration",
    ("Learning", "Genes"): "fitness population mutation crossover offspring selection",
    ("Systems", "Memory"): "latency prefetch bank coherence miss hierarchy",
    ("Systems", "Networks"): "packet congestion link queue bandwidth protocol",
}


def a_collection(
    n_documents: int, *, with_keyword: float, seed: int = 7
) -> list[tuple[TopicText, tuple[str, ...]]]:
    """Documents of their leaf's jargon among common words; some show the leaf's keyword."""
    rng = random.Random(seed)
    found = []
    for number in range(n_documents):
        topic = TREE[number % len(TREE)]
        body = rng.choices(JARGON[topic.path].split(), k=12) + rng.choices(
            ["method", "result", "new", "data"], k=12
        )
        rng.shuffle(body)
        title = topic.keywords[0] if rng.random() < with_keyword else "A new method"
        found.append((TopicText(DocumentId(f"d{number}"), title, " ".join(body)), topic.path))
    return found


@pytest.fixture(scope="module")
def model() -> TopicModel:
    return train_topics([text for text, _ in a_collection(300, with_keyword=0.3)], TREE)


def best(model: TopicModel, text: TopicText) -> tuple[str, ...] | None:
    places = model.assign(text)
    return places[0].path if places else None


@pytest.mark.parametrize(
    "method",
    [
        Method(),
        PAPERS,
        Method(seeds="first match", shrinkage="none", rounds=0),
        Method(shrinkage="interpolated", rounds=2),
    ],
    ids=str,
)
def test_jargon_is_learned_from_keywords(method: Method) -> None:
    collection = a_collection(300, with_keyword=0.3)
    learned = train_topics([text for text, _ in collection], TREE, method=method)
    unseen = a_collection(100, with_keyword=0.0, seed=8)
    right = sum(best(learned, text) == path for text, path in unseen)
    assert right >= 95


def test_one_by_one_is_all_at_once(model: TopicModel) -> None:
    texts = [text for text, _ in a_collection(20, with_keyword=0.5, seed=9)]
    together = model.assign_all(texts)
    assert [[(place.document, place.path) for place in places] for places in together] == [
        [(place.document, place.path) for place in model.assign(text)] for text in texts
    ]
    assert model.assign_all([]) == []


def test_the_same_input_gives_the_same_model(model: TopicModel) -> None:
    texts = [text for text, _ in a_collection(300, with_keyword=0.3)]
    again = train_topics(texts, TREE)
    assert again.model_id == model.model_id
    assert (again.naive_bayes.log_word == model.naive_bayes.log_word).all()
    assert train_topics(texts[:-1], TREE).model_id != model.model_id
    assert train_topics(texts, TREE[:-1]).model_id != model.model_id


def test_probabilities_are_probabilities(model: TopicModel) -> None:
    for row in model.chances([text for text, _ in a_collection(40, with_keyword=0.5)]).tolist():
        assert all(0 <= chance <= 1 for chance in row)
        assert sum(row) <= 1 + 1e-9


def test_a_doubtful_document_stays_at_the_inner_node() -> None:
    fruits = ("apple", "cherry", "lemon", "mango", "plum")
    tree = (*TREE, *(Topic(("Fruit", fruit.title()), (fruit,)) for fruit in fruits))
    texts = [TopicText(DocumentId(f"{fruit}{n}"), f"The {fruit} tree") for fruit in fruits for n in range(5)]
    model = train_topics(texts, tree)
    assert best(model, TopicText(DocumentId("d"), "A lemon tree")) == ("Fruit", "Lemon")
    assert best(model, TopicText(DocumentId("d"), " ".join(fruits))) == ("Fruit",)


@pytest.mark.parametrize("title", ["", "the of and", "xyzzy plugh", "東京"])
def test_a_document_that_says_nothing_has_no_place(model: TopicModel, title: str) -> None:
    assert model.assign(TopicText(DocumentId("d"), title)) == ()


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200), st.text(max_size=400), st.lists(st.text(max_size=30), max_size=4))
def test_any_text_can_be_placed(model: TopicModel, title: str, abstract: str, names: list[str]) -> None:
    text = TopicText(DocumentId("d"), title, abstract, authors=tuple(names), cited_titles=tuple(names))
    places = model.assign(text)
    assert [place.probability for place in places] == sorted((p.probability for p in places), reverse=True)
    assert all(0 < place.probability <= 1 and place.path for place in places)


def test_explanation_names_words_of_the_leaf(model: TopicModel) -> None:
    explanation = model.explain(TopicText(DocumentId("d"), "Packet congestion and cache latency on a link"))
    assert explanation.best == ("Systems", "Networks")
    assert explanation.runner_up == ("Systems", "Memory")
    assert {word for word, _ in explanation.speaks_for} >= {"packet", "congestion", "link"}
    assert {word for word, _ in explanation.speaks_against} >= {"cache", "latency"}
    assert explanation.probability > explanation.runner_up_probability


def test_neighbors_titles_place_a_silent_document(model: TopicModel) -> None:
    cited = ("Packet queue", "Congestion of a link", "Bandwidth protocol")
    assert best(model, TopicText(DocumentId("d"), "A note", cited_titles=cited)) == ("Systems", "Networks")
    assert best(model, TopicText(DocumentId("d"), "A note", citing_titles=cited)) == ("Systems", "Networks")


def test_words_authors_and_neighbors_are_counted_with_their_weight() -> None:
    text = TopicText(
        DocumentId("d"), "Caches", "a cache", ("McCallum, Andrew", "A. McCallum"), ("Cache routers",)
    )
    words = build_vocabulary([text])
    row = dict(zip(words.words, to_dense(words.count([text]))[0].tolist(), strict=True))
    assert row == {"@mccallum a": 1.0, "cache": 2.0 + NEIGHBOR_WEIGHT, "router": NEIGHBOR_WEIGHT}


def test_labels_of_a_person_are_believed() -> None:
    texts = [text for text, _ in a_collection(100, with_keyword=0.0)]
    odd = TopicText(DocumentId("odd"), "Zeugma syllepsis anaphora", "zeugma syllepsis anaphora chiasmus")
    like_it = TopicText(DocumentId("like it"), "Syllepsis", "anaphora and chiasmus, zeugma")
    labels = {
        odd.document: ("Systems", "Networks"),
        DocumentId("gone"): ("Systems", "Memory"),
        texts[0].document: ("No", "Leaf"),
    }
    assert best(train_topics([*texts, odd], TREE), like_it) != ("Systems", "Networks")
    learned = train_topics([*texts, odd], TREE, labels=labels)
    assert best(learned, odd) == best(learned, like_it) == ("Systems", "Networks")
    assert learned.model_id != train_topics([*texts, odd], TREE).model_id


def test_documents_from_outside_the_tree_have_no_place() -> None:
    rng = random.Random(5)
    inside = [text for text, _ in a_collection(800, with_keyword=0.7)]
    recipes = "flour butter oven sugar dough knead bake yeast salt cream"
    outside = [
        TopicText(
            DocumentId(f"o{n}"),
            "A new method",
            " ".join(
                rng.choices(recipes.split(), k=12) + rng.choices(["method", "result", "new", "data"], k=12)
            ),
        )
        for n in range(200)
    ]
    model = train_topics([*inside, *outside], TREE)
    assert sum(not places for places in model.assign_all(outside)) >= 140
    assert sum(not places for places in model.assign_all(inside)) <= 40
    assert max(model.elsewhere(inside[:1])) < 0.5 < min(model.elsewhere(outside[:1]))


# Bad input: a sensible answer or a clear message each time.


@pytest.mark.parametrize("n_documents", [0, 1, 10])
def test_few_documents(n_documents: int) -> None:
    collection = a_collection(n_documents, with_keyword=1.0)
    model = train_topics([text for text, _ in collection], TREE)
    for text, path in collection:
        assert best(model, text) == path
    assert best(model, TopicText(DocumentId("new"), "Reinforcement learning")) == ("Learning", "Rewards")


def test_one_leaf_does_not_swallow_everything() -> None:
    texts = [text for text, _ in a_collection(200, with_keyword=0.5)]
    model = train_topics(texts, TREE[2:3])
    placed = {text.document for text, places in zip(texts, model.assign_all(texts), strict=True) if places}
    of_memory = {text.document for text, path in a_collection(200, with_keyword=0.5) if path == TREE[2].path}
    assert placed == of_memory


def test_a_leaf_without_keywords_and_one_with_a_common_word() -> None:
    collection = a_collection(200, with_keyword=0.5)
    tree = (*TREE, Topic(("Systems", "Storage"), ()), Topic(("Other", "Everything"), ("data", "zeugma")))
    model = train_topics([text for text, _ in collection], tree)
    assert len(model.notices) == 3
    right = sum(best(model, text) == path for text, path in collection)
    assert right >= 150


@pytest.mark.parametrize(
    ("topics", "message"),
    [
        ([], "the topic tree is empty"),
        ([TREE[0], TREE[0]], 'the topic "Learning/Rewards" occurs twice'),
        (
            [Topic(("Learning",), ("x",)), TREE[0]],
            '"Learning" has keywords and also "Learning/Rewards" below it',
        ),
        ([Topic((), ("x",))], "has an empty name"),
        ([Topic(("a", ""), ("x",))], "has an empty name"),
    ],
)
def test_impossible_trees(topics: list[Topic], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        train_topics([], topics)


# Background


def a_background() -> bytes:
    words = ["congestion", "packet", "reward"]
    return write_background(TREE, words, from_cells([3, 3, 0], [0, 1, 2], [300.0, 400.0, 500.0], (4, 3)))


def test_background_places_documents_before_there_are_any() -> None:
    text = TopicText(DocumentId("d"), "Packet congestion")
    assert best(train_topics([], TREE), text) is None
    known = train_topics([], TREE, background=read_background(a_background()))
    assert best(known, text) == ("Systems", "Networks")
    assert known.model_id != train_topics([], TREE).model_id


def test_background_of_another_tree_is_left_out() -> None:
    other = [Topic(("Cooking",), ("recipe",))]
    assert read_background_for(a_background(), other) is None
    assert read_background_for(a_background(), [*other, TREE[0]]) is not None
    assert (
        train_topics([], other, background=read_background(a_background())).model_id
        == train_topics([], other).model_id
    )


def test_background_file_is_read_as_written() -> None:
    content = a_background()
    background = read_background(content)
    assert background.paths == tuple(topic.path for topic in TREE)
    assert background.words == ("congestion", "packet", "reward")
    assert to_dense(background.counts).tolist() == [[0, 0, 500], [0, 0, 0], [0, 0, 0], [300, 400, 0]]
    assert write_background(TREE, background.words, background.counts) == content


@pytest.mark.parametrize("content", [b"", b"nonsense", a_background()[:40], a_background()[:-9] + b"\0" * 9])
def test_a_damaged_background_is_said_to_be(content: bytes) -> None:
    with pytest.raises(ConfigError, match="background model of the topic tree"):
        read_background(content)
