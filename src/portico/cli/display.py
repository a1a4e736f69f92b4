"""Progress for people: bars in a terminal, plain lines in a log."""

import sys

from portico.cli.lines import Lines
from portico.pipeline.progress import Progress


def make_progress(*, quiet: bool = False) -> Progress:
    """Bars where a person looks on, lines where a file does, silence where it is asked for."""
    if quiet:
        return Lines(None)
    if not sys.stderr.isatty():
        return Lines(sys.stderr)
    # Rich takes a tenth of a second to import, which only a terminal repays.
    from portico.cli.bars import Bars

    return Bars()
