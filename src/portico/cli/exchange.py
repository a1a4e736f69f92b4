"""Commands that take what a portal knows elsewhere, and bring in what other catalogs know."""

from pathlib import Path
from typing import Annotated

import typer

from portico.cli.options import Portal, Quiet
from portico.pipeline.catalogs.formats import CatalogFormat

export_app = typer.Typer(
    help="Write what the portal knows in a form other programs read.", rich_markup_mode=None
)
store_app = typer.Typer(help="Where a portal is kept.", rich_markup_mode=None)


def backup(
    portal: Portal,
    copy: Annotated[Path, typer.Argument(help="A folder that is empty, not there yet, or an earlier copy.")],
) -> None:
    """Copy the whole portal, also while it is built and served, and prove that the copy is whole.

    Into the folder of an earlier copy only what is new is copied. Files of folder sources are not in it,
    only what was made of them.

    \b
      portico backup my-portal /backup/my-portal
    """
    from portico.pipeline.backup import back_up

    typer.echo(str(back_up(portal, copy)))


def restore(
    copy: Annotated[Path, typer.Argument(help="A folder that `portico backup` wrote.")],
    portal: Annotated[Path, typer.Argument(help="Where the portal shall be.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Move what is there aside; it is kept beside the portal.")
    ] = False,
) -> None:
    """Make a portal of a copy; the copy stays as it is.

    \b
      portico restore /backup/my-portal my-portal
    """
    from portico.pipeline.backup import restore as restore_copy

    typer.echo(str(restore_copy(copy, portal, replace=replace)))


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


@store_app.callback()
def _store_options() -> None:
    """Where a portal is kept."""


@store_app.command("copy")
def store_copy(
    source: Annotated[
        str, typer.Argument(metavar="FROM", help="A portal's folder or the url of a database.")
    ],
    target: Annotated[str, typer.Argument(metavar="TO", help="The same; a database that is empty.")],
    quiet: Quiet = False,
) -> None:
    """Copy what a portal's database holds to another database, SQLite or PostgreSQL, row by row.

    Both are compared in the end. Stopped or killed and run again, it goes on where it was. Bodies, models
    and the index stay in the portal's folder: afterwards write the new address under [store] url in
    portal.toml.

    \b
      portico store copy my-portal postgresql://ada@db.example.org/papers
    """
    from portico.cli.progress_lines import make_progress
    from portico.pipeline.store_copy import copy_portal_store

    counts = copy_portal_store(source, target, make_progress(quiet=quiet))
    typer.echo(f"{counts.n_rows} rows of {counts.n_tables} tables copied and compared: they are the same.")


def import_(
    what: Annotated[
        list[str],
        typer.Argument(
            help="Files or folders of files, and last the portal's folder, which may be new.",
            metavar="WHAT... PORTAL",
            show_default=False,
        ),
    ],
    kind: Annotated[
        CatalogFormat | None,
        typer.Option(
            "--format", help="What the files are, where it is not seen from them.", show_default=False
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Bring records of other catalogs into a portal, then classify, match and index them.

    Reads BibTeX, RIS, CSL-JSON, JSON of Crossref and OpenAlex, arXiv's metadata snapshot, EndNote XML, JATS,
    PubMed XML, Dublin Core of OAI-PMH, and what `portico export jsonl` writes; .gz and .xz are unpacked. PDF
    files that records name are read, too. What is no record is skipped and shown by `portico status` with
    its line.
    Run again after a kill, or with a newer file: only what is new or changed is done.

    \b
      portico import library.bib my-portal
      portico import references.ris articles.xml my-portal
      portico import --format jsonl papers.txt my-portal
    """
    # Imported here: the store and the stages take longer to load than `portico --help` may take.
    from portico.cli.progress_lines import make_progress
    from portico.pipeline.importing import import_portal

    if len(what) > 2 and what[0] in tuple(CatalogFormat) and not Path(what[0]).exists():
        kind, what = (
            CatalogFormat(what[0]),
            what[1:],
        )  # as it was said before: portico import jsonl FILE PORTAL
    if len(what) < 2:
        raise typer.BadParameter(
            "name what to import, and then the portal: portico import library.bib my-portal"
        )
    failed = False
    for each in what[:-1]:
        summary = import_portal(Path(each), Path(what[-1]), make_progress(quiet=quiet), kind=kind)
        for line in summary.lines():
            typer.echo(line)
        failed = failed or summary.nothing_found
    if failed:
        raise typer.Exit(1)
