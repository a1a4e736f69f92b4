"""The picture of what a paper cites and who cites it."""

import pytest

from portico.serve.page_parts import LinkedText, PaperCard
from portico.serve.papers.citation_map import MOST_NODES, draw_citation_map


def card(name: str, year: str, *authors: str, title: str = "", n_citations: int = 0) -> PaperCard:
    people = tuple(LinkedText(author, "/") for author in authors)
    return PaperCard(f"/paper/{name}", title or f"On {name}", people, 0, "", year, n_citations, held=True)


def test_each_side_goes_from_old_to_new_and_names_surnames() -> None:
    cited = [card("b", "1990", "Radford, N.", "B. Other"), card("a", "1980", "N. Wirth"), card("c", "")]
    drawn = draw_citation_map(cited, [card("d", "1999")], title="This")
    assert drawn is not None
    assert [(node.who, node.label) for node in drawn.cited] == [
        ("Wirth 1980", "On a"),
        ("Radford et al. 1990", "On b"),
        ("", "On c"),
    ]
    assert [(node.who, node.label) for node in drawn.citing] == [("1999", "On d")]
    assert all(node.x < drawn.middle[0] < drawn.citing[0].x for node in drawn.cited)
    assert "3 cited papers first, then 1 citing paper, each from old to new" in drawn.summary


@pytest.mark.parametrize(
    ("title", "author", "who", "label"),
    [
        ("a " * 5_000, "N. Wirth", "Wirth 1980", "a a a a a a a a a a a a a a a a a…"),
        ("x" * 10_000, "Y" * 10_000, "Y" * 20 + "… 1980", "…"),
        ("木" * 100, "N. Wirth", "Wirth 1980", "木" * 17 + "…"),
    ],
)
def test_words_stay_beside_their_dots(title: str, author: str, who: str, label: str) -> None:
    cited = card("a", "1980", author)._replace(title=title)
    drawn = draw_citation_map([cited], [card("b", "1999")], title="This")
    assert drawn is not None
    (node,) = drawn.cited
    assert (node.who, node.label, node.title) == (who, label, title)


@pytest.mark.parametrize("is_cited", [True, False])
def test_words_that_are_alone_on_one_side_have_its_room(is_cited: bool) -> None:
    title = "A title of which one half of the picture would hold but the first few words"
    alone = [card("a", "1980")._replace(title=title)]
    drawn = draw_citation_map(alone if is_cited else [], [] if is_cited else alone, title="This")
    assert drawn is not None
    (node,) = drawn.cited + drawn.citing
    assert node.label == title
    assert (node.x < drawn.middle[0], 2 * drawn.middle[0] > drawn.width) == (is_cited, is_cited)


def test_the_most_cited_are_shown_and_each_once() -> None:
    many = [card(str(number), "1990", n_citations=number) for number in range(40)]
    drawn = draw_citation_map(many + many, [], title="This")
    assert drawn is not None
    assert len(drawn.cited) == MOST_NODES
    assert {node.url for node in drawn.cited} == {
        f"/paper/{number}#map" for number in range(40 - MOST_NODES, 40)
    }


def test_nothing_linked_is_no_picture() -> None:
    assert draw_citation_map([], [], title="This") is None
