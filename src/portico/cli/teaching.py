"""The command that lets a builder teach the spider by clicking."""

from typing import Annotated

import typer

from portico.cli.options import Portal


def teach(
    portal: Portal,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port; 0 takes any free one.")] = 8001,
    site: Annotated[
        list[str] | None,
        typer.Option(
            "--site",
            metavar="URL",
            help="A site to begin at, or to try on; may be repeated.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Teach the spider by clicking: browse sites in your browser and say where each path leads.

    It prints an address for your browser, which only this machine can reach. There you open a site, follow
    links as you would anywhere, name pages on the way if you like, and say "This is it" or "Dead end".
    After each example you see what the spider would do on another site; when that looks right, keep it.

    \b
      portico teach my-portal --site https://www.example.org/ --site https://www.example.com/

    Where the portal reads fields from web pages, you can also mark them there, and it learns to read them.

    Pages are fetched as politely as in any crawl and each only once. Nothing on them runs, and your browser
    asks nobody else for anything. Every click is kept: stop at any moment, and go on later.
    """
    from portico.cli.lessons import run_lesson

    run_lesson(portal, port=port, sites=tuple(site or ()))
