"""Names of authors as papers of many fields print them."""

import pytest

from portico.domains.papers.author_names import is_one_author, read_author_line


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Christian Deindl und Marc Szydlik", ["Christian Deindl", "Marc Szydlik"]),
        ("Dimitris Alexandros Emilios Yannis\nRafailidis* Nanopoulos* Cambouropoulos# Manolopoulos*",
         ["Dimitris Rafailidis", "Alexandros Nanopoulos", "Emilios Cambouropoulos", "Yannis Manolopoulos"]),
        ("M. Kodialam T. V. Lakshman", ["M. Kodialam", "T. V. Lakshman"]),
        ("Thamolwan Suanarunsawat, Watcharaporn Devakul Na Ayutthaya, Thanapat Songsak",
         ["Thamolwan Suanarunsawat", "Watcharaporn Devakul Na Ayutthaya", "Thanapat Songsak"]),
        ("M.K.KHOSLA", ["M.K.KHOSLA"]),
        ("Mustafa Özbilgin and Hanife\nAliefendioğlu", ["Mustafa Özbilgin", "Hanife Aliefendioğlu"]),
        ("Ann Bell ⋆ Carl Dorn – ", ["Ann Bell", "Carl Dorn"]),
        ("Ann Bell (Bell Labs/Northfield), Carl Dorn", ["Ann Bell", "Carl Dorn"]),
    ],
)  # fmt: skip
def test_author_lines(line: str, names: list[str]) -> None:
    assert [name.value for name in read_author_line(line)] == names


def test_two_of_one_surname_are_two() -> None:
    assert not is_one_author("Md. Khalid Hossain", "Md. Aslam Hossain")
    assert is_one_author("Ann B. Bell", "A. B. Bell")
