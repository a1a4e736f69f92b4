"""A portal whose papers come from one series: its masthead is taken for the title until people say better."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from portico.cli.app import app
from portico.domains.papers import PAPERS
from portico.errors import ConfigError
from portico.extract.extractor import Extractor, load_extractor
from portico.pipeline.documents.worker_jobs import ExtractInput, ExtractJob, ExtractOptions
from portico.pipeline.opening import open_for_building, open_for_changes
from portico.pipeline.portal import Portal
from portico.pipeline.portal_domain import digest_reading, find_own_headers, pack_own_files
from portico.pipeline.teaching.header_teaching import learn_headers
from portico.store.codec import decode, encode
from portico.store.documents.results import Done
from portico.types.correction import CorrectionKind, Proposal
from portico.types.document import Document, DocumentId
from portico.types.record import EntityId, Record, RecordId
from tests.extract.pages import Printed, document_of

MASTHEAD = "Harbour Institute Bulletin"
SERIES = (
    ("Protocols for Collecting Responses", "Ann Bell", "Carl Dorn"),
    ("Growing Forests from Few Examples", "Erik Falk", "Greta Holm"),
    ("On the Wear of Wheel Slips", "Ida Jansen", "Karl Lund"),
    ("Early Stopping in Noisy Channels", "Mona Nyberg", "Olaf Persson"),
    ("Parsing Weather Reports by Hand", "Quentin Rask", "Sara Thorn"),
    ("A Survey of Paging in Small Memories", "Una Vik", "Walter Young"),
    ("Robots that Sort Mail", "Gerda Hansen", "Ivar Jonsson"),
)
USUAL = (
    ("Caching Routes across the Harbor", "Xenia Zorn", "Adam Brandt"),
    ("Bounds for Counting Sheep", "Clara Dahl", "Emil Frost"),
)
N_CORRECTED = 6
BODY = (
    Printed("Abstract", size=12.0, block=3),
    Printed("We study a question that has been open for some time, and answer it for all", block=4),
    Printed("cases that occur in practice. Experiments with real data show the method.", block=4),
    Printed("1 Introduction", size=12.0, block=5),
    Printed("Hidden models are well understood [1]. Others prefer conditional models.", block=6),
    Printed("References", size=12.0, block=7),
    Printed("[1] L. R. Rabiner. A tutorial on hidden Markov models. Proceedings of the", block=8),
    Printed("IEEE, 77(2):257-286, 1989.", block=8),
)


def of_series(number: int) -> Document:
    title, first, second = SERIES[number]
    head = (
        Printed(MASTHEAD, size=20.0, block=0),
        Printed(title, size=12.0, block=1),
        Printed(f"reported by {first} and {second}", block=2),
    )
    return replace(document_of(*head, *BODY), id=DocumentId(f"series-{number}"))


def usual(number: int) -> Document:
    title, first, second = USUAL[number]
    head = (
        Printed(title, size=17.0, block=0),
        Printed(f"{first} and {second}", size=12.0, block=1),
        Printed("Department of Computer Science, University of Northfield", block=2),
    )
    return replace(document_of(*head, *BODY), id=DocumentId(f"usual-{number}"))


@pytest.fixture(scope="module")
def extract() -> Extractor:
    return load_extractor(PAPERS)


@pytest.fixture
def folder(tmp_path: Path, extract: Extractor) -> Path:
    (tmp_path / "portal.toml").write_text('[[source]]\nseeds = ["http://a.test/"]\n')
    documents = [*map(of_series, range(len(SERIES))), *map(usual, range(len(USUAL)))]
    with open_for_building(tmp_path) as portal:
        for stage, make in (("convert", encode), ("extract", lambda document: encode(extract(document)))):
            portal.store.documents.results.put_many(
                stage, [Done(document.id, "key", make(document), 0.0, 0.0) for document in documents]
            )
    return tmp_path


@pytest.fixture
def portal(folder: Path) -> Iterator[Portal]:
    with open_for_changes(folder) as portal:
        yield portal


def correct(portal: Portal, number: int, field: str, value: str) -> None:
    record = RecordId(f"series-{number}#header")
    portal.store.contributions.corrections.make(
        Proposal(CorrectionKind.FIELD, EntityId("e"), record, field, value)
    )


def test_what_people_correct_teaches_how_others_are_read(folder: Path) -> None:
    command = ["train", "headers", "--corrections", str(folder)]
    assert "0 headers were corrected" in str(CliRunner().invoke(app, command).exception)
    with open_for_changes(folder) as portal:
        for number, (title, *authors) in enumerate(SERIES[:N_CORRECTED]):
            correct(portal, number, "title", title)
            correct(portal, number, "author", "\n".join(authors))
        before = digest_reading(portal.domain, portal.places)
    answer = CliRunner().invoke(app, command)
    found = re.search(r"(\d+) were right before and (\d+) are right after learning from (\d+)", answer.output)
    assert found is not None
    n_before, n_after, n_lessons = map(int, found.groups())
    assert n_lessons == N_CORRECTED
    assert n_after > n_before + N_CORRECTED, "on headers that were left out while learning"
    with open_for_changes(folder) as portal:
        assert digest_reading(portal.domain, portal.places) != before, "so that everything is read again"
        assert (
            "6 corrected headers"
            in find_own_headers(portal.domain, portal.places).with_suffix(".md").read_text()
        )
        extract = ExtractJob(ExtractOptions("papers", pack_own_files(portal.domain, portal.places)))
    unseen, known = (
        decode(tuple[Record, ...], extract(ExtractInput(encode(document))))[0]
        for document in (of_series(N_CORRECTED), usual(0))
    )
    assert [field.value for field in unseen.all("author")] == [*SERIES[N_CORRECTED][1:]]
    assert known.value("title") == USUAL[0][0], "and nothing is forgotten"


def test_a_model_that_is_no_better_is_not_kept(portal: Portal) -> None:
    """The title is the masthead, says the builder: that is what was read anyway."""
    for number in range(N_CORRECTED):
        correct(portal, number, "title", MASTHEAD)
    found = learn_headers(portal)
    assert found.file is None
    assert found.taught.n_right_after <= found.taught.n_right_before
    assert not find_own_headers(portal.domain, portal.places).exists()


def test_values_that_are_not_printed_teach_nothing(portal: Portal) -> None:
    for number in range(N_CORRECTED):
        correct(portal, number, "title", "A title that nobody printed")
    with pytest.raises(ConfigError, match=f"{N_CORRECTED} headers were corrected, and the right values of 0"):
        learn_headers(portal)
