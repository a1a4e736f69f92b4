"""The portal of a path: the folder itself, or the hidden one of a folder of papers."""

from pathlib import Path

import pytest

from portico.config.portal_paths import PortalPaths, find_hidden_portal, find_portal
from portico.errors import ConfigError


def test_a_portal_is_its_folder(tmp_path: Path) -> None:
    (tmp_path / "portal.toml").touch()
    assert find_portal(tmp_path) == PortalPaths(tmp_path)


def test_a_folder_of_papers_has_a_hidden_portal(tmp_path: Path) -> None:
    hidden = find_hidden_portal(tmp_path)
    hidden.folder.mkdir()
    hidden.settings.touch()
    assert find_portal(tmp_path) == hidden == find_portal(hidden.folder)


def test_the_folder_itself_comes_first(tmp_path: Path) -> None:
    for places in (PortalPaths(tmp_path), find_hidden_portal(tmp_path)):
        places.folder.mkdir(exist_ok=True)
        places.settings.touch()
    assert find_portal(tmp_path) == PortalPaths(tmp_path)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (".", "is not a portal.*portico build.*portico init"),
        ("nowhere", "no such folder.*portico init"),
        ("file.pdf", "is a file; name the portal's folder"),
    ],
)
def test_anything_else_says_what_to_do(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "file.pdf").touch()
    with pytest.raises(ConfigError, match=said):
        find_portal(tmp_path / name)


def test_all_parts_are_inside_the_folder(tmp_path: Path) -> None:
    places = PortalPaths(tmp_path)
    parts = (places.settings, places.database, places.blobs, places.index, places.models)
    assert {part.parent for part in parts} == {tmp_path}
    assert len(set(parts)) == len(parts)
