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
