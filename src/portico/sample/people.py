"""Invented people and departments; any likeness to living persons is coincidental."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from random import Random
from unicodedata import normalize

ROLES = (
    "Professor",
    "Associate Professor",
    "Assistant Professor",
    "Lecturer",
    "Research Scientist",
    "Graduate Student",
)


@dataclass(frozen=True, slots=True)
class Department:
    """A department, with its host, postal address and the character set of its pages."""

    key: str
    host: str
    university: str
    name: str
    address: str  # one line, as in an affiliation
    report_prefix: str
    charset: str  # of its HTML pages; letters it lacks are written as character references


@dataclass(frozen=True, slots=True)
class FictitiousPerson:
    """A fictitious author; `department` is the key of a department, or "" for somebody from outside."""

    given: str
    middle: str  # one capital letter, or ""
    surname: str
    login: str
    department: str
    role: str

    @property
    def full_name(self) -> str:
        return (
            f"{self.given} {self.middle}. {self.surname}" if self.middle else f"{self.given} {self.surname}"
        )

    @property
    def initials(self) -> str:
        return f"{self.given[0]}. {self.middle}." if self.middle else f"{self.given[0]}."


DEPARTMENTS = (
    Department(
        "northfield", "cs.northfield.test", "University of Northfield", "Department of Computer Science",
        "Northfield, NF 40125", "NF-CS", "us-ascii",
    ),
    Department(
        "eastmere", "www.cse.eastmere.test", "Eastmere Institute of Technology",
        "Department of Computer Science and Engineering", "Eastmere, EM 90210", "EIT-CSE", "utf-8",
    ),
    Department(
        "lindholm", "info.lindholm.test", "Lindholm University", "Department of Informatics",
        "P.O. Box 118, S-221 00 Lindholm", "LU-INF", "iso-8859-1",
    ),
    Department(
        "harrowgate", "www.cs.harrowgate.test", "Harrowgate State University", "School of Computing",
        "Harrowgate, HG 20742", "HSU-TR", "us-ascii",
    ),
    Department(
        "valmont", "lig.valmont.test", "Université de Valmont", "Laboratoire d'Informatique Générale",
        "38 rue des Tilleuls, 69100 Valmont", "LIG-RR", "iso-8859-1",
    ),
)  # fmt: skip


def invent_people(
    rng: Random, departments: tuple[Department, ...], n_each: int
) -> dict[str, tuple[FictitiousPerson, ...]]:
    """People by department key, and `n_each * 2` people from outside under "". No two share a surname."""
    surnames = list(load_names()["surnames"])
    rng.shuffle(surnames)
    groups = [(department.key, n_each) for department in departments] + [("", n_each * 2)]
    people = {}
    for key, n_people in groups:
        taken = [surnames.pop() for _ in range(n_people)]
        people[key] = tuple(_person(rng, surname, key, position) for position, surname in enumerate(taken))
    return people


def to_ascii_letters(name: str) -> str:
    """The name in lowercase letters a to z, as in a login or a file name."""
    plain = name.replace("ø", "o").replace("Ø", "O").replace("æ", "ae").replace("å", "a").replace("Å", "A")
    return "".join(c for c in normalize("NFKD", plain).lower() if "a" <= c <= "z")


@cache
def load_names() -> dict[str, list[str]]:
    """Given names and surnames of people who do not exist."""
    return tomllib.loads(resources.files("portico.sample").joinpath("names.toml").read_text("utf-8"))


def _person(rng: Random, surname: str, department: str, position: int) -> FictitiousPerson:
    given = rng.choice(load_names()["given"])
    middle = rng.choice("ABCDEFGHJKLMNPRSTW") if rng.random() < 0.35 else ""
    login = (
        to_ascii_letters(surname)[:8]
        if rng.random() < 0.6
        else to_ascii_letters(given)[0] + to_ascii_letters(surname)[:7]
    )
    return FictitiousPerson(
        given,
        middle,
        surname.replace("Van-den-", "van den "),
        login,
        department,
        ROLES[min(position // 2, 5)],
    )
