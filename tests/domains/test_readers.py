"""Values are read from passages by what they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.domains.addresses import address_goes_on, looks_like_address, read_address, read_place
from portico.domains.readers import (
    READERS,
    make_pattern_reader,
    read_email,
    read_people,
    read_person,
    read_phone,
    read_role,
)
from portico.types.domain import Form


@pytest.mark.parametrize(
    ("passage", "names"),
    [
        ("Dr. Ada Hummel, Ph.D.", ["Ada Hummel"]),
        ("Mr. Bo Lind (ABL)", ["Bo Lind"]),
        ("Frank A. Berg, Sr.", ["Frank A. Berg, Sr."]),
        ("Cleo Mays, M.D., FACEP", ["Cleo Mays"]),
        ("Major Tom S. TARN (Rtd)", ["Tom S. TARN"]),
        ("Prof. Dr. Eva Roth", ["Eva Roth"]),
        ("Maja Holm |", ["Maja Holm"]),
        ("call 12345", []),
        ("maja@example.org", []),
        ("Dott.ssa Eva Roth", ["Eva Roth"]),
        ("van den Berg, Maja", ["van den Berg, Maja"]),
        ("–", []),
        ("Cllr Bridget Gwynne-Jones, FRICS", ["Bridget Gwynne-Jones"]),
        ("K. R. Iyer, FCA, IAS (Retd.)", ["K. R. Iyer"]),
        ("MARIA LOPEZ, JUAN", ["MARIA LOPEZ, JUAN"]),
        ("د. أحمد المنصوري", ["أحمد المنصوري"]),
        ("Di Brown", ["Di Brown"]),
        ("Stirling Gallagher.", ["Stirling Gallagher"]),
        ("Ward: Abbey", []),
    ],
)
def test_a_person_is_a_name_without_titles_and_degrees(passage: str, names: list[str]) -> None:
    assert [reading.value for reading in read_person(passage)] == names


@pytest.mark.parametrize(
    ("passage", "role"),
    [
        ("(Treasurer)", "Treasurer"),
        ("[Chair]", "Chair"),
        ("(President", "President"),
        ("Treasurer)", "Treasurer"),
        ("Chair (acting)", "Chair (acting)"),
        ("(Vice) President (elect),", "(Vice) President (elect)"),
        ("Chief Financial Officer Ms.", "Chief Financial Officer"),
        ("Sekretariat Dipl.-Ing.", "Sekretariat"),
        ("Secretary General", "Secretary General"),
        ("FRICS, Chair of Governors", "Chair of Governors"),
        ("CEO, Europe", "CEO, Europe"),
        ("Vertreten durch die Geschäftsführer:", "Geschäftsführer"),
        ("Sayman 0(312) 195 52 86", "Sayman"),
        ("The council meets in the hall.", ""),
        ("M.A., M.Phil.", ""),
        ("()", ""),
        (" ", ""),
    ],
)
def test_an_office_has_no_brackets_around_it(passage: str, role: str) -> None:
    assert "".join(reading.value for reading in read_role(passage)) == role


def test_people_are_read_one_by_one() -> None:
    assert [one.value for one in read_people("Dr. Ada Hummel and Bo Lind")] == ["Ada Hummel", "Bo Lind"]


@pytest.mark.parametrize(
    ("passage", "phones"),
    [
        ("Tel.: +49.231.39721-419", ["+49.231.39721-419"]),
        ("(502) 583-2821", ["(502) 583-2821"]),
        ("021-111-112-222 Ext. 247", ["021-111-112-222 Ext. 247"]),
        ("844-EMANATE", ["844-EMANATE"]),
        ("0551 / 49 68 72", ["0551 / 49 68 72"]),
        ("+49 (0)30 2093-8081 / 0551 / 491788", ["+49 (0)30 2093-8081", "0551 / 491788"]),
        ("(898) 555-6999 / 01632 963403", ["(898) 555-6999", "01632 963403"]),
        ("+44 20 7946 8452 +44 20 7946 1111", ["+44 20 7946 8452", "+44 20 7946 1111"]),
        ("555-0101 / 0102", ["555-0101 / 0102"]),
        ("24.08.2023", []),
        ("2023-08-24", []),
        ("〒157-0091", []),
        ("in 1999", []),
        ("room 214-3", []),
    ],
)
def test_phones(passage: str, phones: list[str]) -> None:
    assert [reading.value for reading in read_phone(passage)] == phones


@pytest.mark.parametrize(
    ("passage", "emails"),
    [
        ("write to ann.bell@example.org.", ["ann.bell@example.org"]),
        ("bo [at] example.org", ["bo@example.org"]),
        ("no address", []),
    ],
)
def test_emails(passage: str, emails: list[str]) -> None:
    assert [reading.value for reading in read_email(passage)] == emails


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("12 Elm Court Hudson, OH 44236", "Hudson, OH"),
        ("5th Floor, Star Plaza, Mill Road, Karachi, 74200, Pakistan.", "Karachi, Pakistan"),
        ("2nd Floor, Oak Plaza, Supply Bazar, Abbottabad", "Abbottabad"),
        ("Gartenweg 3, 44227 Dortmund", "Dortmund"),
    ],
)
def test_places_are_towns_of_addresses(address: str, place: str) -> None:
    assert [reading.value for reading in read_place(address)] == [place]


def test_a_pattern_of_the_builder_reads_its_group() -> None:
    read = make_pattern_reader(r"CS\s*(?P<value>\d{3})")
    assert [one.value for one in read("CS 302 and cs341")] == ["302", "341"]


@pytest.mark.parametrize("form", list(Form))
@given(passage=st.text(max_size=60))
def test_every_reading_stands_in_its_passage(form: Form, passage: str) -> None:
    for reading in READERS[form](passage):
        assert 0 <= reading.start < reading.end <= len(passage)
        assert reading.value.strip()


@pytest.mark.parametrize(
    ("text", "is_address"),
    [
        ("334 E. Broadway P.O. Box 4488 Louisville, KY 40204-0488", True),
        ("Hauptstraße 5, 10115 Berlin", True),
        ("10 Downing Street, London SW1A 2AA", True),
        ("Shaheen Complex Building, M.R. Kayani Road, Karachi", True),
        ("D, MSN, RN, (L)FACHE", False),
        ("North America, Schneider Electric", False),
        ("東京都渋谷区神宮前7丁目87番7号", True),
        ("Rue des Tilleuls 12, 35000 Rennes", True),
        ("Royal Arch Masons of Pennsylvania, Irwin, PA", False),
        ("info@example.org, Street 5", False),
    ],
)
def test_an_address_looks_like_one(text: str, is_address: bool) -> None:
    assert looks_like_address(text) is is_address


@pytest.mark.parametrize(
    ("text", "following", "goes_on"),
    [
        ("12 Old Quarry Road", "Ashby, MA 08200", True),
        ("12 Old Quarry Road, Ashby, MA 08200", "3 Mill Street, Ashby, MA 08200", False),
        ("12 Old Quarry Road", "3 Mill Street", False),
        ("12 Old Quarry Road", "Open from ten to five", False),
    ],
)
def test_an_address_goes_on_until_its_postcode(text: str, following: str, goes_on: bool) -> None:
    assert address_goes_on(text, following) is goes_on


def test_an_address_ends_before_the_word_for_a_number() -> None:
    assert [one.value for one in read_address("157 High Street Ludlow SY8 1AA Direct:")] == [
        "157 High Street Ludlow SY8 1AA"
    ]


@pytest.mark.parametrize(
    ("passage", "prices"),
    [
        ("£12.50", ["£12.50"]),
        ("Free for members, £3 for others", ["£3"]),
        ("Free", ["Free"]),
        ("Eintritt frei", ["Eintritt frei"]),
        ("Freedom Hall", []),
    ],
)
def test_a_price_may_be_nothing(passage: str, prices: list[str]) -> None:
    assert [reading.value for reading in READERS[Form.PRICE](passage)] == prices
