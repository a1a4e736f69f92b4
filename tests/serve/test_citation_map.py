"""The picture of what a paper cites and who cites it."""

import pytest

from portico.serve.page_parts import LinkedText, PaperCard
from portico.serve.papers.citation_map import MOST_NODES, draw_citation_map


def card(name: str, year: str, *authors: str, title: str = "", n_citations: int = 0) -> PaperCard:
    people = tuple(LinkedText(author, "/") for author in authors)
    return PaperCard(f"/paper/{name}", title or f"On {name}", people, 0, "", year, n_citations, held=True)


def test_years_go_from_left_to_right_and_papers_are_named_by_their_authors() -> None:
    cited = [card("b", "1990", "Radford, N.", "B. Other"), card("a", "1980", "N. Wirth"), card("c", "")]
    drawn = draw_citation_map(cited, [card("d", "1999")], title="This", year="1995")
    assert drawn is not None
    assert [(node.label, node.is_citing) for node in drawn.nodes] == [
        ("Wirth 1980", False),
        ("Radford et al. 1990", False),
        ("On c", False),
        ("1999", True),
    ]
    wirth, radford, undated, latest = drawn.nodes
    assert undated.x < wirth.x < radford.x < drawn.here[0] < latest.x
    assert [year for _, year in drawn.years] == ["1980", "1990", "1995", "1999"]
    assert "3 cited papers first, then 1 citing paper, each from old to new" in drawn.summary


@pytest.mark.parametrize("year", ["", "1995"])
@pytest.mark.parametrize("name", ["N. Wirth", "Y" * 10_000, "木" * 100])
def test_words_stay_in_the_picture_and_apart(name: str, year: str) -> None:
    years = ["1980", "1990", "", "1995", "1996", "1999"]
    cited = [card(f"a{number}", years[number % 3], name) for number in range(MOST_NODES)]
    citing = [card(f"b{number}", years[number % 6], name) for number in range(MOST_NODES)]
    drawn = draw_citation_map(cited, citing, title="This", year=year)
    assert drawn is not None
    boxes: list[tuple[int, float, float]] = []
    for node in drawn.nodes:
        room = 6 * len(node.label) * (2 if "木" in node.label else 1)
        start, end = (node.text_x - room, node.x) if node.anchor == "end" else (node.x, node.text_x + room)
        assert start >= 0
        assert end <= drawn.width
        assert 0 < node.y < drawn.height
        assert all(node.y != y or end < left or start > right for y, left, right in boxes)
        boxes.append((node.y, start, end))


def test_the_most_cited_are_shown_and_each_once() -> None:
    many = [card(str(number), "1990", n_citations=number) for number in range(40)]
    drawn = draw_citation_map(many + many, [], title="This", year="")
    assert drawn is not None
    assert len(drawn.nodes) == MOST_NODES
    assert {node.url for node in drawn.nodes} == {
        f"/paper/{number}#map" for number in range(40 - MOST_NODES, 40)
    }


def test_nothing_linked_is_no_picture() -> None:
    assert draw_citation_map([], [], title="This", year="1990") is None
