"""The demo: generates the sample web, serves it on loopback, and builds its portal."""

import re
from collections.abc import Callable
from pathlib import Path

import typer

from portico.cli.progress_lines import make_progress
from portico.config.portal_paths import PortalPaths
from portico.config.settings import CUSTOM
from portico.config.template import format_recipe, format_toml_value, list_recipes
from portico.errors import ConfigError
from portico.files import write_whole
from portico.pipeline.building import build_portal
from portico.pipeline.progress import BuildRequest, Progress, StageProgress
from portico.pipeline.topics.topic_suggestions import TREE_FILE
from portico.sample.generate import SampleWeb, write_sample_web
from portico.sample.organisations import write_sample_organisations
from portico.sample.real_papers import fetch_real_papers, list_real_articles, read_real_topics
from portico.sample.recipe_sites import write_recipe_web
from portico.sample.server import SampleServer

# The domains that have a sample web, and what is said about its portal.
_ABOUT = {
    "papers": (
        "The universities and papers are invented; everything else was done by a program. "
        "Portico crawled five department web sites, separated papers from slides and forms, and read titles, "
        "authors, abstracts and references from PDF and PostScript. "
        "It linked citations, distinguished authors of the same name, and assigned the papers to topics."
    ),
    "organisations": "Who leads organisations that do not exist, and how to reach them.",
    "courses": "Courses of colleges that do not exist.",
    "events": "Concerts and talks that nobody will give.",
    "museum": "Objects of museums that do not exist.",
}

_REAL_SETTINGS = f"""\
# The portal of real articles. Each is under the license of the package it comes from:
# see the folder licenses beside the articles.

[portal]
title = "Statistics with R"
description = "Articles that come with extensions of R, most of them published in the Journal of Statistical \
Software and The R Journal. A program read titles, authors, abstracts and references from the PDF files, \
found out which articles cite each other, and sorted them into topics. Nothing was entered by hand."

[[source]]
folder = "../real-papers"

[topics]
file = "{TREE_FILE}"
"""

_OUR_PROXY = re.compile(r'^proxy = "http://127\.0\.0\.1:\d+"$', re.MULTILINE)


def demonstrate(folder: Path, domain: str = "papers") -> Path:
    """The folder of a finished portal of the sample web of that domain."""
    if domain not in _ABOUT:
        known = ", ".join(_ABOUT)
        raise ConfigError(f'there is no sample web of the domain "{domain}"; there is one of: {known}')
    progress = make_progress()
    papers = domain == "papers"
    web = _generated(folder / "web", progress) if papers else _write_web(folder / f"{domain}-web", domain)
    portal = folder / ("portal" if papers else domain)
    with SampleServer(web.folder) as server:
        _configure(portal, web, server.proxy_url, domain)
        summary = build_portal(portal, BuildRequest(), progress)
    for line in summary.lines():
        typer.echo(line)
    return portal


def demonstrate_real(folder: Path) -> Path:
    """The folder of a finished portal of real articles on statistics, which Debian's packages of R carry."""
    progress = make_progress()
    portal, papers = folder / "real", folder / "real-papers"
    articles = list_real_articles()
    with progress.stage("fetch", len(articles)) as meter:
        fetch_real_papers(articles, papers, _show_done(meter))
    places = PortalPaths(portal)
    if not places.settings.exists():
        write_whole(portal / TREE_FILE, read_real_topics())
        write_whole(places.settings, _REAL_SETTINGS.encode())
    for line in build_portal(portal, BuildRequest(), progress).lines():
        typer.echo(line)
    return portal


def _write_web(folder: Path, domain: str) -> SampleWeb:
    if domain in list_recipes():
        return write_recipe_web(folder, domain)
    return write_sample_organisations(folder)


def _generated(folder: Path, progress: Progress) -> SampleWeb:
    with progress.stage("sample", None) as meter:
        show_done = _show_done(meter)

        def tell(words: str, n_done: int, total: int) -> None:
            meter.expect(total)
            meter.status(words)
            show_done(n_done)

        return write_sample_web(folder, progress=tell)


def _show_done(meter: StageProgress) -> Callable[[int], None]:
    """Shows how many are done in all on a meter that is told how many more are done."""
    shown = 0

    def show(n_done: int) -> None:
        nonlocal shown
        meter.advance(n_done - shown)
        shown = n_done

    return show


def _configure(portal: Path, web: SampleWeb, proxy: str, domain: str) -> None:
    path = PortalPaths(portal).settings
    if path.exists():
        # Whatever else the builder tried out in it, the sample web is at another port each time.
        text = _OUR_PROXY.sub(f"proxy = {format_toml_value(proxy)}", path.read_text(encoding="utf-8"))
        path.write_text(text, encoding="utf-8")
        return
    portal.mkdir(parents=True, exist_ok=True)
    is_declared = domain in list_recipes()
    if is_declared:
        PortalPaths(portal).domain.write_text(format_recipe(domain), encoding="utf-8")
    path.write_text(
        f"""# The portal of the sample web. A portal of your own needs no proxy, and waits a second
# between two requests to a host; this one talks to a server of its own on this machine.

[portal]
domain = {format_toml_value(CUSTOM if is_declared else domain)}
title = "Portico demo"
description = {format_toml_value(_ABOUT[domain])}

[[source]]
seeds = {format_toml_value(web.seeds)}
hosts = {format_toml_value(web.hosts)}

[fetch]
contact = "demo@example.org"
delay_s = 0.0
proxy = {format_toml_value(proxy)}
""",
        encoding="utf-8",
    )
