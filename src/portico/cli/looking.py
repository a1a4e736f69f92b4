"""Commands that look: what is done, what failed, whether everything agrees, and taking it elsewhere."""

from pathlib import Path
from typing import Annotated

import typer

from portico.cli.options import Portal

PORTAL = typer.Argument(
    ..., help="The portal's folder, or a folder of papers that has been built.", show_default=False
)

export_app = typer.Typer(
    help="Write what the portal knows in a form other programs read.", rich_markup_mode=None
)


def status(
    portal: Portal,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, with every failure.")] = False,
) -> None:
    """Show what is done, what failed and why, and how fast it went."""
    import json

    from portico.pipeline.portal import open_portal
    from portico.pipeline.status import describe_status, read_status

    with open_portal(portal) as opened:
        if as_json:
            typer.echo(json.dumps(read_status(opened), ensure_ascii=False, indent=1))
        else:
            typer.echo("\n".join(describe_status(opened)))


def verify(
    portal: Portal,
    repair: bool = typer.Option(
        False, "--repair", help="Drop what is damaged, so that the next build makes it again."
    ),
) -> None:
    """Prove that store, bodies and index agree; exits with 1 where they do not."""
    from portico.pipeline.verify import verify_portal

    findings = verify_portal(portal, repair=repair)
    for line in findings.lines():
        typer.echo(line)
    if findings.open_faults:
        raise typer.Exit(1)


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
    from portico.pipeline.portal import open_portal

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

    from portico.pipeline.portal import open_portal
    from portico.pipeline.warc import write_warc

    with open_portal(portal) as opened:
        counts = write_warc(opened, output, time.time())
    typer.echo(f"Wrote {output}: {counts.n_bodies} bodies, {counts.n_redirects} redirects.")
