"""Tries what docs/trust.md promises and writes the table of figures there; `make trust` runs it.

    python scripts/trust.py [ROW ...] [--portal demo/portal] [--list]

Each row of the table is a command that prints how much it tried and how much of it was not as promised. The
figures are kept in docs/trust.json with their date; rows whose inputs are drawn anew in each run (kills,
fuzzing) add up from run to run. Without ROW every row is run that was never run, has not reached its goal, or
whose last run failed; with ROW these are run in any case. Some take minutes: run them alone, as often as you
like. --portal is any built portal (`make demo SERVE=0` makes one); it is copied, not changed. Exits with 1 if
anything was not as promised.
"""

import argparse
import json
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE, MEMORY = ROOT / "docs" / "trust.md", ROOT / "docs" / "trust.json"
BEGIN, END = "<!-- made by `make trust` -->\n", "<!-- end -->\n"
PORTAL = "PORTAL"
_SAID = 5_000  # characters of what a command printed last

Figures = dict[str, float]
"""What one command printed: `failed` was not as promised; names that begin with `worst_` do not add up."""


@dataclass(frozen=True, slots=True)
class TrustRow:
    """One row: what is tried, by which command, and how its last lines are read.

    `pattern` has a named group for each figure; `words` says them. A row that adds up is run again until
    `goal` of its first figure are reached.
    """

    what: str
    command: str
    pattern: str
    words: str
    goal: int = 0
    adds_up: bool = False


def count_tests(what: str, files: str, goal: int = 0) -> TrustRow:
    """A row that counts the cases of some tests."""
    pattern = r"^(?P<passed>\d+) passed(?:.*?(?P<failed>\d+) failed)?|^(?P<failed_too>\d+) failed"
    return TrustRow(what, f"pytest {files}", pattern, "{passed:,} cases", goal)


_HOSTS = "tests/crawl/fetching/test_hostile_hosts.py"
ROWS = {
    "kills": TrustRow(
        "kill -9 of builds in every stage, and of servers while titles are corrected",
        "python benchmarks/kills.py --kills 40",
        r"^all (?P<kills>\d+) kills, (?P<servers>\d+) of them of servers; (?P<ends>\d+) builds got to their "
        r"end: (?P<failed>\d+) NOT",
        "{kills:,} kills, {servers:,} of them of servers; {ends:,} builds compared with an undisturbed one",
        goal=500,
        adds_up=True,
    ),
    "soak": TrustRow(
        "use of a portal while builds and servers are killed, sites fail, visitors stop reading and the disk "
        "fills up",
        "python benchmarks/soak.py --minutes 5",
        r"^all (?P<minutes>\d+) minutes, (?P<rounds>\d+) rounds, (?P<kills>\d+) kills: (?P<failed>\d+) NOT",
        "{minutes:,} minutes, {rounds:,} rounds, {kills:,} kills",
        adds_up=True,
    ),
    "addresses": count_tests(
        "spellings of private addresses, names that change their address, redirects",
        f"{_HOSTS} -k 'private or rebinding'",
        goal=80,
    ),
    "answers": count_tests(
        "hostile HTTP answers",
        f"{_HOSTS} tests/crawl/test_bad_answers.py -k 'not private and not rebinding'",
        goal=150,
    ),
    "files": TrustRow(
        "files made to do harm or changed by chance: PDF, PostScript, DVI, DOCX, ODT, EPUB, LaTeX, HTML, "
        "BibTeX, packed ones",
        "python benchmarks/hostile_files.py --files 300",
        r"^(?P<files>\d+) files: (?P<documents>\d+) document, (?P<reasons>\d+) reason, "
        r"(?P<failed>\d+) NEITHER",
        "{files:,} files: {documents:,} became documents, {reasons:,} got a reason",
        goal=300,
    ),
    "fuzz": TrustRow(
        "fuzzing of readers of strangers' bytes",
        "python scripts/fuzz.py --minutes 0.25",
        r"^all +(?P<executions>[\d,]+) executions, (?P<failed>\d+) findings",
        "{executions:,} executions",
        goal=10_000_000,
        adds_up=True,
    ),
    "flips": TrustRow(
        "bits flipped in database, bodies, models and index",
        f"python benchmarks/damage.py {PORTAL} --flips 12",
        r"^all +(?P<flips>\d+) flips: (?P<found>\d+) found, (?P<nothing>\d+) meant nothing, "
        r"(?P<failed>\d+) MISSED",
        "{flips:,} bits: {found:,} found, {nothing:,} changed no content",
        goal=100,
        adds_up=True,
    ),
    "load": TrustRow(
        "requests under load: 50 users who search and read on",
        f"python benchmarks/serve.py {PORTAL} --datasette none --seconds 60",
        r"^ +(?P<pages>\d+) pages, (?P<failed>\d+) not answered with 200: p50 (?P<worst_p50>[\d.]+) ms, "
        r"p99 (?P<worst_p99>[\d.]+) ms",
        "{pages:,} requests; median {worst_p50:g} ms, 99th percentile {worst_p99:g} ms",
    ),
    "sandbox": count_tests(
        "ways out of the sandboxes, and files that exhaust them", "tests/convert/test_hostile.py"
    ),
    "pages": count_tests("pages that exhaust the crawl", "tests/crawl/test_page_reading.py"),
    "visitors": count_tests(
        "names and senders a request may claim, guessed passwords, requests that never end, hostile records",
        "tests/serve/test_public_address.py tests/serve/test_builder.py tests/serve/test_request_limits.py "
        "tests/serve/test_escaping.py",
    ),
    "seals": count_tests(
        "changed bits in every table, copies while others write",
        "tests/store/test_seals.py tests/pipeline/test_backup.py",
    ),
    "patterns": count_tests(
        "regular expressions for time that grows faster than the text", "tests/test_patterns.py"
    ),
    "components": TrustRow(
        "locked packages: digests and licenses",
        "python scripts/components.py --lock requirements-dev.lock",
        r"^(?P<packages>\d+) components, \d+ installed here, (?P<failed>\d+) licenses NOT",
        "{packages:,} packages",
    ),
}


