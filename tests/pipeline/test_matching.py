"""The match stage on a store of its own: what the builder decided stays, and why papers are one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from portico.cli.progress_lines import ProgressLines
from portico.engine.local import LocalEngine
from portico.pipeline.authoring import run_authors
from portico.pipeline.collections.papers.explaining import explain_identity
from portico.pipeline.collections.papers.matching import match_papers
from portico.pipeline.opening import open_for_building
from portico.pipeline.portal import Portal
from portico.pipeline.runners import BuildRun
from portico.store.codec import encode
from portico.store.documents.results import Done
from portico.types.correction import Verdict
from portico.types.record import Entity, EntityId
from tests.graphs import read_aliases, remove_verdict, write_verdicts
from tests.match.build import header, reference

TREES = "Incremental induction of decision trees"
DOCUMENTS = {
    "a": (header("a", TREES, "Paul E. Utgoff"),),
    "b": (
        header("b", "Learning from citations of citations", "Mary Jones"),
        reference("b", 1, TREES, "P. Utgoff", year="1989", journal="Machine Learning"),
    ),
}


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[Portal]:
    (tmp_path / "portal.toml").write_text('[[source]]\nseeds = ["http://a.test/"]\n')
    with open_for_building(tmp_path) as opened:
        rows = [Done(name, "key", encode(records), 0.0, 0.0) for name, records in DOCUMENTS.items()]
        opened.store.documents.results.put_many("extract", rows)
        match(opened)
        yield opened


def match(portal: Portal) -> int:
    return match_papers(portal, BuildRun(LocalEngine(1), ProgressLines(None), clock=lambda: 0.0)).n_done


def trees(portal: Portal) -> Entity:
    return next(entity for entity in portal.store.catalog.entities.all() if "a" in entity.documents)


def test_a_record_parted_by_hand_stays_apart_in_every_rebuild(portal: Portal) -> None:
    paper = trees(portal)
    assert paper.n_citations == 1
    assert match(portal) == 0, "nothing changed"
    record = next(name for name in paper.records if name != paper.chosen)
    verdict = Verdict(paper.chosen, record, False, "Ann", 1.0)
    write_verdicts(portal.store, [verdict])
    assert match(portal) > 0
    assert trees(portal).id == paper.id
    assert trees(portal).n_citations == 0
    remove_verdict(portal.store, verdict)
    match(portal)
    assert trees(portal) == paper


def test_why_records_are_one_paper(portal: Portal) -> None:
    section = explain_identity(portal, trees(portal).id)
    assert section is not None
    assert "2 records" in section.summary
    assert "year from b#ref-1" in section.summary
    record, probability, agreement, printed = section.rows[0]
    assert record == "b#ref-1"
    assert float(probability) > 0.9
    assert "title same" in agreement
    assert TREES in printed


def test_papers_joined_by_hand_are_one_and_the_old_id_leads_there(portal: Portal) -> None:
    other = next(entity for entity in portal.store.catalog.entities.all() if "b" in entity.documents)
    before = {trees(portal).id, other.id}
    write_verdicts(portal.store, [Verdict(trees(portal).chosen, other.chosen, True, "Ann", 1.0)])
    match(portal)
    assert trees(portal).documents == ("a", "b")
    assert {read_aliases(portal.store).get(old, old) for old in before} == {trees(portal).id}
    section = explain_identity(portal, trees(portal).id)
    assert section is not None
    assert any("joined by Ann" in row[2] for row in section.rows)


def test_names_on_papers_lead_to_people(portal: Portal) -> None:
    run = BuildRun(LocalEngine(1), ProgressLines(None), clock=lambda: 0.0)
    assert run_authors(portal, run).n_done == 2
    assert not run_authors(portal, run).worked, "nothing changed"
    paper = trees(portal)
    (byline,) = portal.store.catalog.authors.of_papers([paper.id])[paper.id]
    card = portal.store.catalog.authors.card(byline.author)
    assert card is not None
    assert (byline.printed, card.name, card.n_papers) == ("Paul E. Utgoff", "Paul E. Utgoff", 1)
    assert portal.store.catalog.authors.papers(card.id) == (paper,)


def test_a_paper_that_does_not_exist_is_not_explained(portal: Portal) -> None:
    assert explain_identity(portal, EntityId("nothing")) is None
