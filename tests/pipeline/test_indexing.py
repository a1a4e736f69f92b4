"""After a change the index writes what changed, and ranks count as changed when one would notice."""

from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete

from portico.cli.progress_lines import ProgressLines
from portico.engine.local import LocalEngine
from portico.index.searcher import Searcher
from portico.index.writer import fingerprint_entry as entry_fingerprint
from portico.pipeline.collections.papers.entries import DocumentInputs, EntryInputs
from portico.pipeline.indexing import GENERATION, reindex, run_index
from portico.pipeline.opening import open_for_building
from portico.pipeline.portal import Portal
from portico.pipeline.runners import BuildRun
from portico.store.catalog.entities import EntitySummary
from portico.store.database import writing
from portico.store.documents.pages import FILE, PageRow
from portico.store.schema import entity_change
from portico.types.document import DocumentId, Span
from portico.types.page import BodyHash
from portico.types.record import Author, AuthorId, Entity, EntityId, Field, RecordId, Signature
from portico.types.search import Entry
from tests.graphs import write_graph

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
DOCUMENT = DocumentInputs(DocumentId("p0"), "text", None, "http://a.test/old.pdf", "application/pdf")
OUTLINE = EntitySummary(EntityId("p0"), "digest", 1, 0.1, 0.1, (DocumentId("p0"),))


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[Portal]:
    (tmp_path / "portal.toml").write_text('[[source]]\nseeds = ["http://a.test/"]\n')
    with open_for_building(tmp_path) as portal:
        yield portal


def index(portal: Portal, *changed: Entity) -> int:
    papers = {each.id: each for each in (*PAPERS, *changed)}
    write_graph(portal.store, papers.values(), ())
    portal.store.meta.delete("index")
    return run_index(portal, BuildRun(LocalEngine(1), ProgressLines(None), clock=lambda: 0.0)).n_done


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


def test_harvesters_are_told_what_changed_in_what_they_can_see(portal: Portal) -> None:
    changes = portal.store.catalog.changes
    index(portal)
    first = changes.changed_at([each.id for each in PAPERS])
    index(portal, replace(PAPERS[3], n_citations=100))
    assert changes.changed_at([PAPERS[3].id])[PAPERS[3].id] > first[PAPERS[3].id]
    write_graph(portal.store, PAPERS[1:], ())
    portal.store.meta.delete("index")
    run_index(portal, BuildRun(LocalEngine(1), ProgressLines(None), clock=lambda: 0.0))
    gone = changes.get(PAPERS[0].id)
    assert gone is not None
    assert gone.removed
    unchanged = [each.id for each in PAPERS[4:]]
    assert changes.changed_at(unchanged) == {name: first[name] for name in unchanged}


def test_a_portal_from_before_changes_were_dated_gets_dates(portal: Portal) -> None:
    index(portal)
    with writing(portal.store.engine) as connection:
        connection.execute(delete(entity_change))
    run = BuildRun(LocalEngine(1), ProgressLines(None), clock=lambda: 0.0)
    assert run_index(portal, run).n_done == 0
    assert portal.store.catalog.changes.listed_ids() == {each.id for each in PAPERS}


def test_names_in_the_index_tell_whose_they_are_and_change_with_that(portal: Portal) -> None:
    paper = replace(PAPERS[0], fields=(*PAPERS[0].fields, Field("author", "Ann Lee", Span(9, 16), 1.0)))
    for person, n_written in (("first", len(PAPERS)), ("first", 0), ("second", 1)):
        portal.store.catalog.authors.replace(
            [Author(AuthorId(person), "Ann Lee", (Signature(paper.id, 0, "Ann Lee"),))]
        )
        assert index(portal, paper) == n_written
        searcher = Searcher(portal.places.index / (portal.store.meta.get(GENERATION) or ""))
        (hit,) = searcher.search("author:lee").hits
        assert (hit.shown.authors, hit.shown.people) == (("Ann Lee",), (person,))


def test_a_file_that_moved_is_listed_where_it_is_now(portal: Portal) -> None:
    """The same bytes at another address: nothing is matched again, and yet every list links to the file."""
    paper = portal.store.documents.pages
    body = BodyHash(PAPERS[0].documents[0])
    for old, new, media_type in (
        ("", "http://a.test/old.pdf", "application/pdf"),
        ("http://a.test/old.pdf", "http://b.test/new.pdf", "application/pdf"),
        ("http://b.test/new.pdf", "http://b.test/new.pdf", "application/postscript"),
    ):
        paper.remove([old])
        paper.put([PageRow(new, FILE, 1.0, body=body, media_type=media_type)])
        write_graph(portal.store, PAPERS, ())
        n_written = run_index(portal, BuildRun(LocalEngine(1), ProgressLines(None), clock=lambda: 0.0)).n_done
        assert n_written == (1 if old else len(PAPERS))
        searcher = Searcher(portal.places.index / (portal.store.meta.get(GENERATION) or ""))
        (hit,) = searcher.search('"the paper p0"').hits
        assert (hit.shown.source, hit.shown.media_type) == (new, media_type)


@pytest.mark.parametrize("field", [each.name for each in fields(Entry)])
def test_everything_an_entry_shows_changes_its_digest(portal: Portal, field: str) -> None:
    """An entry of declared kinds is its own inputs: no field of it may be left out."""
    entry = Entry(EntityId("one"), "A title")
    other: dict[str, Any] = {
        "str": "other",
        "int": 7,
        "float": 0.5,
        "bool": False,
        "tuple": ("other",),
        "NoneType": 1999,
    }
    changed = replace(entry, **{field: other[type(getattr(entry, field)).__name__]})
    assert entry_fingerprint(changed) != entry_fingerprint(entry)


OTHER_PAPER: dict[str, Any] = {"digest": "other", "n_citations": 9, "authority": 0.9, "hub": 0.9}
OTHER_DOCUMENT: dict[str, Any] = {
    "id": DocumentId("other"),
    "text": "digest",
    "topic": (0.5, ("AI",)),
    "source": "http://b.test/new.pdf",
    "media_type": "application/postscript",
}


@pytest.mark.parametrize(
    "change",
    [
        {"cites": (EntityId("p9"),)},
        {"people": (("Ann Lee", AuthorId("ann")),)},
        {"documents": ()},
        *({"documents": (replace(DOCUMENT, **{name: OTHER_DOCUMENT[name]}),)} for name in OTHER_DOCUMENT),
        *({"paper": replace(OUTLINE, **{name: OTHER_PAPER[name]})} for name in OTHER_PAPER),
    ],
)
def test_everything_a_paper_entry_is_made_of_changes_its_digest(change: dict[str, Any]) -> None:
    inputs = EntryInputs(OUTLINE, (DOCUMENT,), (), ())
    assert replace(inputs, **change).digest() != inputs.digest()


def test_a_corrected_entry_is_not_written_again_by_the_next_build(portal: Portal) -> None:
    index(portal)
    assert reindex(portal, [PAPERS[4].id])
    assert index(portal) == 0
