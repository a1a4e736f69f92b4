"""A portal.toml for a test, by its text."""

from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes portal.toml; returns the portal's folder."""

    def write_settings(text: str) -> Path:
        folder = tmp_path / "portal"
        folder.mkdir(exist_ok=True)
        (folder / "portal.toml").write_text(text, encoding="utf-8")
        return folder

    return write_settings
