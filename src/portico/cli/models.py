"""Commands for the models a portal has learned: list, compare, go back to one, delete one."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from portico.cli.options import Portal

if TYPE_CHECKING:
    from portico.pipeline.teaching.model_history import KeptVersion


def models(
    portal: Portal,
    use: Annotated[
        str,
        typer.Option("--use", metavar="MODEL", help="Use this model.", show_default=False),
    ] = "",
    compare: Annotated[
        str,
        typer.Option(
            "--compare",
            metavar="MODEL",
            help="Compare what it reads with the model in use.",
            show_default=False,
        ),
    ] = "",
    forget: Annotated[
        str, typer.Option("--forget", metavar="MODEL", help="Delete this model.", show_default=False)
    ] = "",
) -> None:
    """List the models a portal has learned, compare two, go back to an earlier one, or forget one.

    A model is named as in the list, `fields@1a2b3c4d5e6f`; a few characters after the @ are enough.
    `fields@shipped` is the model that comes with the domain. A change takes effect with the next build.

    \b
      portico models my-portal
      portico models my-portal --compare fields@1a2b
      portico models my-portal --use fields@1a2b
      portico models my-portal --use fields@shipped
    """
    # Imported here: the store and what reads pages take longer to load than `portico --help` may take.
    from portico.config.portal_paths import find_portal
    from portico.pipeline.opening import open_for_changes, open_portal
    from portico.pipeline.teaching.model_comparing import compare_with_use
    from portico.pipeline.teaching.model_history import forget_version, list_versions, use_version

    if compare:
        with open_portal(portal) as opened:
            for line in compare_with_use(opened, compare):
                typer.echo(line)
        return
    if use or forget:
        with open_for_changes(portal) as opened:
            if use:
                typer.echo(use_version(opened.places, use))
            if forget:
                typer.echo(forget_version(opened.places, forget))
        return
    versions = [*list_versions(find_portal(portal))]
    for line in _describe_all(versions):
        typer.echo(line)


def _describe_all(versions: "list[KeptVersion]") -> Iterator[str]:
    if not versions:
        yield "This portal has learned nothing yet; the shipped models are in use. See portico teach."
    for each in versions:
        when = (
            f"{datetime.fromtimestamp(each.at, UTC).astimezone():%Y-%m-%d %H:%M}"
            if each.at
            else "date unknown"
        )
        state = "in use" if each.is_in_use else ""
        yield f"{each.address:<28}{when:<18}{each.n_bytes / 1000:>8.0f} kB  {state}".rstrip()
        yield from (f"    {line}" for line in each.told[:_MOST_TOLD])


_MOST_TOLD = 12  # lines of the messages from when a model was learned
