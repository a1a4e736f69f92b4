"""Which documents belong in a tree, one at a time: the model of fields that ships, asked about titles."""

from dataclasses import replace
from pathlib import Path

import pytest

from portico.classify.classifier import train_topics
from portico.classify.field_guide import find_guide
from portico.classify.fields import read_fields
from portico.classify.saving import from_bytes, to_bytes
from portico.config.topics import read_topics
from portico.domains import papers
from portico.errors import ConfigError
from portico.learn.shrinkage import Tree
from portico.types.document import DocumentId
from portico.types.topic import Topic, TopicText

HERE = Path(papers.__file__).parent
SHIPPED = read_topics(HERE / "topics.toml")
MODEL = read_fields((HERE / "models" / "fields.npz").read_bytes())


def a_text(title: str, abstract: str = "") -> TopicText:
    return TopicText(DocumentId("d"), title, abstract)


def belonging(topics: tuple[Topic, ...], text: TopicText) -> float:
    _, nodes = Tree.of_paths([topic.path for topic in topics])
    guide = find_guide(topics, nodes, MODEL)
    assert guide is not None
    return float(guide.judge([text]).belonging[0])


PAPERS_OF_FIELDS = [
    ("computer science", "A fast concurrent garbage collector for Java programs"),
    ("computer science", "Learning Bayesian networks from data with missing values"),
    ("social sciences", "Fatherhood in the context of migration: families of migrants in Germany"),
    ("medicine", "Randomised trial of aspirin for patients with stroke in primary care"),
    ("mathematics", "Cohomology of moduli spaces of stable curves over a finite field"),
    ("physics", "Black hole entropy in general relativity and quantum gravity"),
    ("history", "Roman pottery and trade at an archaeological excavation of the Iron Age"),
    ("economics", "Monetary policy, inflation and the labor market: evidence from wages"),
]


@pytest.mark.parametrize(("field", "title"), PAPERS_OF_FIELDS)
def test_the_field_of_a_title(field: str, title: str) -> None:
    chances = MODEL.chances([a_text(title)])[0].tolist()
    assert MODEL.fields[chances.index(max(chances))] == field


def test_articles_of_another_language_say_nothing_about_the_field() -> None:
    content = TopicText(DocumentId("d"), "Migration Familie Soziologie", language="de")
    wordy = replace(content, title="Die Migration und die Familie in der Soziologie des Wandels")
    assert MODEL.chances([wordy])[0].tolist() == pytest.approx(MODEL.chances([content])[0].tolist(), abs=0.02)
    unknown = MODEL.chances([replace(wordy, language="")])[0].tolist()
    assert unknown != pytest.approx(MODEL.chances([content])[0].tolist(), abs=0.02)


def test_venues_tell_the_field_of_a_silent_title() -> None:
    silent = "Some further observations"
    psychology = MODEL.fields.index("psychology")
    alone, own, cited = MODEL.chances(
        [
            a_text(silent),
            replace(a_text(silent), venue="Journal of Abnormal Psychology"),
            replace(a_text(silent), cited_venues=("Cognitive Psychology", "Psychological Review")),
        ]
    )[:, psychology].tolist()
    assert own > 2 * alone
    assert cited > 2 * alone


@pytest.mark.parametrize(("field", "title"), PAPERS_OF_FIELDS)
def test_only_its_own_field_belongs_in_the_tree_that_ships(field: str, title: str) -> None:
    assert (belonging(SHIPPED, a_text(title)) >= 0.5) == (field == "computer science")


MIGRATION = (
    Topic(("Migration", "Families"), ("fatherhood", "family", "parents", "children")),
    Topic(("Migration", "Labor"), ("labor migration", "work permit", "wage")),
    Topic(("Migration", "Policy"), ("asylum", "citizenship", "immigration policy")),
)


@pytest.mark.parametrize(
    ("title", "belongs"),
    [
        ("Fatherhood in the context of migration: families of migrants in Germany", True),
        ("Asylum seekers and the politics of citizenship", True),
        ("Cohomology of moduli spaces of stable curves over a finite field", False),
        ("Black hole entropy in general relativity and quantum gravity", False),
    ],
)
def test_a_tree_of_another_field_keeps_its_own(title: str, belongs: bool) -> None:
    assert (belonging(MIGRATION, a_text(title)) >= 0.5) == belongs


def test_a_tree_whose_words_are_unknown_is_not_judged() -> None:
    topics = (Topic(("Xyzzy",), ("plugh", "zorkmid")), Topic(("Quux",), ("frobnitz",)))
    _, nodes = Tree.of_paths([topic.path for topic in topics])
    assert find_guide(topics, nodes, MODEL) is None


SCIENCES = (
    Topic(("Medicine", "Heart"), ("stroke", "heart")),
    Topic(("Medicine", "Cancer"), ("cancer", "tumor")),
    Topic(("Physics", "Gravity"), ("black hole", "relativity")),
    Topic(("History", "Archaeology"), ("excavation", "pottery")),
)


