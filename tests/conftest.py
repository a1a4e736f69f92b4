"""What several rooms' tests share: where the labelled data is, and the sample web."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.postgresql import PostgresServer, running_server

# How long one example takes says more about the machine than about the code.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests first: begun last, one of them would be waited for alone."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(scope="session")
def labelled_data() -> Path:
    """The folder with `data/` and `web/`; tests that need it are marked `data`."""
    folder = Path(os.environ.get("PORTICO_DATA") or Path(__file__).parents[2] / "shared")
    if not (folder / "data" / "README.md").exists():
        pytest.skip(f"no labelled data in {folder}: set PORTICO_DATA to the folder that holds data/ and web/")
    return folder


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgresServer]:
    """A server for this process of the tests."""
    with running_server() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest) -> str:
    """Where a new store is kept: every test that asks for it runs with both databases."""
    if request.param == "sqlite":
        return "sqlite:///portico.db"
    server: PostgresServer = request.getfixturevalue("postgresql")
    return server.empty_portal()
