"""Clicks are kept as they are made: a lesson goes on where it was broken off, and takes any of them back."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from portico.store.opening import Store, open_store
from portico.types.lesson import Act, ActKind
from portico.types.page import Link, PageLink, Url
from portico.types.path import Ending

HOME, PEOPLE, ADA = Url("http://a.test/"), Url("http://a.test/people"), Url("http://a.test/~ada")
TO_PEOPLE = PageLink(Link(PEOPLE, HOME, "People \ud83d", "here"), "Welcome", "a li")


@pytest.fixture
def store(tmp_path: Path, store_url: str) -> Iterator[Store]:
    store = open_store(store_url, tmp_path, create=True)
    yield store
    store.close()


def teach(store: Store) -> tuple[int, int, int]:
    lessons = store.contributions.lessons
    home = lessons.add(Act(ActKind.OPENED, url=HOME, at=1.0))
    people = lessons.add(Act(ActKind.FOLLOWED, home, PEOPLE, TO_PEOPLE))
    lessons.add(Act(ActKind.NAMED, people, words="people"))
    ada = lessons.add(Act(ActKind.FOLLOWED, people, ADA, PageLink(Link(ADA, PEOPLE))))
    lessons.add(Act(ActKind.ENDED, ada, words=Ending.GOAL))
    return home, people, ada


def test_a_lesson_is_what_was_clicked(store: Store, tmp_path: Path, store_url: str) -> None:
    home, people, ada = teach(store)
    store.close()
    lesson = open_store(store_url, tmp_path).contributions.lessons.lesson()
    assert [stop.url for stop in lesson.way(ada)] == [HOME, PEOPLE, ADA]
    assert lesson.stops[people].link == TO_PEOPLE
    assert lesson.milestones == ("people",)
    assert [(stop.id, stop.ending) for stop in lesson.examples] == [(ada, Ending.GOAL)]
    assert lesson.at == ada
    assert lesson.already(ada, HOME) == lesson.stops[home]
    assert lesson.already(home, PEOPLE) == lesson.stops[people]
    assert lesson.already(home, ADA) is None


def test_every_click_can_be_taken_back(store: Store) -> None:
    home, people, ada = teach(store)
    lessons = store.contributions.lessons
    seen = []
    while lessons.undo():
        lesson = lessons.lesson()
        seen.append((lesson.at, len(lesson.stops), lesson.milestones, len(lesson.examples)))
    assert seen == [
        (ada, 3, ("people",), 0),
        (people, 2, ("people",), 0),
        (people, 2, (), 0),
        (home, 1, (), 0),
        (0, 0, (), 0),
    ]


def test_a_number_is_never_given_again(store: Store) -> None:
    first = store.contributions.lessons.add(Act(ActKind.OPENED, url=HOME))
    store.contributions.lessons.undo()
    assert store.contributions.lessons.add(Act(ActKind.OPENED, url=HOME)) > first


def test_clicks_on_pages_that_are_gone_count_for_nothing(store: Store) -> None:
    store.contributions.lessons.add(Act(ActKind.NAMED, 99, words="people"))
    assert store.contributions.lessons.lesson().at == 0


def test_what_was_named_and_ended_can_be_changed(store: Store) -> None:
    _, people, ada = teach(store)
    store.contributions.lessons.add(Act(ActKind.ENDED, ada, words=""))
    store.contributions.lessons.add(Act(ActKind.NAMED, people, words="staff"))
    lesson = store.contributions.lessons.lesson()
    assert lesson.examples == ()
    assert lesson.milestones == ("staff",)
