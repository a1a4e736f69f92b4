"""Officers, telephones, faxes, addresses and names of sites, on pages written as sites print them."""

from collections.abc import Iterator

import pytest

from portico.convert.converter import Converter
from portico.domains.organisations import ORGANISATIONS
from portico.extract.pages import load_extractor
from portico.types.document import DocumentId
from portico.types.record import Record

PROSE = "<p>" + "The members meet every second week of the month to talk about soil and seeds. " * 2 + "</p>"


@pytest.fixture(scope="module")
def converter() -> Iterator[Converter]:
    with Converter() as made:
        yield made


def read(converter: Converter, html: str) -> tuple[Record, ...]:
    page = converter.page(
        (html + PROSE).encode(),
        media_type="text/html; charset=utf-8",
        name="a",
        document_id=DocumentId("a"),
    )
    return load_extractor(ORGANISATIONS)(page)


def list_officers(records: tuple[Record, ...]) -> dict[str, list[str]]:
    return {
        one.value("name") or "": [field.value for field in one.all("role")]
        for one in records
        if one.kind == "officer"
    }


CARD = "<div class=card><h4>{}</h4><p>{}</p><a href=/bio>Read Bio</a></div>"
CARDS = {
    "Anna Miller": "President",
    "Robert Smith": "Chief Digital and Technology Officer,<br>Executive Vice President",
    "Zbysław Xqrtowsky": "Keeper of the Third Veil",
    "Linda Johnson": "Treasurer",
    "David Brown": "Director of Marketing",
}


def test_people_in_cards_have_whole_roles_and_no_link_is_one(converter: Converter) -> None:
    cards = "".join(CARD.format(name, role) for name, role in CARDS.items())
    found = list_officers(read(converter, f"<h1>Our Team</h1>{cards}<h3>Enquiries</h3><p>Call us.</p>"))
    assert found == {name: [role.replace("<br>", " ")] for name, role in CARDS.items()}


def test_a_name_among_forty_of_one_look_is_found_and_the_companies_below_them_are_not(
    converter: Converter,
) -> None:
    people = ["Anna Miller", "Robert Smith", "Qadira Wvong", "Linda Johnson", "David Brown", "Susan Clark"]
    firms = ["GE Appliances", "Frost Brown Todd", "Stoll Keenon Ogden", "Amalgamated Transit", "Xenia", "LGE"]
    items = "".join(
        f"<li><h2>{name}</h2><p>Board Member</p><p>{firm}</p></li>"
        for name, firm in zip(people, firms, strict=True)
    )
    found = list_officers(read(converter, f"<h1>Board of Directors</h1><ul>{items}</ul>"))
    assert found == {name: ["Board Member"] for name in people}


def test_names_in_the_navigation_and_in_running_text_lead_nothing(converter: Converter) -> None:
    menu = (
        "<nav><ul><li><a href=/1>Charles Founder Award</a><li><a href=/2>John Powers Library</a></ul></nav>"
    )
    told = "<p>In 1965 John J. Powers is named president of the company, and James McKeen, whom he succeeds, "
    told += "remains on the board until the year 1968, when he leaves it for good.</p>"
    roles = {"Anna Miller": "President", "Robert Smith": "Treasurer", "Ann Bell": "Clerk"}
    people = "".join(f"<h3>{name}</h3><p>{role}</p>" for name, role in roles.items())
    found = list_officers(read(converter, menu + "<h1>Officers</h1>" + people + told))
    assert list(found) == list(roles)


SCRIPTS = [
    ("<h1>Руководство</h1>", {"Иван Петров": "Генеральный директор", "Ольга Смирнова": "Главный бухгалтер"}),
    (
        "<title>Διοικητικό Συμβούλιο</title><h1>Διοικητικό Συμβούλιο</h1>",
        {"Γιώργος Παππάς": "Πρόεδρος", "Μαρία Νικολάου": "Ταμίας", "Ελένη Γεωργίου": "Γραμματέας"},
    ),
    ("<h1>管理团队</h1>", {"王小明": "董事长", "李华": "总经理", "陈静": "财务总监"}),
]


