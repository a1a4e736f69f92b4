"""The policies a crawl can go by, made from trained models."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import add

from portico.crawl.policies.learned_spider import ADAPTIVE, make_link_scorer
from portico.crawl.policies.policy import Policy
from portico.learn.binned_bayes import WordValue
from portico.learn.logistic import HashedLogistic
from portico.text.urls import get_path
from portico.text.words import split_tokens
from portico.types.page import PageLink, PageView

_NO_LETTERS = re.compile(r"[^a-z]+")
_MAX_WORD = 30  # letters; what is longer is code or an address, and each is met once


@dataclass(frozen=True, slots=True)
class LinkWords:
    """Which words belong to a link: those it shares with all links of its page, and its own.

    A link that stands on several pages has the words of all of them.
    """

    name: str
    of_page: Callable[[PageView], list[str]]
    of_link: Callable[[PageLink], list[str]]


def _page_text(page: PageView) -> list[str]:
    return _part("page", split_tokens(page.text))


def _anchor_and_address(sighting: PageLink) -> list[str]:
    words = [*split_tokens(sighting.link.anchor), *_address_words(sighting)]
    return _part("link", words)


def _title_and_headings(page: PageView) -> list[str]:
    return _part("head", split_tokens(f"{page.title} {page.headings}"))


def _anchor_address_and_near(sighting: PageLink) -> list[str]:
    return [
        *_part("link", split_tokens(sighting.link.anchor)),
        *_part("url", _address_words(sighting)),
        *_part("near", split_tokens(sighting.link.context)),
    ]


FULL_PAGE = LinkWords("full-page", _page_text, _anchor_and_address)
RELATED = LinkWords("related", _title_and_headings, _anchor_address_and_near)
NEIGHBORHOODS = (FULL_PAGE, RELATED)


def _address_words(sighting: PageLink) -> list[str]:
    """Names of folders and of the file, its ending included."""
    return _NO_LETTERS.sub(" ", get_path(sighting.link.target).lower()).split()


def _part(name: str, words: Iterable[str]) -> list[str]:
    return [f"{word} ({name})" for word in words if len(word) <= _MAX_WORD]


LEARNED = "learned"
BAYES = ("immediate", "future")


def make_learned_policy(model: HashedLogistic) -> Policy:
    """Our own: a trained model, corrected by what the crawl itself finds."""
    log_odds = make_link_scorer(model)
    return Policy(
        LEARNED,
        lambda links: log_odds([sighting for _page, sighting in links]),
        family_weight=ADAPTIVE.family_weight,
        trust=ADAPTIVE.trust,
        reads_headings=False,
    )


def make_bayes_policy(name: str, model: WordValue) -> Policy:
    """The papers': naive Bayes over bins of future reward by *related* words; it does not learn on its way.

    A link has the words of the page it was first found on: the papers pool those of all pages that show it.
    """

    def score_links(links: Sequence[tuple[PageView, PageLink]]) -> list[float]:
        pages = {id(page): page for page, _ in links}
        of_pages = {key: model.likelihood(RELATED.of_page(page)) for key, page in pages.items()}
        return [
            model.rank(list(map(add, of_pages[id(page)], model.likelihood(RELATED.of_link(sighting)))))
            for page, sighting in links
        ]

    return Policy(name, score_links)
