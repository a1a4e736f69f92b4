"""A gallery of invented sites of organisations in many different layouts and languages, with their true
values.

No model is trained on it. Only the first half of the layouts was looked at while rules were written.
"""

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path
from random import Random
from typing import Any

from portico.convert.converter import Converter
from portico.lab.datasets.organisations import TrueOfficer, TruePage
from portico.types.document import DocumentId


@dataclass(frozen=True, slots=True)
class GalleryPerson:
    """A person on a page, with everything that a layout may print about them."""

    given: str
    family: str
    role: str
    title: str
    degree: str
    phone: str
    second_phone: str
    fax: str
    mail: str
    language: str

    @property
    def name(self) -> str:
        """The name as written in the language, without titles and degrees."""
        if self.language in ("ja", "zh", "ko"):
            return f"{self.family}{self.given}"
        if self.language in ("ru", "hu"):
            return f"{self.family} {self.given}"
        return f"{self.given} {self.family}"

    @property
    def reversed_name(self) -> str:
        return (
            self.name if self.language in ("ja", "zh", "ko", "ru", "hu") else f"{self.family}, {self.given}"
        )

    @property
    def titled(self) -> str:
        """The name with any title before and degrees after it."""
        return f"{self.title} {self.name}".strip() + (f", {self.degree}" if self.degree else "")


@dataclass(slots=True)
class GallerySite:
    """The content of one page; layouts record what they print of it."""

    rng: Random
    language: str
    words: Mapping[str, Any]
    firm: str
    people: tuple[GalleryPerson, ...]
    address: tuple[str, ...]
    phone: str
    fax: str
    mail: str
    officers: list[TrueOfficer] = field(default_factory=list)
    contacts: list[tuple[str, str]] = field(default_factory=list)

    def say(self, name: str) -> str:
        """A word of the page in the site's language, chosen at random if there are several."""
        word = self.words[name]
        return escape(word if isinstance(word, str) else self.rng.choice(word))

    def tell(self, person: GalleryPerson, *, role: str | None = None, phones: Sequence[str] = ()) -> None:
        """Record that a layout prints a person, with these telephone numbers."""
        self.officers.append(TrueOfficer(person.name, person.role if role is None else role))
        self.contacts += [("phone", phone) for phone in phones]

    def tell_contact(self, *, phone: bool = True, fax: bool = False, address: bool = True) -> None:
        """Record that a layout prints the organisation's contact data."""
        if address:
            self.contacts.append(("address", " ".join(self.address)))
        self.contacts += [("phone", self.phone)] * phone + [("fax", self.fax)] * fax


Layout = Callable[[GallerySite], str]


def invent_gallery(layouts: Mapping[str, Layout], *, n_pages: int, seed: int) -> tuple[TruePage, ...]:
    """`n_pages` pages in each layout, in random languages; the same for the same seed."""
    with Converter() as convert:
        return tuple(
            _convert(convert, name, layout, number, seed)
            for name, layout in layouts.items()
            for number in range(n_pages)
        )


def _convert(convert: Converter, name: str, layout: Layout, number: int, seed: int) -> TruePage:
    html, site = print_gallery_page(name, layout, number, seed)
    path = f"/{name}-{number}.html"
    document = convert.page(html.encode(), media_type="text/html", name=path, document_id=DocumentId(path))
    contacts = tuple(dict.fromkeys([("organisation", site.firm), *site.contacts]))
    return TruePage(name, path, document, tuple(site.officers), contacts)


def print_gallery_page(name: str, layout: Layout, number: int, seed: int) -> tuple[str, GallerySite]:
    rng = Random(f"{name}/{seed}/{number}")
    site = _invent_site(rng)
    body = layout(site)
    return _print_frame(site, body), site


@cache
def load_gallery_words() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads(Path(__file__).with_name("gallery_words.toml").read_text("utf-8"))


_LANGUAGES = (*("en",) * 10, *("de",) * 3, *("fr", "es", "it") * 2, "pt", "nl", "ru", "el", "ja", "zh")
_FEWEST, _MOST = 3, 9


