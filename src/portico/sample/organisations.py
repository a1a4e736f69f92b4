"""Generates a web of invented organisations: their leadership, contact details, and the ground truth."""

import json
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib import resources
from pathlib import Path
from random import Random

from portico.sample.generate import PLAIN_RULES, SampleWeb, write_folder_once
from portico.sample.people import load_names, to_ascii_letters
from portico.types.lesson import KnownWebPage

# Increment with every change to the output, otherwise old folders would pass for new ones.
GENERATOR_VERSION = 1
N_SITES = 12
_FEWEST_OFFICERS, _MOST_OFFICERS = 4, 9


@dataclass(frozen=True, slots=True)
class Officer:
    """An officer of an organisation, as printed on its page."""

    name: str
    role: str
    email: str  # "" if the page prints none


@dataclass(frozen=True, slots=True)
class Organisation:
    """One organisation's site and the ground truth about it."""

    host: str
    name: str
    place: str
    address: str
    phone: str
    email: str
    officers: tuple[Officer, ...]
    layout: str


def write_sample_organisations(folder: Path, *, seed: int = 7, n_sites: int = N_SITES) -> SampleWeb:
    """Write the web all at once or not at all. Does nothing if the folder already holds the same web."""
    organisations = invent_organisations(seed, n_sites)
    hosts = tuple(each.host for each in organisations)

    def fill(scratch: Path) -> None:
        for each in organisations:
            for path, page in _pages(each, seed):
                file = scratch / "sites" / each.host / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(page, encoding="utf-8")
        (scratch / "rules.json").write_text(json.dumps(dict(PLAIN_RULES)), "utf-8")
        (scratch / "truth.jsonl").write_text("\n".join(_truth(organisations)) + "\n", "utf-8")

    write_folder_once(folder, {"organisations": GENERATOR_VERSION, "seed": seed, "n_sites": n_sites}, fill)
    return SampleWeb(folder, hosts, tuple(f"http://{host}/" for host in hosts))


def print_known_pages(*, seed: int = 7, n_sites: int = N_SITES) -> Iterator[KnownWebPage]:
    """The pages that name officers and addresses, with the fields that should be read from them."""
    for each in invent_organisations(seed, n_sites):
        pages = dict(_pages(each, seed))
        board = name_board_file(each)
        officers: dict[str, list[str]] = {"name": [], "role": [], "phone": []}
        for officer in each.officers:
            officers["name"].append(officer.name)
            officers["role"].append(officer.role)
        values = {label: tuple(found) for label, found in officers.items()}
        yield KnownWebPage(f"http://{each.host}/{board}", pages[board], values)
        reached = {"name": (), "role": (), "email": (each.email,)}
        yield KnownWebPage(f"http://{each.host}/contact.html", pages["contact.html"], reached)


def invent_organisations(seed: int, n_sites: int) -> tuple[Organisation, ...]:
    """Invented organisations, the same for the same seed."""
    rng, words = Random(seed), _words()
    trades = rng.sample(words["trades"], min(n_sites, len(words["trades"])))
    towns = rng.sample(words["towns"], len(trades))
    layouts = list(LAYOUTS)
    names = load_names()
    pairs = [(given, surname) for given in names["given"] for surname in names["surnames"]]
    people = iter(rng.sample(pairs, len(trades) * _MOST_OFFICERS))
    return tuple(
        _organisation(rng, trade, town, layouts[number % len(layouts)], people)
        for number, (trade, town) in enumerate(zip(trades, towns, strict=True))
    )


def _organisation(
    rng: Random, trade: Sequence[str], town: str, layout: str, people: Iterator[tuple[str, str]]
) -> Organisation:
    words = _words()
    host = f"www.{town.lower()}-{trade[1]}.example"
    n_officers = rng.randint(_FEWEST_OFFICERS, _MOST_OFFICERS)
    roles = [rng.choice(words["heads"]), *rng.sample(words["roles"], n_officers - 1)]
    officers = tuple(_officer(rng, next(people), role, host, layout) for role in roles)
    street, state = rng.choice(words["streets"]), rng.choice(words["states"])
    return Organisation(
        host=host,
        name=f"{town} {trade[0]}",
        place=f"{town}, {state}",
        address=f"{rng.randint(1, 180)} {street}, {town}, {state} {rng.randint(10000, 49999)}",
        phone=f"({rng.randint(210, 990)}) 555-01{rng.randint(10, 99)}",  # numbers reserved for fiction
        email=f"office@{host.removeprefix('www.')}",
        officers=officers,
        layout=layout,
    )


def _officer(rng: Random, person: tuple[str, str], role: str, host: str, layout: str) -> Officer:
    given, surname = person
    middle = f" {rng.choice('ABCDEFGHJKLMNPRST')}." if rng.random() < 0.2 else ""
    mailbox = f"{to_ascii_letters(given[:1])}.{to_ascii_letters(surname)}@{host.removeprefix('www.')}".lower()
    return Officer(f"{given}{middle} {surname}", role, mailbox if layout in _WITH_EMAIL else "")


