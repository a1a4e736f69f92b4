"""Every way of citing is found, and the sentence around it is kept."""

import pytest

from portico.extract.mentions import Cited, find_mentions
from portico.types.document import Span

NUMBERED = (Cited("1", "Rabiner", "1989"), Cited("2", "Juang", "1991"), Cited("3", "Lee", "1993"))
KEYED = (Cited("Rab89", "Rabiner", "1989"), Cited("Jua91", "Juang", "1991"))
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
            [["The interval [0, 1] is closed; see [2]."]] * 2 + [[]],
        ),
        (KEYED, "As in [Rab89, Jua91] we train.", [["As in [Rab89, Jua91] we train."]] * 2),
        (NAMED, "Others (Rabiner, 1989) train.", [["Others (Rabiner, 1989) train."], [], []]),
        (NAMED, "Lee et al. (1993) train. Then stop.", [[], [], ["Lee et al. (1993) train."]]),
        (NAMED, "In 1989 nothing happened.", [[], [], []]),
        (NAMED, "As Juang\n(1991) said of train-\ning.", [[], ["As Juang (1991) said of training."], []]),
    ],
)
def test_mentions(cited: tuple[Cited, ...], body: str, sentences: list[list[str]]) -> None:
    found = find_mentions(body, [Span(0, len(body))], cited)
    assert [[context.text for context in contexts] for contexts in found] == sentences


def test_spans_point_at_the_sentence() -> None:
    body = "Nothing here. We follow Lee (1993) closely. Nothing there."
    context = find_mentions(body, [Span(0, len(body))], NAMED)[2][0]
    assert context.span.of(body) == "We follow Lee (1993) closely."


def test_a_long_sentence_is_cut_between_words() -> None:
    body = "alphabet " * 50 + "follows Lee (1993) and " + "numbers " * 50
    text = find_mentions(body, [Span(0, len(body))], NAMED)[2][0].text
    assert set(text.split()) == {"alphabet", "follows", "Lee", "(1993)", "and", "numbers"}
