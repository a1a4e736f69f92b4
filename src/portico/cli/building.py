"""Commands that build a portal: the whole pipeline, or one stage of it."""

import sys
import time
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from portico.cli.options import Forget, Portal, Quiet, ReferenceForm, Refresh, Retry, Workers, Yes
from portico.pipeline.progress import BuildRequest
from portico.types.record import PaperForm
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

    PORTAL is a folder made by `portico init`, or any folder of papers; in that case the portal is kept in
    its hidden subfolder `.portico`. Files added, changed or removed since the last build are detected.
    Finished work is never repeated, and a build that was killed continues where it stopped.

    A build that would lose more than a tenth of the entries although their pages still exist asks first;
    without a terminal it stops and leaves the portal unchanged.

    \b
      portico build ~/Papers
      portico build my-portal --retry
    """
    request = BuildRequest(
        retry=retry, forget=forget, refresh=refresh, workers=workers, confirm=partial(_confirm, yes=yes)
    )
    _run(portal, request, quiet=quiet)


def crawl(portal: Portal, retry: Retry = False, refresh: Refresh = False, quiet: Quiet = False) -> None:
    """Fetch pages and scan folders (stage 1 only).

    If the portal is stored in PostgreSQL, several crawlers may run at once and share the work.

    With --refresh, all fetched pages are checked for changes with conditional requests. A paper is removed
    only after it was missing twice, at least a day apart. A refresh that was killed or hit a limit
    continues next time.

    \b
      portico crawl my-portal --refresh
    """
    _run(portal, BuildRequest(stages=(StageName.CRAWL,), retry=retry, refresh=refresh), quiet=quiet)


def convert(portal: Portal, retry: Retry = False, workers: Workers = 0, quiet: Quiet = False) -> None:
    """Convert files to text with layout (stage 2 only)."""
    _run(portal, BuildRequest(stages=(StageName.CONVERT,), retry=retry, workers=workers), quiet=quiet)


def extract(
    sources: Annotated[
        list[Path],
        typer.Argument(help="A portal's folder, or paper files.", metavar="PORTAL|FILE..."),
    ],
    form: Annotated[
        PaperForm, typer.Option("--format", help="Output format for single files.")
    ] = PaperForm.JSON,
    retry: Retry = False,
    workers: Workers = 0,
    quiet: Quiet = False,
) -> None:
    """Extract titles, authors, abstracts and references, for a portal (stage 3) or single files.

    \b
      portico extract my-portal
      portico extract paper.pdf other.ps --format bibtex

    For files, JSON output is one object per line, in the order given. Files that cannot be read are
    reported on standard error, the others are still processed, and the exit status is 1.
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
        typer.Argument(help="References as printed; if none are given, one per line from standard input."),
    ] = None,
    form: Annotated[ReferenceForm, typer.Option("--format", help="Output format.")] = ReferenceForm.JSON,
) -> None:
    """Parse references into authors, title, venue, year, pages.

    \b
      portico parse "P. Utgoff. Incremental induction of decision trees. Machine Learning, 4:161, 1989."
      portico parse --format bibtex < references.txt
    """
    from portico.cli.single_files import print_references

    print_references(references or [], form)


def classify(portal: Portal, quiet: Quiet = False) -> None:
    """Assign documents to topics (stage 4 only)."""
    _run(portal, BuildRequest(stages=(StageName.CLASSIFY,)), quiet=quiet)


def match(portal: Portal, yes: Yes = False, quiet: Quiet = False) -> None:
    """Find records of the same paper, and who cites whom (stage 5 only)."""
    _run(portal, BuildRequest(stages=(StageName.MATCH,), confirm=partial(_confirm, yes=yes)), quiet=quiet)


def index(portal: Portal, quiet: Quiet = False) -> None:
    """Build the search index (stage 6 only)."""
    _run(portal, BuildRequest(stages=(StageName.INDEX,)), quiet=quiet)


def _confirm(question: str, *, yes: bool) -> bool:
    """Whether to continue: by option, or by asking; without a terminal, no."""
    if yes or not sys.stdin.isatty():
        return yes
    return typer.confirm(f"\n{question} Go on?", err=True)


def _run(portal: Path, request: BuildRequest, *, quiet: bool) -> None:
    # Imported here: the store and the stages take longer to load than `portico --help` may take.
    if not (request.stages or request.retry or request.forget or request.refresh) and _is_up_to_date(portal):
        return
    from portico.cli.progress_lines import make_progress
    from portico.pipeline.building import build_portal

    try:
        summary = build_portal(portal, request, make_progress(quiet=quiet))
    except KeyboardInterrupt:
        typer.echo(
            "\nportico: stopped. Finished work is kept; run the same command again to continue.", err=True
        )
        raise typer.Exit(130) from None
    for line in summary.lines():
        typer.echo(line)
    if summary.nothing_found:
        raise typer.Exit(1)


def _is_up_to_date(portal: Path) -> bool:
    """Whether there is nothing to do, which is then said."""
    from portico.pipeline.up_to_date import find_up_to_date

    started = time.time()
    said = find_up_to_date(portal)
    if said is None:
        return False
    typer.echo(f"Nothing to do: everything is up to date ({time.time() - started:.1f} s).")
    for line in said:
        typer.echo(line)
    return True
