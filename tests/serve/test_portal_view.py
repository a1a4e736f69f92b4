"""What the store answers a portal."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from portico.store.catalog.topics import TopicCount
from portico.store.opening import open_store
from portico.store.portal_view import Counts, PortalView, Source
from portico.types.document import DocumentId
from portico.types.record import EntityId
from tests.serve.made import FOREST, HOSTILE, PARSER, PARSING, RULES, STORE_URL, TREES

FOREST_ID, CITED_ID, PARSER_ID = EntityId("forest"), EntityId("cited"), EntityId("parser")


@pytest.fixture(scope="module")
def view(portal_folder: Path) -> Iterator[PortalView]:
    store = open_store(STORE_URL, portal_folder, read_only=True)
    yield PortalView(store.engine)
    store.close()


def test_numbers(view: PortalView) -> None:
    assert view.counts() == Counts(n_held=3, n_cited_only=4, n_citations=7, n_sources=4)


def test_the_tree_counts_each_paper_once_at_its_best_topic(view: PortalView) -> None:
    assert view.topics.tree() == (
        TopicCount(("Learning",), 2),
        TopicCount(TREES, 2),
        TopicCount(RULES, 0),
        TopicCount(PARSING[:1], 1),
        TopicCount(PARSING, 1),
        TopicCount(("Systems",), 0),
        TopicCount(("Systems", "Paging"), 0),
    )


@pytest.mark.parametrize(
    ("path", "order", "expected"),
    [
        (("Learning",), "citations", ["forest", "hostile"]),
        (("Learning",), "date", ["forest", "hostile"]),
        (TREES, "survey", ["forest", "hostile"]),
        (RULES, "citations", []),
        (("Learn",), "citations", []),
        (PARSING, "seminal", ["parser"]),
    ],
)
def test_papers_of_a_topic(view: PortalView, path: tuple[str, ...], order: str, expected: list[str]) -> None:
    assert [paper.id for paper in view.topics.papers(path, order=order)] == expected


def test_papers_of_a_topic_come_in_pages(view: PortalView) -> None:
    first, second, third = (
        [paper.id for paper in view.topics.papers(("Learning",), limit=1, offset=offset)]
        for offset in range(3)
    )
    assert (first, second, third) == (["forest"], ["hostile"], [])


def test_years(view: PortalView) -> None:
    assert view.topics.years(("Learning",)) == ((1996, 1),)
    assert view.citations.by_year(CITED_ID) == ((1996, 1), (1999, 1))


def test_papers_of_the_whole_portal(view: PortalView) -> None:
    assert [paper.id for paper in view.entities.papers(order="date")] == [
        "parser",
        "forest",
    ]  # one has no year
    assert [paper.id for paper in view.entities.papers(order="citations")] == ["forest"]
    assert [paper.id for paper in view.entities.papers(order="title")] == ["hostile", "forest", "parser"]
    assert [paper.id for paper in view.entities.papers(limit=1)] == ["forest"]


def test_references_in_printed_order_with_their_proof(view: PortalView) -> None:
    links = view.citations.references(PARSER_ID)
    assert [link.entity.id for link in links] == ["forest", "cited"]
    assert links[0].confidence == 0.55
    assert links[0].record is not None
    assert links[0].record.raw.startswith("A. Young")
    assert [context.text for context in links[0].record.contexts] == ["Forests vote [1]."]


def test_citers_in_pages(view: PortalView) -> None:
    assert [link.entity.id for link in view.citations.citers(FOREST_ID)] == ["hostile", "parser"]
    assert [link.entity.id for link in view.citations.citers(FOREST_ID, limit=1, offset=1)] == ["parser"]
    assert view.citations.n_citers(FOREST_ID) == 2
    assert view.citations.citers(EntityId("never")) == ()


def test_related_papers_share_references_or_citers(view: PortalView) -> None:
    assert [paper.id for paper in view.citations.related(FOREST_ID)] == ["parser"]  # both cite "cited"
    assert [paper.id for paper in view.citations.related(CITED_ID)] == ["forest"]  # both cited by "parser"


def test_ids_that_moved(view: PortalView) -> None:
    assert view.entities.moved_to(EntityId("merged")) == "forest"
    assert view.entities.moved_to(EntityId("never")) is None
    assert view.entities.get(EntityId("never")) is None


def test_places_and_topics_of_documents(view: PortalView) -> None:
    assert [source.name for source in view.sources([PARSER, FOREST])] == [
        "../papers/parser.ps",
        "http://cs.example.edu/~young/forest.pdf",
        "http://mirror.example.org/a/forest.pdf",
    ]
    assert [(each.path, each.probability) for each in view.topics.of_documents([FOREST])] == [
        (TREES, 0.81),
        (RULES, 0.12),
    ]
    assert view.topics.best([FOREST_ID, CITED_ID]) == {FOREST_ID: TREES}
    assert view.sources([]) == ()
    assert view.topics.of_documents([HOSTILE])[0].path == TREES


@pytest.mark.parametrize(
    ("name", "kind", "origin", "shown"),
    [
        ("http://a.test/home/alice/x.pdf", "web", "http://a.test/", "http://a.test/home/alice/x.pdf"),
        ("../../home/alice/papers/ml/x.pdf", "file", "/home/alice/papers", "ml/x.pdf"),
        ("../papers/ml/x.pdf", "file", "/home/alice/papers", "ml/x.pdf"),
        ("../papers/ml/x.pdf", "file", "../papers/", "ml/x.pdf"),
        ("../../home/alice/papers/x.pdf", "file", "~/papers", "x.pdf"),
        ("../../home/alice/papers/ml/x.pdf", "file", "~", "x.pdf"),
        ("papers/x.pdf", "file", "papers", "x.pdf"),
        ("../ml/x.pdf", "file", "..", "ml/x.pdf"),
        ("../../home/alice/refs/files/1/x.pdf", "attached", "/home/alice/refs/all.bib", "files/1/x.pdf"),
        ("../../home/alice/elsewhere/x.pdf", "attached", "/home/alice/refs/all.bib", "x.pdf"),
        ("arxiv:1234", "record", "/home/alice/arxiv.jsonl", "arxiv:1234"),
    ],
)
def test_visitors_are_not_told_where_folders_are(name: str, kind: str, origin: str, shown: str) -> None:
    assert Source(name, kind, DocumentId("d"), "", 0, 0.0, origin).show_place() == shown
