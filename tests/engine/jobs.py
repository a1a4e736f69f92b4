"""Jobs for the engine tests; importable by name, as every job must be."""

import os
import signal
import time
from collections.abc import Callable

from portico.errors import ConversionError, SetupError


def obedient(prefix: str) -> Callable[[str], bytes]:
    """Does what its payload says."""

    def apply(command: str) -> bytes:
        match command:
            case "die":
                os.kill(os.getpid(), signal.SIGKILL)
            case "hang":
                time.sleep(3600)
            case "bad input":
                raise ConversionError("page 3 is torn", retryable=True)
            case "surprise":
                raise KeyError("nobody expected this")
        return f"{prefix}{command}".encode()

    return apply


def process_id(_: None) -> Callable[[str], bytes]:
    return lambda _payload: str(os.getpid()).encode()


def impossible(_: None) -> Callable[[str], bytes]:
    raise SetupError("bubblewrap is not installed")


def measure_options(options: bytes) -> Callable[[str], bytes]:
    return lambda _payload: str(len(options)).encode()


def slow(seconds: float) -> Callable[[str], bytes]:
    def apply(payload: str) -> bytes:
        time.sleep(seconds)
        return payload.encode()

    return apply


def uneven(parent: int) -> Callable[[str], bytes]:
    """The first item is the slowest, and the last can only be done by the process that asks for it."""

    def apply(payload: str) -> bytes:
        if payload == "0":
            time.sleep(0.3)
        if payload == "5" and os.getpid() != parent:
            raise KeyError("not here")
        return payload.encode()

    return apply
