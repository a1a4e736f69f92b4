"""Portals for tests: made by the real command in a real process, compared by all that visitors can see."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portico.index.searcher import MOST_HITS, Searcher
from portico.pipeline.collections.papers.export import export_papers
from portico.pipeline.indexing import GENERATION
from portico.pipeline.opening import open_portal
from portico.pipeline.status import read_status
from portico.types.search import Hit


def portico(
    *words: str | Path, timeout_s: float = 300.0, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs the command to its end, in our environment or another."""
    return subprocess.run(
        [sys.executable, "-m", "portico", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=timeout_s,
        env=environment,
        check=False,
    )


def start(*words: str | Path) -> subprocess.Popen[bytes]:
    """Starts the command in a process group of its own, so that all of it can be killed."""
    return subprocess.Popen(
        [sys.executable, "-m", "portico", *map(str, words)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


@dataclass(frozen=True)
class Snapshot:
    """All that a visitor or another program can see of a portal, without the times of day."""

    papers: tuple[dict[str, Any], ...]
    failures: tuple[tuple[str, str, str], ...]
    pages: tuple[tuple[str, tuple[str, ...]], ...]
    bodies: tuple[str, ...]
    indexed: tuple[Hit, ...]
    topics: tuple[str, ...]


def snapshot(folder: Path) -> Snapshot:
    with open_portal(folder) as portal:
        generation = portal.store.meta.get(GENERATION) or ""
        failures = read_status(portal)["failures"]
        return Snapshot(
            papers=tuple(export_papers(portal, cited=True)),
            failures=tuple(sorted((row["source"], row["stage"], row["reason"]) for row in failures)),
            pages=tuple(
                sorted(portal.store.documents.pages.sources(tuple(portal.store.blobs.names())).items())
            ),
            bodies=tuple(portal.store.blobs.names()),
            indexed=_indexed(portal.places.index / generation),
            topics=tuple(map(str, portal.store.catalog.topics.all())),
        )


def _indexed(folder: Path) -> tuple[Hit, ...]:
    """Everything that can be found, as lists show it."""
    searcher = Searcher(folder)
    pages = (
        searcher.search("", sort="title", limit=MOST_HITS, offset=offset).hits
        for offset in range(0, searcher.n_entries, MOST_HITS)
    )
    return tuple(sorted((hit for page in pages for hit in page), key=lambda hit: hit.entity))


def web_portal(folder: Path, *, seeds: list[str], hosts: list[str], proxy: str) -> Path:
    """A portal of the sample web, configured as a builder would."""
    folder.mkdir(parents=True)
    (folder / "portal.toml").write_text(
        f"""
[portal]
title = "Sample papers"

[[source]]
seeds = {json.dumps(seeds)}
hosts = {json.dumps(hosts)}

[fetch]
contact = "builder@example.org"
delay_s = 0
proxy = "{proxy}"
"""
    )
    return folder


@contextmanager
def serving(portal: Path) -> Iterator[str]:
    """Serves a portal by the real command on a free port; its address."""
    command = [sys.executable, "-m", "portico", "serve", str(portal), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = re.search(r"http://\S+", process.stdout.readline())
            assert address, "it says where it listens once it does"
            yield address.group().rstrip("/")
        finally:
            process.terminate()
