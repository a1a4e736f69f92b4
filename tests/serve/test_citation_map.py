"""The picture of what a paper cites and who cites it."""

from portico.serve.citation_map import MOST_NODES, citation_map
from portico.serve.describe import Card, LinkedText


def card(name: str, year: str, *authors: str, n_citations: int = 0) -> Card:
    people = tuple(LinkedText(author, "/") for author in authors)
    return Card(f"/paper/{name}", f"On {name}", people, 0, "", year, n_citations, held=True)


def test_each_side_goes_from_old_to_new_and_names_surnames() -> None:
    cited = [card("b", "1990", "Radford, N.", "B. Other"), card("a", "1980", "N. Wirth"), card("c", "")]
    drawn = citation_map(cited, [card("d", "1999")], title="This")
    assert drawn is not None
    assert [node.label for node in drawn.nodes] == [
        "Wirth 1980 On a",
        "Radford et al. 1990 On b",
        "On c",
        "1999 On d",
    ]
    left, right = drawn.nodes[:3], drawn.nodes[3]
    assert all(node.x < drawn.middle[0] < right.x for node in left)
    assert "3 cited papers on the left, 1 citing papers on the right" in drawn.summary


def test_the_most_cited_are_shown_and_each_once() -> None:
    many = [card(str(number), "1990", n_citations=number) for number in range(40)]
    drawn = citation_map(many + many, [], title="This")
    assert drawn is not None
    assert len(drawn.nodes) == MOST_NODES
    assert {node.url for node in drawn.nodes} == {
        f"/paper/{number}#map" for number in range(40 - MOST_NODES, 40)
    }


def test_nothing_linked_is_no_picture() -> None:
    assert citation_map([], [], title="This") is None
