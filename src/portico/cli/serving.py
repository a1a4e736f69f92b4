"""The commands that show a portal, and say who may change it."""

from typing import Annotated

import typer

from portico.cli.options import Host, Port, Portal, Servers


def serve(
    portal: Portal,
    host: Host = None,
    port: Port = None,
    workers: Servers = 1,
    builder_password: Annotated[
        str | None,
        typer.Option(
            envvar="PORTICO_PASSWORD",
            show_envvar=True,
            help="The builder's password for this run. Other users of this machine can read the command "
            "line, so rather set the variable, or use `portico password`.",
        ),
    ] = None,
) -> None:
    """Serve the portal on http://127.0.0.1:8000 until you press Ctrl-C.

    It follows a build that is under way: what is finished appears without a restart. Only this
    machine can reach it unless you say `--host 0.0.0.0`.

    Visitors can propose corrections and submit papers. The builder decides at /builder, which is off
    until there is a password.
    """
    from portico.cli.showing import show

    show(portal, host=host, port=port, workers=workers, password=builder_password)


def password(
    portal: Portal,
    remove: Annotated[bool, typer.Option("--remove", help="Switch the builder's view off.")] = False,
) -> None:
    """Set the password of the builder's view, and sign everybody out.

    It is asked for twice, or read from standard input where that is no terminal. The portal keeps a
    scrypt hash of it.

    \b
      portico password my-portal
      pass show my-portal | portico password my-portal
    """
    from portico.cli.passwords import set_password

    set_password(portal, remove=remove)
