"""A Dask cluster: what is lost with a part of it is done again, and what does not fit is refused by name."""

import platform
import time
from collections import deque
from collections.abc import Iterator
from importlib import metadata
from itertools import count
from pathlib import Path

import pytest
from scripts.cluster import Cluster, run_cluster

from portico.engine.work import ItemOutcome, Job, WorkItem
from portico.errors import SetupError
from tests.engine import jobs

dask = pytest.importorskip("portico.engine.dask", reason="needs the extra `cluster`")
dask_worker = pytest.importorskip("portico.engine.dask_worker", reason="needs the extra `cluster`")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with run_cluster(tmp_path_factory.mktemp("dask"), workers=2) as started:
        yield started


ITEMS = [WorkItem(str(n), f"item {n}") for n in range(20)]
SLOW = Job(jobs.slow, 0.1)


def check_all_done(outcomes: list[ItemOutcome]) -> None:
    found = {outcome.subject: (outcome.value, outcome.error) for outcome in outcomes}
    assert len(found) == len(outcomes)
    assert found == {item.subject: (item.payload.encode(), None) for item in ITEMS}


def test_a_killed_worker_costs_nothing(cluster: Cluster) -> None:
    engine = dask.DaskEngine(cluster.scheduler, patience_s=30)
    outcomes = engine.map(SLOW, ITEMS)
    done = [next(outcomes) for _ in range(5)]
    cluster.kill("worker-1")
    done.extend(outcomes)
    check_all_done(done)
    engine.close()


def test_all_workers_and_the_scheduler_may_be_killed_and_started_again(cluster: Cluster) -> None:
    engine = dask.DaskEngine(str(cluster.folder / "scheduler.json"), patience_s=30)
    outcomes = engine.map(SLOW, ITEMS)
    done = [next(outcomes) for _ in range(5)]
    cluster.kill("scheduler")
    cluster.kill("worker-2")
    cluster.start_scheduler(port=int(cluster.scheduler.rpartition(":")[2]))
    cluster.start_worker("worker-3")
    done.extend(outcomes)
    check_all_done(done)
    engine.close()


def test_a_worker_of_another_version_is_refused_and_both_are_named(cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "portico-9.9.dist-info").mkdir()
    (tmp_path / "portico-9.9.dist-info" / "METADATA").write_text("Name: portico\nVersion: 9.9\n")
    engine = dask.DaskEngine(cluster.scheduler, patience_s=30)
    endless = (WorkItem(str(n), "x") for n in count())
    outcomes = engine.map(SLOW, endless)  # while others are at work already, and before they begin
    next(outcomes)
    cluster.start_worker("worker-4", python_path=str(tmp_path))
    named = f"Portico 9.9 .*Portico {metadata.version('portico')} on Python {platform.python_version()[:4]}"
    with pytest.raises(SetupError, match=named):
        deque(outcomes, maxlen=0)
    engine.close()
    with pytest.raises(SetupError, match=named):
        dask.DaskEngine(cluster.scheduler).connect()
    cluster.kill("worker-4")


def test_what_a_killed_build_left_on_a_worker_ends_with_the_next() -> None:
    pool = dask_worker.ProcessPool()
    with pool.borrow("killed", SLOW) as left:
        left.apply(ITEMS[0], 60.0)
    left.since -= dask_worker.ABANDONED_S + 1
    with pool.borrow("next", SLOW) as kept:
        assert kept.apply(ITEMS[0], 60.0).value == b"item 0"
    assert (left.is_over, kept.is_over) == (True, False)
    pool.end("next")
    assert kept.is_over


def test_a_scheduler_that_is_not_there_is_said_within_seconds(tmp_path: Path) -> None:
    started = time.monotonic()
    with pytest.raises(SetupError, match=r"no Dask scheduler answers at tcp://127.0.0.1:9 .*dask scheduler"):
        dask.DaskEngine("tcp://127.0.0.1:9").connect()
    assert time.monotonic() - started < 10
    with pytest.raises(SetupError, match=r"gone.json: is no file of a Dask scheduler"):
        dask.DaskEngine(str(tmp_path / "gone.json")).connect()


def test_a_scheduler_without_workers_is_said(tmp_path: Path) -> None:
    with run_cluster(tmp_path, workers=0) as empty:
        engine = dask.DaskEngine(empty.scheduler, patience_s=1)
        with pytest.raises(SetupError, match=r"has had no worker for 1 s. Start one: dask worker tcp://"):
            list(engine.map(SLOW, ITEMS))
        engine.close()
