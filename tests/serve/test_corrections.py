"""Proposals, decisions, and what they change at once: fields, topics, merges, splits, no papers at all."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import sleep

import pytest

from portico.store.catalog.entity_changes import SETTLES_AFTER_S
from portico.store.contributions.applied_corrections import write_entity
from portico.store.database import writing
from portico.types.correction import Correction, CorrectionKind, ProposalStatus
from portico.types.record import Entity, EntityId, RecordId
from tests.serve.hearing import Hearing, hearing
from tests.serve.made import FOREST, HEBREW_TITLE, PARSER, SCRIPT, make_portal


@pytest.fixture
def heard(tmp_path: Path) -> Iterator[Hearing]:
    make_portal(tmp_path)
    with hearing(tmp_path) as heard:
        yield heard


def proposed(heard: Hearing) -> tuple[Correction, ...]:
    return heard.store.contributions.corrections.standing(ProposalStatus.PROPOSED)


def accept(heard: Hearing, **changes: str) -> None:
    """The builder accepts everything that was proposed."""
    builder = heard.builder()
    for each in proposed(heard):
        form = {"id": str(each.id), "decision": "accept", "token": builder.token()} | changes
        assert builder.post("/builder/corrections", **form).status == 303


def paper(heard: Hearing, name: str) -> Entity:
    found = heard.store.view.entities.get(EntityId(name))
    assert found is not None
    return found


FORM = {
    "title": "Growing decision forests",
    "author": "Ada Young\nJosé Nuñez",
    "venue": "Journal of Trees",
    "year": "1996",
    "abstract": "We grow many decision trees on random samples and let them vote.",
    "topic": "Learning/Trees",
}


def test_a_form_sent_back_as_it_was_proposes_nothing(heard: Hearing) -> None:
    answer = heard.visitor().post("/paper/forest/wrong", **FORM)
    assert answer.status == 422
    assert "Nothing was changed" in answer.text
    assert proposed(heard) == ()


def test_a_proposal_changes_nothing_before_it_is_accepted(heard: Hearing) -> None:
    visitor = heard.visitor()
    answer = visitor.post("/paper/forest/wrong", **(FORM | {"title": "Growing zebra forests"}))
    assert "Thank you" in answer.text
    assert "zebra" not in visitor.get("/paper/forest").text
    assert [each.proposal.field for each in proposed(heard)] == ["title"]


def test_what_is_accepted_is_shown_and_found_at_once(heard: Hearing) -> None:
    visitor = heard.visitor()
    typed = FORM | {"title": "Growing zebra forests", "author": "Ada Young\nBo  Li", "year": "1997"}
    visitor.post("/paper/forest/wrong", **typed)
    accept(heard)
    page = visitor.get("/paper/forest").text
    assert "Growing zebra forests" in page
    assert "Bo Li" in page
    assert "Nuñez" not in page
    heard.clock.now += 10  # the portal asks at most once a second whether the index changed
    assert "/paper/forest" in visitor.get("/search?q=zebra+author:li+year:1997").text
    assert "/paper/forest" not in visitor.get("/search?q=author:nunez").text
    assert paper(heard, "forest").value("title") == "Growing zebra forests"


def test_programs_that_ask_what_is_new_hear_of_corrections(heard: Hearing) -> None:
    visitor = heard.visitor()
    new = "verb=ListIdentifiers&metadataPrefix=oai_dc&from=2001-01-01"
    assert "noRecordsMatch" in visitor.get(f"/oai?{new}").text
    visitor.post("/paper/forest/wrong", **(FORM | {"title": "Growing zebra forests"}))
    assert "noRecordsMatch" in visitor.get(f"/oai?{new}").text
    accept(heard)
    sleep(SETTLES_AFTER_S)
    listed = visitor.get(f"/oai?{new}").text
    assert (":forest<" in listed, ":parser<" in listed) == (True, False)
    stamps = re.findall("<updated>([^<]+)", visitor.get("/feed?q=zebra").text)
    assert [stamp > "2001-01-01" for stamp in stamps] == [True, True]


def test_the_builder_may_accept_in_other_words(heard: Hearing) -> None:
    heard.visitor().post("/paper/forest/wrong", **(FORM | {"venue": "J. Trees"}))
    accept(heard, value="Journal of All Trees")
    assert paper(heard, "forest").value("journal") == "Journal of All Trees"


@pytest.mark.parametrize(
    ("proposed_as", "typed", "said"),
    [
        ({"title": "Growing zebra forests"}, "  ", "needs a title"),
        ({"year": "1997"}, "nonsense", "four digits"),
        ({"year": "1997"}, "99999", "four digits"),
    ],
)
def test_what_the_builder_types_is_checked_like_what_visitors_type(
    heard: Hearing, proposed_as: dict[str, str], typed: str, said: str
) -> None:
    heard.visitor().post("/paper/forest/wrong", **(FORM | proposed_as))
    builder = heard.builder()
    (proposal,) = proposed(heard)
    form = {"id": str(proposal.id), "decision": "accept", "value": typed, "token": builder.token()}
    answer = builder.post("/builder/corrections", **form)
    assert answer.status == 422
    assert said in answer.text
    assert proposed(heard) == (proposal,)
    assert paper(heard, "forest").value("year") == "1996"


@pytest.mark.parametrize(
    ("number", "decision"), [("999", "accept"), ("x", "reject"), ("1", "perhaps"), ("1", "")]
)
def test_decisions_on_nothing_are_refused(heard: Hearing, number: str, decision: str) -> None:
    heard.visitor().post("/paper/forest/wrong", **(FORM | {"year": "1997"}))
    builder = heard.builder()
    form = {"id": number, "decision": decision, "token": builder.token()}
    assert builder.post("/builder/corrections", **form).status == 400
    assert len(proposed(heard)) == 1


def test_what_is_rejected_stays_as_it_was(heard: Hearing) -> None:
    heard.visitor().post("/paper/forest/wrong", **(FORM | {"title": "Spam"}))
    builder = heard.builder()
    number = str(proposed(heard)[0].id)
    builder.post("/builder/corrections", id=number, decision="reject", token=builder.token())
    assert proposed(heard) == ()
    assert "Spam" not in builder.get("/paper/forest").text
    accept(heard)
    decided = heard.store.contributions.corrections.get(int(number))
    assert decided is not None
    assert decided.standing is ProposalStatus.REJECTED


def test_a_topic_given_by_hand_is_certain_and_a_label(heard: Hearing) -> None:
    heard.visitor().post("/paper/forest/wrong", **(FORM | {"topic": "Language & Speech/Parsing"}))
    accept(heard)
    path = ("Language & Speech", "Parsing")
    assert heard.store.contributions.corrections.labels() == {FOREST: path}
    assert heard.store.contributions.corrections.places([FOREST]) == {FOREST: (1.0, path)}
    heard.clock.now += 10
    assert "/paper/forest" in heard.visitor().get("/topic/Language%20%26%20Speech/Parsing").text


def test_two_papers_become_one_and_the_other_address_leads_there(heard: Hearing) -> None:
    visitor = heard.visitor()
    visitor.post("/paper/cited/wrong", same=f"{heard.site.url}/paper/parser")
    accept(heard)
    assert visitor.get("/paper/cited").headers["Location"] == "/paper/parser"
    merged = paper(heard, "parser")
    assert merged.n_citations == 1  # forest cites what was "cited"; the paper itself no longer counts
    assert merged.value("journal") == "Annals of Trees"  # what the better known one did not have
    verdicts = heard.store.contributions.corrections.verdicts()
    assert [each.same for each in verdicts] == [True]


def test_what_is_no_paper_is_gone_from_pages_and_search(heard: Hearing) -> None:
    visitor = heard.visitor()
    visitor.post("/paper/parser/wrong", not_a_paper="yes")
    accept(heard)
    assert visitor.get("/paper/parser").status == 404
    heard.clock.now += 10
    assert "/paper/parser" not in visitor.get("/search?q=markov").text
    assert heard.store.contributions.corrections.not_papers() == {PARSER}


def test_what_others_say_of_no_paper_goes_with_it(heard: Hearing) -> None:
    reference = RecordId(f"{PARSER}#ref-1")
    with writing(heard.store.engine) as connection:
        known = paper(heard, "forest")
        write_entity(connection, replace(known, records=(*known.records, reference)))
    heard.visitor().post("/paper/forest/wrong", not_a_paper="yes")
    accept(heard)
    assert heard.store.contributions.corrections.not_papers() == {FOREST, reference}


def test_the_builder_corrects_without_asking_anyone(heard: Hearing) -> None:
    builder = heard.builder()
    refused = builder.post("/paper/forest/wrong", **(FORM | {"title": "No token"}))
    assert refused.status == 403
    answer = builder.post("/paper/forest/wrong", **(FORM | {"title": "At once", "token": builder.token()}))
    assert answer.headers["Location"] == "/paper/forest"
    assert "At once" in builder.get("/paper/forest").text
    assert proposed(heard) == ()


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"title": " \u202e "}, "needs a title"),
        ({"year": "in 1999"}, "four digits"),
        ({"year": "0999"}, "four digits"),
        ({"same": "/paper/unknown"}, "not found here"),
        ({"same": "/paper/forest"}, "not found here"),
    ],
)
def test_mistakes_are_said(heard: Hearing, typed: dict[str, str], said: str) -> None:
    answer = heard.visitor().post("/paper/forest/wrong", **(FORM | typed))
    assert answer.status == 422
    assert said in answer.text


def test_hostile_words_are_words(heard: Hearing) -> None:
    visitor, builder = heard.visitor(), heard.builder()
    hostile = {"title": f"{SCRIPT}\x00\u202e", "author": f"{SCRIPT}\n{HEBREW_TITLE}", "note": SCRIPT}
    visitor.post("/paper/forest/wrong", **(FORM | hostile | {"abstract": "x" * 50_000}))
    for page in (builder.get("/builder/corrections"), visitor.get("/paper/hostile/wrong")):
        assert page.status == 200
        assert SCRIPT not in page.text
        assert "\u202e" not in page.text
    accept(heard)
    page = visitor.get("/paper/forest")
    assert SCRIPT not in page.text
    assert HEBREW_TITLE in page.text


def test_one_visitor_cannot_flood_the_builder(heard: Hearing) -> None:
    visitor = heard.visitor()
    answers = [
        visitor.post("/paper/forest/wrong", **(FORM | {"title": f"Title {n}"})).status for n in range(31)
    ]
    assert answers == [200] * 30 + [429]
    heard.clock.now += 3601
    assert visitor.post("/paper/forest/wrong", **(FORM | {"title": "Later"})).status == 200


def test_the_same_proposal_twice_is_one(heard: Hearing) -> None:
    for _ in range(2):
        heard.visitor().post("/paper/forest/wrong", **(FORM | {"year": "1998"}))
    assert len(proposed(heard)) == 1


def test_papers_that_are_not_there_cannot_be_corrected(heard: Hearing) -> None:
    assert heard.visitor().get("/paper/unknown/wrong").status == 404
    assert heard.visitor().get("/paper/merged/wrong").status == 200  # what it became is


def test_a_correction_of_a_paper_that_is_gone_waits_for_it(heard: Hearing) -> None:
    visitor = heard.visitor()
    visitor.post("/paper/parser/wrong", not_a_paper="yes")
    visitor.post("/paper/parser/wrong", title="Parsing", author="Knuth, Donald")
    accept(heard)
    assert {
        each.proposal.wrong for each in heard.store.contributions.corrections.accepted(*CorrectionKind)
    } >= {CorrectionKind.NOT_A_PAPER}
    assert visitor.get("/paper/parser").status == 404


@pytest.mark.parametrize(
    ("typed", "status"),
    [
        ("https://www.example.edu/~young/new.pdf", 200),
        ("www.example.edu/papers", 200),
        ("", 422),
        ("javascript:alert(1)", 422),
        ("file:///etc/passwd", 422),
        ("ftp://ftp.example.edu/a.ps", 422),
        ("http://127.0.0.1:8000/", 422),
        ("http://[::1]/", 422),
        ("http://169.254.169.254/latest/meta-data", 422),
        ("http://0x7f000001/", 422),
        ("http://printer.local/", 422),
        ("http://localhost/", 422),
        ("not a web address", 422),
        ("https://" + "a" * 5000, 422),
    ],
)
def test_only_public_addresses_can_be_submitted(heard: Hearing, typed: str, status: int) -> None:
    answer = heard.visitor().post("/submit", url=typed, kind="paper", note=SCRIPT)
    assert answer.status == status
    assert SCRIPT not in answer.text
    assert len(heard.store.contributions.submissions.standing(ProposalStatus.PROPOSED)) == (status == 200)


def test_a_submission_waits_for_the_builder_and_a_rejected_one_stays_out(heard: Hearing) -> None:
    visitor, builder = heard.visitor(), heard.builder()
    url = "https://www.example.edu/a.pdf"
    visitor.post("/submit", url=url, kind="site")
    assert url in builder.get("/builder/submissions").text
    assert builder.post("/builder/submissions", url=url, token=builder.token()).status == 400
    builder.post("/builder/submissions", url=url, decision="accept", token=builder.token())
    assert [each.url for each in heard.store.contributions.submissions.standing(ProposalStatus.ACCEPTED)] == [
        url
    ]
    assert "already on the list" in visitor.post("/submit", url=url).text
    builder.post("/builder/submissions", url=url, decision="reject", token=builder.token())
    assert "decided against it" in visitor.post("/submit", url=url).text
    assert heard.store.contributions.submissions.standing(ProposalStatus.ACCEPTED) == ()
