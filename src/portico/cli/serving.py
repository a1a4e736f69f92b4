"""The command that shows a portal."""

from portico.cli.options import Host, Port, Portal, Workers


def serve(portal: Portal, host: Host = None, port: Port = None, workers: Workers = 1) -> None:
    """Serve the portal on http://127.0.0.1:8000 until you press Ctrl-C.

    It follows a build that is under way: what is finished appears without a restart. Only this
    machine can reach it unless you say `--host 0.0.0.0`.
    """
    from portico.cli.showing import show

    show(portal, host=host, port=port, workers=workers)
