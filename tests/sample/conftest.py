"""One full and one small sample web for all tests of this room."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from portico.sample.generate import SampleWeb, write_sample_web
from portico.sample.scale import FULL, SMALL
from portico.sample.server import SampleServer


@pytest.fixture(scope="session")
def small_web(tmp_path_factory: pytest.TempPathFactory) -> SampleWeb:
    return write_sample_web(tmp_path_factory.mktemp("small") / "web", scale=SMALL)


@pytest.fixture(scope="session")
def full_web(tmp_path_factory: pytest.TempPathFactory) -> SampleWeb:
    return write_sample_web(tmp_path_factory.mktemp("full") / "web", scale=FULL)


@pytest.fixture
def small_server(small_web: SampleWeb) -> Iterator[SampleServer]:
    with SampleServer(Path(small_web.folder)) as server:
        yield server
