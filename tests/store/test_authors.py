"""Authors are kept with their names, papers and co-authors, and old ids lead to who they became."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from portico.match.authors import identify_authors
from portico.store.opening import Store, open_store
from portico.types.document import DocumentId
from portico.types.record import Entity, EntityId, RecordId, Signature
from tests.graphs import write_graph

NAMES = {"p": ("Ann Lee", "C. Roux"), "q": ("Lee, A.", "C. Roux", "D. Wood"), "r": ("A. Lee", "E. Moe")}


@pytest.fixture
def store(tmp_path: Path, store_url: str) -> Iterator[Store]:
    opened = open_store(store_url, tmp_path, create=True)
    entities = [
        Entity(EntityId(name), "paper", (), (DocumentId(name),), (), RecordId(f"{name}#header"))
        for name in NAMES
    ]
    write_graph(opened, entities, ())
    write(opened, NAMES)
    yield opened
    opened.close()


def write(store: Store, papers: dict[str, tuple[str, ...]]) -> None:
    signatures = [
        Signature(EntityId(paper), at, name, 1990 + at, others=tuple(n for n in names if n != name))
        for paper, names in papers.items()
        for at, name in enumerate(names)
    ]
    store.catalog.authors.replace(identify_authors(signatures, store.catalog.authors.places()))


def test_a_page_of_an_author(store: Store) -> None:
    byline = store.catalog.authors.of_papers([EntityId("q")])[EntityId("q")]
    assert [each.printed for each in byline] == ["Lee, A.", "C. Roux", "D. Wood"]
    card = store.catalog.authors.card(byline[0].author)
    assert card is not None
    assert (card.name, card.n_papers, card.first_year) == ("Ann Lee", 2, 1990)
    assert card.variants == (("Ann Lee", 1), ("Lee, A.", 1))
    assert {each.id for each in store.catalog.authors.papers(card.id)} == {"p", "q"}
    assert [(each.name, each.n_papers) for each in store.catalog.authors.coauthors(card.id)] == [
        ("C. Roux", 2),
        ("D. Wood", 1),
    ]
    assert [each.n_papers for each in store.catalog.authors.of_name("A. Lee")] == [2, 1]


def test_an_id_that_vanished_leads_to_who_it_became(store: Store) -> None:
    lonely = store.catalog.authors.of_papers([EntityId("r")])[EntityId("r")][0].author
    write(store, NAMES | {"r": ("A. Lee", "C. Roux")})
    card = store.catalog.authors.card(lonely)
    assert card is not None
    assert card.n_papers == 3
    assert store.catalog.authors.card("nobody") is None
