"""Serves a portal over HTTP until it is told to stop."""

import errno
import gc
import socket
from collections.abc import Callable
from functools import partial

import uvicorn
from starlette.applications import Starlette
from uvicorn.supervisors import Multiprocess

from portico.errors import PortalError
from portico.serve.request_limits import LimitedConnection

# How long open requests may take to finish after Ctrl-C, in seconds.
_GRACE_S = 3
_BACKLOG = 256
# How long a process may take to say that it is alive, in seconds; on a machine that is busy otherwise,
# opening a large portal takes longer than the five of uvicorn.
_PATIENCE_S = 60


def run_portal(
    app: Starlette, *, host: str = "127.0.0.1", port: int = 8000, announce: Callable[[str], None]
) -> None:
    """Serve until interrupted; `announce` is given the address once it can be visited.

    Port 0 takes any free port.
    """
    listening = listen(host, port)
    announce(_address(listening))
    _settle_garbage()
    config = uvicorn.Config(
        app,
        http=LimitedConnection,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_S,
    )
    try:
        uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:
        pass  # uvicorn has stopped gracefully and passes the signal on
    finally:
        listening.close()


def run_workers(
    make_app: Callable[[], Starlette],
    n_workers: int,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    announce: Callable[[str], None],
) -> None:
    """The same from so many processes at one address, each of which makes the app for itself.

    A process that dies is started again. `make_app` is sent to them, so it is a function of a module.
    """
    listening = listen(host, port)
    announce(_address(listening))
    config = uvicorn.Config(
        partial(_settled, make_app),
        factory=True,
        http=LimitedConnection,
        workers=n_workers,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_S,
        timeout_worker_healthcheck=_PATIENCE_S,
    )
    try:
        Multiprocess(config, sockets=[listening]).run()
    finally:
        listening.close()


def _settle_garbage() -> None:
    """Look for garbage seldom, and not among what was there when serving began, which stays anyway.

    Pages leave hardly any circles of objects behind; looking for them at every 700th object took a tenth of
    the time of a page of results.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_LOOKS, 20, 50)


_OBJECTS_BETWEEN_LOOKS = 50_000


def _settled(make_app: Callable[[], Starlette]) -> Starlette:
    app = make_app()
    _settle_garbage()
    return app


def listen(host: str, port: int) -> socket.socket:
    """A listening socket of our own, so that a taken port is known before anything is announced."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # Named TCP, or asyncio does not take it for such, and the second part of every answer waits until
        # the first is acknowledged: 40 ms.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except (OSError, OverflowError) as error:
        raise PortalError(f"{host}: cannot serve there ({error}); try --host 127.0.0.1") from error
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        listening.close()
        raise _refused(error, host, port) from error
    return listening


def _refused(error: Exception, host: str, port: int) -> PortalError:
    code = error.errno if isinstance(error, OSError) else None
    if code == errno.EADDRINUSE:
        return PortalError(f"port {port} is in use: try --port {port + 1}")
    if code == errno.EACCES:
        return PortalError(f"port {port} needs more rights than this user has: try --port 8000")
    if code == errno.EADDRNOTAVAIL:
        return PortalError(f"{host} is no address of this machine: try --host 127.0.0.1")
    return PortalError(f"cannot serve on {host} port {port} ({error}): try --port 8000")


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if listening.family == socket.AF_INET6 else host
    return f"http://{shown}:{port}/"
