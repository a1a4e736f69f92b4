"""What people correct is searchable at once and survives every rebuild; what is let in is fetched."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from portico.cli.progress_lines import ProgressLines
from portico.index.searcher import Searcher
from portico.pipeline.building import build_portal
from portico.pipeline.indexing import GENERATION, reindex
from portico.pipeline.opening import open_for_building
from portico.pipeline.portal import Portal
from portico.pipeline.progress import BuildRequest
from portico.pipeline.sources.crawling import list_submitted_papers, list_web_sources, make_crawl_options
from portico.pipeline.verify import verify_portal
from portico.store.contributions.visitors import Submission
from portico.store.opening import index_lock
from portico.types.correction import CorrectionKind, Proposal, ProposalStatus
from portico.types.page import Url
from portico.types.record import Entity
from tests.pipeline.test_importing import RECORDS, exported, imported, write

FOREST, PARSER, OLD = "Growing decision forests", "Parsing with hidden Markov models", "Inducing decision"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    imported(write(folder / "records.jsonl", *RECORDS), folder / "portal")
    return folder / "portal"


@pytest.fixture
def folder(built: Path, tmp_path: Path) -> Path:
    shutil.copytree(built, tmp_path / "portal")
    return tmp_path / "portal"


def found(portal: Portal, title: str) -> Entity:
    return next(each for each in portal.store.catalog.entities.all() if title in (each.value("title") or ""))


def about(paper: Entity, wrong: CorrectionKind, value: str, field: str = "") -> Proposal:
    return Proposal(wrong, paper.id, paper.chosen, field=field, value=value, who="builder", at=1.0)


def make(portal: Portal, *said: Proposal) -> None:
    """The builder corrects, as the served portal does it."""
    for each in said:
        assert reindex(portal, portal.store.contributions.corrections.make(each))


def hits(portal: Portal, query: str) -> list[str]:
    searcher = Searcher(portal.places.index / (portal.store.meta.get(GENERATION) or ""))
    return [hit.entity for hit in searcher.search(query).hits]


def rebuilt(folder: Path) -> list[dict[str, Any]]:
    build_portal(folder, BuildRequest(), ProgressLines(None))
    assert not verify_portal(folder, repair=False).open_faults
    return exported(folder)


def titles(export: list[dict[str, Any]]) -> set[str]:
    return {paper["title"] for paper in export}


def test_corrected_fields_are_found_at_once_and_stay_in_every_rebuild(folder: Path) -> None:
    with open_for_building(folder) as portal:
        forest = found(portal, FOREST)
        make(
            portal,
            about(forest, CorrectionKind.FIELD, "Growing zebra forests", "title"),
            about(forest, CorrectionKind.FIELD, "Ada Young\nBo Li", "author"),
            about(forest, CorrectionKind.FIELD, "", "venue"),
        )
        assert hits(portal, "zebra author:li") == [forest.id]
    at_once = exported(folder)
    assert not verify_portal(folder, repair=False).open_faults
    (corrected,) = [paper for paper in at_once if paper["title"] == "Growing zebra forests"]
    assert corrected["authors"] == ["Ada Young", "Bo Li"]
    assert corrected["venue"] is None
    assert corrected["confidence"]["title"] == 1.0
    assert rebuilt(folder) == at_once
    with open_for_building(folder) as portal:
        portal.store.meta.delete("match")
        portal.store.meta.delete("match_basis")
    assert rebuilt(folder) == at_once


def test_what_is_taken_back_is_as_it_was_read(folder: Path) -> None:
    before = exported(folder)
    with open_for_building(folder) as portal:
        make(portal, about(found(portal, FOREST), CorrectionKind.FIELD, "Wrong", "title"))
        (accepted,) = portal.store.contributions.corrections.accepted(CorrectionKind.FIELD)
        portal.store.contributions.corrections.reject(accepted.id, at=2.0)
    assert rebuilt(folder) == before


def test_two_papers_joined_by_hand_are_one_at_once_and_after_a_rebuild(folder: Path) -> None:
    with open_for_building(folder) as portal:
        forest, old = found(portal, FOREST), found(portal, OLD)
        make(portal, about(forest, CorrectionKind.SAME, old.chosen))
        assert hits(portal, "inducing") == []
    at_once = exported(folder)
    assert titles(at_once) == {FOREST, PARSER}
    assert titles(rebuilt(folder)) == titles(at_once)
    with open_for_building(folder) as portal:
        joined = portal.store.catalog.entities.current(old.id)
        assert joined is not None
        assert set(joined.records) == {*forest.records, *old.records}


def test_a_record_parted_by_hand_is_a_paper_of_its_own(folder: Path) -> None:
    with open_for_building(folder) as portal:
        forest = found(portal, FOREST)
        cited = next(name for name in forest.records if name != forest.chosen)
        make(portal, about(forest, CorrectionKind.DIFFERENT, cited))
        assert len(hits(portal, '"growing decision forests"')) == 2
    at_once = exported(folder)
    assert sorted(len(paper["sources"]) for paper in at_once if paper["title"] == FOREST) == [0, 1]
    assert len(rebuilt(folder)) == len(at_once)
    assert sorted(len(paper["cited_by"]) for paper in exported(folder) if paper["title"] == FOREST) == [0, 1]


def test_only_the_record_that_was_parted_leaves(tmp_path: Path) -> None:
    again = {**RECORDS[1], "id": "p3", "title": "Tagging with smoothed models", "authors": ["Bo Li"]}
    folder = tmp_path / "portal"
    imported(write(tmp_path / "three.jsonl", *RECORDS, again), folder)
    with open_for_building(folder) as portal:
        forest = found(portal, FOREST)
        cited = [name for name in forest.records if name != forest.chosen]
        assert len(cited) == 2
        make(portal, about(forest, CorrectionKind.DIFFERENT, cited[0]))
        citing = hits(portal, f"cites:{forest.id}")
        assert len(citing) == 1
    assert sorted(len(paper["cited_by"]) for paper in exported(folder) if paper["title"] == FOREST) == [1, 1]
    assert sorted(len(paper["cited_by"]) for paper in rebuilt(folder) if paper["title"] == FOREST) == [1, 1]
    with open_for_building(folder) as portal:
        assert hits(portal, f"cites:{forest.id}") == citing
        (accepted,) = portal.store.contributions.corrections.accepted(CorrectionKind.DIFFERENT)
        portal.store.contributions.corrections.reject(accepted.id, at=2.0)
        assert not portal.store.contributions.corrections.verdicts()
    assert [len(paper["cited_by"]) for paper in rebuilt(folder) if paper["title"] == FOREST] == [2]


def test_who_cites_one_of_two_joined_papers_cites_both_at_once(folder: Path) -> None:
    with open_for_building(folder) as portal:
        parser, old = found(portal, PARSER), found(portal, OLD)
        make(portal, about(found(portal, FOREST), CorrectionKind.SAME, old.chosen))
        joined = found(portal, FOREST)
        assert hits(portal, f"cites:{joined.id}") == [parser.id]
        assert hits(portal, f"cites:{old.id}") == []


def test_what_is_cited_and_no_paper_stays_out(folder: Path) -> None:
    with open_for_building(folder) as portal:
        forest, parser = found(portal, FOREST), found(portal, PARSER)
        references = (name for name in forest.records if name.startswith(parser.documents[0]))
        make(portal, about(forest, CorrectionKind.NOT_A_PAPER, "\n".join((*forest.documents, *references))))
        assert hits(portal, f"cites:{forest.id}") == []
    assert FOREST not in titles(exported(folder))
    assert FOREST not in titles(rebuilt(folder))


def test_what_is_no_paper_stays_out(folder: Path) -> None:
    with open_for_building(folder) as portal:
        parser = found(portal, PARSER)
        make(portal, about(parser, CorrectionKind.NOT_A_PAPER, "\n".join(parser.documents)))
        assert hits(portal, "markov") == []
    assert PARSER not in titles(exported(folder))
    assert titles(rebuilt(folder)) == {FOREST}  # what only it cited is gone too


def test_a_topic_given_by_hand_teaches_and_stays(folder: Path) -> None:
    with open_for_building(folder) as portal:
        forest = found(portal, FOREST)
        path = next(topic.path for topic in portal.store.catalog.topics.all() if len(topic.path) > 1)
        make(portal, about(forest, CorrectionKind.TOPIC, "/".join(path)))
    for export in (exported(folder), rebuilt(folder)):
        (topics,) = [paper["topics"] for paper in export if paper["title"] == FOREST]
        assert topics == [{"path": "/".join(path), "probability": 1.0}]


def test_while_a_build_writes_the_index_a_correction_waits_for_the_next(folder: Path) -> None:
    with open_for_building(folder) as portal:
        forest = found(portal, FOREST)
        assert not portal.store.catalog.staleness.is_stale(), "built, and nothing changed since"
        with index_lock(portal.places.folder, wait=True):
            changed = portal.store.contributions.corrections.make(
                about(forest, CorrectionKind.FIELD, "Zebras", "title")
            )
            assert not reindex(portal, changed)
        assert hits(portal, "zebras") == []
        assert portal.store.catalog.staleness.is_stale(), "pages ask the store for titles meanwhile"
    rebuilt(folder)
    with open_for_building(folder) as portal:
        assert hits(portal, "zebras") == [forest.id]
        assert not portal.store.catalog.staleness.is_stale()


def test_what_the_builder_lets_in_is_a_seed_and_nothing_around_a_paper_is(folder: Path) -> None:
    paper, site = Url("http://a.example/papers/one.pdf"), Url("https://b.example/papers/")
    with open_for_building(folder) as portal:
        submissions = portal.store.contributions.submissions
        for url, whole_site in ((paper, False), (site, True), (Url("https://c.example/"), True)):
            submissions.add(Submission(url, whole_site))
        submissions.decide(paper, ProposalStatus.ACCEPTED, at=1.0)
        submissions.decide(site, ProposalStatus.ACCEPTED, at=1.0)
        submissions.decide(Url("https://c.example/"), ProposalStatus.REJECTED, at=1.0)
        sources, papers = list_web_sources(portal), list_submitted_papers(portal)
        scope = make_crawl_options(portal.settings, sources, papers).scope
    assert [source.seeds for source in sources] == [(site,)]
    assert papers == (paper,)
    allowed = [paper, "https://a.example/papers/one.pdf", site, "https://b.example/other.pdf"]
    refused = ["http://a.example/papers/two.pdf", "https://c.example/", "https://d.example/"]
    assert [scope.refusal(Url(url)) for url in allowed] == [None] * len(allowed)
    assert all(scope.refusal(Url(url)) for url in refused)
    alone = replace(scope, hosts=())
    assert alone.refusal(paper) is None
    assert alone.refusal(site), "a paper alone does not open every host"
