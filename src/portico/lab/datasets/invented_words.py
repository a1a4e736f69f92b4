"""Names, companies, addresses and page texts of many countries, for generating pages.

Roles and the words of pages are in `invented_officers.toml`; names, companies and addresses in
`invented_officers.tsv` were generated once from the lists of Faker (MIT license).
"""

import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any


class InventedWords:
    """Names, companies, addresses and sentences of one country."""

    def __init__(self, rng: Random, country: str) -> None:
        self._rng, self._values = rng, load_invented_words()[country]

    def one(self, kind: str) -> str:
        return self._rng.choice(self._values[kind])

    def paragraph(self, n_sentences: int) -> str:
        return " ".join(self.one("sentence") for _ in range(n_sentences))

    def headline(self) -> str:
        return " ".join(self.one("sentence").rstrip(".。").split()[: self._rng.randint(3, 8)]).title()


@cache
def load_page_words(language: str) -> dict[str, Any]:
    text = Path(__file__).with_name("invented_officers.toml").read_text("utf-8")
    return dict(tomllib.loads(text)[language])


@cache
def load_invented_words() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """A mapping from country to kind ("given", "family", "company", "address", "city", "sentence") to all
    entries.
    """
    found: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for line in Path(__file__).with_name("invented_officers.tsv").read_text("utf-8").splitlines():
        country, kind, values = line.split("\t")
        found[country][kind] = values.split("|")
    return found


def make_host(rng: Random) -> str:
    return "".join(rng.choice(("ba", "ko", "lin", "ter", "mo", "sa", "ri", "den")) for _ in range(3))
