"""Where a portal cannot be written as files, one message says so; where it can, it is written once."""

from pathlib import Path

import pytest

from portico.cli.showing import write_static
from portico.errors import ConfigError, PortalError
from tests.pipeline.test_importing import RECORDS, imported, write


@pytest.fixture
def portal(tmp_path: Path) -> Path:
    imported(write(tmp_path / "two.jsonl", *RECORDS), tmp_path / "portal")
    return tmp_path / "portal"


def test_places_that_cannot_be_written_are_named(portal: Path, tmp_path: Path) -> None:
    (tmp_path / "a-file").write_text("mine")
    with pytest.raises(ConfigError, match="a-file: already exists"):
        write_static(portal, tmp_path / "a-file")
    with pytest.raises(PortalError, match=r"a-file.*cannot be written: Not a directory"):
        write_static(portal, tmp_path / "a-file" / "site")
    assert (tmp_path / "a-file").read_text() == "mine"


def test_a_folder_that_has_something_is_left_alone(
    portal: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_static(portal, tmp_path / "site")
    assert "pages of 2 papers" in capsys.readouterr().out
    with pytest.raises(ConfigError, match="site: already exists"):
        write_static(portal, tmp_path / "site")
