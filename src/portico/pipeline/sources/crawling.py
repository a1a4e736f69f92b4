"""Stage 1 on the web: crawls from the seeds within the builder's limits."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace

from portico.config.settings import MEGABYTE, Settings, WebSource
from portico.crawl.crawling import CrawlSummary, Judge, LinkOrder, crawl, normalize_seeds
from portico.crawl.options import Budget, CrawlOptions, FetchOptions, Politeness, Scope, TrapLimits
from portico.crawl.tally import CrawlProgress
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageProgress, StageReport
from portico.pipeline.runners import BuildRun, fingerprint
from portico.pipeline.sources.harvest import MappedWeb, measure_harvest
from portico.pipeline.sources.path_models import identify_policy
from portico.pipeline.sources.recognizing import load_recognizer, make_document_judge, note_recognizer
from portico.store.crawl.harvest import Harvest
from portico.types.correction import ProposalStatus
from portico.types.domain import Domain
from portico.types.stages import StageName

STAGE = StageName.CRAWL
BREADTH_FIRST = "breadth-first"

_POLICY = "crawl.policy"
_FETCHING = "crawl.fetching"
_SHOWN_URL = 40  # characters of the address of the next link

# A response that expands to more than this many times the size limit is a bomb.
EXPANSION = 4


def run_crawl(portal: Portal, run: BuildRun) -> StageReport:
    """Start or resume the crawl; does nothing in a portal without web sources."""
    sources, papers = list_web_sources(portal), list_submitted_papers(portal)
    if not sources and not papers:
        return StageReport(STAGE)
    seeds = [*papers, *(seed for source in sources for seed in source.seeds)]
    domain = portal.domain
    recognize = load_recognizer(portal)
    options = replace(
        make_crawl_options(portal.settings, sources, papers),
        target_types=domain.target_types,
        recognize=recognize,
    )
    frontier = portal.store.crawl.frontier
    _retry_seeds(portal, seeds)
    before = frontier.counts(())
    if recognize is not None and not before.n_pages:
        note_recognizer(portal, recognize)
    judge = make_document_judge(portal)
    guide, claims = defer_link_order(portal, judge), portal.store.crawl.claims
    if not before.n_queued and before.n_done:
        # Nothing is waiting: a progress bar that ends at once would only distract.
        return _make_report(
            crawl(seeds, frontier=frontier, options=options, guide=guide, claims=claims), before.n_pages
        )
    _note_policy(portal)
    started = run.clock()
    with run.progress.stage(STAGE, None) as meter, closing(judge) if judge else nullcontext():
        summary = crawl(
            seeds,
            frontier=frontier,
            options=options,
            guide=guide,
            claims=claims,
            progress=_CrawlMeter(meter, run.keep_seals),
        )
        meter.status("comparing with breadth-first")
        harvest = keep_harvest(portal, seeds, domain)
        meter.status(f"{harvest.n_targets} documents in {harvest.n_requests} requests")
    # The duration shown by the bar includes the comparison; the report must not differ from it.
    return replace(_make_report(summary, before.n_pages), seconds=run.clock() - started)


def _retry_seeds(portal: Portal, seeds: Sequence[str]) -> None:
    """Requests failed seeds again if the fetch settings have changed."""
    settings = fingerprint(portal.settings.fetch)
    before = portal.store.meta.get(_FETCHING)
    if before == settings:
        return
    if before is not None:
        portal.store.crawl.frontier.requeue_failed(normalize_seeds(seeds))
    portal.store.meta.set(_FETCHING, settings)


def _note_policy(portal: Portal) -> None:
    """Forget the ranks of waiting links after a change of policy or model, so that they are ranked again."""
    policy = identify_policy(portal)
    if portal.store.meta.get(_POLICY) != policy:
        portal.store.crawl.link_ranks.forget()
        portal.store.crawl.prefixes.forget()
        portal.store.meta.set(_POLICY, policy)


def keep_harvest(portal: Portal, seeds: Iterable[str], domain: Domain) -> Harvest:
    """Store the harvest curve, and what breadth-first search would have found."""
    store = portal.store
    requests = store.crawl.harvests.requests(domain.target_types)
    harvest = measure_harvest(requests, normalize_seeds(seeds), MappedWeb(requests, store.blobs))
    store.crawl.harvests.put(harvest)
    return harvest


def defer_link_order(portal: Portal, judge: Judge | None = None) -> Callable[[], LinkOrder] | None:
    """Return a function that makes the link order on first use; None for breadth-first crawls.

    `judge` decides which of the documents found are of the kind that the portal collects.
    """
    if portal.settings.spider.policy == BREADTH_FIRST:
        return None

    def guide() -> LinkOrder:
        # Imported here: arrays take half a second to load, which a run without work need not spend.
        from portico.pipeline.sources.link_order import make_link_order

        return replace(make_link_order(portal), judge=judge)

    return guide


def list_web_sources(portal: Portal) -> list[WebSource]:
    """The web sources of portal.toml, and sites suggested by visitors that the builder accepted."""
    named = [source for source in portal.settings.sources if isinstance(source, WebSource)]
    sites = [
        each.url
        for each in portal.store.contributions.submissions.standing(ProposalStatus.ACCEPTED)
        if each.whole_site
    ]
    return [*named, WebSource(seeds=tuple(sites))] if sites else named


def list_submitted_papers(portal: Portal) -> tuple[str, ...]:
    """Single papers suggested by visitors and accepted by the builder: only these URLs are fetched."""
    let_in = portal.store.contributions.submissions.standing(ProposalStatus.ACCEPTED)
    return tuple(each.url for each in let_in if not each.whole_site)


def make_crawl_options(
    settings: Settings, sources: list[WebSource], papers: tuple[str, ...] = ()
) -> CrawlOptions:
    """Translate portal.toml to crawl options; `papers` are in scope whatever their host."""
    hosts = dict.fromkeys(host for source in sources for host in source.visited_hosts)
    # Most hosts redirect from http to https, to the same paper.
    pages = dict.fromkeys(other for url in papers for other in (url, url.replace("http://", "https://", 1)))
    fetch, spider = settings.fetch, settings.spider
    return CrawlOptions(
        fetch=FetchOptions(
            user_agent=_format_user_agent(fetch.user_agent, fetch.contact),
            timeout_s=fetch.timeout_s,
            max_bytes=fetch.max_bytes,
            max_expanded_bytes=EXPANSION * fetch.max_bytes,
            proxy=fetch.proxy or None,
            allow_private=fetch.allow_private,
            concurrency=fetch.concurrency,
        ),
        politeness=Politeness(delay_s=fetch.delay_s, obey_robots=fetch.obey_robots),
        scope=Scope(hosts=tuple(hosts), pages=tuple(pages)),
        budget=Budget(
            max_pages=spider.max_pages or None,
            max_bytes=spider.max_megabytes * MEGABYTE or None,
            max_minutes=spider.max_minutes or None,
        ),
        traps=TrapLimits(
            max_chain=spider.max_chain,
            max_repeats=spider.max_repeats,
            max_parameters=spider.max_parameters,
        ),
        max_depth=spider.max_depth,
        max_redirects=fetch.max_redirects,
    )


def _format_user_agent(name: str, contact: str) -> str:
    return f"{name} (+{contact})" if contact else name


class _CrawlMeter:
    """Shows the crawler's totals as progress; the expected total grows with the links found."""

    def __init__(self, meter: StageProgress, keep_seals: Callable[[], None]) -> None:
        self._meter, self._keep_seals = meter, keep_seals
        self._n_done = self._n_failed = 0

    def __call__(self, now: CrawlProgress) -> None:
        self._meter.expect(now.n_fetched + now.n_failed + now.n_queued)
        rate = f"{now.n_documents} documents found, {now.harvest_rate:.2f} a page"
        best = f"; next {_shorten(now.ahead[0].url)}" if now.ahead else ""
        self._meter.status(f"{rate}, {now.n_bytes / 1e6:.1f} MB{best}")
        self._meter.advance(now.n_fetched - self._n_done, n_failed=now.n_failed - self._n_failed)
        self._n_done, self._n_failed = now.n_fetched, now.n_failed
        self._keep_seals()


def _shorten(url: str) -> str:
    """Shorten a URL to fit a progress bar, keeping its end."""
    name = url.partition("://")[2]
    return name if len(name) <= _SHOWN_URL else f"…{name[-_SHOWN_URL + 1 :]}"


def _make_report(summary: CrawlSummary, n_fresh: int) -> StageReport:
    notes = [f"{seed.url} could not be fetched: {seed.reason}" for seed in summary.failed_seeds]
    if notes:
        notes.append("`portico build --retry` tries again")
    if summary.stopped_by:
        notes.append(f"stopped early, {summary.stopped_by}; {summary.done.n_queued} links are still waiting")
    return StageReport(
        STAGE,
        n_done=summary.done.n_fetched,
        n_failed=summary.done.n_failed,
        n_fresh=n_fresh,
        seconds=summary.done.seconds,
        note="; ".join(notes),
        nothing_found=summary.nothing_found,
    )