def run_row(row: TrustRow, portal: Path) -> Figures:
    """The figures that the command of a row prints."""
    program, *words = shlex.split(row.command.replace(PORTAL, shlex.quote(str(portal))))
    command = [sys.executable, *(["-m", "pytest"] if program == "pytest" else []), *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    found = re.search(row.pattern, done.stdout, re.MULTILINE)
    if found is None:
        raise SystemExit(f"{row.command}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    figures = {name: float((value or "0").replace(",", "")) for name, value in found.groupdict().items()}
    figures["failed"] += figures.pop("failed_too", 0.0)
    if figures["failed"]:  # whatever it says of that is not in the figures
        sys.stdout.write(done.stdout[-_SAID:])
    return figures


def add_run(row: TrustRow, known: dict[str, Any] | None, figures: Figures, today: str) -> dict[str, Any]:
    """What is remembered of a row after one more run."""
    run = {"command": row.command, "date": today, "runs": 1, "before": 0.0, "figures": figures}
    if not (row.adds_up and known and known["command"] == row.command):
        return run
    earlier: Figures = known["figures"]
    added = {
        name: max(earlier[name], value) if name.startswith("worst_") else earlier[name] + value
        for name, value in figures.items()
    }
    added["failed"] = figures["failed"]
    before = known["before"] + earlier["failed"]
    return run | {"runs": known["runs"] + 1, "before": before, "figures": added}


def is_due(row: TrustRow, known: dict[str, Any] | None) -> bool:
    if known is None or known["command"] != row.command or known["figures"]["failed"]:
        return True
    first = next(iter(re.compile(row.pattern).groupindex))  # figures are stored in the order of their names
    return bool(known["figures"][first] < row.goal)


def render_table(memory: dict[str, dict[str, Any]]) -> str:
    lines = ["| what | tried | failed | open | command | last run |", "|---|---|---|---|---|---|"]
    for name, row in ROWS.items():
        if (known := memory.get(name)) is None:
            lines.append(f"| {row.what} | not yet | | | `{row.command}` | |")
            continue
        numbers = {
            key: value if key.startswith("worst_") else int(value) for key, value in known["figures"].items()
        }
        runs = f", in {known['runs']} runs" if known["runs"] > 1 else ""
        n_failed, n_open = int(known["before"]) + numbers["failed"], numbers["failed"]
        tried = row.words.format(**numbers) + runs
        lines.append(f"| {row.what} | {tried} | {n_failed} | {n_open} | `{row.command}` | {known['date']} |")
    return "\n".join(lines) + "\n"


def read_memory() -> dict[str, dict[str, Any]]:
    memory: dict[str, dict[str, Any]] = json.loads(MEMORY.read_text("utf-8")) if MEMORY.exists() else {}
    return memory


def write_down(memory: dict[str, dict[str, Any]]) -> None:
    MEMORY.write_text(json.dumps(memory, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}{render_table(memory)}{END}{after}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rows", nargs="*", metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--portal", type=Path, default=ROOT / "demo" / "portal")
    parser.add_argument("--list", action="store_true", help="print which rows are due, and run nothing")
    options = parser.parse_args()
    if unknown := [name for name in options.rows if name not in ROWS]:
        parser.error(f"no such row: {', '.join(unknown)}; there are {', '.join(ROWS)}")
    memory = read_memory()
    due = options.rows or [name for name, row in ROWS.items() if is_due(row, memory.get(name))]
    if options.list:
        sys.stdout.write("".join(f"{name}: {ROWS[name].command}\n" for name in due))
        return
    n_failed = 0
    for name in due:
        row = ROWS[name]
        sys.stdout.write(f"{name}: {row.command}\n")
        sys.stdout.flush()
        figures = run_row(row, options.portal)
        # Read again: another row may have been run meanwhile.
        memory = read_memory()
        memory[name] = add_run(row, memory.get(name), figures, datetime.now(UTC).date().isoformat())
        write_down(memory)
        n_failed += int(figures["failed"])
        sys.stdout.write(f"  {json.dumps(figures)}\n")
    write_down(memory)
    if n_failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
