"""Turns a portal's own crawl into site graphs for training a spider."""

from collections.abc import Sequence
from pathlib import Path

from portico.config.settings import WebSource
from portico.crawl.crawling import normalize_seeds
from portico.crawl.policies.training import (
    SiteExamples,
    SiteGraph,
    fit_spider,
    make_site_examples,
    map_site,
)
from portico.errors import ConfigError
from portico.files import write_model
from portico.learn.logistic import from_bytes
from portico.pipeline.opening import open_portal
from portico.pipeline.portal import Portal
from portico.pipeline.sources.harvest import MappedWeb
from portico.store.crawl.harvest import CrawlRequest
from portico.text.urls import get_host
from portico.types.page import PageView, Url


def train_portal_spiders(folders: Sequence[Path], others: Sequence[SiteExamples] = ()) -> list[Path]:
    """Train a spider on the crawls of portals and save it in each of them; return the paths.

    The crawls add to what the shipped model of their domain knows. With `others`, examples of
    mapped sites, the spider learns only from the crawls and these.
    """
    sites: list[SiteGraph] = []
    shipped: dict[Path, None] = {}
    paths: list[Path] = []
    for folder in folders:
        with open_portal(folder) as portal:
            sites += _sites(portal)
            shipped[portal.domain.models / portal.domain.spider] = None
            paths.append(portal.places.models / portal.domain.spider)
    if len(shipped) > 1:
        raise ConfigError("these portals collect different things; train one spider for each kind of portal")
    (model,) = shipped
    known = from_bytes(model.read_bytes()) if model.is_file() and not others else None
    body = fit_spider([*map(make_site_examples, sites), *others], known=known).to_bytes()
    for path in paths:
        write_model(path, body)  # a crawl that begins meanwhile reads the old one or the new
    return paths


def _sites(portal: Portal) -> tuple[SiteGraph, ...]:
    domain = portal.domain
    sources = [source for source in portal.settings.sources if isinstance(source, WebSource)]
    requests = portal.store.crawl.harvests.requests(domain.target_types)
    web = MappedWeb(requests, portal.store.blobs)
    return map_crawled_sites(requests, web, tuple(seed for source in sources for seed in source.seeds))


def map_crawled_sites(
    requests: list[CrawlRequest], web: MappedWeb, seeds: tuple[str, ...]
) -> tuple[SiteGraph, ...]:
    """Make one graph per seed: what can be reached from it without passing another seed's host."""
    starts = {get_host(url): url for url in reversed(normalize_seeds(seeds))}
    targets = [request.url for request in requests if request.is_target]
    asked = {request.url for request in requests}
    sites = []
    for host, start in sorted(starts.items()):
        elsewhere = starts.keys() - {host}

        def read(url: Url, elsewhere: frozenset[str] = frozenset(elsewhere)) -> PageView | None:
            page = web.look(url) if get_host(url) not in elsewhere else None
            return _within(page, asked) if page is not None else None

        sites.append(map_site(read, start, targets, name=host))
    found = tuple(site for site in sites if site.targets)
    if not found:
        raise ConfigError(
            "this crawl has found no documents yet, so there is nothing to learn from; "
            "run `portico crawl` first, or train from mapped sites with --data"
        )
    return found


def _within(page: PageView, asked: set[Url]) -> PageView:
    """Keep only those links of the page that the crawl followed: the value of others is unknown."""
    kept = tuple(sighting for sighting in page.sightings if sighting.link.target in asked)
    return PageView(page.url, page.title, page.headings, page.text, kept)
