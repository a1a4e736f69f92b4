"""The words of each topic: tasks, methods, claims and venues, read from the files in `banks/`."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Bank:
    """Everything needed to write a paper of one topic. Tasks and methods are phrases without article."""

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
    """Sentence patterns that all topics share, by their part in a paper."""
    text = resources.files("portico.sample").joinpath("prose.toml").read_text("utf-8")
    return {part: tuple(sentences) for part, sentences in tomllib.loads(text).items()}


def _bank(key: str, text: str) -> Bank:
    table = tomllib.loads(text)
    path = tuple(table.pop("path").split("/"))
    return Bank(key=key, path=path, **{name: tuple(values) for name, values in table.items()})