@pytest.mark.parametrize(("title", "people"), SCRIPTS, ids=["cyrillic", "greek", "chinese"])
def test_people_are_read_in_other_scripts(converter: Converter, title: str, people: dict[str, str]) -> None:
    body = "".join(f"<div><h4>{name}</h4><p>{role}</p></div>" for name, role in people.items())
    assert list_officers(read(converter, title + body)) == {name: [role] for name, role in people.items()}


NUMBERS = [
    "<table><tr><td>Phone<td>(330) 555-0142<td>Fax<td>(330) 555-0143</table>",
    "<table><tr><th>Phone<th>Fax</tr><tr><td>(330) 555-0142<td>(330) 555-0143</tr></table>",
    "<p>Tel. (330) 555-0142, Fax (330) 555-0143</p>",
    "<p>T: (330) 555-0142<br>F: (330) 555-0143</p>",
    "<dl><dt>Telephone<dd>(330) 555-0142<dt>Fax number<dd>(330) 555-0143</dl>",
]


@pytest.mark.parametrize("html", NUMBERS)
def test_telephones_and_faxes_are_kept_apart(converter: Converter, html: str) -> None:
    records = read(converter, "<h1>Contact us</h1>" + html)
    said = {name: [field.value for one in records for field in one.all(name)] for name in ("phone", "fax")}
    assert said == {"phone": ["(330) 555-0142"], "fax": ["(330) 555-0143"]}


NAMES = [
    '<script type="application/ld+json">{"@type":"NGO","name":"Acme Tools"}</script><title>Board</title>',
    '<meta property="og:site_name" content="Acme Tools"><title>Our board - Acme Tools</title>',
    "<title>Contact us | Acme Tools</title><footer>© 2024 Acme Tools Ltd. All rights reserved.</footer>",
    '<title>Acme Tools</title><header><img class=logo alt="Acme Tools logo"></header>',
]


@pytest.mark.parametrize("head", NAMES)
def test_an_organisation_is_called_what_its_page_agrees_on(converter: Converter, head: str) -> None:
    records = read(converter, head + "<h1>Our board</h1><h3>Anna Miller</h3><p>President</p>")
    (organisation,) = [one for one in records if one.kind == "organisation"]
    assert (organisation.value("name") or "").removesuffix(" Ltd") == "Acme Tools"


def read_one(converter: Converter, html: str, name: str) -> list[str]:
    [organisation] = [one for one in read(converter, html) if one.kind == "organisation"]
    return [field.value for field in organisation.all(name)]


@pytest.mark.parametrize(
    ("printed", "address"),
    [
        ("<p>Anschrift: Lindenweg 4, 50667 Köln</p>", "Lindenweg 4, 50667 Köln"),
        ("<p>地址: 长江路647号, 黄浦区, 上海市</p>", "长江路647号, 黄浦区, 上海市"),
        ("<p>Адрес: ул. Лесная, д. 5, Москва, 125047</p>", "ул. Лесная, д. 5, Москва, 125047"),
        (
            "<table><tr><td>Dirección</td><td>Calle Mayor 12, 28013 Madrid</td></tr></table>",
            "Calle Mayor 12, 28013 Madrid",
        ),
        (
            "<p>First Floor, Rose Plaza, Opp. City Park, Mill Lane, Attock</p>",
            "First Floor, Rose Plaza, Opp. City Park, Mill Lane, Attock",
        ),
    ],
)
def test_addresses_are_read_as_countries_print_them(converter: Converter, printed: str, address: str) -> None:
    html = f"<title>Contact | Otter Club</title><h1>Contact</h1>{printed}"
    assert read_one(converter, html, "address") == [address]


def test_an_announced_email_address_is_no_postal_address(converter: Converter) -> None:
    html = "<title>Contact | Otter Club</title><p>Email address: 12, info@otter.example</p>"
    assert read_one(converter, html, "address") == []


def test_a_number_may_spell_a_word(converter: Converter) -> None:
    html = "<title>Contact | Otter Club</title><h1>Contact</h1><p>844-OTTERSX</p>"
    assert read_one(converter, html, "phone") == ["844-OTTERSX"]


@pytest.mark.parametrize(
    ("html", "name"),
    [
        ("<meta property=og:site_name content='Otter Club - Our Rivers'><p>© Otter Club</p>", "Otter Club"),
        ("<title>ORWG: Contact Us</title><p>Write to the Otter River Watch Group, please.</p>",
         "Otter River Watch Group"),
    ],
)  # fmt: skip
def test_a_name_has_no_slogan_and_is_spelled_out(converter: Converter, html: str, name: str) -> None:
    assert read_one(converter, html, "name") == [name]


