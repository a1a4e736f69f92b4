"""Commands that bring in what other catalogs know."""

from pathlib import Path
from typing import Annotated

import typer

from portico.cli.options import Quiet

import_app = typer.Typer(help="Bring records of other catalogs into a portal.", rich_markup_mode=None)


@import_app.callback()
def _options() -> None:
    """Bring records of other catalogs into a portal."""


@import_app.command("jsonl")
def import_jsonl(
    file: Annotated[
        Path,
        typer.Argument(help="One JSON object a line; .xz and .gz are unpacked.", show_default=False),
    ],
    portal: Annotated[
        Path, typer.Argument(help="The portal's folder; it is made where there is none.", show_default=False)
    ],
    quiet: Quiet = False,
) -> None:
    """Read records, one JSON object a line, then classify, match and index them.

    A record is what `portico export jsonl` writes, or any object with a title: authors (a list of
    names, or one line), abstract, year or date, venue, url, doi and references are read where they
    are there. A line that is no record is skipped and shown by `portico status` with its number.
    Run again after a kill, or with a newer file: only what is new or changed is done.

    \b
      portico import jsonl papers.jsonl.xz my-portal
      portico serve my-portal
    """
    # Imported here: the store and the stages take longer to load than `portico --help` may take.
    from portico.cli.display import make_progress
    from portico.pipeline.importing import import_portal

    summary = import_portal(file, portal, make_progress(quiet=quiet))
    for line in summary.lines():
        typer.echo(line)
    if summary.nothing_found:
        raise typer.Exit(1)
