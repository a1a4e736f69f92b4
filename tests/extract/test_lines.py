"""The first pass over a header's lines, and what its words see of it."""

import pytest

from portico.domains.papers import PAPERS
from portico.extract.extractor import make_header_observer
from portico.extract.lines import (
    LineAnswer,
    LineReader,
    join_line_labels,
    observe_line_context,
    observe_lines,
)
from portico.extract.tagger import Tagger, observe_two_passes
from portico.extract.words import Row, split_words
from portico.learn.committee import MemberOptions, train_committee
from portico.learn.crf import CrfOptions, train_crf
from portico.types.document import Span

OBSERVE = make_header_observer(PAPERS)
OPTIONS = CrfOptions(c1=0.01, c2=0.01, max_iterations=30)


def rows_of_text(*lines: str) -> tuple[Row, ...]:
    return tuple(Row(split_words(line, Span(0, len(line)))) for line in lines)


HEADER = rows_of_text("On Radio Nets", "Ann Bell", "University of Northfield, Northfield")


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["title", "title"], "title"),
        (["affiliation", "affiliation", "address"], "affiliation|address"),
        (["note", "date", "note", "date"], "note|date|note"),
    ],
)
def test_one_label_a_line(labels: list[str], expected: str) -> None:
    assert join_line_labels(labels) == expected


def test_a_line_sees_its_neighbors() -> None:
    title, author, affiliation = (set(found) for found in observe_lines(HEADER, OBSERVE.see))
    assert {"line=0", "-1start", "len=3", "+11:w=ann"} <= title
    assert {"-11:w=on", "+1in:group=organization", "caps=4"} <= author
    assert {"+1end", "in:w=university", "stop=", "-2len=3"} <= affiliation


def test_words_see_what_was_said_of_lines() -> None:
    said = (LineAnswer("title", 0.95), LineAnswer("author", 0.5), LineAnswer("affiliation|address", 0.7))
    seen = [OBSERVE.see(word.text) for row in HEADER for word in row.words]
    found = observe_line_context(HEADER, said, seen)
    assert len(found) == len(seen)
    assert {"L=title", "L=title!", "L-1=^>title", "L+1=title>author"} <= set(found[0])
    assert "L=author?" in found[3]
    assert {"Lp=affiliation|address 3/0", "L+1=affiliation|address>$"} <= set(found[-1])


def test_the_second_pass_can_overrule_the_first() -> None:
    """Lines alone say what is a title; words that were trained to see that know where it ends."""
    labels = [["title"] * 3, ["author"] * 2, ["affiliation"] * 3 + ["address"]]
    lines = train_crf(
        [(observe_lines(HEADER, OBSERVE.see), [join_line_labels(one) for one in labels])] * 3, options=OPTIONS
    )
    reader = LineReader(lines, OBSERVE.see)
    assert [one.label for one in reader(HEADER)] == ["title", "author", "affiliation|address"]
    observations = observe_two_passes(HEADER, OBSERVE, reader(HEADER))
    flat = [label for one in labels for label in one]
    committee = train_committee([(observations, flat)] * 3, [MemberOptions("plain", OPTIONS)])
    tag = Tagger(committee, OBSERVE, reader)
    assert list(tag(HEADER).labels) == flat
    assert tag.digest != Tagger(committee, OBSERVE).digest
