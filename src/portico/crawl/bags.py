"""The papers' two neighborhoods of a link, as bags of words with a vocabulary of its own for each part."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from portico.crawl.neighborhood import PageView, Sighting
from portico.text.urls import path_of
from portico.text.words import tokens

_NO_LETTERS = re.compile(r"[^a-z]+")
_MAX_WORD = 30  # letters; what is longer is code or an address, and each is met once


@dataclass(frozen=True, slots=True)
class Neighborhood:
    """Which words belong to a link: those it shares with all links of its page, and its own.

    A link that stands on several pages has the words of all of them.
    """

    name: str
    of_page: Callable[[PageView], list[str]]
    of_link: Callable[[Sighting], list[str]]


def _page_text(page: PageView) -> list[str]:
    return _part("page", tokens(page.text))


def _anchor_and_address(sighting: Sighting) -> list[str]:
    words = [*tokens(sighting.link.anchor), *_address_words(sighting)]
    return _part("link", words)


def _title_and_headings(page: PageView) -> list[str]:
    return _part("head", tokens(f"{page.title} {page.headings}"))


def _anchor_address_and_near(sighting: Sighting) -> list[str]:
    return [
        *_part("link", tokens(sighting.link.anchor)),
        *_part("url", _address_words(sighting)),
        *_part("near", tokens(sighting.link.context)),
    ]


FULL_PAGE = Neighborhood("full-page", _page_text, _anchor_and_address)
RELATED = Neighborhood("related", _title_and_headings, _anchor_address_and_near)
NEIGHBORHOODS = (FULL_PAGE, RELATED)


def _address_words(sighting: Sighting) -> list[str]:
    """Names of folders and of the file, its ending included."""
    return _NO_LETTERS.sub(" ", path_of(sighting.link.target).lower()).split()


def _part(name: str, words: Iterable[str]) -> list[str]:
    return [f"{word} ({name})" for word in words if len(word) <= _MAX_WORD]
