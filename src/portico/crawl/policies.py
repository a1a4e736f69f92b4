"""The policies a crawl can go by, made from trained models."""

from collections.abc import Sequence
from operator import add

from portico.crawl.bags import RELATED
from portico.crawl.learned import ADAPTIVE, foresight
from portico.crawl.policy import Policy
from portico.learn.hashed_logistic import HashedLogistic
from portico.learn.word_value import WordValue
from portico.types.page import PageView, Sighting

LEARNED = "learned"
BAYES = ("immediate", "future")


def learned(model: HashedLogistic) -> Policy:
    """Our own: a trained model, corrected by what the crawl itself finds."""
    log_odds = foresight(model)
    return Policy(
        LEARNED,
        lambda links: log_odds([sighting for _page, sighting in links]),
        family_weight=ADAPTIVE.family_weight,
        trust=ADAPTIVE.trust,
        reads_headings=False,
    )


def bayes(name: str, model: WordValue) -> Policy:
    """The papers': naive Bayes over bins of future reward by *related* words; it does not learn on its way.

    A link has the words of the page it was first found on: the papers pool those of all pages that show it.
    """

    def foresee(links: Sequence[tuple[PageView, Sighting]]) -> list[float]:
        pages = {id(page): page for page, _ in links}
        of_pages = {key: model.likelihood(RELATED.of_page(page)) for key, page in pages.items()}
        return [
            model.rank(list(map(add, of_pages[id(page)], model.likelihood(RELATED.of_link(sighting)))))
            for page, sighting in links
        ]

    return Policy(name, foresee)
