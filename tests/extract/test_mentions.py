"""Every way of citing is found, and the sentence around it is kept."""

import pytest

from portico.extract.mentions import Cited, find_mentions
from portico.types.document import Span

NUMBERED = (Cited("1", "Rabiner", "1989"), Cited("2", "Juang", "1991"), Cited("3", "Lee", "1993"))
KEYED = (Cited("Rab89", "Rabiner", "1989"), Cited("Jua91", "Juang", "1991"))
TWICE = (Cited("", "Lee", "1993a"), Cited("", "Lee", "1993b"), Cited("", "van der Berg", "1990"))
NAMED = (Cited("", "Rabiner", "1989"), Cited("", "Juang", "1991"), Cited("", "Lee", "1993"))


@pytest.mark.parametrize(
    ("cited", "body", "sentences"),
    [
        (NUMBERED, "We follow [2]. Others do not.", [[], ["We follow [2]."], []]),
        (NUMBERED, "Models [1, 3] abound.", [["Models [1, 3] abound."], [], ["Models [1, 3] abound."]]),
        (NUMBERED, "Surveys [1–3] exist.", [["Surveys [1–3] exist."]] * 3),
        (
            NUMBERED,
            "The interval [0, 1] is closed; see [2].",
            [[], ["The interval [0, 1] is closed; see [2]."], []],
        ),
        (NUMBERED, "Pages [1, 100] are blank.", [[], [], []]),
        (
            NUMBERED,
            "See [1, p. 12] and [ 3 ].",
            [["See [1, p. 12] and [ 3 ]."], [], ["See [1, p. 12] and [ 3 ]."]],
        ),
        (
            NUMBERED,
            "Results of others (1) and of Lee (2,3) agree.",
            [["Results of others (1) and of Lee (2,3) agree."]] * 3,
        ),
        (NUMBERED, "By equation (1) we get (2) from case (3).", [[], [], []]),
        (NUMBERED, "Only one (1) of many.", [[], [], []]),
        (  # the first of several authors, even where another has written something that year
            (Cited("", "Lee", "1993"), Cited("", "Juang", "1993")),
            "We follow Lee & Juang (1993); others go on (Bell, 1990; Juang, 1993).",
            [["We follow Lee & Juang (1993); others go on (Bell, 1990; Juang, 1993)."]] * 2,
        ),
        (
            (Cited("", "Lee", "1993"), Cited("", "Juang", "1993")),
            "We follow Lee, Bell and\nJuang (1993).",
            [["We follow Lee, Bell and Juang (1993)."], []],
        ),
        (  # a numbered list that is cited by names
            NUMBERED,
            "We follow Juang (1991).",
            [[], ["We follow Juang (1991)."], []],
        ),
        (KEYED, "As in [Rab89, Jua91] we train.", [["As in [Rab89, Jua91] we train."]] * 2),
        (KEYED, "As in [Rab89; Jua91, p. 3].", [["As in [Rab89; Jua91, p. 3]."]] * 2),
        (KEYED, "As in [Rab\n89] we train.", [["As in [Rab 89] we train."], []]),
        (KEYED, "The array [i, j] is empty.", [[], []]),
        (KEYED, "Rabiner [1989] trains.", [["Rabiner [1989] trains."], []]),
        (
            NAMED,
            "See (Rabiner & Juang, 1989; Lee 1993).",
            [["See (Rabiner & Juang, 1989; Lee 1993)."], [], ["See (Rabiner & Juang, 1989; Lee 1993)."]],
        ),
        (
            NAMED,
            "Rabiner [89] and Lee '93 agree.",
            [["Rabiner [89] and Lee '93 agree."], [], ["Rabiner [89] and Lee '93 agree."]],
        ),
        (NAMED, "As Ra-\nbiner (1989) said.", [["As Rabiner (1989) said."], [], []]),
        (NAMED, "Lee was born in Seoul, which in 1993 grew.", [[], [], []]),
        (TWICE, "Both (Lee, 1993a,b) agree.", [["Both (Lee, 1993a,b) agree."]] * 2 + [[]]),
        (TWICE, "The second (Lee, 1993b) differs.", [[], ["The second (Lee, 1993b) differs."], []]),
        (TWICE, "Berg (1990) and van der Berg (1990).", [[], [], ["Berg (1990) and van der Berg (1990)."]]),
        (NAMED, "Others (Rabiner, 1989) train.", [["Others (Rabiner, 1989) train."], [], []]),
        (NAMED, "Lee et al. (1993) train. Then stop.", [[], [], ["Lee et al. (1993) train."]]),
        (NAMED, "In 1989 nothing happened.", [[], [], []]),
        (NAMED, "As Juang\n(1991) said of train-\ning.", [[], ["As Juang (1991) said of training."], []]),
    ],
)
def test_mentions(cited: tuple[Cited, ...], body: str, sentences: list[list[str]]) -> None:
    found = find_mentions(body, [Span(0, len(body))], cited)
    assert [[context.text for context in contexts] for contexts in found] == sentences


@pytest.mark.parametrize(
    ("body", "raised", "sentences"),
    [
        ("We train1 and test2,3 it.", ["1", "2,3"], [["We train1 and test2,3 it."]] * 3),
        (
            "It works.1 They failed.2–3 So be it.",
            ["1", "2–3"],
            [["It works."], ["They failed."], ["They failed."]],
        ),
        ("The cube x3 of a number.", ["3"], [[], [], []]),
        ("See the note4 below.", ["4"], [[], [], []]),
        ("We follow [2], see note1 below.", ["1"], [[], ["We follow [2], see note1 below."], []]),
    ],
)
def test_superscripts(body: str, raised: list[str], sentences: list[list[str]]) -> None:
    spans, place = [], 0
    for mark in raised:
        place = body.index(mark, place)
        spans.append(Span(place, place + len(mark)))
        place += len(mark)
    found = find_mentions(body, [Span(0, len(body))], NUMBERED, spans)
    assert [[context.text for context in contexts] for contexts in found] == sentences


def test_raised_numbers_are_footnotes_where_names_are_cited() -> None:
    text = "It grew1 (Rabiner, 1989). It fell2 later (Juang 1991; Lee 1993)."
    raised = [Span(text.index(mark), text.index(mark) + 1) for mark in ("1 (", "2 later")]
    found = find_mentions(text, [Span(0, len(text))], NUMBERED, raised)
    second = "It fell2 later (Juang 1991; Lee 1993)."
    assert [[one.text for one in contexts] for contexts in found] == [
        ["It grew1 (Rabiner, 1989)."],
        [second],
        [second],
    ]


def test_spans_point_at_the_sentence() -> None:
    body = "Nothing here. We follow Lee (1993) closely. Nothing there."
    context = find_mentions(body, [Span(0, len(body))], NAMED)[2][0]
    assert context.span.of(body) == "We follow Lee (1993) closely."


def test_a_long_sentence_is_cut_between_words() -> None:
    body = "alphabet " * 50 + "follows Lee (1993) and " + "numbers " * 50
    text = find_mentions(body, [Span(0, len(body))], NAMED)[2][0].text
    assert set(text.split()) == {"alphabet", "follows", "Lee", "(1993)", "and", "numbers"}
