"""Names of authors as papers of many fields print them."""

import pytest

from portico.domains.papers.author_names import (
    has_shape_of_names,
    is_name_alone,
    is_one_author,
    read_author_line,
)
from portico.domains.papers.fields import announces_author, names_others


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Christian Deindl und Marc Szydlik", ["Christian Deindl", "Marc Szydlik"]),
        ("Dimitris Alexandros Emilios Yannis\nRafailidis* Nanopoulos* Cambouropoulos# Manolopoulos*",
         ["Dimitris Rafailidis", "Alexandros Nanopoulos", "Emilios Cambouropoulos", "Yannis Manolopoulos"]),
        ("Änne Groß-Köhler und Jürgen Weiß", ["Änne Groß-Köhler", "Jürgen Weiß"]),
        ("Łucja Ćwiklińska oraz Jan Żak", ["Łucja Ćwiklińska", "Jan Żak"]),
        ("Иван Петров и Мария Смирнова", ["Иван Петров", "Мария Смирнова"]),
        ("王小明、李華", ["王小明", "李華"]),
        ("M. Kodialam T. V. Lakshman", ["M. Kodialam", "T. V. Lakshman"]),
        ("Thamolwan Suanarunsawat, Watcharaporn Devakul Na Ayutthaya, Thanapat Songsak",
         ["Thamolwan Suanarunsawat", "Watcharaporn Devakul Na Ayutthaya", "Thanapat Songsak"]),
        ("M.K.KHOSLA", ["M.K.KHOSLA"]),
        ("ANN B. FOX 1 , GEORGE E. DORN 2", ["ANN B. FOX", "GEORGE E. DORN"]),
        ("Ann Fox, Emily P. Brown-\nHarris 1", ["Ann Fox", "Emily P. Brown-Harris"]),
        ("Ann Fox, Carl Dorn & Kevin\nAshworth", ["Ann Fox", "Carl Dorn", "Kevin Ashworth"]),
        ("BELL Ann 1 , KING James\nR. 3 , DORN H. Thomas 2", ["BELL Ann", "KING James R.", "DORN H. Thomas"]),
        ("Ann Fox, MPH; Carl Dorn, MA; Yong Ma", ["Ann Fox", "Carl Dorn", "Yong Ma"]),
        ("Ann Fox iD, Carl Dorn iD", ["Ann Fox", "Carl Dorn"]),
        ("Mustafa Özbilgin and Hanife\nAliefendioğlu", ["Mustafa Özbilgin", "Hanife Aliefendioğlu"]),
        ("Ann Bell ⋆ Carl Dorn – ", ["Ann Bell", "Carl Dorn"]),
        ("Ann Bell (Bell Labs/Northfield), Carl Dorn", ["Ann Bell", "Carl Dorn"]),
        ("Vianney Denis 1,2 * ¤a , Mireille M. M. Guillaume 2,1,3 , Stéphane de Palmas 1¤a ,",
         ["Vianney Denis", "Mireille M. M. Guillaume", "Stéphane de Palmas"]),
        ("M. Kodialam T. V. Lakshman James B. Orlin Sudipta Sengupta",
         ["M. Kodialam", "T. V. Lakshman", "James B. Orlin", "Sudipta Sengupta"]),
        ("José A. García Márquez", ["José A. García Márquez"]),
        ("Anne Gu érin-Dugu é", ["Anne Guérin-Dugué"]),
        ("Hanife Aliefendioğ lu", ["Hanife Aliefendioğlu"]),
        ("H . B. G. CASIMIR", ["H. B. G. CASIMIR"]),
        ("M. L. Sanjuan á", ["M. L. Sanjuán"]),
        ("Marinana Andrade e Barros", ["Marinana Andrade e Barros"]),
        ("by ZUMA, Germany\nEvi Scholz, Janet Harkness", ["Evi Scholz", "Janet Harkness"]),
        ("Ann Bell, a* Eva Fox, a Avelino\nGonzalez, a", ["Ann Bell", "Eva Fox", "Avelino Gonzalez"]),
        ("Hannes Raphael\nBrunsch", ["Hannes Raphael Brunsch"]),
        ("BORRIONE Dominique, PAULIN-MOHRING Christine", ["BORRIONE Dominique", "PAULIN-MOHRING Christine"]),
        ("Meghana Mutti a Nath Maury b Louis M. Guillot c Brian T. Hicks b",
         ["Meghana Mutti", "Nath Maury", "Louis M. Guillot", "Brian T. Hicks"]),
        ("Elizabeth Cole1, Alexandria Henry3 and Maria Flor\nMonteiro1",
         ["Elizabeth Cole", "Alexandria Henry", "Maria Flor Monteiro"]),
        ("Greg Ridge, David Madigan, and Thomas Dorn\nBox 354322, Northfield",
         ["Greg Ridge", "David Madigan", "Thomas Dorn"]),
        ("Thi Mai NGUYEN\nAbel K. VAN DER SCHEER", ["Thi Mai NGUYEN", "Abel K. VAN DER SCHEER"]),
        ("Luce Lelièvre / Marina Sampaio / Emil Ciarka", ["Luce Lelièvre", "Marina Sampaio", "Emil Ciarka"]),
        ("Lin Wu WU@CS.EXAMPLE.EDU", ["Lin Wu"]),
        ("Artur E. Holub I\nSven van den\nNyeuwenhuysen III\nFrançois David I",
         ["Artur E. Holub", "Sven van den Nyeuwenhuysen", "François David"]),
        ("Tom Fox III, Ann Bell", ["Tom Fox III", "Ann Bell"]),
        ("Patrik Hellberg andJian-Ping Li", ["Patrik Hellberg", "Jian-Ping Li"]),
        ("RONAN O’BRIEN AND MARÍA DE LA CRUZ", ["RONAN O’BRIEN", "MARÍA DE LA CRUZ"]),
    ],
)  # fmt: skip
def test_author_lines(line: str, names: list[str]) -> None:
    assert [name.value for name in read_author_line(line)] == names


