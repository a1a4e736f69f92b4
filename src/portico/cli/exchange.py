"""Commands that take what a portal knows elsewhere, and bring in what other catalogs know."""

from pathlib import Path
from typing import Annotated

import typer

from portico.cli.options import Portal, Quiet

export_app = typer.Typer(
    help="Write what the portal knows in a form other programs read.", rich_markup_mode=None
)
import_app = typer.Typer(help="Bring records of other catalogs into a portal.", rich_markup_mode=None)


@export_app.command("static")
def export_static(
    portal: Portal,
    output: Annotated[Path, typer.Argument(help="A folder that is empty or not there yet.")],
    copies: Annotated[
        bool,
        typer.Option("--copies/--no-copies", help="With the papers' files, which take most of the room."),
    ] = True,
) -> None:
    """The whole portal as plain files with a search that runs in the browser, for any web host.

    \b
      portico export static my-portal site
      python -m http.server --directory site
    """
    from portico.cli.showing import write_static

    write_static(portal, output, copies=copies)


@export_app.command("jsonl")
def export_jsonl(
    portal: Portal,
    cited: Annotated[bool, typer.Option("--cited", help="Also papers only known from citations.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A file; without it, standard output.")
    ] = None,
) -> None:
    """One JSON object a paper: fields with confidence, topics, references, citers.

    Of a domain that declares its kinds, one object a thing: its kind, fields with confidence, sources,
    what it is part of and what is part of it.

    \b
      portico export jsonl my-portal --cited -o papers.jsonl
    """
    from portico.pipeline.export import write_jsonl
    from portico.pipeline.opening import open_portal

    with open_portal(portal) as opened:
        write_jsonl(opened, output, cited=cited)


@export_app.command("warc")
def export_warc(
    portal: Portal,
    output: Annotated[
        Path, typer.Argument(help="The archive to write; .gz is compressed.", metavar="FILE.warc.gz")
    ],
) -> None:
    """Every page and document of the web as a web archive (WARC 1.1).

    Bodies are written as they were fetched, in resource records: not all headers of the answers are
    kept, so no response records are made up. What is known besides (status, ETag, the page it was found
    on, where redirects lead) stands in metadata records. Files of folders are not in it.

    \b
      portico export warc my-portal my-portal.warc.gz
    """
    import time

    from portico.pipeline.export import write_warc
    from portico.pipeline.opening import open_portal

    with open_portal(portal) as opened:
        counts = write_warc(opened, output, time.time())
    typer.echo(f"Wrote {output}: {counts.n_bodies} bodies, {counts.n_redirects} redirects.")


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
    from portico.cli.progress_lines import make_progress
    from portico.pipeline.importing import import_portal

    summary = import_portal(file, portal, make_progress(quiet=quiet))
    for line in summary.lines():
        typer.echo(line)
    if summary.nothing_found:
        raise typer.Exit(1)
