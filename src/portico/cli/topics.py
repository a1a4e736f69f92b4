"""Commands about the topic tree: how full it is, and what could grow in it."""

from typing import Annotated

import typer

from portico.cli.options import Portal

topics_app = typer.Typer(
    help="See the topic tree, and let it grow.", rich_markup_mode=None, no_args_is_help=True
)
Count = Annotated[int, typer.Option("--count", "-n", min=1, max=200, help="At most so many topics.")]


@topics_app.command("show")
def show(portal: Portal) -> None:
    """The tree, with the number of documents at or under every node."""
    from portico.pipeline.growing import tree_lines
    from portico.pipeline.portal import open_portal

    with open_portal(portal) as opened:
        typer.echo("\n".join(tree_lines(opened)))


@topics_app.command("suggest")
def suggest(
    portal: Portal,
    node: Annotated[str, typer.Argument(help='A topic ("AI/Planning"), or "other".')] = "other",
    count: Count = 6,
) -> None:
    """New topics under an overfull node, or for documents without a place, to paste into topics.toml.

    \b
      portico topics suggest my-portal
      portico topics suggest my-portal "Databases/Query Evaluation" -n 4
    """
    _print(portal, node, count)


@topics_app.command("induce")
def induce(portal: Portal, count: Count = 20) -> None:
    """A whole tree from the portal's own documents, as a file of topics to edit.

    \b
      portico topics induce my-portal > my-portal/topics.toml
    """
    _print(portal, "", count)


def _print(portal: Portal, node: str, count: int) -> None:
    from portico.pipeline.growing import suggestions
    from portico.pipeline.portal import open_portal

    with open_portal(portal) as opened:
        typer.echo("\n".join(suggestions(opened, node, count)))
