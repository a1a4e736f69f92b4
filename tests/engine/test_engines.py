"""Every engine: whatever one item does, the others are done."""

import os
from collections.abc import Callable, Iterator

import pytest
from scripts.cluster import run_cluster

from portico.engine.local import LocalEngine
from portico.engine.work import Engine, ItemOutcome, Job, WorkItem, map_in_order
from portico.errors import SetupError
from tests.engine import jobs


@pytest.fixture(scope="module", params=["local", "dask"])
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    if request.param == "local":
        yield LocalEngine(2)
        return
    dask = pytest.importorskip("portico.engine.dask", reason="needs the extra `cluster`")
    # With a nanny, as `dask worker` starts them: it forbids its workers to have children of their own.
    with run_cluster(tmp_path_factory.mktemp("dask"), workers=2, nanny=True) as cluster:
        on_dask = dask.DaskEngine(cluster.scheduler)
        yield on_dask
        on_dask.close()


Run = Callable[..., dict[str, ItemOutcome]]


@pytest.fixture
def run(engine: Engine) -> Run:
    def run_commands(commands: list[str], *, item_timeout_s: float = 60.0) -> dict[str, ItemOutcome]:
        items = [WorkItem(f"{number}", command) for number, command in enumerate(commands)]
        outcomes = list(engine.map(Job(jobs.obedient, "did ", item_timeout_s=item_timeout_s), items))
        assert sorted(outcome.subject for outcome in outcomes) == sorted(item.subject for item in items)
        return {outcome.subject: outcome for outcome in outcomes}

    return run_commands


def test_every_item_is_answered_once(run: Run) -> None:
    outcomes = run([f"task {n}" for n in range(50)])
    assert {outcome.value for outcome in outcomes.values()} == {f"did task {n}".encode() for n in range(50)}


@pytest.mark.parametrize(
    ("command", "kind", "words", "retryable"),
    [
        ("die", "WorkerDied", "signal 9", False),
        ("hang", "TimeoutError", "took longer than 1 s", True),
        ("bad input", "ConversionError", "page 3 is torn", True),
        ("surprise", "KeyError", "an unexpected error", False),
    ],
)
def test_one_bad_item_costs_one_item(run: Run, command: str, kind: str, words: str, retryable: bool) -> None:
    outcomes = run(["a", command, "b", "c"], item_timeout_s=1.0 if command == "hang" else 60.0)
    flaw = outcomes["1"].error
    assert flaw is not None
    assert (flaw.kind, flaw.retryable) == (kind, retryable)
    assert words in flaw.reason
    assert [outcomes[n].value for n in ("0", "2", "3")] == [b"did a", b"did b", b"did c"]


def test_an_unforeseen_error_keeps_its_traceback(run: Run) -> None:
    flaw = run(["surprise"])["0"].error
    assert flaw is not None
    assert "nobody expected this" in flaw.detail


def test_a_worker_that_cannot_be_set_up_is_said_once(engine: Engine) -> None:
    with pytest.raises(SetupError, match="bubblewrap is not installed"):
        list(engine.map(Job(jobs.impossible, None), [WorkItem("0", "a"), WorkItem("1", "b")]))


def test_work_is_shared_and_workers_are_reused(engine: Engine) -> None:
    outcomes = engine.map(Job(jobs.process_id, None), [WorkItem(str(n), "") for n in range(40)])
    assert 1 <= len({outcome.value for outcome in outcomes}) <= 2


def test_a_large_job_reaches_every_worker(engine: Engine) -> None:
    job = Job(jobs.measure_options, b"model" * 1_000_000)
    outcomes = engine.map(job, [WorkItem(str(n), "") for n in range(4)])
    assert {outcome.value for outcome in outcomes} == {b"5000000"}


def test_no_items_start_no_workers(engine: Engine) -> None:
    assert list(engine.map(Job(jobs.impossible, None), [])) == []


def test_leaving_early_stops_the_workers(engine: Engine) -> None:
    outcomes = engine.map(
        Job(jobs.obedient, ""), [WorkItem("0", "a"), WorkItem("1", "hang"), WorkItem("2", "hang")]
    )
    first = next(outcomes)
    outcomes.close()
    assert first.subject == "0"
    assert [outcome.value for outcome in engine.map(Job(jobs.obedient, ""), [WorkItem("3", "b")])] == [b"b"]


def test_results_come_in_the_order_of_the_payloads_whoever_is_slow_or_dies(engine: Engine) -> None:
    payloads = [f"{number}" for number in range(6)]
    assert [*map_in_order(engine, Job(jobs.uneven, os.getpid()), payloads)] == [
        payload.encode() for payload in payloads
    ]
