"""One full and one small sample web for all tests of this room, shared by all of pytest's workers."""

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from portico.sample.banks import FULL, SMALL, Scale
from portico.sample.generate import SampleWeb, write_sample_web
from portico.sample.server import SampleServer


@pytest.fixture(scope="session")
def small_web(tmp_path_factory: pytest.TempPathFactory) -> SampleWeb:
    return generated_once(tmp_path_factory, SMALL)


@pytest.fixture(scope="session")
def full_web(tmp_path_factory: pytest.TempPathFactory) -> SampleWeb:
    return generated_once(tmp_path_factory, FULL)


@pytest.fixture
def small_server(small_web: SampleWeb) -> Iterator[SampleServer]:
    with SampleServer(small_web.folder) as server:
        yield server


def generated_once(tmp_path_factory: pytest.TempPathFactory, scale: Scale) -> SampleWeb:
    """The first worker writes the web while the others wait for it."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with Path(folder, f"{scale.name}-web.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return write_sample_web(folder / f"{scale.name}-web", scale=scale)