def test_two_of_one_surname_are_two() -> None:
    assert not is_one_author("Md. Khalid Hossain", "Md. Aslam Hossain")
    assert is_one_author("Ann B. Bell", "A. B. Bell")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Murray Shanahan", True),
        ("John Miller and Carl Dorn", True),
        ("JOHN MILLER", True),
        ("DAVID BELL, CRAIG FIELDS, KARL DORN AND ANANT AGARWAL", True),
        ("Sounds in Old Trees", False),
        ("Department of Physics", False),
        ("Berlin Paper 12", False),
        ("Global Access", False),
    ],
)
def test_lines_of_nothing_but_names(line: str, expected: bool) -> None:
    assert is_name_alone(line) is expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("by", True), ("vorgelegt von", True), ("A thesis presented by", True), ("Autorin:", True),
        ("Edited by", False), ("Supported by", False), ("Standing by the river", False),
    ],
)  # fmt: skip
def test_lines_that_announce_the_author(line: str, expected: bool) -> None:
    assert announces_author(line) is expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Damini Choudhry", True), ("Graziano Ruggeri", True), ("Wouter van der Kremer", True),
        ("Research Article", False), ("Doctor of Philosophy", False), ("Northfield University", False),
        ("The River", False),
    ],
)  # fmt: skip
def test_lines_in_the_shape_of_names(line: str, expected: bool) -> None:
    assert has_shape_of_names(line) is expected


@pytest.mark.parametrize(
    ("paragraph", "expected"),
    [
        ("Edited by:\nUlrike Halsband,", True), ("Reviewed by:\nYuki Mori", True),
        ("Academic Editor: Paolo Ferrara", True), ("Correspondencia: Ana Bel", True),
        ("Ann Bell and Carl Dorn\nCorresponding author: bell@example.org", False),
    ],
)  # fmt: skip
def test_paragraphs_about_others(paragraph: str, expected: bool) -> None:
    assert names_others(paragraph) is expected
