"""Whose name is it?"""

from dataclasses import replace
from typing import Any

import pytest

from portico.match.authors import are_contradictory, identify_authors
from portico.text.names import parse_name
from portico.types.record import Author, AuthorId, EntityId, Signature


def signed(paper: str, name: str, *others: str, **more: Any) -> Signature:
    return replace(Signature(EntityId(paper), 0, name, 1999, others=others), **more)


def people(*signatures: Signature) -> list[set[str]]:
    return sorted(
        ({each.paper for each in author.signatures} for author in identify_authors(signatures, {})), key=min
    )


@pytest.mark.parametrize(
    ("one", "other", "are_one"),
    [
        (signed("p", "A. McCallum"), signed("q", "Andrew McCallum"), False),  # nothing speaks for it
        (signed("p", "A. McCallum", "K. Nigam"), signed("q", "Andrew McCallum", "Kamal Nigam"), True),
        (signed("p", "A. McCallum", "K. Nigam"), signed("q", "Anna McCallum", "K. Nigam"), True),
        (signed("p", "Andrew McCallum", "K. Nigam"), signed("q", "Anna McCallum", "K. Nigam"), False),
        (signed("p", "A. K. McCallum", "K. Nigam"), signed("q", "A. L. McCallum", "K. Nigam"), False),
        (signed("p", "Andrew McCallum"), signed("q", "McCallum, Andrew K."), True),
        (signed("p", "A. McCallum"), signed("q", "Andrew McCallum", cites=frozenset({EntityId("p")})), True),
        (
            signed("p", "A. McCallum", emails=("mccallum@cs.cmu.edu",)),
            signed("q", "Andrew McCallum", emails=("McCallum@cs.cmu.edu",)),
            True,
        ),
        (
            signed("p", "A. McCallum", emails=("info@cs.cmu.edu",)),
            signed("q", "Andrew McCallum", emails=("info@cs.cmu.edu",)),
            False,
        ),
        (
            signed("p", "A. Lee", affiliations=("Carnegie Mellon University",)),
            signed("q", "Ann Lee", affiliations=("Carnegie-Mellon University",)),
            True,
        ),
        (signed("p", "A. Lee", topic="AI"), signed("q", "Ann Lee", topic="AI"), True),
        (signed("p", "A. Lee", topic="AI"), signed("q", "Ann Lee", topic="AI", year=1970), False),
        (signed("p", "Ann Lee"), signed("q", "Ann Lee", year=1900), False),
        (signed("p", "G. van Rossum", "J. Li"), signed("q", "van Rossum, Guido", "Jun Li"), True),
        (signed("p", "John Smith, Jr.", "J. Li"), signed("q", "J. Smith Sr.", "J. Li"), False),
        (signed("p", "A. McCallum"), signed("q", "B. McCallum"), False),
    ],
)  # fmt: skip
def test_two_names(one: Signature, other: Signature, are_one: bool) -> None:
    assert people(one, other) == ([{"p", "q"}] if are_one else [{"p"}, {"q"}])


def test_an_initial_that_fits_two_people_in_the_topic_is_neither() -> None:
    names = ("Ann Lee", "Adam Lee", "A. Lee")
    found = people(*(signed(paper, name, topic="AI") for paper, name in zip("pqr", names, strict=True)))
    assert found == [{"p"}, {"q"}, {"r"}]


def test_nobody_signs_a_paper_twice() -> None:
    twins = (signed("p", "J. Smith", "K. Nigam"), replace(signed("p", "J. Smith", "K. Nigam"), position=1))
    assert len(identify_authors(twins, {})) == 2


def test_ids_stay_when_papers_come_and_names_grow_fuller() -> None:
    first = identify_authors([signed("p", "A. McCallum", "K. Nigam")], {})
    before = places(first)
    later = [signed("a", "Andrew McCallum", "K. Nigam"), signed("p", "A. McCallum", "K. Nigam")]
    (author,) = identify_authors(later, before)
    assert author.id == first[0].id
    assert author.name == "Andrew McCallum"


def test_when_two_become_one_who_had_more_papers_keeps_the_id() -> None:
    alone = [signed(paper, "Ann Lee", "C. Roux") for paper in "pq"] + [signed("r", "A. Lee", "D. Wood")]
    before = identify_authors(alone, {})
    assert len(before) == 2
    larger = max(before, key=lambda author: len(author.signatures))
    (author,) = identify_authors([*alone, signed("s", "A. Lee", "C. Roux", "D. Wood")], places(before))
    assert author.id == larger.id


@pytest.mark.parametrize("name", ["", "et al.", "...", "123", "李明", "van", "\ud800"])
def test_odd_names_do_no_harm(name: str) -> None:
    assert len(identify_authors([signed("p", name), signed("q", "A. Lee")], {})) >= 1


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("A. Lee", "Ann Lee", False), ("Ann Lee", "Anna Lee", False), ("Bob Lee", "Robert Lee", True)],
)
def test_contradictions(one: str, other: str, expected: bool) -> None:
    assert are_contradictory(parse_name(one), parse_name(other)) is expected


def places(authors: tuple[Author, ...]) -> dict[tuple[str, int], AuthorId]:
    return {(each.paper, each.position): author.id for author in authors for each in author.signatures}
