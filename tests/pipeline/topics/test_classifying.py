"""Placing documents: the model is kept, new documents need no learning, moved leaves keep everything else."""

import random
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from portico.cli.progress_lines import ProgressLines
from portico.config.topics import read_topics
from portico.engine.local import LocalEngine
from portico.errors import ConfigError
from portico.pipeline.collections.papers.explaining import explain_topics
from portico.pipeline.opening import open_for_building
from portico.pipeline.portal import Portal
from portico.pipeline.runners import BuildRun
from portico.pipeline.topics.classifying import run_classify
from portico.pipeline.topics.placing import run_place
from portico.pipeline.topics.topic_suggestions import (
    describe_suggestions,
    describe_tree,
    induce_tree,
    suggest_topics,
)
from portico.pipeline.topics.topic_texts import add_citers, read_topic_texts
from portico.pipeline.topics.topic_tree import find_topic_model
from portico.store.codec import encode
from portico.store.documents.results import Done
from portico.types.correction import CorrectionKind, Proposal
from portico.types.document import DocumentId, Span
from portico.types.record import Entity, EntityId, Field, Record, RecordId
from portico.types.topic import TopicText
from tests.graphs import write_graph

TREE = """# our two subjects
[[topic]]
path = "Sea/Squid"
keywords = ["squid", "octopus"]

[[topic]]
path = "Air/Birds"
keywords = ["bird", "eagle"]
"""
JARGON = {"squid": "tentacle ink beak jet mantle", "bird": "feather wing nest song flight"}


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[Portal]:
    (tmp_path / "portal.toml").write_text(
        '[portal]\ntitle = "Animals"\n[[source]]\nfolder = "."\n[topics]\nfile = "topics.toml"\n'
    )
    (tmp_path / "topics.toml").write_text(TREE)
    with open_for_building(tmp_path) as portal:
        add(portal, 0, 40)
        yield portal


def add(portal: Portal, first: int, end: int) -> None:
    """Documents about squids (even) and birds (odd)."""
    rng = random.Random(first)
    for number in range(first, end):
        subject = ("squid", "bird")[number % 2]
        words = " ".join(rng.choices(JARGON[subject].split(), k=15))
        header = a_record(f"d{number}", "header", title=f"The {subject} number {number}", abstract=words)
        reference = a_record(f"d{number}", "reference", title=f"The {subject} number {number - 2}")
        portal.store.documents.results.put_many(
            "extract", [Done(f"d{number}", "key", encode((header, reference)), 0.0, 0.0)]
        )


def a_record(document: str, kind: str, **values: str) -> Record:
    fields = tuple(Field(name, value, Span(0, 1), 0.9) for name, value in values.items())
    return Record(RecordId(f"{document}#{kind}"), kind, DocumentId(document), "", Span(0, 1), fields)


def classify(portal: Portal) -> dict[str, str]:
    """Runs what `portico classify` does; the first place of every document."""
    run = BuildRun(LocalEngine(1), ProgressLines(None), clock=lambda: 0.0)
    run_classify(portal, run)
    run_place(portal, run)
    places: dict[str, str] = {}
    for each in portal.store.catalog.topics.assignments():
        places.setdefault(each.document, "/".join(each.path))
    return places


def test_every_document_is_placed_once_and_a_second_run_does_nothing(portal: Portal) -> None:
    places = classify(portal)
    assert places == {f"d{n}": ("Sea/Squid", "Air/Birds")[n % 2] for n in range(40)}
    run = BuildRun(LocalEngine(1), ProgressLines(None), clock=lambda: 0.0)
    assert run_classify(portal, run).n_done == 0


@pytest.mark.parametrize(("n_documents", "learned_again"), [(41, False), (46, False), (60, True)])
def test_new_documents_are_placed_and_many_of_them_mean_learning_again(
    portal: Portal, n_documents: int, learned_again: bool
) -> None:
    classify(portal)
    before = find_topic_model(portal).read_bytes()
    add(portal, 40, n_documents)
    places = classify(portal)
    assert places["d40"] == "Sea/Squid"
    assert len(places) == n_documents
    assert (find_topic_model(portal).read_bytes() != before) == learned_again


