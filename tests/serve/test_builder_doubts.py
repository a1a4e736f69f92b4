"""The queue of doubts: what is least sure comes first, and the builder's word settles it."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from portico.types.correction import CorrectionKind, ProposalStatus
from portico.types.record import EntityId
from tests.serve.hearing import Hearing, Visitor, hearing
from tests.serve.made import make_portal


@pytest.fixture
def heard(tmp_path: Path) -> Iterator[Hearing]:
    make_portal(tmp_path)
    with hearing(tmp_path) as heard:
        yield heard


def queue(builder: Visitor) -> list[tuple[str, str]]:
    """Paper and field of every doubt, in order."""
    page = unescape(builder.get("/builder/doubts").text)
    return re.findall(r'name="id" value="([^"]*)"><input type="hidden" name="field" value="([^"]*)"', page)


def test_the_most_telling_comes_first_and_says_what_it_is_among(heard: Hearing) -> None:
    builder = heard.builder()
    # Nuñez was read at 40 %, and the forest is cited twice; the topic of the parser is at 60 %, uncited.
    asked = queue(builder)
    assert asked.index(("forest", "author")) < asked.index(("parser", "topic"))
    page = builder.get("/builder/doubts").text
    assert "of Ada Young, José Nuñez" in page
    assert 'href="/paper/parser/wrong#topic"' in page


@pytest.mark.parametrize(
    ("entity", "field", "wrong", "value"),
    [
        ("forest", "author", CorrectionKind.FIELD, "Ada Young\nJosé Nuñez"),
        ("parser", "topic", CorrectionKind.TOPIC, "Language & Speech/Parsing"),
    ],
)
def test_what_the_builder_finds_right_is_certain_and_leaves_the_queue(
    heard: Hearing, entity: str, field: str, wrong: CorrectionKind, value: str
) -> None:
    builder = heard.builder()
    assert (entity, field) in queue(builder)
    answer = builder.post("/builder/doubts", id=entity, field=field, token=builder.token())
    assert (answer.status, answer.headers["Location"]) == (303, "/builder/doubts")
    assert (entity, field) not in queue(builder)
    (kept,) = heard.store.contributions.corrections.standing(ProposalStatus.ACCEPTED)
    assert (kept.proposal.wrong, kept.proposal.value, kept.proposal.who) == (wrong, value, "builder")
    assert ", confirmed," in builder.get("/builder/corrections").text


def test_what_the_builder_types_instead_is_certain(heard: Hearing) -> None:
    builder = heard.builder()
    form = {"id": "forest", "field": "author", "value": "Ada Young\nJoe Nunez", "token": builder.token()}
    assert builder.post("/builder/doubts", **form).status == 303
    assert ("forest", "author") not in queue(builder)
    forest = heard.store.view.entities.get(EntityId("forest"))
    assert forest is not None
    assert [(each.value, each.confidence) for each in forest.all("author")] == [
        ("Ada Young", 1.0),
        ("Joe Nunez", 1.0),
    ]


def test_a_reference_of_another_paper_leaves_the_queue(heard: Hearing) -> None:
    builder = heard.builder()
    entity, record = next((name, field) for name, field in queue(builder) if "#" in field)
    form = {"id": entity, "field": record, "decision": "wrong", "token": builder.token()}
    assert builder.post("/builder/doubts", **form).status == 303
    assert (entity, record) not in queue(builder)
    assert any(
        record in (each.one, each.other) and not each.same
        for each in heard.store.contributions.corrections.verdicts()
    )
    form |= {"id": "forest", "field": "author"}
    assert builder.post("/builder/doubts", **form).status == 400, "what would be right instead?"


def test_a_field_found_right_has_no_doubt_left_on_its_page(heard: Hearing) -> None:
    builder = heard.builder()
    assert "uncertain" in builder.get("/paper/forest").text.partition("</header>")[2].partition("</h2>")[0]
    builder.post("/builder/doubts", id="forest", field="author", token=builder.token())
    forest = heard.store.view.entities.get(EntityId("forest"))
    assert forest is not None
    assert {author.confidence for author in forest.all("author")} == {1.0}


def test_a_reference_found_right_is_a_verdict_for_the_next_build(heard: Hearing) -> None:
    builder = heard.builder()
    entity, record = next((name, field) for name, field in queue(builder) if "#" in field)
    builder.post("/builder/doubts", id=entity, field=record, token=builder.token())
    assert (entity, record) not in queue(builder)
    paper = heard.store.view.entities.get(EntityId(entity))
    assert paper is not None
    pair = tuple(sorted((paper.chosen, record)))
    assert (*pair, True) in {
        (each.one, each.other, each.same) for each in heard.store.contributions.corrections.verdicts()
    }


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({"id": "nobody", "field": "title"}, 404),
        ({"id": "forest", "field": "zebra"}, 400),
        ({"id": "forest", "field": ""}, 400),
        ({}, 404),
    ],
)
def test_a_word_on_nothing_changes_nothing(heard: Hearing, form: dict[str, str], status: int) -> None:
    builder = heard.builder()
    assert builder.post("/builder/doubts", **form, token=builder.token()).status == status
    assert builder.post("/builder/doubts", id="forest", field="author", token="stolen").status == 403
    assert heard.visitor().post("/builder/doubts", id="forest", field="author").status in (303, 403)
    assert heard.store.contributions.corrections.standing(ProposalStatus.ACCEPTED) == ()
