"""Names as papers print them."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.text.names import (
    PersonName,
    are_same_person,
    fold,
    order_as_spoken,
    parse_name,
    parse_names,
    show_capital_name,
    split_names,
)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("A. McCallum, K. Nigam and J. Rennie", ("A. McCallum", "K. Nigam", "J. Rennie")),
        ("Aha, D. W., & Kibler, D.", ("Aha, D. W.", "Kibler, D.")),
        ("Aha D. W., Kibler D. and Albert M. K.", ("Aha D. W.", "Kibler D.", "Albert M. K.")),
        ("McCallum, Andrew K.", ("McCallum, Andrew K.",)),
        ("Smith, John and Jones, Mary", ("Smith, John", "Jones, Mary")),
        (
            "Haussler, David, Michael Kearns and Rob Schapire",
            ("Haussler, David", "Michael Kearns", "Rob Schapire"),
        ),
        ("Cohen, Singer, and Schapire", ("Cohen", "Singer", "Schapire")),
        ("Wu, X.; Li, Y.", ("Wu, X.", "Li, Y.")),
        ("Yang Li, Wei Wu", ("Yang Li", "Wei Wu")),
        ("John Smith, Jr., Mary Jones III, et al.", ("John Smith, Jr.", "Mary Jones III")),
        ("van der Berg, J. and Ludwig van Beethoven", ("van der Berg, J.", "Ludwig van Beethoven")),
        ("[Kearns 87] Kearns, M., and Valiant, L.G.", ("Kearns, M.", "Valiant, L.G.")),
        ("T. M. Cover and P. E. Hart, editors", ("T. M. Cover", "P. E. Hart")),
        ("Kohli, Martin/Künemund, Harald", ("Kohli, Martin", "Künemund, Harald")),
        ("Suprun, A./Hank, K./Jürgens, H. (Hg.)", ("Suprun, A.", "Hank, K.", "Jürgens, H.")),
        ("et al.", ()),
        ("", ()),
        ("1234 *", ()),
    ],
)
def test_split_names(text: str, names: tuple[str, ...]) -> None:
    assert split_names(text) == names


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("A. McCallum", PersonName("McCallum", ("A.",))),
        ("McCallum, Andrew K.", PersonName("McCallum", ("Andrew", "K."))),
        ("McCallum A", PersonName("McCallum", ("A",))),
        ("D.W. Aha", PersonName("Aha", ("D.", "W."))),
        ("Ludwig van Beethoven", PersonName("van Beethoven", ("Ludwig",))),
        ("van der Berg", PersonName("van der Berg")),
        ("de la Cruz, María", PersonName("de la Cruz", ("María",))),
        ("John Smith, Jr.", PersonName("Smith", ("John",), "Jr.")),
        ("Smith, Jr., John", PersonName("Smith", ("John",), "Jr.")),
        ("Mary Jones III", PersonName("Jones", ("Mary",), "III")),
        ("Plato", PersonName("Plato")),
    ],
)
def test_parse_name(text: str, person: PersonName) -> None:
    assert parse_name(text) == person


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("A. McCallum", "McCallum, Andrew K.", True),
        ("Andrew McCallum", "Andrew Kachites McCallum", True),
        ("A. McCallum", "B. McCallum", False),
        ("McCallum", "Andrew McCallum", True),
        ("Robert Schapire", "Rob Schapire", True),
        ("Robert Schapire", "Ronald Schapire", False),
        ("K. Gödel", "Godel, Kurt", True),
        ("Pat O'Neil", "P. ONeil", True),
        ("DW Aha", "David W. Aha", True),
        ("A. Smith", "A. Smythe", False),
    ],
)
def test_same_person(one: str, other: str, same: bool) -> None:
    assert are_same_person(parse_name(one), parse_name(other)) is same
    assert are_same_person(parse_name(other), parse_name(one)) is same


@pytest.mark.parametrize(
    ("text", "folded"),
    [("GÖDEL", "godel"), ("Straße", "strasse"), ("Łukasz Øre", "lukasz ore"), ("ﬁn", "fin")],
)
def test_fold(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.text(max_size=80))
def test_any_text_gives_names_that_can_be_parsed(text: str) -> None:
    for name in split_names(text):
        assert parse_name(name).surname


WORDS = st.sampled_from(
    (
        "A",
        "J.",
        "J.R.R.",
        "j.",
        "Ada",
        "ada",
        "McCallum",
        "Müller",
        "LI",
        "Yang",
        "YANG",
        "van",
        "Jr",
        "and",
        "ed",
    )
)


@given(st.lists(WORDS, min_size=1, max_size=4).map(" ".join) | st.text(max_size=12))
def test_a_plain_name_is_read_as_any_other(text: str) -> None:
    """`parse_names` has a short way for the commonest forms; it must lead to the same names."""
    assert parse_names(text) == tuple(parse_name(name) for name in split_names(text))


@given(st.text(st.characters(codec="utf-8"), max_size=20))
def test_folding_leaves_no_accent(text: str) -> None:
    assert not any(map(unicodedata.combining, fold(text)))


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("Aha, D. W.", "D. W. Aha"),
        ("de la Cruz, José", "José de la Cruz"),
        ("van der Berg, J.-P.", "J.-P. van der Berg"),
        ("King, M. L., III", "M. L. King, III"),
        ("D. Knuth, Jr.", "D. Knuth, Jr."),
        ("Ada Young", "Ada Young"),
        ("Plato", "Plato"),
        (",", ","),
        ("", ""),
    ],
)
def test_names_in_the_order_in_which_they_are_said(printed: str, said: str) -> None:
    assert order_as_spoken(printed) == said
    assert parse_name(said).key == parse_name(printed).key


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("ANN VAN DER BELL", "Ann van der Bell"), ("O'BRIEN, MAX", "O'Brien, Max"), ("WU MIN", "Wu Min"),
        ("Dominique BORRIONE", "Dominique Borrione"), ("JEAN-PAUL DUPONT", "Jean-Paul Dupont"),
        ("J. R. MCDONALD", "J. R. McDonald"), ("TOM FOX III", "Tom Fox III"), ("Ann Bell", "Ann Bell"),
        ("IBM Research", "IBM Research"), ("Smith JD", "Smith JD"), ("DNA", "DNA"),
    ],
)  # fmt: skip
def test_names_in_capitals_are_shown_as_names_are_written(printed: str, shown: str) -> None:
    assert show_capital_name(printed) == shown
