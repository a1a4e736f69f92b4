"""Opens a portal for teaching and serves the teaching pages to the builder's browser."""

import secrets
import time
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import typer

from portico.crawl.crawling import normalize_seeds
from portico.domains.organisations import ORGANISATIONS
from portico.pipeline.opening import hold_portal, open_for_changes, open_for_teaching
from portico.pipeline.portal import Portal
from portico.pipeline.sources.crawling import list_web_sources
from portico.pipeline.teaching.crawl_previews import CrawlPreviews
from portico.pipeline.teaching.field_marking import FieldMarking
from portico.pipeline.teaching.header_teaching import learn_headers
from portico.pipeline.teaching.page_teaching import learn_pages
from portico.pipeline.teaching.page_viewer import Hold, ViewPage, make_page_viewer
from portico.sample.organisations import print_known_pages
from portico.serve.running import run_portal
from portico.serve.teach.app import create_teaching_app
from portico.serve.teach.classroom import Classroom
from portico.types.lesson import LessonOutcome

_SECRET_BYTES = 16  # enough to be unguessable, and short enough to be copied


def run_lesson(path: Path, *, port: int, sites: tuple[str, ...]) -> None:
    """Serve the lesson until interrupted; builds may go on meanwhile, and teaching gives way to them."""
    with open_for_teaching(path) as portal:
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        room = make_classroom(portal, sites, hold=partial(hold_portal, portal))
        app = create_teaching_app(room, title=portal.settings.portal.title, secret=secret)

        def announce(url: str) -> None:
            typer.echo(f"Teach {portal.settings.portal.title}: {url}{secret}/ (Ctrl-C stops it)")

        run_portal(app, port=port, announce=announce)


def learn_marked(path: Path) -> LessonOutcome:
    """Train the portal's own extractor from its marks, and keep it where it reads better."""
    with open_for_changes(path) as portal:
        return make_marking(portal, make_page_viewer(portal)).learn()


def learn_shown(path: Path) -> LessonOutcome:
    """Train the portal's own recognizer of pages, and keep it where it finds more of what was shown."""
    with open_for_changes(path) as portal:
        return learn_pages(portal, at=time.time())


def make_marking(portal: Portal, look: ViewPage, hold: Hold = nullcontext) -> FieldMarking:
    """Marks of a portal; where its domain ships, lessons are tried on invented pages too."""
    known = (*print_known_pages(),) if portal.domain is ORGANISATIONS else ()
    return FieldMarking(portal, portal.domain, look, known=known, hold=hold)


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
    return f"{said}. Wrote {found.file}: the next build of this portal uses it."


def make_classroom(portal: Portal, sites: tuple[str, ...] = (), *, hold: Hold = nullcontext) -> Classroom:
    """What the teaching pages of a portal work with; sites named here come before those of portal.toml.

    `hold` is for a portal that is not held anyway.
    """
    seeds = (seed for source in list_web_sources(portal) for seed in source.seeds)
    look = make_page_viewer(portal, hold)
    return Classroom(
        lessons=portal.store.contributions.lessons,
        marks=portal.store.contributions.marks,
        look=look,
        previews=CrawlPreviews(portal, look, hold),
        fields=make_marking(portal, look, hold),
        sites=normalize_seeds((*sites, *seeds))[:_MOST_SITES],
    )


_MOST_SITES = 8  # offered as buttons; any other URL can be typed
