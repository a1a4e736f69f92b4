"""Whether the index knows what the store says of papers."""

from pathlib import Path

import pytest

from portico.store.opening import open_store

URL = "sqlite:///portico.db"


@pytest.mark.parametrize(
    ("deeds", "unseen"),
    [
        ("", True),  # nobody ever said that the index has everything
        ("seen", False),
        ("note", True),
        ("note seen", False),
        ("note seen note", True),
        ("read note seen", True),  # changed while it was being indexed
        ("read note seen read seen", False),
    ],
)
def test_the_index_is_overtaken(tmp_path: Path, deeds: str, unseen: bool) -> None:
    store = open_store(URL, tmp_path, create=True)
    read: int | None = None
    for deed in deeds.split():
        if deed == "note":
            store.catalog.staleness.note_change()
        elif deed == "read":
            read = store.catalog.staleness.n_changes()
        else:
            store.catalog.staleness.mark_seen(store.catalog.staleness.n_changes() if read is None else read)
            read = None
    assert store.catalog.staleness.is_stale() is unseen
    store.close()
