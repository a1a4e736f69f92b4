"""Generates pages about the leaders of organisations, in many layouts and languages, with their true values.

A dozen real sites have only a dozen layouts and few names; other sites have different ones.
"""

from html import escape
from random import Random
from typing import Any

from portico.convert.converter import Converter
from portico.lab.datasets.invented_layouts import InventedPerson, PageStyle, print_people, print_profile
from portico.lab.datasets.invented_words import InventedWords, load_page_words, make_host
from portico.lab.datasets.organisations import TrueOfficer, TruePage
from portico.types.document import DocumentId

SITE = "invented"
# Languages, repeated by their frequency: most sites in portals are in English.
LANGUAGES = (
    *("en_US",) * 16,
    *("en_GB",) * 4,
    *("en_IN",) * 3,
    *("de_DE", "fr_FR", "es_ES") * 2,
    *("it_IT", "pt_BR", "nl_NL", "pl_PL", "cs_CZ", "sv_SE", "tr_TR", "uk_UA"),
    *("ru_RU", "el_GR", "zh_CN", "ja_JP", "ko_KR") * 2,
    *("ar_SA", "he_IL") * 2,
    *("da_DK", "hu_HU", "fi_FI", "no_NO", "ro_RO"),
)
# Sites in English have names from everywhere.
_ROMAN_LETTERS = (
    *("en_US", "en_GB", "en_IN", "de_DE", "fr_FR", "es_ES"),
    *("it_IT", "pt_BR", "nl_NL", "pl_PL", "sv_SE", "tr_TR"),
)
_DEGREES = (
    *("Ph.D.", "PhD", "MD", "M.D.", "MBA", "CPA", "Esq.", "RN", "P.E.", "FACHE", "MSc", "CFA", "JD", "MPH"),
)
_BODIES = ("Society", "Club", "Foundation", "Association", "Hospital", "University", "Museum", "Bank")
_GENERATIONS = ("Jr.", "Sr.", "II", "III")
_TITLES_OF_NAMES = {
    "en": (
        "Mr.",
        "Ms.",
        "Mrs.",
        "Dr.",
        "Prof.",
        "Rev.",
        "Hon.",
        "Dr",
        "Mr",
        "Cllr",
        "Smt.",
        "Shri",
        "Councillor",
    ),
    "de": ("Dr.", "Prof. Dr.", "Dipl.-Ing.", "Herr", "Frau", "Dr.-Ing.", "Mag."),
    "fr": ("M.", "Mme", "Dr", "Me", "Pr"),
    "es": ("D.", "Dña.", "Sr.", "Sra.", "Dr.", "Dra.", "Lic."),
    "it": ("Dott.", "Dott.ssa", "Ing.", "Avv.", "Sig.", "Sig.ra", "Prof."),
    "pt": ("Dr.", "Dra.", "Eng.", "Prof."),
    "nl": ("dr.", "drs.", "ir.", "mr.", "prof. dr."),
    "ar": ("د.", "أ.د.", "م.", "السيد"),
    "he": ('ד"ר', "פרופ'", 'עו"ד'),
    "hu": ("Dr.",),
    "pl": ("dr", "mgr", "prof."),
    "cs": ("Mgr.", "Ing.", "MUDr.", "Bc."),
}


def invent_pages(n_pages: int, seed: int = 19) -> tuple[TruePage, ...]:
    """Random pages with their true values; the same for the same seed."""
    with Converter() as convert:
        return tuple(_convert(convert, number, seed) for number in range(n_pages))


def _convert(convert: Converter, number: int, seed: int) -> TruePage:
    html, people, contacts = invent_html(Random(f"{seed}/{number}"))
    name = f"{SITE}-{number}"
    document = convert.page(html.encode(), media_type="text/html", name=name, document_id=DocumentId(name))
    return TruePage(name, f"/{number}.html", document, people, contacts)


