"""What the builder marks on pages is kept in order, and can be taken back."""

import pytest

from portico.errors import PortalError
from portico.store.opening import Store
from portico.types.lesson import FieldMark
from portico.types.page import BodyHash, Url

PAGE = Url("http://garden.example/board.html")
BODY = BodyHash("aa")
NAME = FieldMark(PAGE, BODY, "name", 10, 20, "Ada Hummel")
ROLE = FieldMark(PAGE, BODY, "role", 22, 31, "Treasurer")
ELSEWHERE = FieldMark(PAGE, BodyHash("bb"), "name", 10, 20, "Bo Lindqvi")


def kept(store: Store) -> tuple[FieldMark, ...]:
    for at, mark in enumerate((ROLE, NAME, ELSEWHERE)):
        store.contributions.marks.add(mark, at=float(at))
    return store.contributions.marks.all()


def test_marks_come_back_in_the_order_they_were_made(store: Store) -> None:
    assert kept(store) == (ROLE, NAME, ELSEWHERE)


def test_a_mark_over_others_takes_their_place(store: Store) -> None:
    kept(store)
    whole = FieldMark(PAGE, BODY, "name", 15, 25, "ummel, Tre")
    store.contributions.marks.add(whole, at=3.0)
    assert store.contributions.marks.all() == (ELSEWHERE, whole)


def test_undo_takes_back_one_after_the_other(store: Store) -> None:
    kept(store)
    assert [store.contributions.marks.undo() for _ in range(4)] == [ELSEWHERE, NAME, ROLE, None]
    assert store.contributions.marks.all() == ()


def test_a_mark_can_be_removed(store: Store) -> None:
    kept(store)
    store.contributions.marks.remove(NAME)
    store.contributions.marks.remove(NAME)
    assert store.contributions.marks.all() == (ROLE, ELSEWHERE)


@pytest.mark.parametrize(("start", "end"), [(5, 5), (6, 5), (-1, 3)])
def test_an_empty_passage_is_refused(store: Store, start: int, end: int) -> None:
    with pytest.raises(PortalError, match="is empty"):
        store.contributions.marks.add(FieldMark(PAGE, BODY, "name", start, end, ""), at=0.0)
