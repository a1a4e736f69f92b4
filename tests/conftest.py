"""What several rooms' tests share: where the labelled data is, and the sample web."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def labelled_data() -> Path:
    """The folder with `data/` and `web/`; tests that need it are marked `data`."""
    folder = Path(os.environ.get("PORTICO_DATA") or Path(__file__).parents[2] / "shared")
    if not (folder / "data" / "README.md").exists():
        pytest.skip(f"no labelled data in {folder}: set PORTICO_DATA to the folder that holds data/ and web/")
    return folder
