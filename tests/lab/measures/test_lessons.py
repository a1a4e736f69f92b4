"""Lessons given at random, right and wrong: pages nobody marked are never read worse."""

from pathlib import Path

from portico.lab.measures.lessons import MANNERS, MOST_WORSE, make_museum_web, run_lessons


def test_no_lesson_makes_reading_worse(tmp_path: Path) -> None:
    web = make_museum_web(tmp_path, n_objects=20)
    results = [*run_lessons(web, len(MANNERS), seed=3, most_pages=6)]
    assert [each for each in results if each.worse > MOST_WORSE] == []
    right = next(each for each in results if each.manner == "right")
    assert right.is_kept
    assert right.fallen_fields == ()
    assert right.worse < 0
