"""What a builder marks is read beside what is read without marks, and not kept where it reads worse."""

from collections import Counter
from pathlib import Path

import pytest

from portico.config.declaration import read_declaration
from portico.domains.registry import make_declared_domain
from portico.errors import ConfigError
from portico.extract.marked_pages import FieldLearner, MarkedPage, VerifiedPage
from portico.extract.tagger import Tagged
from portico.extract.taught_fields import Say, merge_readings, read_taught_fields
from portico.sample.museum import DOMAIN_TOML
from portico.types.document import Document, DocumentId, Line, Span
from portico.types.domain import Domain

OTHER = "other"
TITLES = ("Tea Bowl", "Writing Desk", "Brass Sextant", "Water Jug", "Folding Screen", "Carved Chest")


@pytest.fixture
def domain(tmp_path: Path) -> Domain:
    (tmp_path / "domain.toml").write_text(DOMAIN_TOML)
    declared = read_declaration(tmp_path / "domain.toml")
    return make_declared_domain(declared, file=tmp_path / "domain.toml", models=tmp_path / "models")


def page(number: int) -> Document:
    """A title, then lines of which a cue announces the date."""
    texts = (
        "Room of things",
        TITLES[number],
        f"Date: {1700 + number}",
        "It stood in a hall for long.",
        "Closed on Mondays",
    )
    starts = [sum(len(text) + 1 for text in texts[:idx]) for idx in range(len(texts))]
    lines = tuple(
        Line(Span(start, start + len(text)), 0, idx)
        for idx, (start, text) in enumerate(zip(starts, texts, strict=True))
    )
    return Document(DocumentId(f"{number:064}"), "text/html", "\n".join(texts), lines, ())


def mark(number: int, **words: str) -> MarkedPage:
    document = page(number)
    passages = []
    for label, said in words.items():
        start = document.text.index(said)
        passages.append((Span(start, start + len(said)), label))
    return MarkedPage(document, tuple(passages), f"{number} {words}")


@pytest.mark.parametrize(
    ("parts", "labels"),
    [
        ({}, "date date other other"),
        ({"title": Say.FILL}, "date date other title"),
        ({"date": Say.FILL}, "date date other other"),
        ({"date": Say.JOIN}, "date date date other"),
        ({"date": Say.LEAD}, "other date date other"),
        ({"date": Say.LEAD, "title": Say.JOIN}, "title date date title"),
    ],
)
def test_two_readings_are_one(parts: dict[str, Say], labels: str) -> None:
    chances = (0.5,) * 4
    base = Tagged((), ("date", "date", OTHER, OTHER), chances)
    taught = Tagged((), ("title", "date", "date", "title"), chances)
    assert merge_readings(base, taught, parts, other=OTHER).labels == tuple(labels.split())


def test_titles_alone_are_marked_and_dates_go_on_being_read(domain: Domain) -> None:
    pages = [mark(number, title=TITLES[number]) for number in range(4)]
    tried = FieldLearner(domain).try_lesson(pages, known=(), unmarked=[page(4), page(5)])
    assert tried.taught is not None
    assert dict(tried.taught.parts) == {"title": Say.FILL}
    said = {each.label: each for each in tried.judge.describe_fields(tried.parts)}
    assert (said["title"].n_right_before, said["title"].n_right_after, said["title"].n_marked) == (0, 4, 4)
    assert (said["title"].n_read_before, said["title"].n_read_after) == (0, 2)
    assert (said["date"].n_read_before, said["date"].n_read_after) == (2, 2)
    again = read_taught_fields(tried.taught.to_bytes())
    assert again is not None
    assert (again.parts, again.pages) == (tried.taught.parts, tried.taught.pages)


@pytest.mark.parametrize(
    "marks",
    [
        [{"title": "Tea Bowl"}, {"title": "Mondays"}],  # contradict each other
        [{"date": "Tea Bowl"}, {"date": "Writing Desk"}, {"date": "Brass Sextant"}],  # contradict the cue
        [{"title": "1700"}, {"title": "1701"}, {"title": "1702"}],  # what the cue claims
    ],
    ids=["each other", "the cue", "claimed"],
)
def test_marks_that_contradict_change_nothing(domain: Domain, marks: list[dict[str, str]]) -> None:
    pages = [mark(number, **words) for number, words in enumerate(marks)]
    assert FieldLearner(domain).try_lesson(pages, known=(), unmarked=[page(5)]).taught is None


def test_what_reads_worse_where_the_truth_is_known_is_not_kept(domain: Domain) -> None:
    pages = [mark(number, title="Closed on Mondays") for number in range(4)]
    known = [VerifiedPage(page(5), {"title": Counter()})]
    assert FieldLearner(domain).try_lesson(pages, known=(), unmarked=()).taught is not None
    assert FieldLearner(domain).try_lesson(pages, known=known, unmarked=()).taught is None


def test_a_later_lesson_takes_the_place_of_one_in_use_only_if_it_is_better(domain: Domain) -> None:
    pages = [mark(number, title=TITLES[number]) for number in range(4)]
    first = FieldLearner(domain).try_lesson(pages, known=(), unmarked=()).taught
    assert first is not None
    more = [*pages, mark(4, title=TITLES[4])]
    assert FieldLearner(domain, first).try_lesson(more, known=(), unmarked=()).taught is None
    wider = [*pages, *(mark(number, title=TITLES[number], maker="stood") for number in (4, 5))]
    later = FieldLearner(domain, first).try_lesson(wider, known=(), unmarked=())
    assert later.judge.tally_before()["title"].n_right == 6


def test_a_file_that_is_no_model_is_said() -> None:
    with pytest.raises(ConfigError, match="portico models --forget"):
        read_taught_fields(b"nothing")
