"""A new store for every test, in its own folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from portico.store.opening import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store("sqlite:///portico.db", tmp_path, create=True)
    yield opened
    opened.close()
