"""Pages go on where the one before ended, whatever came or went meanwhile."""

from dataclasses import replace
from pathlib import Path

import pytest

from portico.index.searcher import Searcher
from portico.index.writer import write_index
from portico.serve.papers.home_and_results import make_question, read_search
from portico.serve.search import PAGE_SIZE, find_page, get_last_shown
from portico.types.record import EntityId
from portico.types.search import Entry

PAPERS = [
    Entry(EntityId(f"p{number:03}"), f"Tree {number}", n_citations=1000 - number) for number in range(90)
]
NEW = [Entry(EntityId(f"new{number}"), "Tree anew", n_citations=2000 + number) for number in range(5)]


def pages_of(folder: Path, then: list[Entry], now: list[Entry]) -> list[str]:
    """What somebody reads who asks for the second and third page after the index was replaced."""
    write_index(then, folder / "then")
    write_index(now, folder / "now")
    search = make_question(read_search({"q": "tree", "sort": "citations"}))
    first = find_page(Searcher(folder / "then"), search)
    read: list[str] = [hit.entity for hit in first.hits]
    found, searcher = first, Searcher(folder / "now")
    for page in (2, 3):
        found = find_page(searcher, replace(search, page=page, after=get_last_shown(found)))
        read += [hit.entity for hit in found.hits]
    return read


@pytest.mark.parametrize(
    ("now", "n_read"),
    [
        (PAPERS, 60),
        ([*NEW, *PAPERS], 60),  # five came in front: without a cursor five would be read twice
        (PAPERS[:3] + PAPERS[8:], 60),  # five of the first page went: five would never be read
        (PAPERS[:30], 30),
    ],
)
def test_nothing_is_read_twice_or_missed(tmp_path: Path, now: list[Entry], n_read: int) -> None:
    assert pages_of(tmp_path, PAPERS, now) == [f"p{number:03}" for number in range(n_read)]


def test_where_the_last_paper_is_gone_pages_are_counted(tmp_path: Path) -> None:
    read = pages_of(tmp_path, PAPERS, PAPERS[:19] + PAPERS[20:])
    assert read[PAGE_SIZE : PAGE_SIZE + 2] == ["p021", "p022"], "as many back as are shown before"


@pytest.mark.parametrize("after", ["", "nobody", "<script>", "p005"])
def test_any_cursor_gives_a_page(tmp_path: Path, after: str) -> None:
    write_index(PAPERS, tmp_path / "index")
    search = make_question(read_search({"q": "tree", "sort": "citations", "page": "2", "after": after}))
    assert len(find_page(Searcher(tmp_path / "index"), search).hits) == PAGE_SIZE