def test_data_for_programs_tell_what_the_text_does_not(converter: Converter) -> None:
    data = """{"@graph": [
      {"@type": "Organization", "name": "Otter Club", "telephone": "+1 502 583 2821",
       "address": {"@type": "PostalAddress", "streetAddress": "4 Mill Lane", "addressLocality": "Hudson, OH",
                   "postalCode": "44236"}},
      {"@type": "Person", "name": "Zoe Quill", "jobTitle": "Keeper"},
      {"@type": "Person", "name": "Anna Miller", "jobTitle": "President", "email": "anna@otter.example"},
      {"@type": "Person", "jobTitle": "Nobody"}]}"""
    cards = "".join(CARD.format(name, role) for name, role in CARDS.items())
    html = f"<script type='application/ld+json'>{data}</script><h1>Our Team</h1>{cards}"
    records = read(converter, html)
    officers = list_officers(records)
    assert officers["Zoe Quill"] == ["Keeper"]
    assert officers["Anna Miller"] == ["President"]
    assert len(officers) == len(CARDS) + 1
    [anna] = [one for one in records if one.value("name") == "Anna Miller"]
    assert anna.value("email") == "anna@otter.example"
    assert len({one.id for one in records}) == len(records)
    assert read_one(converter, html, "address") == ["4 Mill Lane, Hudson, OH, 44236"]
    assert read_one(converter, html, "phone") == ["+1 502 583 2821"]


def test_offices_before_a_colon_and_names_behind_it(converter: Converter) -> None:
    roles = {
        "Anna Miller": "President",
        "Zbysław Xqrtowsky": "Keeper of Keys",
        "Ann Bell": "Clerk",
        "Bo Lind": "Usher",
    }
    lines = "<br>".join(f"<b>{role}:</b> {name}" for name, role in roles.items())
    found = list_officers(read(converter, f"<h1>Officers</h1><p>{lines}</p>"))
    assert found == {name: [role] for name, role in roles.items()}


def test_a_directory_by_surnames_is_read_by_the_heads_of_its_columns(converter: Converter) -> None:
    people = {"Miller, Anna": "Dean", "Xqrtowsky, Zbysław": "Keeper of Keys", "Bell, Ann": "Clerk"}
    rows = "".join(
        f"<tr><td>{name}<td>{role}<td>B {idx}.1{idx}<td>01632 96094{idx}"
        for idx, (name, role) in enumerate(people.items())
    )
    head = "<tr><th>Name<th>Position<th>Room<th>Office"
    records = read(converter, f"<h1>Staff directory</h1><table>{head}{rows}</table>")
    assert list_officers(records) == {
        " ".join(reversed(name.split(", "))): [role] for name, role in people.items()
    }
    phones = [one.value("phone") for one in records if one.kind == "officer"]
    assert phones == [f"01632 96094{idx}" for idx in range(len(people))]


def test_of_a_person_whom_data_describe_no_other_is_made(converter: Converter) -> None:
    thing = '<li itemscope itemtype="https://schema.org/Person">'
    person = thing + '<b itemprop="name">{}</b> <i itemprop="jobTitle">{}</i>'
    people = {"Anna Miller": "Clubhouse Manager", "Bo Lind": "Webmaster"}
    items = "".join(person.format(*each) for each in people.items())
    assert list(list_officers(read(converter, f"<h1>Staff</h1><ul>{items}</ul>"))) == list(people)


def test_an_address_in_boxes_of_its_own_is_one(converter: Converter) -> None:
    lines = "<div>12 Elm Street</div><div>Hudson, OH 44236</div>"
    html = f"<h1>Contact</h1><h4>Address</h4>{lines}<h4>Phone</h4><p>(502) 583-2821</p>"
    (found,) = (one for one in read(converter, html) if one.kind == "organisation")
    assert [one.value for one in found.all("address")] == ["12 Elm Street Hudson, OH 44236"]


