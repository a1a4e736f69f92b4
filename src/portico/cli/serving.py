"""Commands that start a server: for visitors, or for the builder who teaches."""

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
            help="The builder's password for this run. Other users of this machine can see the command line, "
            "so prefer the environment variable or `portico password`.",
        ),
    ] = None,
) -> None:
    """Serve the portal on http://127.0.0.1:8000 until you press Ctrl-C.

    A running build shows up without a restart, as its results are finished. Only this machine can reach
    the portal unless you pass `--host 0.0.0.0`.

    Visitors can suggest corrections and submit papers. The builder reviews them at /builder, which is off
    until a password is set with `portico password`.
    """
    from portico.cli.showing import serve_until_stopped

    serve_until_stopped(portal, host=host, port=port, workers=workers, password=builder_password)


def run(portal: Portal, host: Host = None, port: Port = None, workers: Servers = 1) -> None:
    """Serve the portal and rebuild it on a schedule, until stopped.

    `[schedule]` in portal.toml says when to build (`build = "daily at 03:00"`) and whether to watch source
    folders for new files. It can be killed at any time and continues at the next start. The log is
    logs/portico.log in the portal's folder.

    \b
      portico run my-portal
      sudo portico install-service my-portal      run it with systemd
    """
    from portico.cli.operating import run_portal_until_stopped

    wanted = {"--host": host, "--port": port, "--workers": workers}
    options = [part for name, value in wanted.items() if value is not None for part in (name, str(value))]
    run_portal_until_stopped(portal, options)


def install_service(
    portal: Portal,
    user: Annotated[str, typer.Option("--user", help="The user to run it as; not root.")] = "portico",
    only_print: Annotated[
        bool, typer.Option("--print", help="Print the unit file without installing it.")
    ] = False,
) -> None:
    """Install a systemd unit that runs the portal and starts it at boot.

    \b
      portico install-service /srv/portal --print      show the unit
      sudo portico install-service /srv/portal         install it
      sudo systemctl enable --now portico              start it
    """
    from portico.cli.operating import install_service as install

    install(portal, user, only_print=only_print)


def service(
    host: Host = None,
    port: Port = None,
    workers: Servers = 1,
) -> None:
    """Serve the extractor over HTTP: send files or references, get structured data.

    No portal is needed and nothing is stored. It listens on http://127.0.0.1:8070 without authentication;
    to make it available to others, put a proxy with authentication in front of it.

    \b
      portico service --workers 2
      curl --data-binary @paper.pdf 'http://127.0.0.1:8070/extract?name=paper.pdf'
      curl --data-binary @references.txt http://127.0.0.1:8070/parse
    """
    from portico.cli.single_files import serve_extractor

    serve_extractor(host=host or "127.0.0.1", port=8070 if port is None else port, workers=workers)


def password(
    portal: Portal,
    remove: Annotated[bool, typer.Option("--remove", help="Turn the builder's view off.")] = False,
) -> None:
    """Set the password of the builder's view, and sign everybody out.

    You are asked for it twice; if standard input is not a terminal, it is read from there. Only a scrypt
    hash of it is stored.

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
            help="A site to start from or to try on; may be repeated.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Teach the spider by clicking through example sites in your browser.

    Open the URL it prints; only this machine can reach it. There you open a site, follow links as usual,
    name pages on the way if you like, and click "This is it" or "Dead end". After each example you see what
    the spider would do on another site; when that looks right, keep it.

    \b
      portico teach my-portal --site https://www.example.org/ --site https://www.example.com/

    In portals that read fields from web pages, you can also mark field values there; the portal learns to
    read them from other pages.

    Pages are fetched as politely as in any crawl, and each only once. No script on them runs, and your
    browser contacts no other server. Every click is saved: stop at any time and continue later.
    """
    from portico.cli.lessons import run_lesson

    run_lesson(portal, port=port, sites=tuple(site or ()))
