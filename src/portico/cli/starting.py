"""Commands that create a portal: the demo, or one of your own."""

from pathlib import Path
from typing import Annotated

import typer

from portico.cli.options import Port


def demo(
    folder: Annotated[Path, typer.Argument(help="Folder for the sample web and its portal.")] = Path("demo"),
    port: Port = None,
    serve: Annotated[
        bool, typer.Option("--serve/--no-serve", help="Serve it when the build is done.")
    ] = True,
    domain: Annotated[str, typer.Option(help="papers, organisations, courses, events or museum.")] = "papers",
    real: Annotated[
        bool, typer.Option("--real", help="Real articles, downloaded from Debian's packages, instead.")
    ] = False,
) -> None:
    """Build a portal from a small sample web and serve it on http://127.0.0.1:8000.

    The sample web is a handful of invented university departments with papers in PDF and PostScript. It is
    generated, served and crawled on this machine. With `--domain organisations` it is a dozen invented
    companies and clubs with their officers; with the name of a recipe (courses, events, museum) eight
    sites of such pages.

    With `--real` it is real articles on statistics, some of which cite each other: freely licensed PDF files
    that Debian's packages of R carry (Debian or Ubuntu, with a network). Nothing is installed.
    """
    from portico.cli.demonstration import demonstrate, demonstrate_real
    from portico.cli.showing import serve_until_stopped
    from portico.errors import ConfigError

    if real and domain != "papers":
        raise ConfigError(f"--real shows papers; leave out either it or --domain {domain}")
    portal = demonstrate_real(folder) if real else demonstrate(folder, domain)
    if serve:
        serve_until_stopped(portal, host=None, port=port)


def init(
    folder: Annotated[Path, typer.Argument(help="A new folder for the portal.", show_default=False)],
    domain: Annotated[
        str,
        typer.Option(help="What the portal collects: papers, organisations, custom, or a recipe's name."),
    ] = "papers",
    title: Annotated[str, typer.Option(help="The portal's name.", show_default=False)] = "",
    seed: Annotated[
        list[str] | None,
        typer.Option(help="A URL to start from; may be repeated.", show_default=False),
    ] = None,
    papers: Annotated[
        str,
        typer.Option("--folder", help="A folder of papers (PDF, PostScript, DOCX, …).", show_default=False),
    ] = "",
    contact: Annotated[
        str, typer.Option(help="Where site owners can reach you (email or URL).", show_default=False)
    ] = "",
    like: Annotated[
        list[str] | None,
        typer.Option(
            help="URL of an example page to draft domain.toml from; give two to ten.", show_default=False
        ),
    ] = None,
    recipe: Annotated[
        str,
        typer.Option(help="A ready-made custom domain: courses, events or museum.", show_default=False),
    ] = "",
) -> None:
    """Create a portal: a folder with a commented portal.toml to edit.

    \b
      portico init my-portal --seed https://www.cs.example.edu/ --contact me@example.edu
      portico build my-portal
    \b
      portico init firms --domain organisations --seed https://www.example.com/
      portico init courses --domain custom       also writes domain.toml: pages, fields, how they are shown
      portico init gigs --domain custom --recipe events --seed https://www.example.com/
      portico init shop --domain custom --like https://shop.example/a --like https://shop.example/b
    """
    from portico.config.portal_paths import PortalPaths
    from portico.config.settings import CUSTOM
    from portico.config.template import InitAnswers, list_recipes
    from portico.errors import ConfigError
    from portico.pipeline.opening import make_portal

    if domain in list_recipes() and not recipe:  # as `portico demo --domain events` says it
        domain, recipe = CUSTOM, domain
    if (like or recipe) and domain != CUSTOM:
        raise ConfigError(f"--like and --recipe are for custom domains; add --domain {CUSTOM}")
    answers = InitAnswers(
        title=title, domain=domain, seeds=tuple(seed or ()), folder=papers, contact=contact, recipe=recipe
    )
    path = PortalPaths(folder).settings
    if not (like and path.exists()):  # a draft can be made again, of other pages
        path = make_portal(folder, answers)
    if like:
        _draft(folder, like)
    declared = f" and {PortalPaths(folder).domain}" if domain == CUSTOM else ""
    typer.echo(f"Wrote {path}{declared}. Edit {'them' if declared else 'it'}, then: portico build {folder}")


def _draft(folder: Path, like: list[str]) -> None:
    from portico.pipeline.domain_drafting import draft_from_addresses

    typer.echo("What would be read from the examples:")
    for line in draft_from_addresses(folder, like):
        typer.echo(line)
