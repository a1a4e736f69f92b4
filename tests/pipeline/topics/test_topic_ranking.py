"""Who is seminal in a topic is decided by those who write about it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from portico.cli.progress_lines import ProgressLines
from portico.engine.local import LocalEngine
from portico.pipeline.opening import open_for_building
from portico.pipeline.portal import Portal
from portico.pipeline.runners import BuildRun
from portico.pipeline.topics.topic_ranking import run_ranks
from portico.types.document import DocumentId, Span
from portico.types.record import Citation, Entity, EntityId, Field, RecordId
from portico.types.topic import Assignment, Topic
from tests.graphs import write_graph

PLACES = {
    **dict.fromkeys(("parsing", "grammars", "survey"), ("AI", "Language")),
    **dict.fromkeys(("vision", "edges"), ("AI", "Vision")),
    **dict.fromkeys(("sorting", "heaps", "trees"), ("Algorithms",)),
}
CITES = [
    ("survey", "parsing"), ("survey", "grammars"), ("grammars", "parsing"), ("vision", "grammars"),
    ("edges", "vision"), ("heaps", "sorting"), ("trees", "sorting"), ("heaps", "parsing"),
    ("trees", "parsing"),
]  # fmt: skip


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[Portal]:
    (tmp_path / "portal.toml").write_text('[[source]]\nseeds = ["http://a.test/"]\n')
    with open_for_building(tmp_path) as portal:
        catalog = portal.store.catalog
        catalog.topics.replace_tree([Topic(path, ()) for path in dict.fromkeys(PLACES.values())])
        catalog.topics.replace_assignments(
            Assignment(DocumentId(name), path, 0.9) for name, path in PLACES.items()
        )
        write_graph(
            portal.store,
            [paper(name) for name in PLACES],
            [
                Citation(EntityId(citing), EntityId(cited), RecordId(f"{citing}#ref-{number}"), 1.0)
                for number, (citing, cited) in enumerate(CITES)
            ],
        )
        yield portal


def paper(name: str) -> Entity:
    record = RecordId(f"{name}#header")
    field = Field("title", name, Span(0, 1), 1.0)
    return Entity(EntityId(name), "paper", (record,), (DocumentId(name),), (field,), record)


def rank(portal: Portal) -> int:
    return run_ranks(portal, BuildRun(LocalEngine(1), ProgressLines(None), clock=lambda: 0.0)).n_done


def names(papers: Sequence[Entity]) -> list[str]:
    return [paper.id for paper in papers]


@pytest.mark.parametrize(
    ("path", "seminal", "surveys"),
    [
        (("AI", "Language"), ["parsing", "grammars"], ["survey", "grammars"]),
        (("AI", "Vision"), ["vision"], ["edges"]),
        (("Algorithms",), ["sorting"], ["heaps", "trees"]),
        (("AI", "Nothing"), [], []),
    ],
)
def test_papers_of_a_topic_rank_by_citations_among_themselves(
    portal: Portal, path: tuple[str, ...], seminal: list[str], surveys: list[str]
) -> None:
    assert rank(portal)
    leading = portal.store.catalog.topics.leading
    assert names(leading(path, "seminal", limit=9)) == seminal
    assert names(leading(path, "survey", limit=9)) == surveys
    listed = names(portal.store.view.topics.papers(path, order="seminal"))
    assert listed[: len(seminal)] == seminal
    assert len(listed) == sum(place == path for place in PLACES.values()), "those without citations come last"


def test_a_topic_includes_what_is_below_it(portal: Portal) -> None:
    rank(portal)
    # Here a paper on vision speaks for the grammars too: both are cited as often and by as good papers.
    assert names(portal.store.catalog.topics.leading(("AI",), "seminal", limit=2)) == ["grammars", "parsing"]
    assert len(portal.store.view.topics.papers(("AI",), order="survey")) == 5


def test_ranks_are_made_again_only_after_a_change(portal: Portal) -> None:
    assert rank(portal) > 0
    assert rank(portal) == 0
    portal.store.meta.set("match", "another")
    assert rank(portal) == 0, "nothing came of it"
    portal.store.catalog.topics.replace_assignments(())
    portal.store.meta.set("classify", "another")
    assert rank(portal) > 0
    assert portal.store.catalog.topics.leading(("AI",), "seminal", limit=2) == ()
