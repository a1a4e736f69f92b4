"""The table of all benchmarks: figures read from what they print, ratios, what is missing."""

import subprocess
import sys
from pathlib import Path

from benchmarks.__main__ import BENCHMARKS, format_table, read_figures

ROOT = Path(__file__).parents[1]
PRINTED = (
    "portico       100       700                  1,040\nscrapy       100       150                    202\n"
)


def test_a_line_has_both_figures_and_their_ratio() -> None:
    rows = read_figures(BENCHMARKS[0], PRINTED)
    assert rows[0] == ("crawl", "1,040 pages/s", "202 (Scrapy)", "5.15", "≥ 6")
    assert rows[1][2:4] == ("–", "–"), "the bare loop printed nothing"
    assert format_table(rows)[1].startswith("crawl")


def test_every_script_is_there() -> None:
    assert all((ROOT / "benchmarks" / benchmark.script).is_file() for benchmark in BENCHMARKS)


def test_it_runs_what_is_asked_for() -> None:
    command = [sys.executable, "-m", "benchmarks", "--only", "convert", "--data", "/nowhere"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "not whole: convert:" in done.stdout
