"""Chooses the spider of a portal: its own model, or the one shipped with the domain."""

from portico.crawl.crawling import LinkOrder
from portico.crawl.paths.learning import PathModel
from portico.crawl.paths.scoring import make_path_policy
from portico.crawl.policies.trained import LEARNED, make_bayes_policy, make_learned_policy
from portico.errors import ConfigError
from portico.learn import binned_bayes
from portico.learn.binned_bayes import WordValue
from portico.learn.logistic import HashedLogistic, from_bytes, make_untrained
from portico.pipeline.portal import Portal
from portico.pipeline.sources.path_models import PATHS, find_paths_file


def load_spider(portal: Portal) -> HashedLogistic:
    """Load the model that predicts what links yield; ConfigError if its file is damaged."""
    domain = portal.domain
    own = portal.places.models / domain.spider
    path = own if own.is_file() else domain.models / domain.spider
    if not path.is_file():
        return make_untrained()  # in a declared domain the crawl itself teaches which links are worth it
    try:
        return from_bytes(path.read_bytes())
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error


def make_link_order(portal: Portal) -> LinkOrder:
    """Make the object that orders the links of a crawl that is not breadth-first."""
    name = portal.settings.spider.policy
    if name == PATHS:
        ways = make_path_policy(load_path_model(portal), worth=portal.settings.spider.worth)
        return LinkOrder(ways, portal.store.crawl.link_ranks, portal.store.crawl.prefixes)
    policy = (
        make_learned_policy(load_spider(portal))
        if name == LEARNED
        else make_bayes_policy(name, load_bayes_spider(portal, name))
    )
    return LinkOrder(policy, portal.store.crawl.link_ranks)


def load_path_model(portal: Portal) -> PathModel:
    """Load the path model; ConfigError if there is none or its file is damaged."""
    return PathModel.load(find_paths_file(portal))


def load_bayes_spider(portal: Portal, policy: str) -> WordValue:
    """Load the model of a published spider, the portal's own or the domain's; ConfigError if missing."""
    domain = portal.domain
    own = portal.places.models / f"spider-{policy}.npz"
    path = own if own.is_file() else domain.models / own.name
    if not path.is_file():
        raise ConfigError(
            f'policy = "{policy}": no such model ships with the domain "{domain.name}". Train one with '
            f"`portico train spider --policy {policy} --data FOLDER --out {own}`, where FOLDER holds mapped "
            f'sites, or write policy = "{LEARNED}" under [spider] in portal.toml'
        )
    try:
        return binned_bayes.from_bytes(path.read_bytes())
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error
