"""BibTeX entries that BibTeX and biber can read, whatever the fields hold."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.text.citation_formats import choose_entry_kind, format_bibtex, make_citation_key


def test_whole_entry() -> None:
    entry = format_bibtex(
        "mccallum2000automating",
        "article",
        {
            "title": "Automating the construction of Internet portals with HMMs & Q-learning",
            "journal": "Information Retrieval",
            "year": "2000",
            "pages": "127-163",
            "note": "",
        },
        ["A. McCallum", "John Smith, Jr.", "et al."],
    )
    assert entry == (
        "@article{mccallum2000automating,\n"
        "  author = {McCallum, A. and Smith, Jr., John and others},\n"
        "  title = {Automating the construction of Internet portals with {HMMs} \\& {Q}-learning},\n"
        "  journal = {Information Retrieval},\n"
        "  year = {2000},\n"
        "  pages = {127--163},\n"
        "}\n"
    )


@pytest.mark.parametrize(
    ("value", "escaped"),
    [
        ("50% of $5 & #1_a", r"50\% of \$5 \& \#1\_a"),
        ("a}b{c", r"a\textbraceright{}b\textbraceleft{}c"),
        ("x^2 ~ \\y", r"x\textasciicircum{}2 \textasciitilde{} \textbackslash{}y"),
        ("Gödel’s “proof” – part", "Gödel's ``proof'' -- part"),
        ("two\nlines\x00", "two lines"),
    ],
)
def test_escaping(value: str, escaped: str) -> None:
    assert f"  note = {{{escaped}}}," in format_bibtex("key", "misc", {"note": value}, [])


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Learning with HMMs", "Learning with {HMMs}"),
        ("The LaTeX companion", "The {LaTeX} companion"),
        ("A study", "A study"),
        ("LEARNING IN CAPITALS", "LEARNING IN CAPITALS"),
    ],
)
def test_capitals_that_styles_would_lower_are_protected(title: str, text: str) -> None:
    assert f"  title = {{{text}}}," in format_bibtex("key", "misc", {"title": title}, [])


def test_addresses_are_verbatim() -> None:
    assert "  url = {http://a.b/~x_y%20%7Bz%7D}," in format_bibtex(
        "k", "misc", {"url": "http://a.b/~x_y%20{z}"}, []
    )


def test_a_name_with_and_in_it_is_one_name() -> None:
    assert "author = {{Barnes and Noble} and Berg, J.}" in format_bibtex(
        "k", "misc", {}, ["Barnes and Noble", "J. Berg"]
    )


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("Ludwig van Beethoven", "van Beethoven, Ludwig"),
        ("Beethoven, Ludwig van", "van Beethoven, Ludwig"),
        ("Charles Louis de la Vallée Poussin", "de la Vallée Poussin, Charles Louis"),
        ("Martin Luther King, Jr.", "King, Jr., Martin Luther"),
        ("IEEE Standards Association", "{IEEE Standards Association}"),
        ("The ATLAS Collaboration", "{The ATLAS Collaboration}"),
        ("Institute, A. N.", "Institute, A. N."),
        ("Plato", "Plato"),
        ("De Morgan", "Morgan, De"),
    ],
)
def test_names_are_written_so_that_they_are_sorted_right(name: str, written: str) -> None:
    assert f"  author = {{{written}}}," in format_bibtex("key", "misc", {}, [name])


def test_a_word_without_end_takes_no_longer_than_many_words() -> None:
    title = "x" * 200_000  # minutes where every letter of it is looked at for a word to begin
    assert f"  title = {{{title}}}," in format_bibtex("key", "misc", {"title": title}, [])


@pytest.mark.parametrize(
    ("authors", "year", "title", "key"),
    [
        (["McCallum, A. and B. Nigam"], "2000", "Automating the construction", "mccallum2000automating"),
        (["Kurt Gödel"], 1931, "Über formal unentscheidbare Sätze", "godel1931uber"),
        (["L. van der Maaten"], "2008a", "The t-SNE", "vandermaaten2008t"),
        ([], None, "", "anonymous"),
        ([], None, "The", "anonymousthe"),
        (["王伟"], "1999", "神经网络", "anonymous1999"),
    ],
)
def test_citation_key(authors: list[str], year: str | int | None, title: str, key: str) -> None:
    assert make_citation_key(authors, year, title) == key


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"journal": "Machine Learning"}, "article"),
        ({"booktitle": "NIPS 9"}, "inproceedings"),
        ({"venue": "Proceedings of ICML"}, "inproceedings"),
        ({"venue": "IEEE Transactions on Computers"}, "article"),
        ({"venue": "PhD thesis, MIT"}, "phdthesis"),
        ({"institution": "Technical Report 97-1"}, "techreport"),
        ({"title": "Alone"}, "misc"),
        ({"title": "A book", "publisher": "Old Press"}, "book"),
        ({"booktitle": "Handbook of Ageing", "publisher": "Old Press"}, "incollection"),
        ({"booktitle": "Lecture Notes in Computer Science", "publisher": "Old Press"}, "inproceedings"),
        ({"booktitle": "AAAI-90", "publisher": "Old Press"}, "inproceedings"),
        ({"venue": "Handbook of Ageing", "publisher": "Old Press"}, "incollection"),
    ],
)
def test_entry_kind(fields: dict[str, str], kind: str) -> None:
    assert choose_entry_kind(fields) == kind


@given(
    key=st.text(max_size=20),
    kind=st.text(max_size=10),
    fields=st.dictionaries(
        st.sampled_from(["title", "journal", "url", "pages", "note"]), st.text(max_size=60)
    ),
    authors=st.lists(st.text(max_size=30), max_size=3),
)
def test_every_entry_is_well_formed(key: str, kind: str, fields: dict[str, str], authors: list[str]) -> None:
    entry = format_bibtex(key, kind, fields, authors)
    assert re.match(r"@[a-z]+\{[A-Za-z0-9:._/+-]+,\n", entry)
    assert entry.endswith("\n}\n")
    depth = 0
    for char in entry:
        depth += (char == "{") - (char == "}")
        assert depth >= 0
    assert depth == 0
    for line in entry.splitlines()[1:-1]:
        assert re.fullmatch(r"  [a-z-]+ = \{.*\},", line)
