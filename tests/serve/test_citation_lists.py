"""Which sentences a page quotes, and how references are grouped and numbered."""

import pytest

from portico.serve.page_parts import PaperCard
from portico.serve.papers.citation_lists import CitationView, choose_quotes, group_references

TELLING = "We use decision forests as grown by Young [4] throughout this paper."


def view(name: str, *contexts: str, held: bool = True, uncertain: bool = False) -> CitationView:
    card = PaperCard(f"/paper/{name}", name, (), 0, "", "1996", 0, held=held)
    return CitationView(card, 1, "", contexts, 90, uncertain)


@pytest.mark.parametrize(
    ("sentence", "purpose"),
    [
        (TELLING, "uses"),
        ("Random forests outperform single trees on all five of our tasks [4].", "compares"),
        ("This limitation was pointed out before [4], but no remedy was proposed.", "criticizes"),
        ("Decision forests were first described by Young and her students [4].", "defines"),
        ("Forests of many trees have a long history in statistics [4].", ""),
    ],
)
def test_a_quote_says_what_the_citing_paper_does(sentence: str, purpose: str) -> None:
    (quote,) = choose_quotes([view("one", sentence)])
    assert (quote.text, quote.purpose) == (sentence, purpose)


@pytest.mark.parametrize(
    "debris",
    ["See [4].", "12.3 45.6 78.9 0.1 [4] 12.3 45.6 78.9 2.3", "and so it goes on from the last page [4]."],
)
def test_debris_is_not_quoted(debris: str) -> None:
    assert choose_quotes([view("one", debris)]) == ()


def test_the_most_telling_sentences_come_first_and_none_twice() -> None:
    plain = "Forests of many trees have a long history in statistics [4]."
    many = "Such ensembles of trees have been studied before by others [1, 2, 3, 4, 5]."
    doubtful = view("doubtful", TELLING.replace("We use", "We extend"), uncertain=True)
    citers = [
        view("many", many),
        view("plain", plain),
        view("uses", TELLING),
        view("again", TELLING),
        doubtful,
    ]
    assert [quote.text for quote in choose_quotes([*citers, doubtful])] == [TELLING, plain, many]


def test_references_to_read_here_are_apart_from_the_others() -> None:
    grouped = group_references([view("here"), view("there", held=False), view("also here")])
    assert [each.card.title for each in grouped.held] == ["here", "also here"]
    assert [each.card.title for each in grouped.others] == ["there"]
    assert len(grouped) == 3
