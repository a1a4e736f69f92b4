"""Kinds of pages are told apart by words, by a trained model, and by a few pages that were shown."""

from dataclasses import replace

import pytest

from portico.crawl.page_kinds import (
    PageKinds,
    WordRecognizer,
    learn_from_shown,
    learn_page_kinds,
    make_recognizer,
    page_kinds_from_bytes,
)
from portico.errors import ConfigError
from portico.types.page import PageView, Url

WORDS = (("course", ("syllabus", "course home page")), ("person", ("curriculum vitae",)))


def page(number: int, title: str, text: str, path: str = "page") -> PageView:
    return PageView(Url(f"http://a.example/{path}{number}.html"), title, title, text)


COURSES = [page(n, f"CS {n} Introduction", "lecture homework exam grades textbook") for n in range(12)]
OTHERS = [page(n, f"News of week {n}", "garden weather party picnic") for n in range(60)]
STAFF = [page(n, "Our staff", "director president phone", path="staff") for n in range(12)]


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("Syllabus", "course"),
        ("The SYLLABUS of CS 1", "course"),
        ("Course  home-page", "course"),
        ("My curriculum vitae", "person"),
        ("Syllabuses", ""),
        ("Home page of the course", ""),
        ("", ""),
    ],
)
def test_words_tell_where_a_page_says_what_it_is(title: str, kind: str) -> None:
    assert WordRecognizer(WORDS)(page(1, title, "syllabus")) == kind


def trained() -> PageKinds:
    known = [(one, "course") for one in COURSES[:8]] + [(one, "staff") for one in STAFF[:8]]
    return learn_page_kinds([*known, *((one, "") for one in OTHERS[:50])], ["course", "staff"])


def test_a_model_tells_pages_it_has_not_seen() -> None:
    model = trained()
    assert [model(one) for one in COURSES[8:]] == ["course"] * 4
    assert [model(one) for one in STAFF[8:]] == ["staff"] * 4
    assert [model(one) for one in OTHERS[50:]] == [""] * 10


def test_what_pages_call_themselves_is_learned_across_words() -> None:
    """Sites say "syllabus" or "lectures": neither was met in training with the word that is asked for."""
    telling = (("course", ("syllabus", "lectures", "seminar")),)
    known = [(page(n, "Syllabus", "exam homework"), "course") for n in range(4)]
    others = [(one, "") for one in OTHERS[:30]]
    asked = replace(OTHERS[40], title="Lectures", headings="Lectures")
    unasked = replace(asked, title="Matters", headings="Matters")
    model = learn_page_kinds([*known, *others], ["course"], telling)
    assert model(asked) == "course"
    assert model.chances(asked)["course"] > model.chances(unasked)["course"] + 0.1
    again = page_kinds_from_bytes(model.to_bytes())
    assert (again.telling, again(asked)) == (telling, "course")


def test_a_model_is_kept_and_read_again() -> None:
    model = trained()
    again = page_kinds_from_bytes(model.to_bytes())
    assert again.digest == model.digest
    assert again(COURSES[9]) == "course"


def test_shown_pages_count_though_others_like_them_were_not_shown() -> None:
    model = learn_from_shown([(one, "course") for one in COURSES[:4]], [*OTHERS, *COURSES[4:8]])
    assert [model(one) for one in COURSES[8:]].count("course") >= 2
    assert [model(one) for one in OTHERS] == [""] * len(OTHERS)


def test_one_shown_page_is_enough_to_begin() -> None:
    model = learn_from_shown([(COURSES[0], "course"), (OTHERS[0], "")], OTHERS[1:])
    assert model(COURSES[0]) == "course"
    assert model(OTHERS[5]) == ""


def test_words_stand_beside_a_model() -> None:
    together = make_recognizer(None, WORDS, taught=trained().to_bytes())
    assert together(page(1, "Syllabus", "picnic")) == "course"
    assert together(COURSES[9]) == "course"
    assert make_recognizer(None, WORDS)(COURSES[9]) == ""


def test_what_was_taught_takes_no_page_away_and_a_shown_page_is_sought() -> None:
    shown = {OTHERS[3].url: "course"}
    nothing = learn_from_shown([(OTHERS[0], "news")], [*OTHERS[1:], *COURSES]).to_bytes()
    together = make_recognizer(trained().to_bytes(), (), taught=nothing, shown=shown)
    assert together(COURSES[9]) == "course"
    assert together(OTHERS[3]) == "course"


def test_a_kind_without_a_page_cannot_be_learned() -> None:
    with pytest.raises(ConfigError, match='no page of the kind "x" is known'):
        learn_page_kinds([(OTHERS[0], "")], ["x"])


def test_something_else_is_no_model() -> None:
    with pytest.raises(ConfigError, match="no model of page kinds"):
        page_kinds_from_bytes(b"nothing")
