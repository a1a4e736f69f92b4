"""Serving a portal to a browser, for `serve` and for the demo."""

from pathlib import Path

import typer

from portico.pipeline.portal import open_portal
from portico.serve.app import create_app
from portico.serve.running import run_portal


def show(path: Path, *, host: str | None, port: int | None) -> None:
    """Serves until stopped; the portal's own settings apply where nothing is said."""
    with open_portal(path) as portal:
        wanted = portal.settings.serve
        app = create_app(
            portal.store,
            index_folder=portal.places.index,
            title=portal.settings.portal.title,
            description=portal.settings.portal.description,
        )
        run_portal(
            app,
            host=host or wanted.host,
            port=wanted.port if port is None else port,
            announce=lambda url: typer.echo(f"{portal.settings.portal.title}: {url} (Ctrl-C stops it)"),
        )
