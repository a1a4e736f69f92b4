"""Values of the index: entries in, hits out."""

from dataclasses import dataclass
from math import log, log1p
from typing import NamedTuple

from portico.types.record import EntityId


@dataclass(frozen=True, slots=True)
class SearchedField:
    """A field by which a domain lets visitors search: `role:treasurer`."""

    name: str
    facet: bool = False  # whether results are counted and narrowed by its values


@dataclass(frozen=True, slots=True)
class Entry:
    """One searchable entity. `held`: the portal has the document itself."""

    entity: EntityId
    title: str
    authors: tuple[str, ...] = ()
    abstract: str = ""
    venue: str = ""
    year: int | None = None
    body: str = ""
    topics: tuple[tuple[str, ...], ...] = ()
    n_citations: int = 0
    authority: float = 0.0
    hub: float = 0.0
    held: bool = True
    cites: tuple[EntityId, ...] = ()
    kind: str = ""  # of domains that declare their kinds
    values: tuple[tuple[str, tuple[str, ...]], ...] = ()  # of declared fields, by name
    sorted_by: str = ""  # what it is put in alphabetical order by, where that is not the title
    found_at: float = 0.0  # seconds since the epoch
    source: str = ""  # where the document was found: an address, or a path in a folder
    media_type: str = ""  # of the document
    people: tuple[str, ...] = ()  # whose each author's name is; an empty one where the portal does not know
    affiliations: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    dois: tuple[str, ...] = ()
    published: int | None = None  # the day as 19990704, as far as it is known; else the year alone orders


class ListedPaper(
    NamedTuple
):  # like Hit made for every paper of a page, in a fifth of the time of a dataclass
    """What a list shows of a paper; stored in the index, so that lists need no other data."""

    title: str
    authors: tuple[str, ...] = ()
    people: tuple[str, ...] = ()  # as in the entry
    venue: str = ""
    year: int | None = None
    topics: tuple[tuple[str, ...], ...] = ()  # the best first
    n_citations: int = 0
    held: bool = True
    source: str = ""
    media_type: str = ""


class Hit(NamedTuple):
    """One result: the entity, its score, and the best matching passage (plain text)."""

    entity: EntityId
    score: float
    snippet: str = ""
    marks: tuple[tuple[int, int], ...] = ()  # half-open ranges of the snippet that match
    shown: ListedPaper = ListedPaper("")


class QueryNotice(NamedTuple):
    """Something to tell a visitor of their query, with values for its placeholders: it may be translated."""

    text: str
    values: tuple[tuple[str, str | int], ...] = ()

    def __str__(self) -> str:
        said = {name: f"{value:,}" if isinstance(value, int) else value for name, value in self.values}
        return self.text.format(**said) if said else self.text


@dataclass(frozen=True, slots=True)
class Results:
    """One page of hits, with the total number and the interpretation of the query."""

    hits: tuple[Hit, ...]
    total: int
    notices: tuple[QueryNotice, ...] = ()  # said to the visitor: a broken query searched as plain words
    facets: tuple[tuple[str, tuple[tuple[str, int], ...]], ...] = ()
    n_cited_only: int = 0  # papers known from citations alone that fit, too, where only held ones are listed
    suggestion: str = ""  # the query with words that nothing has replaced by the nearest that something has
    as_typed: str = ""  # where these are the hits of the suggestion: the query that finds only what was typed

    @property
    def notice(self) -> str:
        """All that is to be told, in English."""
        return " ".join(map(str, self.notices))


RANK_STEP = 0.1
"""Relative change of a score from which its index entry is rewritten: every new paper changes all scores a
little, which hardly affects their order."""


def find_rank_step(score: float) -> float:
    """The multiple of `RANK_STEP` nearest to a score."""
    return round(log(score) / log1p(RANK_STEP)) if score > 0 else -1_000.0
