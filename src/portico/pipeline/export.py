"""What the portal knows, as one JSON object a paper, or a thing of a declared kind."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from portico.errors import PortalError
from portico.files import replacing
from portico.pipeline.portal import Portal


def write_jsonl(portal: Portal, output: Path | None, *, cited: bool) -> int:
    """Writes every held paper, with `cited` every cited one; how many. A file appears whole or not at all."""
    if output is None:
        return sum(1 for line in _lines(portal, cited=cited) if sys.stdout.write(line))
    target = output.resolve()  # a link stays a link, and what it leads to is written
    if target.exists() and not target.is_file():
        return _write(portal, target, cited=cited)  # a pipe or a device: nothing to put in its place
    with replacing(target) as unfinished:
        return _write(portal, unfinished, cited=cited)


def _write(portal: Portal, path: Path, *, cited: bool) -> int:
    try:
        with path.open("w", encoding="utf-8") as stream:
            return sum(1 for line in _lines(portal, cited=cited) if stream.write(line))
    except OSError as error:
        raise PortalError(f"{path}: cannot be written: {error.strerror}") from error


def _lines(portal: Portal, *, cited: bool) -> Iterator[str]:
    for each in portal.collection.export(portal, cited=cited):
        yield json.dumps(each, ensure_ascii=False) + "\n"