def _pages(each: Organisation, seed: int) -> Iterator[tuple[str, str]]:
    """All pages of the site. The relevant ones are two or three links away, among irrelevant ones."""
    rng, words = Random(f"{seed}/{each.host}"), _words()
    prose = [sentence.format(town=each.place.partition(",")[0]) for sentence in words["prose"]]
    menu = (
        ("index.html", "Home"),
        ("about.html", "About us"),
        ("news.html", "News"),
        ("contact.html", "Contact us"),
    )

    def page(title: str, body: str) -> str:
        bar = " | ".join(f'<a href="{address}">{escape(name)}</a>' for address, name in menu)
        return (
            f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)} - '
            f"{escape(each.name)}</title></head>\n<body>\n<div>{bar}</div>\n<h1>{escape(title)}</h1>\n{body}\n"
            f"<hr><p>&copy; {escape(each.name)}</p>\n</body></html>\n"
        )

    rng.shuffle(prose)
    yield (
        "index.html",
        page(f"Welcome to {each.name}", "".join(f"<p>{escape(line)}</p>\n" for line in prose[:2])),
    )
    people = (
        f'<p>Read about our <a href="{name_board_file(each)}">{escape(_TITLES[each.layout])}</a>, '
        'or about <a href="history.html">our history</a>.</p>'
    )
    yield "about.html", page("About us", f"<p>{escape(prose[2])}</p>\n{people}")
    yield "history.html", page("Our history", f"<p>{escape(prose[3])}</p>\n<p>{escape(prose[0])}</p>")
    yield (
        "news.html",
        page("News", "".join(f"<h3>{escape(line)}</h3>\n" for line in rng.sample(words["news"], 4))),
    )
    yield name_board_file(each), page(_TITLES[each.layout], LAYOUTS[each.layout](each.officers))
    yield "contact.html", page("Contact us", _contact(each))


def _contact(each: Organisation) -> str:
    street, _, town = each.address.partition(", ")
    lines = "<br>\n".join(map(escape, (each.name, street, town)))
    return (
        f"<p>Write to us, or call between nine and five.</p>\n<p>{lines}</p>\n"
        f"<p>Telephone: {escape(each.phone)}<br>\n"
        f'Email: <a href="mailto:{each.email}">{escape(each.email)}</a></p>'
    )


def _table(officers: Sequence[Officer]) -> str:
    rows = "".join(
        f"<tr><td>{escape(each.name)}</td><td>{escape(each.role)}</td></tr>\n" for each in officers
    )
    return f"<table>\n<tr><th>Name</th><th>Position</th></tr>\n{rows}</table>"


def _headings(officers: Sequence[Officer]) -> str:
    return "\n".join(
        f"<h3>{escape(each.name)}</h3>\n<p>{escape(each.role)}<br>\n"
        f'<a href="mailto:{each.email}">{escape(each.email)}</a></p>'
        for each in officers
    )


def _bullets(officers: Sequence[Officer]) -> str:
    items = "".join(f"<li>{escape(each.name)}, {escape(each.role)}</li>\n" for each in officers)
    return f"<ul>\n{items}</ul>"


def _definitions(officers: Sequence[Officer]) -> str:
    items = "".join(f"<dt>{escape(each.role)}</dt>\n<dd>{escape(each.name)}</dd>\n" for each in officers)
    return f"<dl>\n{items}</dl>"


LAYOUTS: dict[str, Callable[[Sequence[Officer]], str]] = {
    "table": _table,
    "headings": _headings,
    "bullets": _bullets,
    "definitions": _definitions,
}
"""Layouts in which sites list their officers."""

_TITLES = {
    "table": "Board of Directors",
    "headings": "Management Team",
    "bullets": "Board of Directors",
    "definitions": "Management Team",
}
_WITH_EMAIL = frozenset({"headings"})


def name_board_file(each: Organisation) -> str:
    """The file name of the page that lists the officers."""
    return f"{_TITLES[each.layout].lower().replace(' ', '-')}.html"


def _truth(organisations: Sequence[Organisation]) -> Iterator[str]:
    """One line per organisation and one per officer, in the format of `portico export jsonl`."""
    for each in organisations:
        site = each.host.removeprefix("www.")
        values = {"name": each.name, "address": each.address, "place": each.place, "phone": each.phone}
        yield _line("organisation", f"http://{each.host}/contact.html", site, values | {"email": each.email})
        for officer in each.officers:
            told = {"name": officer.name, "role": officer.role, "email": officer.email}
            yield _line("officer", f"http://{each.host}/{name_board_file(each)}", site, told)


def _line(kind: str, source: str, site: str, values: dict[str, str]) -> str:
    fields = {name: [value] for name, value in values.items() if value} | {"site": [site]}
    return json.dumps({"kind": kind, "source": source, "fields": fields}, ensure_ascii=False)


@cache
def _words() -> dict[str, list[str]]:
    text = resources.files("portico.sample").joinpath("organisations.toml").read_text("utf-8")
    return tomllib.loads(text)