@pytest.mark.parametrize(
    ("title", "path"),
    [
        ("Randomised trial of aspirin for patients with stroke in primary care", ("Medicine", "Heart")),
        ("Black hole entropy in general relativity and quantum gravity", ("Physics", "Gravity")),
        ("A fast concurrent garbage collector for Java programs", None),
    ],
)
def test_tops_named_for_fields_are_decided_by_the_fields(title: str, path: tuple[str, ...] | None) -> None:
    places = train_topics([], SCIENCES, fields=MODEL).assign(a_text(title))
    assert (places[0].path if places else None) == path


SCIENCES_SHIPPED = read_topics(HERE / "all-sciences.toml")
CLOTS = "Patients with deep venous thrombosis were given heparin in a randomized trial; mortality was low."


@pytest.mark.parametrize(
    ("title", "abstract", "path"),
    [  # one keyword is no reason for a leaf, two are; a leaf is never likelier than its field
        ("Prophylaxis of deep venous thrombosis", CLOTS, ("Medicine",)),
        ("Prophylaxis of deep venous thrombosis", CLOTS + " One had an injury.", ("Medicine",)),
        (
            "Exercise and rehabilitation after deep venous thrombosis",
            CLOTS + " All had physical activity and physiotherapy after injury.",
            ("Medicine", "Sport and Rehabilitation"),
        ),
        ("Radiotherapy of breast cancer patients", "", ("Medicine", "Cancer")),
    ],
)
def test_a_leaf_needs_more_than_one_keyword(title: str, abstract: str, path: tuple[str, ...]) -> None:
    text = a_text(title, abstract)
    (place,) = train_topics([], SCIENCES_SHIPPED, fields=MODEL).assign(text)
    assert place.path == path
    field = MODEL.chances([text])[0].max()
    assert place.probability <= field + 1e-9 if len(path) == 1 else place.probability < 0.9 * field


@pytest.mark.parametrize(
    ("title", "least", "most"),
    [  # words repeat each other: no number of them makes a field certain
        ("Randomised trial of aspirin for patients with stroke in primary care. " * 20, 0.7, 0.97),
        ("Randomised trial of aspirin for patients with stroke in primary care", 0.7, 0.97),
        ("The transmission of information", 0.2, 0.6),
        ("", 0.0, 0.5),
    ],
)
def test_no_text_makes_a_field_certain(title: str, least: float, most: float) -> None:
    assert least <= MODEL.chances([a_text(title)])[0].max() <= most


def test_a_saved_model_knows_its_fields_again() -> None:
    model = train_topics([a_text(title) for _, title in PAPERS_OF_FIELDS], SHIPPED, fields=MODEL)
    texts = [a_text(title) for _, title in PAPERS_OF_FIELDS]
    again = from_bytes(to_bytes(model), MODEL)
    for before, after in zip(model.assign_all(texts), again.assign_all(texts), strict=True):
        assert [place.path for place in after] == [place.path for place in before]
    assert again.elsewhere(texts) == pytest.approx(model.elsewhere(texts))
    with pytest.raises(ConfigError, match="another model of fields"):
        from_bytes(to_bytes(model))


@pytest.mark.parametrize(
    ("told", "field"),
    [
        (replace(a_text("A unifying principle"), departments=("Department of Psychology",)), "psychology"),
        (replace(a_text("A unifying principle"), keywords=("monetary policy", "inflation")), "economics"),
        (replace(a_text("A unifying principle"), venue="Journal of Plant Pathology"), "agriculture"),
    ],
)
def test_what_is_printed_around_a_title_speaks_for_its_field(told: TopicText, field: str) -> None:
    plain = a_text("A unifying principle")
    column = MODEL.fields.index(field)
    before, after = MODEL.chances((plain, told))[:, column].tolist()
    assert after > 2 * before


def test_no_field_is_told_by_single_words_of_another_language() -> None:
    german = a_text("Kinderbetreuung gestern, heute und morgen im Planet")
    as_english, as_german = MODEL.chances((german, replace(german, language="de"))).tolist()
    assert max(as_english) > 0.2
    assert max(as_german) < 0.1


def test_a_model_that_was_read_again_places_papers_below_their_fields() -> None:
    sciences = read_topics(HERE / "all-sciences.toml")
    text = a_text(
        "Cognitive therapy for anxiety disorders and depression",
        "We treated patients with depression and anxiety by psychotherapy and by cognitive therapy.",
    )
    model = train_topics((text,), sciences, fields=MODEL)
    [place, *_] = model.assign(text)
    assert place.path == ("Psychology", "Clinical Psychology")
    [same, *_] = from_bytes(to_bytes(model), MODEL).assign(text)
    assert same.path == place.path
    assert same.probability == pytest.approx(place.probability, abs=1e-6)
