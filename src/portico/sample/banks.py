"""Sizes of the sample web, and the vocabulary of its topics, which is read from `banks/`."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Scale:
    """The numbers that determine the size of the web; everything else follows from them and the seed."""

    name: str
    n_departments: int
    n_topics: int
    n_papers: int
    n_people: int  # of each department
    n_courses: int  # of each department
    n_news: int  # of each department
    n_postscript: int  # papers that are also, or only, available as PostScript
    n_hidden: int  # papers behind robots.txt, and as many that no page links to
    n_subpages: int  # of each person


FULL = Scale("full", 5, 16, 128, 14, 8, 8, 40, 5, 3)
SMALL = Scale("small", 2, 4, 14, 4, 1, 2, 3, 1, 0)


@dataclass(frozen=True, slots=True)
class Bank:
    """Everything needed to write a paper on one topic. Tasks and methods are phrases without an article."""

    key: str
    path: tuple[str, ...]
    conference: tuple[str, str, str]  # full name, abbreviated, acronym
    journal: tuple[str, str]  # full name, abbreviated
    keywords: tuple[str, ...]
    systems: tuple[str, ...]
    tasks: tuple[str, ...]
    methods: tuple[str, ...]
    objects: tuple[str, ...]
    settings: tuple[str, ...]
    measures: tuple[str, ...]
    problems: tuple[str, ...]
    claims: tuple[str, ...]

    @property
    def topic(self) -> str:
        return "/".join(self.path)


@cache
def load_banks() -> tuple[Bank, ...]:
    """All topics, ordered by file name."""
    folder = resources.files("portico.sample").joinpath("banks")
    files = sorted((item for item in folder.iterdir() if item.name.endswith(".toml")), key=lambda f: f.name)
    return tuple(_bank(item.name.removesuffix(".toml"), item.read_text("utf-8")) for item in files)


@cache
def load_prose() -> dict[str, tuple[str, ...]]:
    """Sentence patterns shared by all topics, by the part of a paper they belong to."""
    text = resources.files("portico.sample").joinpath("prose.toml").read_text("utf-8")
    return {part: tuple(sentences) for part, sentences in tomllib.loads(text).items()}


def _bank(key: str, text: str) -> Bank:
    table = tomllib.loads(text)
    path = tuple(table.pop("path").split("/"))
    return Bank(key=key, path=path, **{name: tuple(values) for name, values in table.items()})
