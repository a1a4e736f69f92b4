"""Home page, results and paging, shared by all portals; the collection supplies the contents."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from starlette.exceptions import HTTPException

from portico.serve.languages import format_number, translate
from portico.serve.links import make_search_url, make_topic_url
from portico.serve.page_parts import LinkedText
from portico.serve.search import PAGE_SIZE, Search
from portico.store.catalog.topics import TopicCount
from portico.types.search import QueryNotice, Results


@dataclass(frozen=True, slots=True)
class Paging:
    """The current page, counted from 1, and the URLs of its neighbors; None if there is no such page."""

    number: int
    n_pages: int
    previous: str | None
    next: str | None


def make_paging(number: int, n_items: int, *, size: int, url: Callable[[int], str]) -> Paging:
    """The paging of page `number` over `n_items` items. The caller has to refuse numbers past the end."""
    n_pages = max(1, -(-n_items // size))
    return Paging(
        number=number,
        n_pages=n_pages,
        previous=url(number - 1) if 1 < number <= n_pages + 1 else None,
        next=url(number + 1) if number < n_pages else None,
    )


def read_page_number(text: str) -> int:
    """The page number a visitor asked for; 1 if it is not a valid number."""
    return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) < 8 else 1


Facets = tuple[tuple[str, tuple["Choice", ...]], ...]
"""Headings, each with the values to filter by."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A topic with its subtopics."""

    name: str
    url: str
    n_papers: int
    children: tuple["Branch", ...]


@dataclass(frozen=True, slots=True)
class TopicPlace:
    """A node of the topic tree with its ancestors and its subtopics."""

    name: str
    path: str
    trail: tuple[LinkedText, ...]
    n_papers: int
    branches: tuple[Branch, ...]
    empty: tuple[LinkedText, ...]


class Choice(NamedTuple):  # made for every line of a list, five times faster than a dataclass
    """One of several options, such as orders, topics or years, that a visitor can choose."""

    name: str
    url: str
    chosen: bool = False
    count: int | None = None  # type: ignore[assignment]  # nobody counts what stands in a Choice
    hint: str = ""


@dataclass(frozen=True, slots=True)
class HomePage:
    """Search box, topic tree, numbers, and suggestions to start from."""

    n_held: int
    branches: tuple[Branch, ...]
    lists: tuple[tuple[str, tuple[Any, ...]], ...]  # headings, each with its cards
    examples: tuple[Choice, ...]
    searchable: bool
    damaged: bool
    own: Any  # values that only this collection's template uses


@dataclass(frozen=True, slots=True)
class ResultLists:
    """What a collection contributes to a results page, with ways to sort and filter."""

    cards: tuple[Any, ...]  # made by the collection
    with_some: tuple[Any, ...]  # cards of results that have some of the words
    sorts: tuple[Choice, ...]
    filters: tuple[Choice, ...]
    facets: Facets
    page_url: Callable[[int], str]
    own: Any  # values that only this collection's template uses


@dataclass(frozen=True, slots=True)
class ResultsPage:
    """The results page of a search."""

    search: Search
    total: int
    n_with_some: int
    notice: str
    lists: ResultLists
    everywhere: str  # the same search without filters
    suggestion: Choice | None
    as_typed: str  # URL of the search as typed, if the suggestion was searched for instead
    feed: str
    paging: Paging


def make_results(search: Search, found: Results, lists: ResultLists) -> ResultsPage:
    return ResultsPage(
        search=search,
        total=found.total,
        n_with_some=found.n_with_some,
        notice=" ".join([_say_notice(notice) for notice in found.notices]),
        lists=lists,
        everywhere=make_search_url(search.query),
        suggestion=Choice(found.suggestion, make_search_url(found.suggestion)) if found.suggestion else None,
        as_typed=make_search_url(found.as_typed) if found.as_typed else "",
        feed=search.url(sort=None).replace("/search", "/feed", 1),
        paging=make_paging(search.page, found.total + found.n_with_some, size=PAGE_SIZE, url=lists.page_url),
    )


def _say_notice(notice: QueryNotice) -> str:
    values = {
        name: format_number(value) if isinstance(value, int) else value for name, value in notice.values
    }
    return translate(notice.text, **values)


def list_sorts(
    orders: Mapping[str, tuple[str, str]], chosen: str, url: Callable[[str], str]
) -> tuple[Choice, ...]:
    """The available orders, each with its name and hint; `url` returns the link to one of them."""
    return tuple(
        Choice(translate(label), url(name), chosen=name == chosen, hint=translate(hint))
        for name, (label, hint) in orders.items()
    )


def find_topic(tree: Sequence[TopicCount], path: Sequence[str]) -> TopicPlace:
    """A topic's place in the tree; 404 if there is no such topic."""
    names, depth = tuple(path), len(path)
    node = next((node for node in tree if node.path == names), None)
    if node is None:
        raise HTTPException(404, "The topic tree of this portal has no such topic.")
    below = [other for other in tree if len(other.path) > depth and other.path[:depth] == names]
    return TopicPlace(
        name=names[-1],
        path="/".join(names),
        trail=tuple(LinkedText(names[end - 1], make_topic_url(names[:end])) for end in range(1, depth)),
        n_papers=node.n_papers,
        branches=make_branches(below, depth=depth + 1),
        empty=list_empty_topics(below, depth=depth),
    )


def make_branches(nodes: Sequence[TopicCount], *, depth: int = 1) -> tuple[Branch, ...]:
    """The nodes that have papers as a tree, starting at this depth. Parents must come before their
    children.
    """
    return tuple(
        Branch(
            name=node.path[-1],
            url=make_topic_url(node.path),
            n_papers=node.n_papers,
            children=make_branches(
                [other for other in nodes if other.path[:depth] == node.path], depth=depth + 1
            ),
        )
        for node in nodes
        if len(node.path) == depth and node.n_papers
    )


def list_empty_topics(nodes: Sequence[TopicCount], *, depth: int = 0) -> tuple[LinkedText, ...]:
    """The topics without papers, of which a builder's tree may have many. Each is named by its path below
    this depth.
    """
    empty = [node.path for node in nodes if not node.n_papers]
    return tuple(LinkedText(" › ".join(path[depth:]), make_topic_url(path)) for path in empty)