def test_a_moved_and_renamed_leaf_keeps_everything_else(portal: Portal) -> None:
    before = classify(portal)
    model = find_topic_model(portal).read_bytes()
    (portal.places.folder / "topics.toml").write_text(TREE.replace("Air/Birds", "Land/Feathered/Fowl"))
    after = classify(portal)
    assert after == {d: "Land/Feathered/Fowl" if p == "Air/Birds" else p for d, p in before.items()}
    assert find_topic_model(portal).read_bytes() == model


@pytest.mark.parametrize(
    ("said", "trees", "expected"),
    [
        ("Air/Birds", ["Air/Fowl"], "Air/Fowl"),
        ("Air/Birds", ["Sky/Birds", "Sky/Feathered/Birds"], "Sky/Feathered/Birds"),  # renamed, then moved
        ("Air/Birds", ["Sky/Birds", "Air/Birds"], "Air/Birds"),  # and back
        ("Air", ["Sky/Birds"], "Sky"),
    ],
)
def test_what_a_person_said_holds_under_the_new_name(
    portal: Portal, said: str, trees: list[str], expected: str
) -> None:
    classify(portal)
    entity = Entity(
        EntityId("e"), "paper", (RecordId("d0#header"),), (DocumentId("d0"),), (), RecordId("d0#header")
    )
    write_graph(portal.store, [entity], [])
    proposal = Proposal(CorrectionKind.TOPIC, EntityId("e"), RecordId("d0#header"), value=said)
    portal.store.contributions.corrections.make(proposal)
    classify(portal)
    model = find_topic_model(portal).read_bytes()
    for path in trees:
        (portal.places.folder / "topics.toml").write_text(TREE.replace("Air/Birds", path))
        places = classify(portal)
    assert places["d0"] == expected
    assert find_topic_model(portal).read_bytes() == model  # a name teaches nothing


@pytest.mark.parametrize(
    ("tree", "note"),
    [
        (TREE + '[[topic]]\npath = "Land/Cats"\n', 'topic "Land/Cats" has no keywords; its name is used'),
        (TREE + '[[topic]]\npath = "Land/Cats"\nkeywords = ["eagle"]\n', '"eagle" stands in 2 topics'),
        (
            TREE + '[[topic]]\npath = "Land/Cats"\nkeywords = ["number"]\n',
            '"number" is in 40 of 40 documents',
        ),
        (TREE, "2 keywords are in no document, among them octopus, eagle"),
        (TREE + '[[topic]]\npath = "Land/Cats"\nkeywords = ["the"]\n', 'the keyword "the" is a stop word'),
    ],
)
def test_a_doubtful_tree_is_used_and_the_doubt_is_said(portal: Portal, tree: str, note: str) -> None:
    (portal.places.folder / "topics.toml").write_text(tree)
    report = run_classify(portal, BuildRun(LocalEngine(1), ProgressLines(None), clock=lambda: 0.0))
    assert note in report.note
    places = classify(portal)
    assert (places["d0"], places["d1"]) == ("Sea/Squid", "Air/Birds")


def test_a_tree_of_one_leaf_takes_only_its_own(portal: Portal) -> None:
    (portal.places.folder / "topics.toml").write_text(TREE.split("\n\n")[0])
    assert classify(portal) == {f"d{n}": "Sea/Squid" for n in range(0, 40, 2)}


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (TREE.replace("Air/Birds", "Sea/Squid"), '"Sea/Squid" stands already in line 3'),
        (TREE.replace("Air/Birds", "Sea"), '"Sea" cannot be a leaf and have leaves below it'),
        (TREE.replace("Air/Birds", "Air/Birds/Air"), 'goes in a circle: "Air" cannot be below itself'),
    ],
)
def test_an_impossible_tree_changes_nothing(portal: Portal, tree: str, message: str) -> None:
    before = classify(portal)
    (portal.places.folder / "topics.toml").write_text(tree)
    with pytest.raises(ConfigError, match=message):
        classify(portal)
    (portal.places.folder / "topics.toml").write_text(TREE)
    assert classify(portal) == before


def test_ten_documents_are_placed(tmp_path: Path) -> None:
    (tmp_path / "portal.toml").write_text(
        '[portal]\ntitle = "Few"\n[[source]]\nfolder = "."\n[topics]\nfile = "t"\n'
    )
    (tmp_path / "t").write_text(TREE)
    with open_for_building(tmp_path) as portal:
        assert classify(portal) == {}  # none at all
        add(portal, 0, 10)
        assert classify(portal) == {f"d{n}": ("Sea/Squid", "Air/Birds")[n % 2] for n in range(10)}


