"""Commands that inspect a portal: status, failures, consistency, explanations."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from portico.cli.options import Portal
from portico.errors import ConfigError
from portico.text.words import make_printable
from portico.types.explanation import ExplanationSection

What = Annotated[
    str,
    typer.Argument(help="A URL, a file, or the id of a paper.", metavar="WHAT", show_default=False),
]

_MAX_CELL = 96  # characters of a cell on a screen; --json has all of them


def status(
    portal: Portal,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object with every failure.")
    ] = False,
) -> None:
    """Show what is done, what failed and why, and how fast it went."""
    from portico.pipeline.opening import open_portal
    from portico.pipeline.status import describe_status, read_status

    with open_portal(portal) as opened:
        if as_json:
            typer.echo(json.dumps(read_status(opened), ensure_ascii=False, indent=1))
        else:
            typer.echo(make_printable("\n".join(describe_status(opened, str(portal)))))


def verify(
    portal: Portal,
    repair: bool = typer.Option(
        False, "--repair", help="Remove what is damaged; the next build restores it."
    ),
    accept: bool = typer.Option(
        False, "--accept", help="Like --repair, and accept what cannot be restored as it is."
    ),
) -> None:
    """Check that database, files, models and index are as they were written; exit status 1 if not."""
    from portico.pipeline.verify import verify_portal

    findings = verify_portal(portal, repair=repair, accept=accept)
    for line in findings.lines():
        typer.echo(make_printable(line))
    if findings.open_faults:
        raise typer.Exit(1)


def explain(
    what: What,
    portal: Portal,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, untruncated.")] = False,
    page: Annotated[
        Path | None,
        typer.Option(
            "--page",
            help="Also draw the page the fields were read from, each field framed, to this file.",
            metavar="FILE.png",
            dir_okay=False,
        ),
    ] = None,
) -> None:
    """Explain why something is in the portal, and where its values come from.

    \b
      portico explain http://www.cs.example.edu/papers/ my-portal     path, score, what it led to
      portico explain 2dr5djqjn7k my-portal                           a paper: the id is in its URL
      portico explain ~/Papers/dreyfus.pdf ~/Papers                   a file
      portico explain 2dr5djqjn7k my-portal --page why.png            its page, with the fields framed
    """
    # Imported here: the store takes longer to load than `portico --help` may take.
    from portico.pipeline.explain.explaining import explain as explained
    from portico.pipeline.explain.explaining import paper_asked_for
    from portico.pipeline.explain.fields import draw_fields
    from portico.pipeline.opening import open_portal

    with open_portal(portal) as opened:
        sections = explained(opened, what)
        picture = draw_fields(opened, paper_asked_for(opened, what)) if page is not None else b""
    if page is not None:
        try:
            page.write_bytes(picture)
        except OSError as error:
            raise ConfigError(f"{page}: cannot be written: {error.strerror}") from error
    if as_json:
        answer = {"what": what, "sections": [asdict(section) for section in sections]}
        typer.echo(json.dumps(answer, ensure_ascii=False, indent=1))
    else:
        typer.echo(make_printable("\n".join(_lines(sections))))


def _lines(sections: Sequence[ExplanationSection]) -> Iterator[str]:
    for number, section in enumerate(sections):
        if number:
            yield ""
        yield section.heading
        if section.summary:
            yield f"  {section.summary}"
        if section.rows:
            yield from _table(section)


def _table(section: ExplanationSection) -> Iterator[str]:
    cells = [[_cut(cell) for cell in row] for row in (section.columns, *section.rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield f"    {'  '.join(padded)}".rstrip()


def _cut(cell: str) -> str:
    line = " ".join(cell.split())
    return line if len(line) <= _MAX_CELL else f"{line[: _MAX_CELL - 1]}…"


def keep(
    source: Annotated[
        str, typer.Argument(help="The URL or file of a document.", metavar="SOURCE", show_default=False)
    ],
    portal: Portal,
    undo: Annotated[bool, typer.Option("--undo", help="Treat it like any other document again.")] = False,
) -> None:
    """Keep a document from the web that was not recognized as a paper.

    Documents without abstract and references are left out of a portal of papers, unless they come from a
    folder. `portico status` lists them. A document you keep is read at the next build and every later one.

    \b
      portico keep http://www.example.org/~young/thesis.pdf my-portal
    """
    from portico.pipeline.explain.explaining import find_source
    from portico.pipeline.opening import open_for_changes
    from portico.store.meta import keep_source

    with open_for_changes(portal) as opened:
        found = find_source(opened, source)
        keep_source(opened.store.meta, found, wanted=not undo)
    said = "is treated like any other document from" if undo else "is kept from"
    typer.echo(f"{found} {said} the next `portico build` on.")
