"""Reads single files and references without a portal, on the command line or as an HTTP service."""

import json
import platform
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import typer

from portico.cli.options import ReferenceForm
from portico.convert.sandbox import describe_weakness
from portico.errors import ConfigError, InputError, PorticoError
from portico.python_api.reading import ReadingRequest, TimedReader, parse_reference
from portico.python_api.service import create_service
from portico.serve.running import FileConnection, run_workers
from portico.types.record import PaperForm


def print_papers(files: Sequence[Path], form: PaperForm) -> None:
    """Each file as one JSON object a line, a BibTeX entry or a TEI document."""
    n_failed = 0
    reader = TimedReader()
    try:
        for file in files:
            try:
                text = reader.read(ReadingRequest(str(file), _read_bytes(file), form)).decode()
            except PorticoError as error:
                typer.echo(f"portico: {error}", err=True)
                n_failed += 1
                continue
            if form is PaperForm.JSON:
                text = json.dumps({"file": str(file), **json.loads(text)}, ensure_ascii=False)
            typer.echo(text)
    finally:
        reader.close()
    if n_failed:
        typer.echo(f"portico: {n_failed} of {len(files)} files could not be read", err=True)
        raise typer.Exit(1)


def _read_bytes(file: Path) -> bytes:
    if file.is_dir():
        raise ConfigError(f"{file}: is a folder; name files, or one portal alone")
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from error


def print_references(texts: Sequence[str], form: ReferenceForm) -> None:
    """Each as one JSON object a line, or a BibTeX entry."""
    for line in texts or _read_standard_input():
        parsed = parse_reference(line)
        shown = (
            json.dumps(parsed.to_dict(), ensure_ascii=False)
            if form is ReferenceForm.JSON
            else parsed.to_bibtex()
        )
        typer.echo(shown)


def _read_standard_input() -> list[str]:
    """Its lines; what is not UTF-8 is read as Latin-1, in which older reference files are written."""
    body = sys.stdin.buffer.read()
    try:
        text = body.decode()
    except UnicodeDecodeError:
        text = body.decode("latin-1")
    return [line for line in text.splitlines() if line.strip()]


def serve_extractor(*, host: str, port: int, workers: int) -> None:
    """Reads what is sent, until stopped."""
    if weakness := describe_weakness():
        typer.echo(f"{weakness}.", err=True)
    make_app = partial(create_service, (host, platform.node()))
    run_workers(
        make_app,
        workers,
        host=host,
        port=port,
        announce=lambda url: typer.echo(f"The extractor: {url} (Ctrl-C stops it)"),
        http=FileConnection,
    )
