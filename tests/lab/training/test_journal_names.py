"""The list of journals that ships is the one that the labelled data gives."""

from pathlib import Path

import pytest

from portico.domains.papers.journals import JOURNALS, JournalList
from portico.lab.training.journal_names import write_journal_names


@pytest.mark.data
def test_the_shipped_list_is_made_anew(labelled_data: Path, tmp_path: Path) -> None:
    out = tmp_path / "journals.bin"
    n_journals = write_journal_names(labelled_data / "data/fields/journals.tsv.xz", out)
    written, shipped = (list(JournalList(path.read_bytes()).all()) for path in (out, JOURNALS))
    assert n_journals == len(written)
    assert written == shipped
