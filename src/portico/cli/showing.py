"""Serving a portal to a browser, for `serve` and for the demo."""

from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

import typer
from starlette.applications import Starlette

from portico.cli.desks import open_desk
from portico.errors import ConfigError, PortalError
from portico.pipeline.kinds import kinds_of
from portico.pipeline.portal import Portal, open_portal
from portico.serve.app import create_app
from portico.serve.directory.static_index import write_static_things
from portico.serve.naming import naming_of
from portico.serve.passwords import hashed
from portico.serve.portal import About
from portico.serve.running import run_portal, run_workers
from portico.serve.static_index import write_static_index
from portico.serve.static_site import write_static_site


def show(
    path: Path, *, host: str | None, port: int | None, workers: int = 1, password: str | None = None
) -> None:
    """Serves until stopped; the portal's own settings apply where nothing is said.

    `password` is the builder's for this run, instead of the one that is stored.
    """

    def announce(url: str) -> None:
        typer.echo(f"{portal.settings.portal.title}: {url} (Ctrl-C stops it)")

    with open_portal(path) as portal:
        wanted = portal.settings.serve
        secret = hashed(password) if password else None
        at, port = host or wanted.host, wanted.port if port is None else port
        if workers == 1:
            run_portal(_app(portal, secret), host=at, port=port, announce=announce)
        else:
            run_workers(partial(open_app, path, secret), workers, host=at, port=port, announce=announce)


def open_app(path: Path, secret: str | None = None) -> Starlette:
    """The portal, open for as long as the app lives."""
    with ExitStack() as opened:
        app = _app(opened.enter_context(open_portal(path)), secret)
        app.state.opened = opened.pop_all()
    return app


def write_static(path: Path, output: Path, *, copies: bool = True) -> None:
    """The portal as files, with copies of the papers or without; a folder that is not empty is left alone."""
    with open_portal(path) as portal:
        try:
            n_pages, what = _write_files(portal, output, copies=copies)
        except OSError as error:
            place = error.filename or output
            raise PortalError(f"{place}: cannot be written: {error.strerror or error}") from error
    typer.echo(f"{n_pages} pages of {what} in {output}: put the folder on any web host")


def _write_files(portal: Portal, output: Path, *, copies: bool) -> tuple[int, str]:
    """How many pages there are, and of what."""
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise ConfigError(f"{output}: is there already; name a folder that is empty or not there yet")
    held = [entity for entity in portal.store.catalog.entities.all() if entity.documents]
    kinds = kinds_of(portal)
    about = replace(_about(portal), copies=copies)
    app = create_app(portal.store, index_folder=portal.places.index, about=about)
    starts = [naming_of(kinds).url(entity.id) for entity in held]
    n_pages = write_static_site(app, starts, output, progress=_tell_pages)
    if kinds:
        write_static_things(held, kinds, portal.store.catalog.things, output / "data")
    else:
        write_static_index(held, output / "data")
    return n_pages, f"{len(held)} {'entries' if kinds else 'papers'}"


def _tell_pages(n_written: int) -> None:
    if n_written % 1000 == 0:
        typer.echo(f"{n_written} pages", err=True)


def _app(portal: Portal, secret: str | None) -> Starlette:
    return create_app(
        portal.store,
        index_folder=portal.places.index,
        about=_about(portal),
        desk=open_desk(portal, secret),
    )


def _about(portal: Portal) -> About:
    said = portal.settings
    return About(
        said.portal.title,
        said.portal.description,
        said.fetch.contact,
        tuple(kinds_of(portal)),
        said.search.ranking,
    )
