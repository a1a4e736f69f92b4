"""One line of a bibliography, as style guides print it."""

import pytest

from portico.text.citation_formats import Citable
from portico.text.reference_styles import write_apa, write_mla

DOI = "https://doi.org/10.1234/trees"
ARTICLE = Citable(
    "forest",
    ("Ada Young", "Nuñez, José"),
    {
        "title": "Growing decision forests",
        "journal": "Journal of Trees",
        "volume": "12",
        "number": "3",
        "pages": "34--56",
        "year": "1996",
        "doi": "10.1234/trees",
    },
)
TALK = Citable("talk", ("B. Old",), {"title": "Why trees?", "booktitle": "Proc. Trees", "year": "1980"})
BARE = Citable("bare", (), {"title": "Inducing trees"})
MANY = Citable("many", tuple(f"A. Young{letter}" for letter in "abcdefghijklmnopqrstuvw"), {"title": "All"})


@pytest.mark.parametrize(
    ("paper", "line"),
    [
        (
            ARTICLE,
            f"Young, A., & Nuñez, J. (1996). Growing decision forests. Journal of Trees, 12(3), 34–56. {DOI}",
        ),
        (TALK, "Old, B. (1980). Why trees? In Proc. Trees."),
        (BARE, "Inducing trees. (n.d.)."),
    ],
)
def test_apa(paper: Citable, line: str) -> None:
    assert write_apa(paper) == line


@pytest.mark.parametrize(
    ("paper", "line"),
    [
        (
            ARTICLE,
            (
                "Young, Ada, and José Nuñez. “Growing decision forests.” Journal of Trees, vol. 12, no. 3, "
                f"1996, pp. 34–56. {DOI}"
            ),
        ),
        (TALK, "Old, B. “Why trees?” Proc. Trees, 1980."),
        (BARE, "“Inducing trees.”"),
    ],
)
def test_mla(paper: Citable, line: str) -> None:
    assert write_mla(paper) == line


def test_long_lists_of_authors_are_shortened_as_each_style_does() -> None:
    assert "Youngs, A., … Youngw, A." in write_apa(MANY)
    assert write_mla(MANY).startswith("Younga, A., et al. “All.”")
