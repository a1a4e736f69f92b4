"""What the stages over all papers gain by several processes, and which of their work is not shared out.

    python benchmarks/sharing.py [--papers 10000] [--references 5] [--processes 2] [--keep FOLDER]

Generates papers (benchmarks/growth.py), imports them, and runs classify, match and place on copies of that
portal, with one process and with several. Matching works in parts, as where records do not fit into memory.
Prints the processor time of the process that builds and of its workers (other work on the
machine does not lengthen either by much), and whether store and models are the same to the byte. Last comes
what could be shared out and is not, with its share of the stage: expectation maximization, which would have
to send all words of all classes in every round, and comparing pairs of records, which would have to send
both.
"""

import argparse
import json
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.growth import make_files, run_step, say

from portico.cli.progress_lines import ProgressLines
from portico.config.template import format_import_toml
from portico.engine.local import LocalEngine
from portico.learn import em
from portico.match import in_parts
from portico.pipeline.building import STAGES
from portico.pipeline.collections.papers import relinking
from portico.pipeline.opening import open_for_changes
from portico.pipeline.runners import BuildRun
from portico.types.stages import StageName

MEASURED = (StageName.CLASSIFY, StageName.MATCH, StageName.PLACE)
MEMORY = '\n[engine]\nmemory = "512 MB"\n'
KEPT_HERE: dict[StageName, tuple[str, Any, str]] = {
    StageName.CLASSIFY: ("expectation maximization", em, "run_em"),
    StageName.MATCH: ("comparing pairs", in_parts, "find_likely_edges"),
}


class Stopwatch:
    """The processor time that calls of one function take."""

    def __init__(self, module: Any, name: str) -> None:
        self.seconds = 0.0
        self._function: Callable[..., Any] = getattr(module, name)
        setattr(module, name, self)

    def __call__(self, *given: Any, **named: Any) -> Any:
        began = time.process_time()
        try:
            return self._function(*given, **named)
        finally:
            self.seconds += time.process_time() - began


def run_stage(name: StageName, folder: Path, n_processes: int) -> dict[str, float]:
    """Runs one stage in this process and its workers; the seconds of both, and of what is kept here."""
    watch = Stopwatch(*KEPT_HERE[name][1:]) if name in KEPT_HERE else None
    relinking.MEMORY_A_BYTE = sys.maxsize  # nothing fits: match in parts
    began = time.process_time()
    with open_for_changes(folder) as portal:
        run = BuildRun(LocalEngine(n_processes), ProgressLines(None), lambda: 0.0)
        next(stage for stage in STAGES if stage.name == name).run(portal, run)
    workers = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "here": time.process_time() - began,
        "workers": workers.ru_utime + workers.ru_stime,
        "kept": watch.seconds if watch else 0.0,
    }


def digest_portal(folder: Path) -> str:
    """A hash of all rows of the store, and of all models."""
    whole = sha256()
    with closing(sqlite3.connect(folder / "portico.db")) as base:
        for line in base.iterdump():
            whole.update(line.encode())
    for path in sorted((folder / "models").glob("*")):
        whole.update(path.read_bytes())
    return whole.hexdigest()


def compare_stages(work: Path, n_processes: int) -> bool:
    """Whether all is the same however many processes there are; prints what each stage took."""
    alone = work / "imported"
    is_same = True
    for name in MEASURED:
        found: list[dict[str, float]] = []
        portals: list[Path] = []
        for number in (1, n_processes):
            portals.append(work / f"{name}-{number}")
            if not portals[-1].exists():
                shutil.copytree(alone, portals[-1])
                command = [sys.executable, __file__, "--stage", name, "--portal", portals[-1]]
                told = subprocess.run(
                    [*command, "--processes", str(number)], check=True, capture_output=True, text=True
                )
                (portals[-1] / "sharing.json").write_text(told.stdout)
            found.append(json.loads((portals[-1] / "sharing.json").read_text()))
        one, several = found
        same = digest_portal(portals[0]) == digest_portal(portals[1])
        is_same &= same
        say(f"{name:<10} one process {one['here']:.1f} s; {n_processes}: here {several['here']:.1f} s, "
            f"workers {several['workers']:.1f} s; {'the same' if same else 'NOT the same'}")  # fmt: skip
        if name in KEPT_HERE:
            say(f"{'':<10} {KEPT_HERE[name][0]}: {one['kept']:.2f} s, "
                f"{100 * one['kept'] / one['here']:.1f} % of the stage")  # fmt: skip
        alone = portals[0]
    return is_same


def prepare_portal(folder: Path, n_papers: int, n_references: int) -> None:
    if (folder / "sharing-ready").exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "portal.toml").write_text(format_import_toml("Sharing") + MEMORY)
    make_files(folder, n_papers, n_references)
    run_step(StageName.IMPORT, folder)
    (folder / "sharing-ready").touch()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--papers", type=int, default=10_000)
    parser.add_argument("--references", type=int, default=5, help="of a paper, on average")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="where portals are made; what is there is not made again")
    parser.add_argument("--stage", type=StageName, help=argparse.SUPPRESS)
    parser.add_argument("--portal", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.stage:
        say(json.dumps(run_stage(options.stage, options.portal, options.processes)))
        return
    with tempfile.TemporaryDirectory(prefix="portico-") as place:
        work = options.keep or Path(place)
        prepare_portal(work / "imported", options.papers, options.references)
        if not compare_stages(work, options.processes):
            sys.exit(1)


if __name__ == "__main__":
    main()
