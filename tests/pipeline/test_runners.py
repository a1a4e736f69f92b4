"""Finished work is known by its key: a stage of the whole collection runs where that has changed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from portico.cli.progress_lines import ProgressLines
from portico.engine.local import LocalEngine
from portico.pipeline.building import STAGES
from portico.pipeline.progress import StageProgress
from portico.pipeline.runners import BuildRun, CollectionStage, StageWork, fingerprint, run_collection_stage
from portico.store.opening import Store, open_store
from portico.types.stages import StageName

RUN = BuildRun(LocalEngine(1), ProgressLines(None), clock=lambda: 0.0)


@pytest.mark.parametrize(
    ("one", "other"),
    [(("ab", "c"), ("a", "bc")), (("a",), ("a", "")), ((1, 2), (2, 1)), (("\ud800",), ("\ud801",))],
)
def test_different_parts_differ(one: tuple[object, ...], other: tuple[object, ...]) -> None:
    assert fingerprint(*one) != fingerprint(*other)


def test_equal_parts_agree() -> None:
    assert fingerprint("convert", 3, "model") == fingerprint("convert", 3, "model")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store("sqlite:///portico.db", tmp_path, create=True)
    yield opened
    opened.close()


def run_ranks(store: Store, version: int = 1, *, is_sound: bool = True) -> int:
    """How much was done by a stage that has two things to do."""
    stage = CollectionStage(
        StageName.RANKS, (version,), (StageName.MATCH,), lambda meter: StageWork(2), is_sound=is_sound
    )
    return run_collection_stage(stage, store, RUN).n_done


def test_a_stage_of_the_whole_runs_when_anything_it_depends_on_changed(store: Store) -> None:
    assert run_ranks(store) == 2
    assert run_ranks(store) == 0  # finished
    assert run_ranks(store, version=2) == 2
    store.meta.set(StageName.MATCH, "another graph")
    assert run_ranks(store, version=2) == 2
    assert run_ranks(store, version=2, is_sound=False) == 2  # what it made is lost
    assert run_ranks(store, version=2) == 0


def test_work_that_ends_in_an_error_or_cannot_be_done_is_due_again(store: Store) -> None:
    def stop(meter: StageProgress) -> StageWork:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_collection_stage(CollectionStage(StageName.RANKS, (), (), stop), store, RUN)
    assert store.meta.get(StageName.RANKS) is None
    report = run_collection_stage(CollectionStage(StageName.RANKS, (), (), lambda meter: None), store, RUN)
    assert not report.worked
    assert store.meta.get(StageName.RANKS) is None


def test_every_stage_of_a_build_has_its_name_once_and_a_command() -> None:
    names = [stage.name for stage in STAGES]
    assert sorted(names) == sorted(set(StageName) - {StageName.IMPORT})
    commands = {command for stage in STAGES for command in stage.commands}
    assert commands == {stage.name for stage in STAGES if stage.name in stage.commands}