def invent_html(rng: Random) -> tuple[str, tuple[TrueOfficer, ...], tuple[tuple[str, str], ...]]:
    """A page, the people named on it, and the organisation's contact data."""
    language = rng.choice(LANGUAGES)
    fake = InventedWords(rng, language)
    words = load_page_words(language[:2])
    firm = invent_firm(rng, fake)
    style = PageStyle(rng, words, fake)
    people = [] if rng.random() < 0.12 else invent_people(rng, language, words, style)
    contacts: list[tuple[str, str]] = [("organisation", firm)]
    title = rng.choice(words["titles"])
    body = []
    if rng.random() < 0.8:
        body.append(f"<h1>{escape(title)}</h1>")
    if rng.random() < 0.5:
        body.append(f"<p>{escape(fake.paragraph(3))}</p>")
    if people:
        body.append(print_people(rng, words, style, people))
    if rng.random() < 0.3:
        body.append(invent_news(rng, fake))
    if not people or rng.random() < 0.4:
        address, block = invent_contact(rng, fake, words, firm)
        contacts += address
        body.append(block)
    for person in people:
        contacts += [("phone", person.phone)] if person.phone else []
    head = f"<title>{escape(rng.choice((f'{title} | {firm}', f'{firm} - {title}', title, firm)))}</title>"
    whole = "".join((invent_menu(rng, words, fake), *body, print_foot(rng, fake, firm)))
    page = f"<html><head>{head}</head><body>{whole}</body></html>"
    return (
        page,
        tuple(TrueOfficer(person.name, person.role) for person in people),
        tuple(dict.fromkeys(contacts)),
    )


def invent_people(
    rng: Random, language: str, words: dict[str, Any], style: PageStyle
) -> list[InventedPerson]:
    n_people = 1 if style.layout is print_profile else rng.randint(2, 16)
    people: dict[str, InventedPerson] = {}
    host = f"{make_host(rng)}.example"
    for _ in range(n_people):
        origin = rng.choice(_ROMAN_LETTERS) if language.startswith("en") and rng.random() < 0.3 else language
        name = _name(rng, origin)
        if style.turned and " " in name and name.split()[-1] not in _GENERATIONS:
            given, _, family = name.rpartition(" ")
            name = f"{family}, {given}"
        about = " ".join(
            (
                name.split(",")[0].split()[-1],
                rng.choice(words["joined"]),
                style.fake.paragraph(rng.randint(2, 5)),
            )
        )
        people[name] = InventedPerson(
            name=name.upper() if style.capitals else name,
            role=_role(rng, words) if style.roles and rng.random() < 0.95 else "",
            phone=_phone(rng, style.fake) if style.phones else "",
            fax=_phone(rng, style.fake) if style.faxes else "",
            email=f"{make_host(rng)}@{host}" if style.emails else "",
            company=style.fake.one("company") if style.companies else "",
            about=about if style.about else "",
            before=rng.choice(_TITLES_OF_NAMES.get(language[:2], ("Dr.",)))
            if style.titles and rng.random() < 0.6
            else "",
            behind=", " + ", ".join(rng.sample(_DEGREES, rng.randint(1, 2)))
            if style.degrees and rng.random() < 0.5
            else "",
        )
    return list(people.values())


def _name(rng: Random, origin: str) -> str:
    fake = InventedWords(rng, origin)
    given, family = fake.one("given"), fake.one("family")
    if origin == "hu_HU":
        return f"{family} {given}"
    if origin in ("zh_CN", "ja_JP", "ko_KR"):
        return f"{family}{given}" if rng.random() < 0.6 else f"{family} {given}"
    chance = rng.random()
    if chance < 0.15 and origin.startswith("en"):
        return f"{given} {rng.choice('ABCDEFGHJKLMPRSTW')}. {family}"
    if chance < 0.2:
        return f"{given[0]}. {family}"
    if chance < 0.23:
        return f"{given} {family}-{fake.one('family')}"
    if chance < 0.26 and origin.startswith("en"):
        return f"{given} {family} {rng.choice(('Jr.', 'Sr.', 'III', 'II'))}"
    return f"{given} {family}"


def _role(rng: Random, words: dict[str, Any]) -> str:
    plain, heads, fields = words["roles"], words.get("heads", ()), words.get("fields", ())
    if not heads or rng.random() < 0.4:
        return str(rng.choice(plain))
    head, field = rng.choice(heads), rng.choice(fields)
    second, also = rng.choice(fields), rng.choice(plain)
    forms = (
        f"{head}, {field}",
        f"{head} of {field}",
        f"{field} {head}",
        f"{head} – {field}",
        f"{also} and {head}, {field}",
        f"{head} of {field} and {second}",
        f"{head}, {field} & {second}",
        f"Senior {head}, {field}",
        f"{also}, {rng.choice(plain)}",
    )
    return rng.choice(forms)


