"""Who may not write a portal reads it: nothing is offered that would fail when it is sent."""

import os
from pathlib import Path

import pytest

from portico.cli.showing import open_writable
from portico.pipeline.opening import open_portal
from tests.pipeline.test_importing import RECORDS, imported, write


@pytest.mark.parametrize("barred", ["portico.db", "."])
def test_a_portal_that_cannot_be_written_has_no_desk(tmp_path: Path, barred: str) -> None:
    folder = tmp_path / "portal"
    imported(write(tmp_path / "two.jsonl", *RECORDS), folder)
    place = folder / barred
    mode = place.stat().st_mode
    place.chmod(mode & ~0o222)
    try:
        if os.access(place, os.W_OK):
            pytest.skip("whoever runs this may write anything")
        with open_portal(folder) as portal:
            assert open_writable(portal) is None
    finally:
        place.chmod(mode)
    with open_portal(folder) as portal:
        writable = open_writable(portal)
        assert writable is not None
        writable.store.close()
