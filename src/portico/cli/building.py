"""Commands that build: the whole pipeline, or one stage of it."""

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from portico.cli.options import Forget, PaperForm, Portal, Quiet, ReferenceForm, Refresh, Retry, Workers, Yes
from portico.pipeline.progress import BuildRequest
from portico.types.stages import StageName


def build(
    portal: Portal,
    retry: Retry = False,
    forget: Forget = False,
    refresh: Refresh = False,
    workers: Workers = 0,
    yes: Yes = False,
    quiet: Quiet = False,
) -> None:
    """Bring a portal up to date: crawl, convert, extract, classify, match, index.

    PORTAL is a folder made by `portico init`, or any folder with papers in it:
    then the portal is kept in a hidden folder `.portico` beside them. Files that were added,
    changed or removed since the last build are noticed. Nothing that is finished is done again,
    and a build that was killed goes on where it stopped.

    A build that would lose more than a tenth of its things, although their pages are still there, asks
    first; without a terminal it stops, and the portal shows what it showed.

    \b
      portico build ~/Papers
      portico build my-portal --retry
    """
    request = BuildRequest(
        retry=retry, forget=forget, refresh=refresh, workers=workers, confirm=partial(_confirm, yes=yes)
    )
    _run(portal, request, quiet=quiet)


def crawl(portal: Portal, retry: Retry = False, refresh: Refresh = False, quiet: Quiet = False) -> None:
    """Only fetch pages and read folders (stage 1).

    Where the portal is kept on PostgreSQL, several may run at once: each joins those at work.

    With --refresh the hosts of all pages are asked whether they have changed. What has not is not sent
    again; a paper is let go only when it is found gone twice, at least a day apart. Killed or stopped by
    a limit, the refresh goes on the next time.

    \b
      portico crawl my-portal --refresh
    """
    _run(portal, BuildRequest(stages=(StageName.CRAWL,), retry=retry, refresh=refresh), quiet=quiet)


def convert(portal: Portal, retry: Retry = False, workers: Workers = 0, quiet: Quiet = False) -> None:
    """Only turn files into text with layout (stage 2)."""
    _run(portal, BuildRequest(stages=(StageName.CONVERT,), retry=retry, workers=workers), quiet=quiet)


def extract(
    sources: Annotated[
        list[Path],
        typer.Argument(help="A portal's folder, or files of papers.", metavar="PORTAL|FILE..."),
    ],
    form: Annotated[
        PaperForm, typer.Option("--format", help="Of single files: how what was read is printed.")
    ] = PaperForm.JSON,
    retry: Retry = False,
    workers: Workers = 0,
    quiet: Quiet = False,
) -> None:
    """Find titles, authors, abstracts and references: of a portal (stage 3), or of single files.

    \b
      portico extract my-portal
      portico extract paper.pdf other.ps --format bibtex

    Of files, JSON is one object a line, in their order. A file that cannot be read is named on standard
    error, the others are read all the same, and the command ends with 1.
    """
    if len(sources) == 1 and sources[0].is_dir():
        request = BuildRequest(stages=(StageName.EXTRACT,), retry=retry, workers=workers)
        _run(sources[0], request, quiet=quiet)
        return
    from portico.cli.single_files import print_papers

    print_papers(sources, form)


def parse(
    references: Annotated[
        list[str] | None,
        typer.Argument(help="References as printed; without any, one a line of standard input."),
    ] = None,
    form: Annotated[
        ReferenceForm, typer.Option("--format", help="How what was read is printed.")
    ] = ReferenceForm.JSON,
) -> None:
    """Take references apart: authors, title, venue, year, pages.

    \b
      portico parse "P. Utgoff. Incremental induction of decision trees. Machine Learning, 4:161, 1989."
      portico parse --format bibtex < references.txt
    """
    from portico.cli.single_files import print_references

    print_references(references or [], form)


def classify(portal: Portal, quiet: Quiet = False) -> None:
    """Only place documents in the topic tree (stage 4)."""
    _run(portal, BuildRequest(stages=(StageName.CLASSIFY,)), quiet=quiet)


def match(portal: Portal, yes: Yes = False, quiet: Quiet = False) -> None:
    """Only find which records speak of the same paper, and who cites whom (stage 5)."""
    _run(portal, BuildRequest(stages=(StageName.MATCH,), confirm=partial(_confirm, yes=yes)), quiet=quiet)


def index(portal: Portal, quiet: Quiet = False) -> None:
    """Only make what is known searchable (stage 6)."""
    _run(portal, BuildRequest(stages=(StageName.INDEX,)), quiet=quiet)


def _confirm(question: str, *, yes: bool) -> bool:
    """Whether to go on: as the builder said, or says now; no where nobody is there."""
    if yes or not sys.stdin.isatty():
        return yes
    return typer.confirm(f"\n{question} Go on?", err=True)


def _run(portal: Path, request: BuildRequest, *, quiet: bool) -> None:
    # Imported here: the store and the stages take longer to load than `portico --help` may take.
    from portico.cli.progress_lines import make_progress
    from portico.pipeline.building import build_portal

    try:
        summary = build_portal(portal, request, make_progress(quiet=quiet))
    except KeyboardInterrupt:
        typer.echo("\nportico: stopped. What was finished is kept; the same command goes on there.", err=True)
        raise typer.Exit(130) from None
    for line in summary.lines():
        typer.echo(line)
    if summary.nothing_found:
        raise typer.Exit(1)