def _phone(rng: Random, fake: InventedWords) -> str:
    digits = "".join(str(rng.randint(0, 9)) for _ in range(7))
    area = rng.randint(201, 989)
    country = rng.choice((1, 44, 49, 33, 86, 91, 7, 30, 81, 92, 233, 886))
    first, last = digits[:3], digits[3:]
    forms = (
        f"({area}) {first}-{last}",
        f"{area}-{first}-{last}",
        f"{area}.{first}.{last}",
        f"+{country} {area % 90 + 10} {digits[:4]} {last}",
        f"+{country}-{area}-{digits}",
        f"(+{country}) {area} {digits}",
        f"+{country} ({area}) {first}-{last[:2]}-{last[2:]}",
        f"0{area} {first} {last}",
        f"0{area}/{digits}",
        f"+{country}.{area}.{digits[:5]}-{last}",
    )
    return rng.choice(forms)


def invent_contact(
    rng: Random, fake: InventedWords, words: dict[str, Any], firm: str
) -> tuple[list[tuple[str, str]], str]:
    lines = [line.strip() for line in fake.one("address").split(" / ") if line.strip()]
    address = " ".join(lines)
    phone, fax = _phone(rng, fake), _phone(rng, fake)
    email = f"info@{make_host(rng)}.example"
    tel_word, fax_word = rng.choice(words["phone"]), rng.choice(words["fax"])
    name = escape(firm) if rng.random() < 0.7 else ""
    printed = "<br>".join(map(escape, lines))
    if rng.random() < 0.4:
        rows = (("", printed), (tel_word, escape(phone)), (fax_word, escape(fax)), ("Email", email))
        cells = "".join(f"<tr><td>{escape(label)}</td><td>{value}</td></tr>" for label, value in rows)
        block = f"<p><b>{name}</b></p><table>{cells}</table>"
    elif rng.random() < 0.5:
        numbers = f"{escape(tel_word)} {escape(phone)}<br>{escape(fax_word)} {escape(fax)}"
        block = f"<p>{name}<br>{printed}<br>{numbers}<br>{email}</p>"
    else:
        numbers = f"{escape(tel_word)} {escape(phone)} | {escape(fax_word)} {escape(fax)}"
        block = f"<h3>{name}</h3><p>{printed}</p><p>{numbers}</p>"
    return [("address", address), ("phone", phone), ("fax", fax)], block


def invent_firm(rng: Random, fake: InventedWords) -> str:
    return fake.one("company") if rng.random() < 0.6 else f"{fake.one('city')} {rng.choice(_BODIES)}"


def invent_menu(rng: Random, words: dict[str, Any], fake: InventedWords) -> str:
    items = rng.sample(words["menu"], min(len(words["menu"]), rng.randint(4, 9)))
    if rng.random() < 0.3:
        items.append(fake.headline())
    inner = "".join(f'<li><a href="/{idx}">{escape(item)}</a></li>' for idx, item in enumerate(items))
    return f"<nav><ul>{inner}</ul></nav>" if rng.random() < 0.6 else f"<div><ul>{inner}</ul></div>"


def invent_news(rng: Random, fake: InventedWords) -> str:
    """News with headlines in capitals, companies and people who are quoted but are not officers."""
    lines = [fake.headline() for _ in range(3)]
    partners = [fake.one("company") for _ in range(rng.randint(0, 4))]
    quote = f"<blockquote><p>{escape(fake.paragraph(3))}</p></blockquote>"
    return (
        "".join(f"<h3>{escape(line)}</h3>" for line in lines)
        + quote
        + "".join(f"<li>{escape(one)}</li>" for one in partners)
    )


def print_foot(rng: Random, fake: InventedWords, firm: str) -> str:
    year = rng.randint(2003, 2024)
    form = rng.choice(
        (
            "© {year} {firm}. All rights reserved.",
            "Copyright © {firm} {year}",
            "© {firm}",
            "{firm} | Privacy | Terms of use",
        )
    )
    return f"<footer><p>{escape(form.format(year=year, firm=firm))}</p></footer>"
