"""Placing documents: the model is kept, new documents need no learning, moved leaves keep everything else."""

import random
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from portico.cli.lines import Lines
from portico.config.topics import read_topics
from portico.engine.local import LocalEngine
from portico.errors import ConfigError
from portico.pipeline.classifying import Labels, classify_stage
from portico.pipeline.explain.topics import explain_topics
from portico.pipeline.growing import suggestion_lines, suggestions, tree_lines
from portico.pipeline.portal import Portal, open_for_building
from portico.pipeline.run import Run
from portico.pipeline.topic_texts import topic_texts, with_citers
from portico.pipeline.topic_tree import model_file
from portico.store.codec import encode
from portico.store.results import Done
from portico.types.document import DocumentId, Span
from portico.types.record import Entity, EntityId, Field, Record, RecordId
from portico.types.topic import TopicText

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
        portal.store.results.put_many(
            "extract", [Done(f"d{number}", "key", encode((header, reference)), 0.0, 0.0)]
        )


def a_record(document: str, kind: str, **values: str) -> Record:
    fields = tuple(Field(name, value, Span(0, 1), 0.9) for name, value in values.items())
    return Record(RecordId(f"{document}#{kind}"), kind, DocumentId(document), "", Span(0, 1), fields)


def classify(portal: Portal, labels: Labels | None = None) -> dict[str, str]:
    """Runs the stage; the first place of every document."""
    run = Run(LocalEngine(1), Lines(None), clock=lambda: 0.0)
    classify_stage(portal, run, labels=labels)
    places: dict[str, str] = {}
    for each in portal.store.catalog.assignments():
        places.setdefault(each.document, "/".join(each.path))
    return places


def test_every_document_is_placed_once_and_a_second_run_does_nothing(portal: Portal) -> None:
    places = classify(portal)
    assert places == {f"d{n}": ("Sea/Squid", "Air/Birds")[n % 2] for n in range(40)}
    run = Run(LocalEngine(1), Lines(None), clock=lambda: 0.0)
    assert classify_stage(portal, run).n_done == 0


@pytest.mark.parametrize(("n_documents", "learned_again"), [(41, False), (46, False), (60, True)])
def test_new_documents_are_placed_and_many_of_them_mean_learning_again(
    portal: Portal, n_documents: int, learned_again: bool
) -> None:
    classify(portal)
    before = model_file(portal).read_bytes()
    add(portal, 40, n_documents)
    places = classify(portal)
    assert places["d40"] == "Sea/Squid"
    assert len(places) == n_documents
    assert (model_file(portal).read_bytes() != before) == learned_again


def test_a_moved_and_renamed_leaf_keeps_everything_else(portal: Portal) -> None:
    before = classify(portal)
    model = model_file(portal).read_bytes()
    (portal.places.folder / "topics.toml").write_text(TREE.replace("Air/Birds", "Land/Feathered/Fowl"))
    after = classify(portal)
    assert after == {d: "Land/Feathered/Fowl" if p == "Air/Birds" else p for d, p in before.items()}
    assert model_file(portal).read_bytes() == model


def test_other_keywords_mean_learning_again(portal: Portal) -> None:
    classify(portal)
    model = model_file(portal).read_bytes()
    (portal.places.folder / "topics.toml").write_text(TREE.replace('"octopus"', '"cuttlefish"'))
    classify(portal)
    assert model_file(portal).read_bytes() != model


@pytest.mark.parametrize("content", [None, b"", b"PK damaged"])
def test_a_lost_or_damaged_model_is_learned_again(portal: Portal, content: bytes | None) -> None:
    before = classify(portal)
    if content is None:
        model_file(portal).unlink()
    else:
        model_file(portal).write_bytes(content)
    add(portal, 40, 41)
    assert classify(portal) == {**before, "d40": "Sea/Squid"}


def test_a_label_is_believed(portal: Portal) -> None:
    labels = {DocumentId("d0"): ("Air", "Birds"), DocumentId("gone"): ("Air", "Birds")}
    places = classify(portal, labels)
    assert places["d0"] == "Air/Birds"
    assert "gone" not in places
    assert classify(portal)["d0"] == "Sea/Squid"  # taken back


def test_the_explanation_names_words_and_neighbors(portal: Portal) -> None:
    entity = Entity(
        EntityId("e"), "paper", (RecordId("d4#header"),), (DocumentId("d4"),), (), RecordId("d4#header")
    )
    portal.store.catalog.replace_graph([entity], [])
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
    texts = {text.document: text for text in topic_texts(portal.store)}
    assert texts[DocumentId("d4")].citing_titles == ("The squid number 6",)
    short = [
        TopicText(DocumentId("a"), "Data mining"),
        TopicText(DocumentId("b"), "A survey of it", cited_titles=("Data mining", "A survey of it")),
    ]
    assert [text.citing_titles for text in with_citers(short)] == [(), ()]  # two words name many papers


def test_the_tree_is_shown_with_counts(portal: Portal) -> None:
    with pytest.raises(ConfigError, match="nothing is classified yet"):
        list(tree_lines(portal))
    classify(portal)
    assert [line.split() for line in tree_lines(portal)] == [
        ["Sea", "20"],
        ["Squid", "20"],
        ["Air", "20"],
        ["Birds", "20"],
        ["(no", "place)", "0"],
    ]


def test_topics_are_suggested_under_a_node_and_for_the_whole(portal: Portal) -> None:
    classify(portal)
    topics = tomllib.loads("\n".join(suggestion_lines(suggestions(portal, "Sea/Squid", 2))))["topic"]
    assert all(topic["path"].startswith("Sea/Squid/") for topic in topics)
    assert not {"wing", "feather"} & {word for topic in topics for word in topic["keywords"]}
    induced = suggestion_lines(suggestions(portal, "", 4))
    (portal.places.folder / "induced.toml").write_text("\n".join(induced))
    assert read_topics(portal.places.folder / "induced.toml")
    with pytest.raises(ConfigError, match='no topic "Sea/Sqid"; did you mean Sea/Squid'):
        suggestions(portal, "Sea/Sqid", 2)
    with pytest.raises(ConfigError, match='"other" has 0 documents'):
        suggestions(portal, "other", 2)
