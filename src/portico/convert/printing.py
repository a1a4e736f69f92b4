"""Files that a program of others prints to PDF: one sandboxed process for each, within bounds."""

from collections.abc import Sequence
from dataclasses import dataclass

from portico.convert.pipes import TooMuch, TooSlow
from portico.convert.sandbox import Limits, Sandbox, start
from portico.errors import ConversionError

ENDING_S = 5.0  # from the last byte of output to the end of the process


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much printing one file may cost; `name` is the file's, for messages."""

    name: str
    timeout_s: float
    max_bytes: int
    memory_mb: int
    sandbox: Sandbox


def print_to_pdf(command: Sequence[str], body: bytes, bounds: Bounds, *, what: str) -> bytes:
    """What the command makes of the body on its input; `what` names the body in reasons."""
    name = bounds.name
    limits = Limits(memory_mb=bounds.memory_mb, cpu_s=int(bounds.timeout_s) + 1)
    pipes = start(list(command), limits=limits, sandbox=bounds.sandbox)
    try:
        pdf = pipes.exchange(body, timeout_s=bounds.timeout_s, max_answer=bounds.max_bytes)
        if not pipes.ended_well(timeout_s=ENDING_S):
            raise ConversionError(
                f"{name}: {what} stops with an error, or needs more than {bounds.memory_mb:,} MB;"
                " it may be damaged or incomplete: fetch or save it again"
            )
    except TooSlow:
        raise ConversionError(
            f"{name}: {what} did not finish within {bounds.timeout_s:g} s; it may loop forever"
        ) from None
    except TooMuch:
        raise ConversionError(
            f"{name}: {what} prints more than {bounds.max_bytes:,} bytes; it may loop forever"
        ) from None
    finally:
        pipes.close()
    if not pdf.startswith(b"%PDF-"):
        raise ConversionError(f"{name}: {what} prints no page; it is damaged or incomplete")
    return pdf
