"""Real-life BibTeX is read: nested braces, quotes, accents, abbreviations, missing commas."""

import pytest

from portico.lab.datasets.bibtex import read_entries, strip_tex
from portico.lab.training.lexicons import format_lexicon

ENTRY = """
@comment{nothing}
@string{jacm = "Journal of the ACM"}
@article{bell90, author = {Ann Bell and Dorn, Carl}, title = "On {S}ound {and {Light}}",
  journal = jacm, year = 1990, address={G{\\"o}teborg}
}
@inproceedings(fox91, title={Unclosed {brace,
@book{gale, title = {Winds}}
"""


def test_entries() -> None:
    article, broken, book = read_entries(ENTRY)
    assert article.kind == "article"
    assert dict(article.fields) == {
        "author": "Ann Bell and Dorn, Carl",
        "title": "On Sound and Light",
        "year": "1990",
        "address": "Goteborg",
    }
    assert broken.fields == ()
    assert book.fields == (("title", "Winds"),)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (r"G{\"o}del", "Godel"),
        (r"\'{E}cole", "Ecole"),
        (r"AT\&T", "AT&T"),
        (r"{\em Nature}", "Nature"),
        (r"Stra{\ss}e", "Strasse"),
        ("a~b", "a b"),
    ],
)
def test_plain(value: str, expected: str) -> None:
    assert strip_tex(value) == expected


def test_lexicon_knows_names_from_titles() -> None:
    entries = list(read_entries("@book{x, author={Ann Bell}, title={Sound Sound Bell}}" * 4))
    lines = dict(line.rstrip("\n").split("\t") for line in format_lexicon(entries))
    assert lines["ann"] == "given=9"
    assert lines["sound"] == "title=9"
    assert lines["bell"].split()[0].startswith("family=")
