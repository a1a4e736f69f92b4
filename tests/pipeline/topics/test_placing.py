"""Placing again by the citation graph: once a graph, by everything that is known of the neighbors."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from portico.cli.progress_lines import ProgressLines
from portico.engine.local import LocalEngine
from portico.pipeline.building import STAGES
from portico.pipeline.collections.papers.explaining import explain_topics
from portico.pipeline.opening import open_for_building
from portico.pipeline.portal import Portal
from portico.pipeline.runners import BuildRun
from portico.pipeline.topics.classifying import run_classify
from portico.pipeline.topics.placing import run_place
from portico.pipeline.topics.topic_texts import (
    iterate_graph_sources,
    make_graph_texts,
    read_graph_texts,
    read_topic_texts,
)
from portico.store.codec import encode
from portico.store.documents.results import Done
from portico.types.correction import CorrectionKind, Proposal
from portico.types.document import DocumentId, Span
from portico.types.record import Citation, Entity, EntityId, Field, RecordId
from portico.types.stages import StageName
from tests.graphs import write_graph
from tests.pipeline.topics.test_classifying import TREE, a_record, add, classify

SILENT = "On some further observations"


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[Portal]:
    """Forty documents about squids and birds, and one whose words say nothing."""
    (tmp_path / "portal.toml").write_text(
        '[portal]\ntitle = "Animals"\n[[source]]\nfolder = "."\n[topics]\nfile = "topics.toml"\n'
    )
    (tmp_path / "topics.toml").write_text(TREE)
    with open_for_building(tmp_path) as portal:
        add(portal, 0, 40)
        silent = a_record("silent", "header", title=SILENT)
        portal.store.documents.results.put_many(
            "extract", [Done("silent", "key", encode((silent,)), 0.0, 0.0)]
        )
        yield portal


def match(portal: Portal, citers: list[int], key: str) -> None:
    """As matching would leave it: every document an entity, the silent one cited by some of the others."""
    titles = {f"d{n}": f"The {('squid', 'bird')[n % 2]} number {n}" for n in range(40)} | {"silent": SILENT}
    entities = [
        Entity(
            EntityId(f"e-{name}"),
            "paper",
            (RecordId(f"{name}#header"),),
            (DocumentId(name),),
            (Field("title", title, Span(0, 1), 0.9),),
            RecordId(f"{name}#header"),
        )
        for name, title in titles.items()
    ]
    citations = [
        Citation(EntityId(f"e-d{n}"), EntityId("e-silent"), RecordId(f"d{n}#reference"), 0.9) for n in citers
    ]
    write_graph(portal.store, entities, citations)
    portal.store.meta.set("match", key)


def place(portal: Portal, n_workers: int = 1) -> int:
    return run_place(portal, BuildRun(LocalEngine(n_workers), ProgressLines(None), clock=lambda: 0.0)).n_done


def stands(portal: Portal, document: str = "silent") -> str | None:
    places = [each for each in portal.store.catalog.topics.assignments() if each.document == document]
    return "/".join(places[0].path) if places else None


def test_the_graph_places_a_silent_document_and_only_once(portal: Portal) -> None:
    assert place(portal) == 0  # nothing is classified yet
    assert classify(portal).get("silent") is None
    assert place(portal) == 0  # nor matched since
    match(portal, [0, 2, 4, 6], "first graph")
    assert place(portal) > 0
    assert stands(portal) == "Sea/Squid"
    assert {stands(portal, f"d{n}") for n in range(0, 40, 2)} == {"Sea/Squid"}
    assert place(portal) == 0
    assert classify(portal)["silent"] == "Sea/Squid"  # nothing is due, so nothing is undone


def test_another_graph_gives_other_places(portal: Portal) -> None:
    classify(portal)
    match(portal, [0, 2, 4, 6], "first graph")
    place(portal)
    match(portal, [1, 3, 5, 7], "second graph")
    assert place(portal) > 0
    assert stands(portal) == "Air/Birds"


@pytest.mark.parametrize(
    ("said", "expected"), [("Air/Birds", "Air/Birds"), ("Air", "Air"), ("No/Leaf", "Sea/Squid")]
)
def test_what_a_person_said_outweighs_the_neighbors(portal: Portal, said: str, expected: str) -> None:
    classify(portal)
    match(portal, [0, 2, 4, 6], "graph")
    proposal = Proposal(CorrectionKind.TOPIC, EntityId("e-silent"), RecordId("silent#header"), value=said)
    portal.store.contributions.corrections.make(proposal)
    classify(portal)
    place(portal)
    assert stands(portal) == expected


def test_documents_outside_of_the_graph_keep_their_places(portal: Portal) -> None:
    classify(portal)
    match(portal, [0, 2], "graph")
    add(portal, 40, 41)
    before = classify(portal)["d40"]
    place(portal)
    assert stands(portal, "d40") == before == "Sea/Squid"


def test_a_lost_model_leaves_everything_as_it_is(portal: Portal) -> None:
    before = classify(portal)
    (portal.places.models / "topics.npz").unlink()
    match(portal, [0, 2], "graph")
    assert place(portal) == 0
    assert classify(portal) == before


def test_workers_place_documents_as_one_process_does(portal: Portal, monkeypatch: pytest.MonkeyPatch) -> None:
    classify(portal)
    match(portal, [0, 2, 4, 6], "graph")
    place(portal)
    here = [*portal.store.catalog.topics.assignments()]
    monkeypatch.setattr("portico.pipeline.topics.placing.LEAST_SHARED", 1)
    monkeypatch.setattr("portico.pipeline.topics.topic_texts.TEXTS_AT_ONCE", 15)
    portal.store.catalog.topics.replace_assignments(())
    portal.store.meta.delete("place")
    place(portal, n_workers=2)
    assert [*portal.store.catalog.topics.assignments()] == here


def test_workers_read_texts_as_one_process_does(portal: Portal, monkeypatch: pytest.MonkeyPatch) -> None:
    here = read_topic_texts(portal.store)
    monkeypatch.setattr("portico.pipeline.topics.topic_texts.LEAST_SHARED", 1)
    monkeypatch.setattr("portico.pipeline.topics.topic_texts.TEXTS_AT_ONCE", 7)
    monkeypatch.setattr("portico.pipeline.topics.topic_texts.MOST_LEARNED", 20)
    assert len(here) > 20
    shared = read_topic_texts(portal.store, LocalEngine(2))
    assert shared == read_topic_texts(portal.store)
    assert [text.document for text in shared] == [text.document for text in here[:20]]


def test_the_explanation_names_the_neighbors_of_the_graph(portal: Portal) -> None:
    classify(portal)
    match(portal, [0, 2, 4, 6], "graph")
    place(portal)
    section = explain_topics(portal, EntityId("e-silent"))
    assert section is not None
    assert "Stands at Sea/Squid" in section.summary
    assert ("neighbor", "The squid number 4", "citing") in section.rows


def test_one_text_is_the_same_as_among_all(portal: Portal) -> None:
    match(portal, [0, 2, 4, 6], "graph")
    entity = portal.store.catalog.entities.current("e-d2")
    assert entity is not None
    (text,) = read_graph_texts(portal.store, [entity.id])
    assert text in [each for found in iterate_graph_sources(portal.store) for each in make_graph_texts(found)]
    assert text.cited_titles == (SILENT,)


def test_texts_of_the_graph_have_the_venues_that_the_file_prints(portal: Portal) -> None:
    records = (
        a_record("d2", "header", title="The squid number 2", venue="Marine Biology", language="de"),
        a_record("d2", "reference", title="Squids", venue="Nucleic Acids Res."),
        a_record("d2", "reference", title="More squids"),
    )
    portal.store.documents.results.put_many("extract", [Done("d2", "new", encode(records), 0.0, 0.0)])
    match(portal, [2], "graph")
    entity = portal.store.catalog.entities.current("e-d2")
    assert entity is not None
    (text,) = read_graph_texts(portal.store, [entity.id])
    assert text.language == "de"
    assert (text.venue, [name.lower() for name in text.cited_venues]) == (
        "Marine Biology",
        ["nucleic acids research"],
    )


def test_papers_are_placed_once(portal: Portal) -> None:
    run = BuildRun(LocalEngine(1), ProgressLines(None), clock=lambda: 0.0)
    run_classify(portal, run)
    assert not list(portal.store.catalog.topics.assignments()), "learning the topics places nothing"
    match(portal, [0, 2, 4, 6], "graph")
    assert place(portal) == 41


def test_placing_comes_after_matching_and_before_who_needs_topics() -> None:
    order = [stage.name for stage in STAGES]
    assert order.index(StageName.MATCH) < order.index(StageName.PLACE) < order.index(StageName.AUTHORS)
