"""A new store for every test, in its own folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from portico.store.opening import Store, open_store


@pytest.fixture
def store(tmp_path: Path, store_url: str) -> Iterator[Store]:
    opened = open_store(store_url, tmp_path, create=True)
    yield opened
    opened.close()
