"""Models that were learned are listed, gone back to, and forgotten."""

from pathlib import Path

import pytest

from portico.config.portal_paths import PortalPaths
from portico.errors import ConfigError
from portico.pipeline.teaching.model_history import (
    find_version,
    forget_version,
    keep_model,
    list_versions,
    read_version,
    use_version,
)


def keep(folder: Path, content: bytes, at: float) -> str:
    keep_model(folder / "models" / "fields.zip", content, told=(f"at {at}",), at=at)
    return next(each.address for each in list_versions(PortalPaths(folder)) if each.is_in_use)


def test_one_goes_back_and_forth_and_to_what_ships(tmp_path: Path) -> None:
    places, file = PortalPaths(tmp_path), tmp_path / "models" / "fields.zip"
    first, second = keep(tmp_path, b"one", 1.0), keep(tmp_path, b"two", 2.0)
    assert [(each.address, each.is_in_use, each.told) for each in list_versions(places)] == [
        (second, True, ("at 2.0",)),
        (first, False, ("at 1.0",)),
    ]
    assert "next build" in use_version(places, first)
    assert file.read_bytes() == b"one"
    use_version(places, "fields@shipped")
    assert not file.exists()
    use_version(places, second[:12])
    assert file.read_bytes() == b"two"
    assert read_version(places, find_version(places, first)) == b"one"


def test_a_model_that_was_there_before_is_not_lost(tmp_path: Path) -> None:
    file = tmp_path / "models" / "fields.zip"
    file.parent.mkdir()
    file.write_bytes(b"trained by hand")
    keep(tmp_path, b"two", 2.0)
    assert len([*list_versions(PortalPaths(tmp_path))]) == 2


def test_one_that_is_forgotten_is_gone(tmp_path: Path) -> None:
    places = PortalPaths(tmp_path)
    address = keep(tmp_path, b"one", 1.0)
    assert "what comes with the domain is used" in forget_version(places, address)
    assert [*list_versions(places)] == []
    assert not (tmp_path / "models" / "fields.zip").exists()


@pytest.mark.parametrize("address", ["fields@ffff", "fields", "fields@", "spider@1a"])
def test_a_model_that_is_not_there_is_said(tmp_path: Path, address: str) -> None:
    keep(tmp_path, b"one", 1.0)
    with pytest.raises(ConfigError, match="this portal has learned: fields@"):
        find_version(PortalPaths(tmp_path), address)
