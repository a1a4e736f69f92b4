"""The policies a crawl can go by, made from trained models."""

from portico.crawl.learned import ADAPTIVE, foresight
from portico.crawl.policy import Policy
from portico.learn.hashed_logistic import HashedLogistic

LEARNED = "learned"


def learned(model: HashedLogistic) -> Policy:
    """Our own: a trained model, corrected by what the crawl itself finds."""
    log_odds = foresight(model)
    return Policy(
        LEARNED,
        lambda links: log_odds([sighting for _page, sighting in links]),
        family_weight=ADAPTIVE.family_weight,
        trust=ADAPTIVE.trust,
    )
