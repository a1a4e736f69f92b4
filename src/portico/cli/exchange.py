"""Commands that import and export records."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from portico.cli.options import Portal, Quiet
from portico.pipeline.catalogs.formats import CatalogFormat

export_app = typer.Typer(help="Export a portal in formats that other programs read.", rich_markup_mode=None)
store_app = typer.Typer(help="Move a portal's data between databases.", rich_markup_mode=None)

AttachedFolders = Annotated[
    list[Path] | None,
    typer.Option(
        "--files",
        help="Another folder than the catalog's from which attached files are taken; may be repeated.",
        show_default=False,
    ),
]


def backup(
    portal: Portal,
    copy: Annotated[Path, typer.Argument(help="A new or empty folder, or an earlier copy.")],
) -> None:
    """Copy the whole portal and verify the copy; safe while building and serving.

    If COPY is an earlier copy, only what is new is copied. Files in source folders are not included, only
    what was made from them.

    \b
      portico backup my-portal /backup/my-portal
    """
    from portico.pipeline.backup import back_up

    typer.echo(str(back_up(portal, copy)))


def restore(
    copy: Annotated[Path, typer.Argument(help="A folder written by `portico backup`.")],
    portal: Annotated[Path, typer.Argument(help="Folder to restore the portal to.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Move an existing portal aside; it is kept next to the new one.")
    ] = False,
) -> None:
    """Restore a portal from a copy; the copy is not changed.

    \b
      portico restore /backup/my-portal my-portal
    """
    from portico.pipeline.backup import restore as restore_copy

    typer.echo(str(restore_copy(copy, portal, replace=replace)))


@export_app.command("static", short_help="Write the portal as plain files for any web server.")
def export_static(
    portal: Portal,
    output: Annotated[Path, typer.Argument(help="A new or empty folder.")],
    copies: Annotated[
        bool,
        typer.Option("--copies/--no-copies", help="Include the papers' files, which take most of the space."),
    ] = True,
) -> None:
    """Write the whole portal as plain files, with in-browser search, for any web host.

    \b
      portico export static my-portal site
      python -m http.server --directory site
    """
    from portico.cli.showing import write_static

    write_static(portal, output, copies=copies)


@export_app.command("jsonl", short_help="Write one JSON object per paper.")
def export_jsonl(
    portal: Portal,
    cited: Annotated[bool, typer.Option("--cited", help="Include papers known only from citations.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Output file; the default is standard output.")
    ] = None,
) -> None:
    """Write one JSON object per paper: fields with confidence, topics, references, citing papers.

    For declared domains, one object per thing: its kind, fields with confidence, sources, what it is part
    of and what is part of it.

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
        Path,
        typer.Argument(help="The archive to write; compressed if it ends in .gz.", metavar="FILE.warc.gz"),
    ],
) -> None:
    """Write all fetched pages and documents as a web archive (WARC 1.1).

    Bodies are written as fetched, in resource records: not all response headers are stored, so there are no
    response records. Metadata records hold what else is known: status, ETag, the referring page, redirect
    targets. Files from folders are not included.

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


@store_app.command("copy", short_help="Copy the database to SQLite or PostgreSQL.")
def store_copy(
    source: Annotated[str, typer.Argument(metavar="FROM", help="A portal's folder or a database URL.")],
    target: Annotated[
        str,
        typer.Argument(metavar="TO", help="A portal's folder or a database URL; the database must be empty."),
    ],
    quiet: Quiet = False,
) -> None:
    """Copy a portal's database to another database, SQLite or PostgreSQL, row by row.

    At the end both are compared. If stopped or killed, run it again to continue. Bodies, models and the
    index stay in the portal's folder: afterwards set the new URL as [store] url in portal.toml.

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
            help="Files, folders or OAI-PMH addresses to import, then the portal's folder, which may be new.",
            metavar="WHAT... PORTAL",
            show_default=False,
        ),
    ],
    kind: Annotated[
        CatalogFormat | None,
        typer.Option(
            "--format", help="The format of the files, if it cannot be detected.", show_default=False
        ),
    ] = None,
    files: AttachedFolders = None,
    quiet: Quiet = False,
) -> None:
    """Import records from other catalogs into a portal, then classify, match and index them.

    Reads BibTeX, RIS, CSV, CSL-JSON, Crossref and OpenAlex JSON, arXiv's metadata snapshot, EndNote XML,
    JATS, PubMed XML, OAI-PMH Dublin Core, Zotero's own folder, and the output of `portico export jsonl`;
    .gz and .xz files are decompressed. PDF files attached to records are read, too, if they are in the
    catalog's folder or in one named with --files. Invalid records are skipped and listed by
    `portico status` with their line.
    Run it again after a kill, or with a newer file: only what is new or changed is processed.

    An address is harvested by OAI-PMH; when it is imported again, only what has changed there since.

    \b
      portico import library.bib my-portal
      portico import "https://repository.example.edu/oai?set=math" my-portal
      portico import references.ris articles.xml my-portal
      portico import --format jsonl papers.txt my-portal
    """
    if len(what) > 2 and what[0] in tuple(CatalogFormat) and not Path(what[0]).exists():
        kind, what = (
            CatalogFormat(what[0]),
            what[1:],
        )  # as it was said before: portico import jsonl FILE PORTAL
    if len(what) < 2:
        raise typer.BadParameter(
            "name the files to import, then the portal: portico import library.bib my-portal"
        )
    reports = [_import_one(each, Path(what[-1]), kind, files or (), quiet=quiet) for each in what[:-1]]
    if not all(reports):
        raise typer.Exit(1)


def _import_one(
    what: str, portal: Path, kind: CatalogFormat | None, files: Sequence[Path], *, quiet: bool
) -> bool:
    """A file, a folder or an address; whether there was anything in it."""
    # Imported here: the store and the stages take longer to load than `portico --help` may take.
    from portico.cli.progress_lines import make_progress
    from portico.pipeline.importing import import_portal

    progress = make_progress(quiet=quiet)
    if what.startswith(("http://", "https://")):
        from portico.pipeline.repositories import import_repository

        found = import_repository(what, portal, progress)
        if found is None:
            typer.echo(f"{what}: nothing is new since the last import")
            return True
        summary = found
    else:
        summary = import_portal(Path(what), portal, progress, kind=kind, attached=files)
    for line in summary.lines():
        typer.echo(line)
    return not summary.nothing_found
