"""Lessons given at random, right and wrong: pages nobody marked are never read worse."""

from pathlib import Path

import pytest

from portico.extract.marked_pages import FieldLearner
from portico.lab.measures.lessons import (
    ENOUGH_PAGES,
    MANNERS,
    MOST_WORSE,
    LessonWeb,
    make_museum_web,
    mark_page,
    run_lesson,
    run_lessons,
)
from portico.lab.measures.marking_growth import make_recipe_web
from portico.sample.recipe_sites import invent_recipe_sites


@pytest.fixture(scope="module")
def courses(tmp_path_factory: pytest.TempPathFactory) -> LessonWeb:
    """Colleges that print their courses in three ways, some under words that the recipe does not know."""
    sites = invent_recipe_sites("courses", n_sites=3, n_pages=10, layouts=("bullets", "stacked", "terms"))
    return make_recipe_web("courses", sites, tmp_path_factory.mktemp("courses"))


def test_no_lesson_makes_reading_worse(tmp_path: Path) -> None:
    web = make_museum_web(tmp_path, n_objects=20)
    results = [*run_lessons(web, len(MANNERS), seed=3, most_pages=6)]
    assert [each for each in results if each.worse > MOST_WORSE] == []
    right = next(each for each in results if each.manner == "right")
    assert right.is_kept
    assert right.fallen_fields == ()
    assert right.worse < 0


def test_fields_taken_for_each_other_teach_nothing(courses: LessonWeb) -> None:
    """The same two fields on every page: their own pages agree with them, headings and cues do not."""
    swapped = {"title": "instructor", "instructor": "title"}
    marked = [
        mark_page(page, tuple((span, swapped.get(label, label)) for span, label in page.passages))
        for page in courses.markable[:6]
    ]
    result = run_lesson(courses, "swapped", marked)
    assert result.worse <= 0
    assert result.fallen_fields == ()


def test_marks_teach_what_some_sites_call_otherwise(courses: LessonWeb) -> None:
    """What cues read on other sites is no contradiction to marks where they read nothing."""
    marked = [mark_page(page, page.passages) for page in courses.markable[:ENOUGH_PAGES]]
    result = run_lesson(courses, "right", marked)
    before, after = (sum(tally.n_right for tally in each.values()) for each in (result.before, result.after))
    n_known = sum(tally.n_known for tally in result.before.values())
    assert before < n_known
    assert after == n_known
    assert result.fallen_fields == ()


def test_a_lesson_in_use_is_read_again_the_same(courses: LessonWeb) -> None:
    """A second lesson from the same marks finds nothing to gain over the first."""
    marked = [mark_page(page, page.passages) for page in courses.markable[:ENOUGH_PAGES]]
    unmarked = [page.document for page in courses.unmarked]
    first = FieldLearner(courses.domain).try_lesson(marked, known=(), unmarked=unmarked).taught
    assert first is not None
    again = FieldLearner(courses.domain, first).try_lesson(marked, known=(), unmarked=unmarked)
    assert again.taught is None
