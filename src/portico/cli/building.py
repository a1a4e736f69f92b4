"""Commands that build: the whole pipeline, or one stage of it."""

from pathlib import Path

import typer

from portico.cli.options import Forget, Portal, Quiet, Refresh, Retry, Workers
from portico.pipeline.progress import BuildRequest
from portico.types.stages import StageName


def build(
    portal: Portal,
    retry: Retry = False,
    forget: Forget = False,
    refresh: Refresh = False,
    workers: Workers = 0,
    quiet: Quiet = False,
) -> None:
    """Bring a portal up to date: crawl, convert, extract, classify, match, index.

    PORTAL is a folder made by `portico init`, or any folder with PDF or PostScript files in it:
    then the portal is kept in a hidden folder `.portico` beside them. Files that were added,
    changed or removed since the last build are noticed. Nothing that is finished is done again,
    and a build that was killed goes on where it stopped.

    \b
      portico build ~/Papers
      portico build my-portal --retry
    """
    _run(portal, BuildRequest(retry=retry, forget=forget, refresh=refresh, workers=workers), quiet=quiet)


def crawl(portal: Portal, retry: Retry = False, refresh: Refresh = False, quiet: Quiet = False) -> None:
    """Only fetch pages and read folders (stage 1).

    With --refresh the hosts of all pages are asked whether they have changed. What has not is not sent
    again; a paper is let go only when it is found gone twice, at least a day apart. Killed or stopped by
    a limit, the refresh goes on the next time.

    \b
      portico crawl my-portal --refresh
    """
    _run(portal, BuildRequest(stages=(StageName.CRAWL,), retry=retry, refresh=refresh), quiet=quiet)


def convert(portal: Portal, retry: Retry = False, workers: Workers = 0, quiet: Quiet = False) -> None:
    """Only turn PDF and PostScript into text with layout (stage 2)."""
    _run(portal, BuildRequest(stages=(StageName.CONVERT,), retry=retry, workers=workers), quiet=quiet)


def extract(portal: Portal, retry: Retry = False, workers: Workers = 0, quiet: Quiet = False) -> None:
    """Only find titles, authors, abstracts and references (stage 3)."""
    _run(portal, BuildRequest(stages=(StageName.EXTRACT,), retry=retry, workers=workers), quiet=quiet)


def classify(portal: Portal, quiet: Quiet = False) -> None:
    """Only place documents in the topic tree (stage 4)."""
    _run(portal, BuildRequest(stages=(StageName.CLASSIFY,)), quiet=quiet)


def match(portal: Portal, quiet: Quiet = False) -> None:
    """Only find which records speak of the same paper, and who cites whom (stage 5)."""
    _run(portal, BuildRequest(stages=(StageName.MATCH,)), quiet=quiet)


def index(portal: Portal, quiet: Quiet = False) -> None:
    """Only make what is known searchable (stage 6)."""
    _run(portal, BuildRequest(stages=(StageName.INDEX,)), quiet=quiet)


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
