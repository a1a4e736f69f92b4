"""Registers every command, in the order in which a builder meets them."""

import errno
import os
import sys
from collections.abc import Callable, Mapping
from typing import Annotated

import typer

from portico import __version__
from portico.cli import (
    building,
    exchange,
    inspecting,
    measuring,
    models,
    page_measuring,
    serving,
    starting,
    topics,
    training,
)
from portico.errors import ConfigError, PorticoError
from portico.text.words import make_printable

HELP = """Build a search portal for a domain by machine learning.

\b
  portico demo                    a finished sample portal in your browser
  portico build ~/Papers          a portal for a folder of papers
  portico serve ~/Papers          serve it on http://127.0.0.1:8000
\b
  portico init my-portal          a portal of web sites: edit my-portal/portal.toml
  portico build my-portal         crawl, convert, extract, classify, match, index

You can stop a build at any time, even with kill -9; the next one continues where it stopped.
To complete commands and options in your shell: portico --install-completion
"""

# Plain help: Rich would double the time `portico --help` takes.
app = typer.Typer(
    help=HELP,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"portico {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Options of the command itself; each verb has its own."""


COMMANDS: Mapping[Callable[..., None], str] = {
    starting.demo: "Build a portal from a sample web and serve it.",
    starting.init: "Create a portal: a folder with a portal.toml to edit.",
    building.build: "Bring a portal up to date: everything from crawl to index.",
    serving.serve: "Serve the portal until you press Ctrl-C.",
    serving.run: "Serve the portal and rebuild it on a schedule.",
    serving.install_service: "Install a systemd unit that runs the portal.",
    serving.service: "Extract data from files and references over HTTP.",
    serving.password: "Set the password of the builder's view.",
    serving.teach: "Teach the spider by clicking through example sites.",
    models.models: "List, compare and restore the models of a portal.",
    inspecting.status: "Show what is done, and what failed and why.",
    inspecting.verify: "Check the portal's files for damage.",
    exchange.backup: "Copy the whole portal and verify the copy.",
    exchange.restore: "Restore a portal from a copy.",
    inspecting.explain: "Explain where a paper and its values come from.",
    inspecting.keep: "Keep a document that was not recognized as a paper.",
    building.crawl: "Fetch pages and scan folders (stage 1 only).",
    building.convert: "Convert files to text with layout (stage 2 only).",
    building.extract: "Extract titles, authors and references from papers.",
    building.parse: "Split references into authors, title, venue, year, pages.",
    building.classify: "Assign documents to topics (stage 4 only).",
    building.match: "Find versions of papers, and citations (stage 5 only).",
    building.index: "Build the search index (stage 6 only).",
}
"""All commands with what the list of commands says of each, in one line."""

for command, summary in COMMANDS.items():
    app.command(short_help=summary)(command)
app.command("import", short_help="Import records from other catalogs into a portal.")(exchange.import_)
app.add_typer(exchange.export_app, name="export")
app.add_typer(exchange.store_app, name="store")
app.add_typer(topics.topics_app, name="topics")
training.train_app.command("paths")(page_measuring.train_paths)
measuring.lab_app.command("paths")(page_measuring.lab_paths)
training.train_app.command("fields")(page_measuring.train_fields)
training.train_app.command("pages")(page_measuring.train_pages)
measuring.lab_app.command("organisations")(page_measuring.lab_organisations)
measuring.lab_app.command("courses")(page_measuring.lab_courses)
app.add_typer(training.train_app, name="train")
app.add_typer(measuring.lab_app, name="lab")


# Errors of a redirected output whose disk is full.
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def _leave_closed_folder() -> None:
    """An administrator who runs us as another user often stands in a folder that this user may not enter.

    Processes that read files begin where we are, and could not.
    """
    if not os.access(".", os.X_OK):
        os.chdir("/")


def run() -> None:
    """The command line; our own errors are said in one message, without a traceback."""
    _leave_closed_folder()
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except PorticoError as error:
        sys.stderr.write(f"portico: {make_printable(str(error))}\n")
        sys.exit(2 if isinstance(error, ConfigError) else 1)
    except BrokenPipeError:
        # Whoever read our output has left (`portico export … | head`): nothing to complain about.
        sys.stderr.close()
        sys.exit(141)
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        sys.stderr.write(f"portico: the output cannot be written: {error.strerror}\n")
        sys.stderr.flush()
        os._exit(1)  # Python would try to write the rest of the output, and complain again
    except KeyboardInterrupt:
        sys.stderr.write(
            "\nportico: stopped. Finished work is kept; run the same command again to continue.\n"
        )
        sys.exit(130)
