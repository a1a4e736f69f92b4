"""Papers from A to Z, page by page."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.index.ordering import make_title_key
from portico.index.schema import split_words
from portico.index.searcher import Searcher
from portico.index.writer import write_index
from portico.types.record import EntityId
from portico.types.search import Entry


def test_titles_are_in_order_over_all_pages(tmp_path: Path) -> None:
    """Also where more titles begin alike than a page has."""
    titles = [
        *(f"An analysis of {word}" for word in ("self", "procedure", "trees", "Ärger", "zebras", "2 things")),
        *(f"An analysis of a thing, part {number:03}" for number in range(90, 0, -1)),
        *("Abstract mining", "Abstractive text", "A 2/3 approximation", "A0C", "Ωmega", "中文", "", "A"),
    ]
    write_index([Entry(EntityId(f"e{idx}"), title) for idx, title in enumerate(titles)], tmp_path / "one")
    searcher, shown = Searcher(tmp_path / "one"), []
    for offset in range(0, len(titles), 20):
        shown += [hit.shown.title for hit in searcher.search("", sort="title", limit=20, offset=offset).hits]
    in_latin_script = [
        title for title in titles if split_words(title)[:1] not in (("ωmega",), ("中文",), ("中", "文"))
    ]
    assert shown[: len(in_latin_script)] == sorted(in_latin_script, key=split_words)
    assert sorted(shown) == sorted(titles)


@given(st.tuples(st.text(alphabet="ab1 -Zé", max_size=20), st.text(alphabet="ab1 -Zé", max_size=20)))
def test_the_number_is_in_order_as_the_words_are(titles: tuple[str, str]) -> None:
    first, second = sorted(titles, key=split_words)
    assert make_title_key(first) <= make_title_key(second)


@pytest.mark.parametrize("title", ["", "z" * 500, "\ud800", "中文" * 50, "Z9 " * 30])
def test_every_title_has_a_number_that_the_engine_can_keep(title: str) -> None:
    assert 0 <= make_title_key(title) < 2**64
