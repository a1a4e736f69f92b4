"""Who wrote papers: names on papers, and the people behind them."""

from dataclasses import dataclass
from typing import NewType

from portico.types.record import EntityId

AuthorId = NewType("AuthorId", str)
"""Short, stable, fit for a URL."""


@dataclass(frozen=True, slots=True)
class Signature:
    """One name on one paper, with what tells whose name it is."""

    paper: EntityId
    position: int  # in the list of authors, from 0
    name: str  # as printed
    year: int | None = None
    topic: str = ""
    emails: tuple[str, ...] = ()  # of the paper
    affiliations: tuple[str, ...] = ()  # of the paper
    others: tuple[str, ...] = ()  # the other names on it
    cites: frozenset[EntityId] = frozenset()  # papers that the paper cites


@dataclass(frozen=True, slots=True)
class Author:
    """A person: what they are called most fully, and every name of theirs on a paper."""

    id: AuthorId
    name: str
    signatures: tuple[Signature, ...]  # ascending by paper
