"""Opens a portal for teaching, and serves the lesson to the builder's browser."""

import secrets
from pathlib import Path

import typer

from portico.crawl.crawling import normalize_seeds
from portico.pipeline.opening import open_for_changes
from portico.pipeline.portal import Portal
from portico.pipeline.sources.crawling import list_web_sources
from portico.pipeline.teaching.crawl_previews import CrawlPreviews
from portico.pipeline.teaching.field_marking import FieldMarking
from portico.pipeline.teaching.header_teaching import learn_headers
from portico.pipeline.teaching.page_viewer import make_page_viewer
from portico.serve.running import run_portal
from portico.serve.teach.app import create_teaching_app
from portico.serve.teach.classroom import Classroom

_SECRET_BYTES = 16  # as many as an address can be told apart by, and short enough to be copied


def run_lesson(path: Path, *, port: int, sites: tuple[str, ...]) -> None:
    """Serve the lesson until interrupted; the portal is held meanwhile, so that no build writes to it."""
    with open_for_changes(path) as portal:
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        app = create_teaching_app(
            make_classroom(portal, sites), title=portal.settings.portal.title, secret=secret
        )

        def announce(url: str) -> None:
            typer.echo(f"Teach {portal.settings.portal.title}: {url}{secret}/ (Ctrl-C stops it)")

        run_portal(app, port=port, announce=announce)


def learn_marked(path: Path) -> str:
    """Train the portal's own extractor from its marks; what was done, in a sentence."""
    with open_for_changes(path) as portal:
        file = FieldMarking(portal, portal.domain, make_page_viewer(portal)).learn()
        marks = portal.store.contributions.marks.all()
    n_pages = len({mark.body for mark in marks})
    said = f"{len(marks)} passages on {n_pages} pages"
    return f"Wrote {file}, from {said}: the next build of this portal goes by it."


def learn_corrected(path: Path) -> str:
    """Train the portal's own model of headers from accepted corrections; what came of it, in a sentence."""
    with open_for_changes(path) as portal:
        found = learn_headers(portal, tell=lambda line: typer.echo(line, err=True))
    taught = found.taught
    said = (
        f"Of the values on headers left out while learning, {taught.n_right_before} were right before and "
        f"{taught.n_right_after} are right after learning from {found.n_lessons} corrected headers"
    )
    if found.file is None:
        return f"{said}: not better, so nothing was changed. More corrections may help."
    return f"{said}. Wrote {found.file}: the next build of this portal goes by it."


def make_classroom(portal: Portal, sites: tuple[str, ...] = ()) -> Classroom:
    """What the teaching pages of a portal work with; sites named here come before those of portal.toml."""
    seeds = (seed for source in list_web_sources(portal) for seed in source.seeds)
    look = make_page_viewer(portal)
    return Classroom(
        lessons=portal.store.contributions.lessons,
        marks=portal.store.contributions.marks,
        look=look,
        previews=CrawlPreviews(portal, look),
        fields=FieldMarking(portal, portal.domain, look),
        sites=normalize_seeds((*sites, *seeds))[:_MOST_SITES],
    )


_MOST_SITES = 8  # offered as buttons; any other address can be typed
