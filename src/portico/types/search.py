"""Values of the index: entries in, hits out."""

from dataclasses import dataclass
from math import log, log1p
from typing import NamedTuple

from portico.types.record import EntityId


@dataclass(frozen=True, slots=True)
class SearchedField:
    """A field by which a domain lets visitors search: `role:treasurer`."""

    name: str
    facet: bool = False  # whether results are counted and filtered by its values


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
    kind: str = ""  # in domains that declare their kinds
    values: tuple[tuple[str, tuple[str, ...]], ...] = ()  # of declared fields, by name
    sorted_by: str = ""  # what it is sorted by alphabetically, if not the title
    found_at: float = 0.0  # seconds since the epoch
    source: str = ""  # where the document was found: a URL, or a path in a folder
    media_type: str = ""  # of the document
    people: tuple[str, ...] = ()  # who each author's name stands for; "" if unknown
    affiliations: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    dois: tuple[str, ...] = ()
    published: int | None = None  # the day, such as 19990704, if known; else only the year counts


class ListedPaper(
    NamedTuple
):  # like Hit made for every paper of a page, in a fifth of the time of a dataclass
    """What a list shows of a paper; stored in the index, so that lists need no other data."""

    title: str
    authors: tuple[str, ...] = ()
    people: tuple[str, ...] = ()  # as in the entry
    venue: str = ""
    year: int | None = None
    topics: tuple[tuple[str, ...], ...] = ()  # the most probable first
    n_citations: int = 0
    held: bool = True
    source: str = ""
    media_type: str = ""


class Hit(NamedTuple):
    """One result: the entity, its score, and the best matching passage (plain text)."""

    entity: EntityId
    score: float
    snippet: str = ""
    marks: tuple[tuple[int, int], ...] = ()  # half-open ranges of matches in the snippet
    shown: ListedPaper = ListedPaper("")
    has_all: bool = True  # whether it has all words, or follows papers that have


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
    notices: tuple[QueryNotice, ...] = ()  # such as that a malformed query was searched as plain words
    facets: tuple[tuple[str, tuple[tuple[str, int], ...]], ...] = ()
    n_cited_only: int = 0  # matching papers known only from citations, if only held ones are listed
    suggestion: str = ""  # the query with words that have no hits replaced by similar ones that have
    as_typed: str = ""  # the query for exactly what was typed, if these are hits of the suggestion
    n_with_some: int = 0  # papers listed after the total because they have some of the words

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
