"""After a change the index writes what changed, and ranks count as changed when one would notice."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from portico.cli.lines import Lines
from portico.engine.local import LocalEngine
from portico.index.searcher import Searcher
from portico.pipeline.indexing import GENERATION, index_stage
from portico.pipeline.portal import Portal, open_for_building
from portico.pipeline.run import Run
from portico.types.author import Author, AuthorId, Signature
from portico.types.document import DocumentId, Span
from portico.types.record import Entity, EntityId, Field, RecordId

PAPERS = [
    Entity(
        EntityId(name),
        "paper",
        (RecordId(f"{name}#header"),),
        (DocumentId(name),),
        (Field("title", f"On the paper {name}", Span(0, 9), 1.0),),
        RecordId(f"{name}#header"),
        n_citations=number,
        authority=0.1,
        hub=0.02,
    )
    for number, name in enumerate(f"p{number}" for number in range(20))
]


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[Portal]:
    (tmp_path / "portal.toml").write_text('[[source]]\nseeds = ["http://a.test/"]\n')
    with open_for_building(tmp_path) as portal:
        yield portal


def index(portal: Portal, *changed: Entity) -> int:
    papers = {each.id: each for each in (*PAPERS, *changed)}
    portal.store.catalog.replace_graph(papers.values(), ())
    portal.store.meta.delete("index")
    return index_stage(portal, Run(LocalEngine(1), Lines(None), clock=lambda: 0.0)).n_done


@pytest.mark.parametrize(
    ("changes", "n_written"),
    [
        ({}, 0),
        ({"authority": 0.101, "hub": 0.0199, "pagerank": 0.5}, 0),
        ({"authority": 0.12}, 1),
        ({"hub": 0.0}, 1),
        ({"n_citations": 100}, 1),
        ({"fields": (Field("title", "Another title", Span(0, 9), 1.0),)}, 1),
        ({"documents": (DocumentId("other"),)}, 1),
    ],
)
def test_what_is_written_again(portal: Portal, changes: dict[str, object], n_written: int) -> None:
    assert index(portal) == len(PAPERS)
    assert index(portal) == 0
    assert index(portal, replace(PAPERS[3], **changes)) == n_written  # type: ignore[arg-type]
    searcher = Searcher(portal.places.index / (portal.store.meta.get(GENERATION) or ""))
    assert searcher.n_entries == len(PAPERS)


def test_names_in_the_index_tell_whose_they_are_and_change_with_that(portal: Portal) -> None:
    paper = replace(PAPERS[0], fields=(*PAPERS[0].fields, Field("author", "Ann Lee", Span(9, 16), 1.0)))
    for person, n_written in (("first", len(PAPERS)), ("first", 0), ("second", 1)):
        portal.store.authors.replace(
            [Author(AuthorId(person), "Ann Lee", (Signature(paper.id, 0, "Ann Lee"),))]
        )
        assert index(portal, paper) == n_written
        searcher = Searcher(portal.places.index / (portal.store.meta.get(GENERATION) or ""))
        (hit,) = searcher.search("author:lee").hits
        assert (hit.shown.authors, hit.shown.people) == (("Ann Lee",), (person,))
