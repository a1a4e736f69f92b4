"""How well pages of sought kinds are told from all others on sites that the recognizer has not seen."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portico.crawl.page_kinds import PageKinds, learn_page_kinds
from portico.crawl.policies.training import SiteGraph
from portico.domains.organisations import PAGE_WORDS
from portico.lab.datasets.webs import read_sites
from portico.types.page import PageView

KINDS = ("officers", "contact")


@dataclass(frozen=True, slots=True)
class KnownSite:
    """The pages of a site, each with its kind, "" where it is not sought."""

    name: str
    pages: tuple[tuple[PageView, str], ...]


def read_known_sites(
    folder: Path, *, kinds: Sequence[str] = KINDS, tell: Callable[[str], None] = lambda _line: None
) -> tuple[KnownSite, ...]:
    """Every site that has a page of one of the kinds."""
    said: dict[str, dict[str, str]] = {}
    views: dict[str, SiteGraph] = {}
    for kind in kinds:
        for site in read_sites(folder, kind, tell=tell):
            views[site.name] = site
            said.setdefault(site.name, {}).update({site.urls[idx]: kind for idx in site.targets})
    return tuple(
        KnownSite(
            name,
            tuple((page, said[name].get(page.url, "")) for page in site.pages if page is not None),
        )
        for name, site in sorted(views.items())
    )


def measure_page_kinds(
    folder: Path, *, quick: bool = False, progress: Callable[[str], None] = lambda _line: None
) -> dict[str, Any]:
    """Leave one site out: how many pages of each kind are found, and how many of those named are right.

    `first` is the share of sites whose likeliest page of the kind is one; a site has one or two of each. A
    page that a site has under two addresses is one page.
    """
    sites = read_known_sites(folder, tell=progress)
    right, named, true = (dict.fromkeys(KINDS, 0) for _ in range(3))
    first: dict[str, list[bool]] = {kind: [] for kind in KINDS}
    for site in sites[:3] if quick else sites:
        model = train_kinds([other for other in sites if other is not site])
        for kind in KINDS:
            truth = {page.text for page, said in site.pages if said == kind}
            given = {page.text for page, _ in site.pages if model(page) == kind}
            right[kind] += len(truth & given)
            named[kind] += len(given)
            true[kind] += len(truth)
            if truth:
                first[kind].append(_likeliest(model, site, kind) in truth)
        progress(f"{site.name}: {len(site.pages)} pages")
    return {
        kind: {
            "precision": round(right[kind] / max(named[kind], 1), 4),
            "recall": round(right[kind] / max(true[kind], 1), 4),
            "first": round(sum(first[kind]) / max(len(first[kind]), 1), 4),
            "n": true[kind],
        }
        for kind in KINDS
    }


def train_kinds(sites: Sequence[KnownSite]) -> PageKinds:
    """The recognizer of officers and contact pages."""
    return learn_page_kinds([example for site in sites for example in site.pages], KINDS, PAGE_WORDS)


def _likeliest(model: PageKinds, site: KnownSite, kind: str) -> str:
    return max(site.pages, key=lambda example: model.chances(example[0])[kind])[0].text