def test_paragraphs_in_the_cells_of_a_table_are_one_row(converter: Converter) -> None:
    """Word processors put a paragraph into every cell."""
    people = {
        "Ioan Jessop": "Parent Governor",
        "Lesley Ashworth": "Fixtures Secretary",
        "Euan Inglis": "Clerk",
    }
    cells = [("<b>Role</b>", "<b>Name</b>"), *((role, name) for name, role in people.items())]
    rows = "".join(f"<tr><td><p>{one}</p></td><td><p>{other}</p></td></tr>" for one, other in cells)
    found = list_officers(read(converter, f"<h1>Governors</h1><table>{rows}</table>"))
    assert found == {name: [role] for name, role in people.items()}


def test_in_cards_without_markup_offices_are_not_taken_for_names(converter: Converter) -> None:
    people = {
        "Dilys Gwynne": "Clerk to the Council",
        "Hilary Dalgleish": "Parent Governor",
        "Euan Featherstone": "Safeguarding Lead",
        "Clive Llewellyn": "Fixtures Secretary",
        "Gareth Inglis": "Business Manager",
    }
    cards = "".join(f"<div><div>{name}</div><div>{role}</div></div>" for name, role in people.items())
    found = list_officers(read(converter, f"<h1>Trustees</h1>{cards}"))
    assert found == {name: [role] for name, role in people.items()}


ROMAN = (
    ("Anna Miller", "Treasurer", "01254 712818"),
    ("Robert Smith", "Club Captain", "01254 776654"),
    ("Linda Johnson", "Secretary General", "01254 790854"),
)
JAPANESE = (
    ("三宅恵美", "会計", "03-3482-5660"),
    ("久保田大輔", "理事", "03-3793-9823"),
    ("西尾誠", "監査役", "022-303-9377"),
)


@pytest.mark.parametrize(
    ("person", "people"),
    [
        ("<p>Name: {}<br>Position: {}<br>Phone: {}</p>", ROMAN),
        ("<li><p>氏名：{}</p><p>役職：{}</p><p>電話：{}</p></li>", JAPANESE),
        ("<li><a href=/p>{}</a> <span>{}</span> <span>{}</span></li>", ROMAN),
        ("{1}: {0} Tel. {2}<br>", ROMAN),
    ],
)
def test_what_is_printed_beside_a_name_belongs_to_it(
    converter: Converter, person: str, people: tuple[tuple[str, str, str], ...]
) -> None:
    body = "".join(person.format(*values) for values in people)
    records = read(converter, f"<h1>Officers</h1><div>{body}</div>")
    said = [one for one in records if one.kind == "officer"]
    assert tuple((one.value("name"), one.value("role"), one.value("phone")) for one in said) == people


def test_an_office_over_several_names_belongs_to_each_and_registers_are_no_telephones(
    converter: Converter,
) -> None:
    html = (
        "<h2>Impressum</h2><p><b>Vertreten durch die Geschäftsführer:</b><br>Anna Müller<br>Norbert Weber</p>"
        "<p>Registergericht: Amtsgericht Köln<br>HRB 33545<br>USt-IdNr.: DE 523 456 697</p>"
    )
    records = read(converter, html)
    assert list_officers(records) == {
        "Anna Müller": ["Geschäftsführer"],
        "Norbert Weber": ["Geschäftsführer"],
    }
    assert not [field for one in records for field in (*one.all("phone"), *one.all("address"))]


def test_a_long_line_with_semicolons_is_a_list(converter: Converter) -> None:
    people = {"Anna Miller": "Treasurer", "Robert Smith": "Club Captain", "Linda Johnson": "President",
              "David Brown": "Secretary"}  # fmt: skip
    line = "; ".join(f"{role}: {name}" for name, role in people.items())
    found = list_officers(read(converter, f"<h1>Officers</h1><p>{line}.</p>"))
    assert found == {name: [role] for name, role in people.items()}


def test_a_part_of_the_organisations_name_is_no_person(converter: Converter) -> None:
    html = (
        "<title>Contact us - Brackenford Rope Works</title><h1>Contact us</h1><p>Brackenford Rope Works<br>"
        "159 Quay Street<br>Brackenford, MI 13538</p><p>Telephone: (677) 555-0197</p>"
        "<footer>&copy; Brackenford Rope Works</footer>"
    )
    records = read(converter, html)
    assert [(one.kind, one.value("name"), one.value("phone")) for one in records] == [
        ("organisation", "Brackenford Rope Works", "(677) 555-0197")
    ]
