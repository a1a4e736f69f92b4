"""What a builder marks is learned beside what ships, and not kept where it reads worse."""

import pytest

from portico.domains.organisations import ORGANISATIONS, OTHER
from portico.errors import ConfigError
from portico.extract.page_learning import (
    MARKS,
    LabelledPage,
    join_page_models,
    label_passages,
    learn_fields,
    learn_marked,
    measure_agreement,
)
from portico.extract.pages import make_page_observer
from portico.learn.committee import MemberOptions
from portico.learn.crf import CrfOptions
from portico.types.document import Document, DocumentId, Line, Span

OBSERVE = make_page_observer(ORGANISATIONS)
NAMES = ("Ada Miller", "Bo Karlsen", "Cem Aksoy", "Dana Petrov", "Eli Moreau", "Fay Lindqvist")
ROLES = ("Chair of the board", "Treasurer", "President", "Vice president", "Secretary", "Director of finance")


def page(*lines: tuple[str, str]) -> LabelledPage:
    """A page whose lines have these labels."""
    texts, spans, at = [], [], 0
    for text, _ in lines:
        spans.append(Span(at, at + len(text)))
        texts.append(text)
        at += len(text) + 1
    rows = tuple(Line(span, 0, number) for number, span in enumerate(spans))
    document = Document(DocumentId("0" * 64), "text/html", "\n".join(texts), rows, ())
    passages = [(span, label) for span, (_, label) in zip(spans, lines, strict=True) if label != OTHER]
    return label_passages(document, passages, other=OTHER)


def officers(first: int) -> LabelledPage:
    """Two officers, under a heading."""
    listed = [
        row
        for idx in (first, first + 1)
        for row in ((NAMES[idx], "name"), (ROLES[idx], "role"), ("Read more", OTHER))
    ]
    return page(("Our people", OTHER), *listed, ("All rights reserved", OTHER))


def test_pages_left_out_are_read_by_what_was_marked() -> None:
    model = learn_marked([officers(0), officers(2)], OBSERVE, other=OTHER)
    assert measure_agreement(model, officers(4), OBSERVE, OTHER) > 0.8


def test_what_ships_keeps_its_vote() -> None:
    shipped = learn_fields([officers(0), officers(2)], OBSERVE)
    both = learn_marked([officers(4)], OBSERVE, other=OTHER, shipped=shipped)
    assert [name for name, _ in both.members] == [*(name for name, _ in shipped.members), MARKS]
    assert measure_agreement(both, officers(4), OBSERVE, OTHER) == 1.0
    again = join_page_models(both, learn_fields([officers(4)], OBSERVE))
    assert len(again.members) == len(both.members), "marks of before have no second vote"


def test_marks_that_make_it_worse_are_not_kept() -> None:
    """Two pages that contradict each other: each misleads about the other."""
    timid = MemberOptions("openings", CrfOptions(c1=0.0, c2=30.0, max_iterations=100), marks_openings=True)
    shipped = learn_fields([officers(0), officers(2), officers(4)], OBSERVE, [timid])
    assert measure_agreement(shipped, officers(0), OBSERVE, OTHER) > 0.8
    people = [
        row for idx in (0, 1) for row in ((NAMES[idx], "role"), (ROLES[idx], OTHER), ("Read more", "name"))
    ]
    swapped = page(("Our people", OTHER), *people, ("All rights reserved", OTHER))
    with pytest.raises(ConfigError, match="mark more pages"):
        learn_marked([officers(0), swapped], OBSERVE, other=OTHER, shipped=shipped)
