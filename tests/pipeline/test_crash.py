"""Kill -9 at any moment of any stage, run again: the finished portal is as if nothing had happened."""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest

from portico.sample.server import ServedRequest
from tests.pipeline.conftest import SampleSite
from tests.pipeline.portals import portico, snapshot, start, web_portal

N_KILLS = 15


@pytest.mark.slow
def test_killed_again_and_again_the_portal_is_the_same(tmp_path: Path, site: SampleSite) -> None:
    undisturbed = web_portal(tmp_path / "undisturbed", **site.source)
    began, before = time.monotonic(), len(site.server.requests)
    done = portico("build", undisturbed)
    whole_s = time.monotonic() - began
    assert done.returncode == 0, done.stderr
    expected = snapshot(undisturbed)
    assert expected.papers
    needed = _addresses(site.server.requests[before:])

    chance = random.Random(20)
    kills = finished = 0
    disturbed = tmp_path / "disturbed"
    while kills < N_KILLS or not finished:
        if not disturbed.exists():
            web_portal(disturbed, **site.source)
        settled, before = list_settled(disturbed), len(site.server.requests)
        killed = _build_and_kill(disturbed, after_s=chance.uniform(0.3, 0.5 * whole_s))
        asked = _addresses(site.server.requests[before:])
        assert sorted(asked.keys() & settled) == [], "asked for again although its answer was in the store"
        assert sorted(asked - needed) == [], "asked for more often in one run than is needed without a kill"
        if killed:
            kills += 1
            continue
        finished += 1
        assert portico("verify", disturbed).returncode == 0
        assert snapshot(disturbed) == expected
        shutil.rmtree(disturbed)


def _build_and_kill(portal: Path, *, after_s: float) -> bool:
    """Builds, and kills the whole of it after a while; False where it had finished before."""
    process = start("build", portal)
    try:
        _, errors = process.communicate(timeout=after_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return True
    assert process.returncode == 0, errors.decode()
    return False


def _addresses(requests: Iterable[ServedRequest]) -> Counter[str]:
    """How often each was asked for."""
    return Counter(f"http://{request.host}{request.path}" for request in requests)


def list_settled(portal: Path) -> set[str]:
    """What the store knows the answer of, and nobody need be asked for again."""
    database = portal / "portico.db"
    if not database.exists():
        return set()
    with closing(sqlite3.connect(database)) as store:
        tables = {name for (name,) in store.execute("SELECT name FROM sqlite_master")}
        if not {"link", "host"} <= tables:  # killed before there was a schema
            return set()
        links = {url for (url,) in store.execute("SELECT url FROM link WHERE state != 'queued'")}
        hosts = {name for (name,) in store.execute("SELECT name FROM host WHERE robots_at IS NOT NULL")}
    return links | {f"http://{name}/robots.txt" for name in hosts}
