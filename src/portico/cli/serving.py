"""The commands that serve a portal to browsers: to visitors, and to the builder who teaches it."""

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
    from portico.cli.showing import serve_until_stopped

    serve_until_stopped(portal, host=host, port=port, workers=workers, password=builder_password)


def run(portal: Portal, host: Host = None, port: Port = None, workers: Servers = 1) -> None:
    """Serve the portal and build it by its schedule, until it is stopped.

    What `[schedule]` in portal.toml says is done: builds at their times (`build = "daily at 03:00"`), and
    files that come into a folder are read at once. It may be killed at any time; the next start goes on.
    The log is in the portal's folder, logs/portico.log.

    \b
      portico run my-portal
      sudo portico install-service my-portal      have systemd run it
    """
    from portico.cli.operating import run_portal_until_stopped

    wanted = {"--host": host, "--port": port, "--workers": workers}
    options = [part for name, value in wanted.items() if value is not None for part in (name, str(value))]
    run_portal_until_stopped(portal, options)


def install_service(
    portal: Portal,
    user: Annotated[str, typer.Option("--user", help="Who runs it; not root.")] = "portico",
    only_print: Annotated[bool, typer.Option("--print", help="Print the unit, change nothing.")] = False,
) -> None:
    """Have systemd run the portal and start it with the machine.

    \b
      portico install-service /srv/portal --print      look at it
      sudo portico install-service /srv/portal         write it
      sudo systemctl enable --now portico              start it
    """
    from portico.cli.operating import install_service as install

    install(portal, user, only_print=only_print)


def service(
    host: Host = None,
    port: Port = None,
    workers: Servers = 1,
) -> None:
    """Serve the extractor alone: send files and references, get what they say.

    No portal is needed, and nothing that is sent is kept. It listens on http://127.0.0.1:8070 and asks
    nobody who they are: put a proxy before it that does, if others are to reach it.

    \b
      portico service --workers 2
      curl --data-binary @paper.pdf 'http://127.0.0.1:8070/extract?name=paper.pdf'
      curl --data-binary @references.txt http://127.0.0.1:8070/parse
    """
    from portico.cli.single_files import serve_extractor

    serve_extractor(host=host or "127.0.0.1", port=8070 if port is None else port, workers=workers)


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
    from portico.cli.showing import set_password

    set_password(portal, remove=remove)


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
