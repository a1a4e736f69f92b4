"""`portico password`: what is typed is kept as a hash, and can be taken away again."""

import io
from pathlib import Path

import pytest

from portico.cli.showing import set_password
from portico.errors import ConfigError
from portico.serve.contributions.signing_in import matches_password
from portico.serve.contributions.writable_portal import HASH_KEY
from portico.store.opening import open_store

STORE = "sqlite:///portico.db"


@pytest.fixture
def portal(tmp_path: Path) -> Path:
    (tmp_path / "portal.toml").write_text('[[source]]\nseeds = ["http://a.test/"]\n')
    open_store(STORE, tmp_path, create=True).close()
    return tmp_path


def stored(portal: Path) -> str | None:
    store = open_store(STORE, portal)
    try:
        return store.meta.get(HASH_KEY)
    finally:
        store.close()


def test_a_password_is_set_and_removed(portal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("correct horse\n"))
    set_password(portal, remove=False)
    assert matches_password("correct horse", stored(portal) or "")
    set_password(portal, remove=True)
    assert stored(portal) is None


def test_a_short_password_changes_nothing(portal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("short\n"))
    with pytest.raises(ConfigError, match="at least 8"):
        set_password(portal, remove=False)
    assert stored(portal) is None
