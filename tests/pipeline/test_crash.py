"""Kill -9 at any moment of any stage, run again: the finished portal is as if nothing had happened."""

import os
import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from portico.crawl.batches import COMMIT_EVERY_N
from tests.pipeline.conftest import SampleSite
from tests.pipeline.portals import portico, snapshot, start, web_portal

N_KILLS = 30

# Fetched but not yet committed when we kill: one request a host, and one batch of the crawler's.
MOST_UNDER_WAY = COMMIT_EVERY_N + 8


@pytest.mark.slow
def test_killed_thirty_times_the_portal_is_the_same(tmp_path: Path, site: SampleSite) -> None:
    undisturbed = web_portal(tmp_path / "undisturbed", **site.source)
    began = time.monotonic()
    done = portico("build", undisturbed)
    whole_s = time.monotonic() - began
    assert done.returncode == 0, done.stderr
    expected = snapshot(undisturbed)
    assert expected.papers

    chance = random.Random(20)
    kills = finished = 0
    disturbed = tmp_path / "disturbed"
    while kills < N_KILLS or not finished:
        if not disturbed.exists():
            web_portal(disturbed, **site.source)
            before = len(site.server.requests)
        if _killed(disturbed, after_s=chance.uniform(0.3, 0.5 * whole_s)):
            kills += 1
            continue
        finished += 1
        assert portico("verify", disturbed).returncode == 0
        assert snapshot(disturbed) == expected
        _assert_nothing_fetched_twice(site, before, kills)
        shutil.rmtree(disturbed)


def _killed(portal: Path, *, after_s: float) -> bool:
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


def _assert_nothing_fetched_twice(site: SampleSite, before: int, kills: int) -> None:
    """A page may be asked for again only where its answer was under way when we killed."""
    asked = Counter((request.host, request.path) for request in site.server.requests[before:])
    again = sum(count - 1 for count in asked.values())
    assert again <= kills * MOST_UNDER_WAY
