"""Generates sites of organisations as a spider sees them: pages about officers, contact pages, and others.

Their titles are in many languages, and few of their URLs say what they are about; a dozen real sites are
mostly English and have descriptive URLs.
"""

import re
from collections.abc import Iterator, Sequence
from html import escape
from random import Random
from typing import Any

from portico.crawl.links import view_page
from portico.domains.organisations.page_words import PAGE_WORDS
from portico.lab.datasets.invented_layouts import PageStyle, print_people
from portico.lab.datasets.invented_officers import (
    LANGUAGES,
    invent_contact,
    invent_firm,
    invent_menu,
    invent_news,
    invent_people,
    print_foot,
)
from portico.lab.datasets.invented_words import InventedWords, load_page_words, make_host
from portico.types.page import PageView, Url

_OFFICERS, _CONTACT = (frozenset(words) for _, words in PAGE_WORDS)
_N_OTHERS = 6
_TELLING = sorted(word for word in _OFFICERS | _CONTACT if " " not in word)
# Share of the other pages that have a word of officers' or contact pages in their titles.
_LIKE_SOUGHT = 0.35
# Share of the URLs that describe their page.
_TELLING_ADDRESS = 0.4
_SLUG = re.compile(r"[^a-z0-9]+")


def invent_known_pages(n_sites: int, seed: int = 23) -> tuple[tuple[PageView, str], ...]:
    """Random pages with their kinds ("" for other pages); the same for the same seed."""
    return tuple(page for number in range(n_sites) for page in _invent_site(Random(f"{seed}/{number}")))


def _invent_site(rng: Random) -> Iterator[tuple[PageView, str]]:
    language = rng.choice(LANGUAGES)
    fake, words = InventedWords(rng, language), load_page_words(language[:2])
    firm, host = invent_firm(rng, fake), f"www.{make_host(rng)}.example"
    menu = invent_menu(rng, words, fake)
    folded = [(title, title.casefold()) for title in dict.fromkeys((*words["titles"], *words["menu"]))]
    others = [title for title, word in folded if word not in _OFFICERS | _CONTACT]
    for kind, known in (("officers", _OFFICERS), ("contact", _CONTACT)):
        titles = [title for title, word in folded if word in known] or [kind.title()]
        title = rng.choice(titles)
        style = PageStyle(rng, words, fake)
        if kind == "officers":
            body = print_people(rng, words, style, invent_people(rng, language, words, style))
        else:
            body = invent_contact(rng, fake, words, firm)[1]
        yield (
            _view(
                rng, host, (title, firm), (menu, _print_prose(rng, fake), body, print_foot(rng, fake, firm))
            ),
            kind,
        )
    for drawn in rng.sample(others, min(_N_OTHERS, len(others))):
        title = drawn
        if rng.random() < _LIKE_SOUGHT:  # "Waste Management", "Team Building": no officers
            told = [rng.choice(_TELLING), *fake.headline().split()[:2]]
            title = " ".join(rng.sample(told, len(told)))
        parts = (menu, *_print_other(rng, fake, words, firm), print_foot(rng, fake, firm))
        yield _view(rng, host, (title, firm), parts), ""


def _print_prose(rng: Random, fake: InventedWords) -> str:
    return f"<p>{escape(fake.paragraph(rng.randint(1, 4)))}</p>" if rng.random() < 0.6 else ""


def _print_other(rng: Random, fake: InventedWords, words: dict[str, Any], firm: str) -> Iterator[str]:
    """Content of other pages: news, prose, a quotation with a name, a list of products."""
    for _ in range(rng.randint(1, 4)):
        yield f"<p>{escape(fake.paragraph(rng.randint(2, 8)))}</p>"
    if rng.random() < 0.5:
        yield invent_news(rng, fake)
    if rng.random() < 0.4:
        name = f"{fake.one('given')} {fake.one('family')}"
        said = f"{fake.paragraph(2)} {name}, {rng.choice(words['roles'])}"
        yield f"<blockquote>{escape(said)}</blockquote>"
    if rng.random() < 0.4:
        cells = "".join(
            f"<tr><td>{escape(fake.headline())}<td>{rng.randint(10, 9999)}" for _ in range(rng.randint(3, 12))
        )
        yield f"<table>{cells}</table>"
    if rng.random() < 0.3:
        yield invent_contact(rng, fake, words, firm)[1]


def _view(rng: Random, host: str, named: tuple[str, str], parts: Sequence[str]) -> PageView:
    title, firm = named
    slug = _SLUG.sub("-", title.lower()).strip("-")
    neutral = rng.choice(("page-{n}.html", "node/{n}", "index.php?id={n}", "{n}.htm", "content/{n}/"))
    path = (
        f"{slug}.html" if slug and rng.random() < _TELLING_ADDRESS else neutral.format(n=rng.randint(2, 99))
    )
    folder = rng.choice(("", "", "about/", "en/", "club/"))
    head = rng.choice((f"{title} | {firm}", f"{firm} - {title}", title, firm))
    tag = rng.choice(("h1", "h1", "h2", "h3"))
    body = "".join((parts[0], f"<{tag}>{escape(title)}</{tag}>", *parts[1:]))
    html = f"<html><head><title>{escape(head)}</title></head><body>{body}</body></html>"
    return view_page(html, Url(f"http://{host}/{folder}{path}"))
