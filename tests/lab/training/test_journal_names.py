"""The list of journals that ships is the one that the labelled data gives."""

import lzma
from importlib.resources import files
from pathlib import Path

import pytest

from portico.lab.training.journal_names import write_journal_names

SHIPPED = files("portico.domains.papers") / "lexicons" / "journals.tsv.xz"


@pytest.mark.data
def test_the_shipped_list_is_made_anew(labelled_data: Path, tmp_path: Path) -> None:
    n_journals = write_journal_names(
        labelled_data / "data/fields/journals.tsv.xz", tmp_path / "journals.tsv.xz"
    )
    written = lzma.decompress((tmp_path / "journals.tsv.xz").read_bytes())
    assert n_journals == written.count(b"\n")
    assert written == lzma.decompress(SHIPPED.read_bytes())
