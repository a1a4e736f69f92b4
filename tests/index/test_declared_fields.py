"""Fields that a domain declares are searched by name, counted and narrowed by; papers have none of them."""

from pathlib import Path

import pytest

from portico.errors import ConfigError
from portico.index.engine_query import SearchScope
from portico.index.searcher import Searcher
from portico.index.writer import list_indexed_ids, update_index, write_index
from portico.types.record import EntityId
from portico.types.search import Entry, Results, SearchedField

FIELDS = (
    SearchedField("name"),
    SearchedField("role", facet=True),
    SearchedField("place", facet=True),
    SearchedField("organisation", facet=True),
    SearchedField("office_hours"),
    SearchedField("kind", facet=True),
    SearchedField("line2"),
)


def officer(name: str, role: str, place: str, organisation: str, **more: float) -> Entry:
    return Entry(
        EntityId(name.split()[0].lower()),
        name,
        kind="officer",
        values=(("name", (name,)), ("role", (role,)), ("place", (place,)), ("organisation", (organisation,))),
        sorted_by=name.split()[-1],
        found_at=more.get("found_at", 0.0),
    )


ENTRIES = (
    Entry(
        EntityId("acme"), "Acme", kind="organisation", values=(("name", ("Acme",)), ("place", ("Bad Ems",)))
    ),
    officer("Zoe Adams", "Treasurer", "Bad Ems", "Acme", found_at=3e9),
    officer("Ann Young", "Vice President", "Bad Ems", "Acme", found_at=1e9),
    officer("Bob Tree", "Treasurer", "Zürich", "Bolt & Nut", found_at=2e9),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("declared") / "one"
    write_index(ENTRIES, folder, declared=FIELDS)
    return folder


@pytest.fixture(scope="module")
def searcher(folder: Path) -> Searcher:
    return Searcher(folder)


def ids(found: Results) -> list[str]:
    return [hit.entity for hit in found.hits]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("role:treasurer", {"zoe", "bob"}),
        ("role:treasurer place:zurich", {"bob"}),
        ('place:"bad ems" -role:treasurer', {"acme", "ann"}),
        ('role:"vice president"', {"ann"}),
        ('name:"Young Ann"', {"ann"}),
        ("organisation:bolt", {"bob"}),
        ("treasurer acme", {"zoe"}),
        ("role:treas*", {"zoe", "bob"}),
        ("role:treasurer OR name:ann", {"zoe", "bob", "ann"}),
        ("office_hours:monday", set()),
    ],
)
def test_declared_fields_are_searched_by_name(searcher: Searcher, query: str, found: set[str]) -> None:
    answer = searcher.search(query)
    assert set(ids(answer)) == found
    assert answer.notice == ""


def test_fields_of_papers_are_none_here_and_are_said_not_to_be(searcher: Searcher) -> None:
    answer = searcher.search("author:young")
    assert "name, role, place, organisation, office_hours, kind and line2" in answer.notice
    assert searcher.search("year:1998").total == 0


def test_the_thing_itself_comes_before_its_parts(searcher: Searcher) -> None:
    assert ids(searcher.search("acme"))[0] == "acme"


def test_facets_are_counted_and_narrowed_by(searcher: Searcher) -> None:
    facets = dict(searcher.search("").facets)
    assert facets["kind"] == (("officer", 3), ("organisation", 1))
    assert facets["role"] == (("Treasurer", 2), ("Vice President", 1))
    assert "name" not in facets
    narrowed = searcher.search("", within=SearchScope(named=(("at_role", "Treasurer"), ("kind", "officer"))))
    assert set(ids(narrowed)) == {"zoe", "bob"}
    assert dict(searcher.search("nothing").facets)["role"] == ()


@pytest.mark.parametrize(("sort", "first"), [("title", "acme"), ("newest", "zoe"), ("relevance", "acme")])
def test_orders_of_things(searcher: Searcher, sort: str, first: str) -> None:
    assert ids(searcher.search("", sort=sort))[0] == first


def test_people_are_listed_by_what_they_are_sorted_by(searcher: Searcher) -> None:
    assert ids(searcher.search("kind", sort="title")) == []
    assert ids(searcher.search("", sort="title")) == ["acme", "zoe", "bob", "ann"]


def test_things_cannot_be_sorted_as_papers_are(searcher: Searcher) -> None:
    with pytest.raises(ConfigError, match="relevance, newest, title"):
        searcher.search("", sort="citations")


def test_an_index_for_fewer_fields_takes_what_it_knows(tmp_path: Path) -> None:
    write_index(ENTRIES[:1], tmp_path / "one", declared=FIELDS[:1])
    update_index(tmp_path / "one", ENTRIES[1:])
    assert len(list_indexed_ids(tmp_path / "one")) == len(ENTRIES)
    assert set(ids(Searcher(tmp_path / "one").search("treasurer"))) == {"zoe", "bob"}


def test_fields_may_be_called_like_what_every_index_has(tmp_path: Path) -> None:
    entry = Entry(EntityId("x"), "X", kind="form", values=(("kind", ("Blue",)), ("line2", ("Back",))))
    write_index([entry], tmp_path / "one", declared=FIELDS)
    facets = dict(Searcher(tmp_path / "one").search("kind:blue line2:back").facets)
    assert (facets["kind"], facets["kind_"]) == ((("form", 1),), (("Blue", 1),))


@pytest.mark.parametrize(
    "query", ['role:"', "role:", "role:*", "-role:treasurer", "kind:", "at_role:x", "in_role:x"]
)
def test_no_query_raises(searcher: Searcher, query: str) -> None:
    searcher.search(query)