def test_other_keywords_mean_learning_again(portal: Portal) -> None:
    classify(portal)
    model = find_topic_model(portal).read_bytes()
    (portal.places.folder / "topics.toml").write_text(TREE.replace('"octopus"', '"cuttlefish"'))
    classify(portal)
    assert find_topic_model(portal).read_bytes() != model


@pytest.mark.parametrize("content", [None, b"", b"PK damaged"])
def test_a_lost_or_damaged_model_is_learned_again(portal: Portal, content: bytes | None) -> None:
    before = classify(portal)
    if content is None:
        find_topic_model(portal).unlink()
    else:
        find_topic_model(portal).write_bytes(content)
    add(portal, 40, 41)
    assert classify(portal) == {**before, "d40": "Sea/Squid"}


def test_a_label_is_believed(portal: Portal) -> None:
    entity = Entity(
        EntityId("e"), "paper", (RecordId("d0#header"),), (DocumentId("d0"),), (), RecordId("d0#header")
    )
    write_graph(portal.store, [entity], [])
    said = Proposal(CorrectionKind.TOPIC, EntityId("e"), RecordId("d0#header"), value="Air/Birds")
    number = portal.store.contributions.corrections.propose(said)
    portal.store.contributions.corrections.accept(number, at=1.0)
    assert classify(portal)["d0"] == "Air/Birds"
    portal.store.contributions.corrections.reject(number, at=2.0)
    assert classify(portal).get("d0") != "Air/Birds"


def test_the_explanation_names_words_and_neighbors(portal: Portal) -> None:
    entity = Entity(
        EntityId("e"), "paper", (RecordId("d4#header"),), (DocumentId("d4"),), (), RecordId("d4#header")
    )
    write_graph(portal.store, [entity], [])
    assert explain_topics(portal, EntityId("e")) is None  # nothing is learned yet
    classify(portal)
    section = explain_topics(portal, EntityId("e"))
    assert section is not None
    assert "Stands at Sea/Squid" in section.summary
    assert "Air/Birds" in section.summary
    said = {(row[0], row[1]) for row in section.rows}
    assert {("for", "squid"), ("neighbor", "The squid number 2"), ("neighbor", "The squid number 6")} <= said
    assert explain_topics(portal, EntityId("unknown")) is None


def test_citers_are_found_by_the_whole_title(portal: Portal) -> None:
    texts = {text.document: text for text in read_topic_texts(portal.store)}
    assert texts[DocumentId("d4")].citing_titles == ("The squid number 6",)
    short = [
        TopicText(DocumentId("a"), "Data mining"),
        TopicText(DocumentId("b"), "A survey of it", cited_titles=("Data mining", "A survey of it")),
    ]
    assert [text.citing_titles for text in add_citers(short)] == [(), ()]  # two words name many papers


def test_the_tree_is_shown_with_counts(portal: Portal) -> None:
    with pytest.raises(ConfigError, match="nothing is classified yet"):
        list(describe_tree(portal))
    classify(portal)
    assert [line.split() for line in describe_tree(portal)] == [
        ["Sea", "20"],
        ["Squid", "20"],
        ["Air", "20"],
        ["Birds", "20"],
        ["(in", "no", "topic)", "0"],
    ]
    assert "--all" not in "".join(describe_tree(portal, with_empty=False))  # there is none


def test_topics_are_suggested_under_a_node_and_for_the_whole(portal: Portal) -> None:
    classify(portal)
    topics = tomllib.loads("\n".join(describe_suggestions(suggest_topics(portal, "Sea/Squid", 2))))["topic"]
    assert all(topic["path"].startswith("Sea/Squid/") for topic in topics)
    assert not {"wing", "feather"} & {word for topic in topics for word in topic["keywords"]}
    induced = describe_suggestions(induce_tree(portal, 4, fresh=True))
    (portal.places.folder / "induced.toml").write_text("\n".join(induced))
    assert read_topics(portal.places.folder / "induced.toml")
    with pytest.raises(ConfigError, match='no topic "Sea/Sqid"; did you mean Sea/Squid'):
        suggest_topics(portal, "Sea/Sqid", 2)
    with pytest.raises(ConfigError, match="0 documents are in no topic"):
        suggest_topics(portal, "other", 2)
