"""The sample web, small, and its server: shared by the tests of a worker process."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import pytest

from portico.sample.banks import SMALL
from portico.sample.generate import SampleWeb, write_sample_web
from portico.sample.server import SampleServer


class Source(TypedDict):
    """What a portal of the sample web is configured with."""

    seeds: list[str]
    hosts: list[str]
    proxy: str


@dataclass(frozen=True)
class SampleSite:
    """A sample web that is being served."""

    web: SampleWeb
    server: SampleServer

    @property
    def source(self) -> Source:
        return Source(seeds=list(self.web.seeds), hosts=list(self.web.hosts), proxy=self.server.proxy_url)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SampleSite]:
    folder: Path = tmp_path_factory.mktemp("sample") / "web"
    web = write_sample_web(folder, scale=SMALL)
    with SampleServer(folder) as server:
        yield SampleSite(web, server)
