"""Why an address was or was not fetched: the path from the seed, what was thought of it, what it led to."""

from collections.abc import Iterator

from portico.crawl import media
from portico.pipeline.portal import Portal
from portico.store.trails import LinkRow
from portico.types.explanation import Section
from portico.types.frontier import LinkState

_STATES = {
    LinkState.QUEUED: "waits to be fetched",
    LinkState.DONE: "was fetched",
    LinkState.FAILED: "could not be fetched",
    LinkState.SKIPPED: "was left out",
}


def explain_link(portal: Portal, url: str) -> Iterator[Section]:
    """Nothing where the crawl has never seen the address."""
    path = portal.store.trails.path(url)
    if not path:
        return
    yield _standing(path[-1])
    yield _way(path)
    yield from _gain(portal, path[-1])


def _standing(link: LinkRow) -> Section:
    reason = f": {link.reason}" if link.reason else ""
    tried = f", after {link.attempts} attempts" if link.attempts > 1 else ""
    return Section("Address", f"{link.url} {_STATES[LinkState(link.state)]}{reason}{tried}.")


def _way(path: tuple[LinkRow, ...]) -> Section:
    start = "a seed" if path[0].via is None else "a page that is no longer known"
    n_links = len(path) - 1
    return Section(
        "Path",
        f"{n_links} link{'' if n_links == 1 else 's'} from {start}.",
        ("step", "address", "anchor", "score then"),
        tuple((str(step), row.url, row.anchor, f"{row.priority:.2f}") for step, row in enumerate(path)),
    )


def _gain(portal: Portal, link: LinkRow) -> Iterator[Section]:
    gain = portal.store.trails.led_to(link.url, media.DOCUMENT_TYPES)
    if gain.n_links:
        yield Section(
            "What it led to",
            f"{gain.n_links} links were first found on it; {gain.n_done} of them are fetched, "
            f"{gain.n_documents} are documents.",
        )
