"""Invented organisations on a web of our own, and a portal that is taught by browsing them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from portico.cli.lessons import make_classroom
from portico.pipeline.opening import open_for_changes
from portico.serve.teach.app import create_teaching_app
from portico.store.opening import Store
from tests.crawl.web import Web
from tests.serve.conftest import Site, serving
from tests.serve.officer_sites import SITES

SECRET = "only-you-know"

PORTAL = """
[portal]
title = "Who runs what"
domain = "organisations"

[fetch]
proxy = "{proxy}"
delay_s = 0.0
timeout_s = 5.0
"""


@dataclass(frozen=True, slots=True)
class Taught:
    """A portal being taught, the server its teacher sees, and the web it is taught on."""

    site: Site
    store: Store
    web: Web

    @property
    def root(self) -> str:
        return f"{self.site.url}/{SECRET}"


def publish(web: Web) -> None:
    for host, pages in SITES.items():
        for path, html in pages.items():
            web.add(f"http://{host}{path}", f"<html>{html}")


@contextmanager
def teaching(folder: Path, web: Web, *sites: str, settings: str = PORTAL) -> Iterator[Taught]:
    """The lesson of the portal in that folder, as `portico teach` would open it."""
    (folder / "portal.toml").write_text(settings.format(proxy=web.address), encoding="utf-8")
    with open_for_changes(folder) as portal:
        app = create_teaching_app(make_classroom(portal, sites), title="Who runs what", secret=SECRET)
        with serving(app) as site:
            yield Taught(site, portal.store, web)
