"""A portal built on a Dask cluster whose parts are killed meanwhile is the portal that one machine builds."""

import random
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from scripts.cluster import Cluster

from portico.pipeline.opening import write_settings
from tests.pipeline.conftest import SampleSite
from tests.pipeline.portals import portico, snapshot

pytest.importorskip("portico.engine.dask", reason="needs the extra `cluster`")

EVERY_S = (0.5, 2.5)  # from one kill to the next
N_PAPERS = 8
PARTS = ("scheduler", "worker-1", "worker-2")


@pytest.mark.slow
def test_kills_of_its_parts_do_not_show_in_the_portal(tmp_path: Path, site: SampleSite) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    for path in sorted(site.web.folder.rglob("*.pdf"))[:N_PAPERS]:
        shutil.copy(path, papers)
    alone, together = tmp_path / "alone", tmp_path / "together"
    settings = f'[[source]]\nfolder = "{papers}"\n'
    write_settings(alone / "portal.toml", settings)
    assert portico("build", alone).returncode == 0
    with run_watched(tmp_path / "cluster") as cluster:
        settings += f'[engine]\nkind = "dask"\nscheduler = "{cluster.scheduler}"\n'
        settings += f'[blobs]\nurl = "file://{tmp_path}/bodies"\n'
        write_settings(together / "portal.toml", settings)
        with killing(cluster) as killed:
            done = portico("build", together)
    assert done.returncode == 0, done.stderr
    assert killed
    assert snapshot(together) == snapshot(alone)
    exported = [portico("export", "jsonl", portal, "--cited").stdout for portal in (alone, together)]
    assert exported[0] == exported[1]


@contextmanager
def run_watched(folder: Path) -> Iterator[Cluster]:
    """A cluster whose parts are started again when they die."""
    cluster = Cluster(folder)
    try:
        cluster.start_scheduler()
        for name in PARTS[1:]:
            cluster.start_worker(name)
        cluster.watch()
        yield cluster
    finally:
        cluster.stop()


@contextmanager
def killing(cluster: Cluster) -> Iterator[list[str]]:
    """Kills every part once, in any order, while the block lasts; the names of those that were."""
    chance, over = random.Random(18), threading.Event()
    killed: list[str] = []

    def kill_on() -> None:
        log = cluster.logs / "scheduler.log"
        # Before it is connected, a build waits only seconds for a scheduler.
        while "Receive client connection" not in log.read_text():
            if over.wait(0.1):
                return
        for name in chance.sample(PARTS, len(PARTS)):
            if over.wait(chance.uniform(*EVERY_S)):
                return
            cluster.kill(name)
            killed.append(name)

    killer = threading.Thread(target=kill_on)
    killer.start()
    try:
        yield killed
    finally:
        over.set()
        killer.join()
