"""The truth about organisations and courses stands on the pages it was read from."""

from pathlib import Path

import pytest

from portico.errors import ConfigError
from portico.lab.datasets.organisations import label_page, read_true_pages
from portico.lab.measures.courses import measure_courses, read_course_domain
from portico.lab.measures.organisations import ValueTally


@pytest.mark.data
def test_every_officer_is_found_on_the_page_that_names_them(labelled_data: Path) -> None:
    for page in read_true_pages(labelled_data / "web", sites=("bushyrun192", "emanate", "senao")):
        labels = label_page(page).labels
        assert labels.count("name") >= 2 * len(page.officers), page.path
        assert ("role" in labels) == any(officer.role for officer in page.officers)


@pytest.mark.data
def test_headings_give_titles_and_marks_do_no_harm(labelled_data: Path) -> None:
    before, after = measure_courses(labelled_data / "web", quick=True).values()
    assert before["title"]["f1"] > 0.4
    assert after["title"]["f1"] > 0.4
    assert after["number"]["f1"] > 0.9


def test_a_folder_without_sites_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no file"):
        read_true_pages(tmp_path, sites=("senao",))


def test_the_domain_of_the_tutorial_is_the_template() -> None:
    kind = read_course_domain().kinds[0]
    assert [rule.field for rule in kind.rules] == ["title", "number", "instructor", "term"]


def test_a_tally_of_nothing_is_nothing() -> None:
    assert ValueTally().as_json() == {"f1": 0.0, "precision": 0.0, "recall": 0.0, "n": 0}
    assert (ValueTally(1, 2, 2) + ValueTally(1, 0, 2)).as_json()["recall"] == 0.5
