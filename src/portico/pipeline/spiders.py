"""The spider of a portal: its own model, or the one that ships with the domain."""

from portico.crawl.crawling import Guide
from portico.crawl.policies import learned
from portico.domains.registry import domain_named
from portico.errors import ConfigError
from portico.learn.hashed_logistic import HashedLogistic, from_bytes
from portico.pipeline.portal import Portal


def portal_spider(portal: Portal) -> HashedLogistic:
    """The model that foresees what links bring; ConfigError where its file is damaged."""
    domain = domain_named(portal.settings.portal.domain)
    own = portal.places.models / domain.spider
    path = own if own.is_file() else domain.models / domain.spider
    try:
        return from_bytes(path.read_bytes())
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error


def crawl_guide(portal: Portal) -> Guide:
    """Who orders the links of a crawl that is not breadth-first."""
    return Guide(learned(portal_spider(portal)), portal.store.ranks)
