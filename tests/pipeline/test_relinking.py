"""Papers come, change and go in any order: the graph is the one that matching everything gives."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from portico.cli.progress_lines import ProgressLines
from portico.engine.local import LocalEngine
from portico.match.matcher import compare_all
from portico.pipeline.collections.papers import match_jobs, relinking
from portico.pipeline.collections.papers.matching import match_papers
from portico.pipeline.opening import open_for_building
from portico.pipeline.portal import Portal
from portico.pipeline.runners import BuildRun
from portico.store.codec import decode, encode
from portico.store.documents.results import Done
from portico.types.correction import Verdict
from portico.types.record import Record, RecordId
from tests.graphs import read_aliases, remove_verdict, write_verdicts
from tests.match.build import header, match_all, reference

# Few titles that are near each other, so that windows overflow, chains form and names collide.
TITLES = (
    "Incremental induction of decision trees",
    "Incremental induction of decision tree",
    "Incremental induction of decision lists",
    "Incremental induction of topic hierarchies",
    "Incremental construction of decision trees",
    "Learning decision trees",
    "Preface",
    "",
)
AUTHORS = ("P. Utgoff", "Paul E. Utgoff", "M. Jones", "")
YEARS = ("1988", "1989", "1990", "")
PLACES = ("Machine Learning Journal", "Technical report 90-100", "PhD thesis", "", "")

TEXTS = st.tuples(*map(st.sampled_from, (TITLES, AUTHORS, YEARS, PLACES)))
PAPERS = st.tuples(st.booleans(), TEXTS, st.lists(TEXTS, max_size=5))


def paper(name: str, content: tuple[bool, tuple[str, ...], list[tuple[str, ...]]]) -> tuple[Record, ...]:
    has_header, (title, author, *_), references = content
    own = (header(name, title, author),) if has_header else ()
    return own + tuple(
        reference(name, number, title, author, year=year, journal=place)
        for number, (title, author, year, place) in enumerate(references)
    )


NAMES = st.sampled_from("abcdefgh")
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.dictionaries(NAMES, PAPERS, min_size=1, max_size=3)),
        st.tuples(st.just("drop"), st.sets(NAMES, min_size=1, max_size=2)),
        st.tuples(st.just("judge"), st.tuples(st.integers(0, 99), st.integers(0, 99), st.booleans())),
        st.tuples(st.just("withdraw"), st.integers(0, 99)),
    ),
    min_size=1,
    max_size=5,
)


@pytest.fixture
def run() -> BuildRun:
    return BuildRun(LocalEngine(1), ProgressLines(None), clock=lambda: 0.0)


def opened(folder: Path) -> Iterator[Portal]:
    (folder / "portal.toml").write_text('[[source]]\nseeds = ["http://a.test/"]\n')
    with open_for_building(folder) as portal:
        yield portal


def put(portal: Portal, papers: dict[str, tuple[Record, ...]]) -> None:
    rows = [Done(name, "key", encode(records), 0.0, 0.0) for name, records in papers.items()]
    portal.store.documents.results.put_many("extract", rows)


def records_of(portal: Portal) -> list[Record]:
    return [
        record
        for _, _, payload in portal.store.documents.results.payloads("extract")
        for record in decode(tuple[Record, ...], payload)
    ]


def take(portal: Portal, step: tuple[str, object]) -> None:
    match step:
        case "put", dict(papers):
            put(portal, {name: paper(name, content) for name, content in papers.items()})
        case "drop", set(names):
            portal.store.documents.results.drop("extract", names)
        case "judge", (int(one), int(other), bool(same)):
            known = sorted(record.id for record in records_of(portal))
            if known and known[one % len(known)] != known[other % len(known)]:
                write_verdicts(
                    portal.store, [Verdict(known[one % len(known)], known[other % len(known)], same)]
                )
        case "withdraw", int(number):
            verdicts = portal.store.contributions.corrections.verdicts()
            if verdicts:
                found = verdicts[number % len(verdicts)]
                remove_verdict(portal.store, found)


Told = tuple[RecordId, ...]


def likely_pairs(portal: Portal) -> set[tuple[float, Told, Told]]:
    """The pairs that are kept as likely, by the records of their mentions."""
    with portal.store.catalog.matches.changing() as memory:
        numbers = set(memory.mentions_of([record.id for record in records_of(portal)]).values())
        told = {number: names(records) for number, records in memory.records(numbers).items()}
        return {(odds, told[one], told[other]) for odds, one, other in memory.edges(numbers)}


def names(records: Sequence[Record]) -> Told:
    return tuple(sorted(record.id for record in records))


def holds_what_a_full_matching_gives(portal: Portal) -> None:
    verdicts = portal.store.contributions.corrections.verdicts()
    full = compare_all(sorted(records_of(portal), key=lambda record: record.id), verdicts=verdicts)
    told = [names(full.records[mention]) for mention in full.mentions]
    assert likely_pairs(portal) == {(odds, told[one], told[other]) for odds, one, other in full.edges}
    entities, citations = match_all(records_of(portal), verdicts=verdicts)
    assert tuple(portal.store.catalog.entities.all()) == entities
    assert tuple(portal.store.catalog.citations.all()) == citations


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(start=st.dictionaries(NAMES, PAPERS, min_size=1), steps=STEPS)
def test_any_changes_give_what_matching_everything_gives(
    run: BuildRun, start: dict[str, object], steps: Sequence[tuple[str, object]]
) -> None:
    with TemporaryDirectory() as folder:
        for portal in opened(Path(folder)):
            take(portal, ("put", start))
            match_papers(portal, run)
            for step in steps:
                take(portal, step)
                match_papers(portal, run)
                holds_what_a_full_matching_gives(portal)


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(start=st.dictionaries(NAMES, PAPERS, min_size=1), steps=STEPS)
def test_matching_in_parts_gives_what_matching_at_once_gives(
    run: BuildRun, start: dict[str, object], steps: Sequence[tuple[str, object]]
) -> None:
    """Three records fit into memory; the basis is forgotten, so that all is matched again."""
    with TemporaryDirectory() as one, TemporaryDirectory() as other, pytest.MonkeyPatch.context() as patch:
        for at_once, parted in zip(opened(Path(one)), opened(Path(other)), strict=True):
            for step in (("put", start), *steps):
                for portal in (at_once, parted):
                    take(portal, step)
                    portal.store.catalog.matches.forget()
                match_papers(at_once, run)
                patch.setattr(relinking, "MEMORY_A_BYTE", parted.memory + 1)
                patch.setattr(relinking, "MEMORY_A_RECORD", parted.memory // 12)
                match_papers(parted, run)
                patch.undo()
                holds_what_a_full_matching_gives(parted)
                assert read_aliases(parted.store) == read_aliases(at_once.store)
                assert not parted.places.spill.exists()


def test_matching_in_parts_is_the_same_to_the_byte_whoever_does_the_parts(
    tmp_path: Path, run: BuildRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    papers = {
        f"d{n:02}": paper(f"d{n:02}", (n % 5 > 0, (TITLES[n % 8], AUTHORS[n % 3], "1988", ""), []))
        + tuple(reference(f"d{n:02}", ref, f"{TITLES[(n + ref) % 8]} {ref % 2}") for ref in range(4))
        for n in range(40)
    }
    dumps: list[list[str]] = []
    for name, engine in (("one", LocalEngine(1)), ("two", LocalEngine(2))):
        folder = tmp_path / name
        folder.mkdir()
        for portal in opened(folder):
            put(portal, papers)
            monkeypatch.setattr(relinking, "MEMORY_A_BYTE", portal.memory + 1)
            monkeypatch.setattr(relinking, "MEMORY_A_RECORD", portal.memory // 80)  # 20 records at once
            monkeypatch.setattr(match_jobs, "DOCUMENTS_AT_ONCE", 7)
            match_papers(portal, replace(run, engine=engine))
        with closing(sqlite3.connect(folder / "portico.db")) as base:
            dumps.append([*base.iterdump()])
    assert dumps[0] == dumps[1]
    assert sum('INTO "occurrence"' in line for line in dumps[0]) == 192


def test_a_window_that_overflows_and_empties_again(tmp_path: Path, run: BuildRun) -> None:
    """Seventeen titles under one key: who comes pushes pairs out of the window, who goes lets them in."""
    papers = {
        f"d{n:02}": (header(f"d{n:02}", f"Induction of decision trees {n:02}x", "P. Utgoff"),)
        for n in range(17)
    }
    for portal in opened(tmp_path):
        put(portal, {name: papers[name] for name in sorted(papers)[::2]})
        match_papers(portal, run)
        for name in sorted(papers)[1::2]:
            put(portal, {name: papers[name]})
            match_papers(portal, run)
            holds_what_a_full_matching_gives(portal)
        for name in sorted(papers)[::3]:
            portal.store.documents.results.drop("extract", [name])
            match_papers(portal, run)
            holds_what_a_full_matching_gives(portal)


SUBJECTS = (
    "compilers",
    "garbage collection",
    "speech recognition",
    "robot arms",
    "query plans",
    "proof nets",
)


def test_a_small_change_is_fitted_in(tmp_path: Path, run: BuildRun) -> None:
    for portal in opened(tmp_path):
        put(portal, {name: (header(name, f"On {name} for beginners", "A. Lee"),) for name in SUBJECTS})
        assert match_papers(portal, run).n_done == 6
        put(portal, {"g": (header("g", "Something else entirely", "X. Roux"),)})
        assert match_papers(portal, run).n_done == 1, "the other six were left alone"
        holds_what_a_full_matching_gives(portal)


def test_ids_that_vanish_redirect(tmp_path: Path, run: BuildRun) -> None:
    trees = "Incremental induction of decision trees"
    for portal in opened(tmp_path):
        put(
            portal, {"a": (header("a", trees, "P. Utgoff"),), "b": (header("b", "Another work", "M. Jones"),)}
        )
        match_papers(portal, run)
        before = {entity.id for entity in portal.store.catalog.entities.all()}
        write_verdicts(portal.store, [Verdict(RecordId("a#header"), RecordId("b#header"), True)])
        match_papers(portal, run)
        (kept,) = portal.store.catalog.entities.all()
        assert {read_aliases(portal.store).get(old, old) for old in before} == {kept.id}