def _invent_site(rng: Random) -> GallerySite:
    language = rng.choice(_LANGUAGES)
    words = load_gallery_words()[language]
    host = f"{rng.choice(('meadow', 'alder', 'quill', 'ferry', 'cobalt'))}{rng.randint(2, 99)}.example"
    n_people = rng.randint(_FEWEST, min(_MOST, len(words["family"]), len(words["given"])))
    titled, degreed = rng.random() < 0.4, rng.random() < 0.4
    roles = rng.sample(words["roles"], min(n_people, len(words["roles"])))
    people = tuple(
        GalleryPerson(
            given=given,
            family=family,
            role=roles[idx % len(roles)],
            title=rng.choice(words["titles"]) if titled and words["titles"] and rng.random() < 0.7 else "",
            degree=rng.choice(words["degrees"])
            if degreed and words["degrees"] and rng.random() < 0.5
            else "",
            phone=invent_phone(rng, words),
            second_phone=invent_phone(rng, words),
            fax=invent_phone(rng, words),
            mail=f"{rng.choice('abcdefgh')}.{rng.choice(('stone', 'reed', 'lake', 'hill'))}{idx}@{host}",
            language=language,
        )
        for idx, (given, family) in enumerate(
            zip(rng.sample(words["given"], n_people), rng.sample(words["family"], n_people), strict=True)
        )
    )
    digits = {name: str(rng.randint(*span)) for name, span in _DIGITS.items()}
    address = tuple(_fill(line, digits) for line in rng.choice(words["address"]))
    return GallerySite(
        rng=rng,
        language=language,
        words=words,
        firm=rng.choice(words["firms"]),
        people=people,
        address=address,
        phone=invent_phone(rng, words),
        fax=invent_phone(rng, words),
        mail=f"office@{host}",
    )


_DIGITS = {
    "n": (2, 189),
    "p": (1000, 9999),
    "q": (100, 999),
    "s": (1, 9),
    "t": (1, 9),
    "a": (210, 989),
    "b": (10, 99),
    "d": (1000, 9899),
}


def _fill(form: str, digits: Mapping[str, str]) -> str:
    return form.format(**digits)


def invent_phone(rng: Random, words: Mapping[str, Any]) -> str:
    """A random telephone number in one of the language's formats."""
    out = rng.choice(words["phone"])
    while "{" in out:
        start = out.index("{")
        out = f"{out[:start]}{rng.randint(*_DIGITS[out[start + 1]])}{out[start + 3 :]}"
    return str(out)


def _print_frame(site: GallerySite, body: str) -> str:
    """The page around a layout: title, menu, news and footer, most of which contain the organisation's
    name.
    """
    rng, firm = site.rng, escape(site.firm)
    head = site.say("heads")
    title = rng.choice((f"{head} – {firm}", f"{firm} | {head}", f"{head} :: {firm}", firm))
    data = ""
    if rng.random() < 0.25:
        told = {"@context": "https://schema.org", "@type": "Organization", "name": site.firm}
        data = f'<script type="application/ld+json">{json.dumps(told, ensure_ascii=False)}</script>'
    brand = rng.choice(
        (
            f'<a class="navbar-brand" href="/">{firm}</a>',
            f'<a href="/"><img src="/logo.png" alt="{firm}"></a>',
            f'<div id="logo"><a href="/"><span>{firm}</span></a></div>',
        )
    )
    items = "".join(
        f'<li><a href="/{idx}.html">{escape(word)}</a></li>' for idx, word in enumerate(site.words["menu"])
    )
    menu = rng.choice(
        (
            f"<nav>{brand}<ul>{items}</ul></nav>",
            f'<header>{brand}<div class="menu"><ul>{items}</ul></div></header>',
        )
    )
    heading = f"<h1>{head}</h1>" if rng.random() < 0.8 else f"<h2>{head}</h2>"
    prose = f"<p>{site.say('prose')}</p>" if rng.random() < 0.5 else ""
    aside = ""
    if rng.random() < 0.3:
        news = "".join(
            f'<li><a href="/n{idx}">{escape(line)}</a> '
            f"<small>{rng.randint(1, 28)}.0{rng.randint(1, 9)}.2023</small></li>"
            for idx, line in enumerate(site.words["prose"])
        )
        aside = f"<aside><h3>{escape(site.words['menu'][2])}</h3><ul>{news}</ul></aside>"
    year = rng.randint(2011, 2025)
    foot = rng.choice(
        (
            f"© {year} {firm}",
            f"Copyright {year} {firm}. All rights reserved.",
            f"&copy; {firm}, {year}",
            f"{firm}",
        )
    )
    return (
        f'<!DOCTYPE html><html lang="{site.language}"><head><meta charset="utf-8">'
        f"<title>{title}</title>{data}</head>"
        f"<body>{menu}<main>{heading}{prose}{body}</main>{aside}<footer><p>{foot}</p></footer></body></html>"
    )


def list_people(site: GallerySite) -> Iterator[GalleryPerson]:
    """The people, each recorded as printed with their role."""
    for person in site.people:
        site.tell(person)
        yield person
