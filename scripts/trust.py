"""Counts what is tried against Portico, and writes the table into docs/trust.md; `make trust` runs it.

    python scripts/trust.py PORTAL [--flips N] [--files N] [--fuzz-minutes N] [--soak-minutes N]

PORTAL is any built portal (`make demo SERVE=0` makes one): bits of a copy of it are flipped. The rest is
counted from the tests, which are run. A row whose last figure is not 0 is an open item.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "trust.md"
BEGIN, END = "<!-- made by `make trust` -->\n", "<!-- end -->\n"

TRIED = (
    (
        "answers, addresses and redirects against the fetcher",
        ["tests/crawl/fetching", "tests/crawl/test_bad_answers.py"],
    ),
    ("hostile files and pages", ["tests/convert/test_hostile.py", "tests/crawl/test_page_reading.py"]),
    (
        "names and senders a request may claim",
        ["tests/serve/test_public_address.py", "tests/serve/test_builder.py"],
    ),
    ("requests that never end, answers that nobody reads", ["tests/serve/test_request_limits.py"]),
    (
        "changed bits in every table, copies while others write",
        ["tests/store/test_seals.py", "tests/pipeline/test_backup.py"],
    ),
    ("a wheel built twice, licenses, digests", ["tests/test_supply_chain.py"]),
    ("regular expressions for time that grows faster than the text", ["tests/test_patterns.py"]),
)


def run_tests(files: list[str]) -> tuple[int, int]:
    """How many passed, and how many did not."""
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not browser", "--no-header", *files, "-rA"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    passed = len(re.findall(r"^PASSED tests", said, re.MULTILINE))
    return passed, len(re.findall(r"^(?:FAILED|ERROR) tests", said, re.MULTILINE))


def flip_bits(portal: Path, n_flips: int) -> tuple[str, str]:
    command = [sys.executable, "benchmarks/damage.py", str(portal), "--flips", str(n_flips)]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    found = re.search(
        r"^all +(\d+) flips: (\d+) found, (\d+) meant nothing, (\d+) MISSED", said, re.MULTILINE
    )
    if found is None:
        raise SystemExit(said or "benchmarks/damage.py said nothing")
    return f"{found[1]}, of which {found[3]} changed no content", found[4]


def read_hostile_files(n_files: int) -> tuple[str, str]:
    command = [sys.executable, "benchmarks/hostile_files.py", "--files", str(n_files)]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    found = re.search(r"^(\d+) files: (\d+) document, (\d+) reason, (\d+) NEITHER", said, re.MULTILINE)
    if found is None:
        raise SystemExit(said or "benchmarks/hostile_files.py said nothing")
    return f"{found[1]} files, of which {found[2]} became documents", found[4]


def fuzz(minutes: float) -> tuple[str, str]:
    command = [sys.executable, "scripts/fuzz.py", "--minutes", f"{minutes:g}"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    found = re.search(r"^all +([\d,]+) executions, (\d+) findings", said, re.MULTILINE)
    if found is None:
        raise SystemExit(said or "scripts/fuzz.py said nothing")
    return f"{found[1]} executions", found[2]


def soak(minutes: float) -> tuple[str, str]:
    command = [sys.executable, "benchmarks/soak.py", "--minutes", f"{minutes:g}"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    found = re.search(r"^all \d+ minutes, (\d+) rounds, (\d+) kills: (\d+) NOT AS", said, re.MULTILINE)
    if found is None:
        raise SystemExit(said or "benchmarks/soak.py said nothing")
    requests = re.search(r"^requests +([\d,]+)", said, re.MULTILINE)
    p99 = re.search(r"^99th percentile of requests, ms +(\d+)", said, re.MULTILINE)
    under_load = f"{requests[1]} requests, 99 % of them within {p99[1]} ms" if requests and p99 else ""
    return f"{found[2]} kills in {found[1]} rounds; {under_load}", found[3]


def check_components() -> tuple[str, str]:
    command = [sys.executable, "scripts/components.py", "--lock", "requirements-dev.lock"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    found = re.search(r"^(\d+) components, \d+ installed here, (\d+) licenses NOT", said, re.MULTILINE)
    if found is None:
        raise SystemExit(said or "scripts/components.py said nothing")
    return f"{found[1]} components", found[2]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("portal", type=Path)
    parser.add_argument("--flips", type=int, default=100)
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--fuzz-minutes", type=float, default=1.0, help="of each target")
    parser.add_argument("--soak-minutes", type=float, default=5.0)
    options = parser.parse_args()
    rows = ["| what | tried | not as promised | command |", "|---|---|---|---|"]
    tried, missed = flip_bits(options.portal, options.flips)
    command = f"python benchmarks/damage.py PORTAL --flips {options.flips}"
    rows.append(f"| bits flipped in database, bodies, models and index | {tried} | {missed} | `{command}` |")
    tried, missed = read_hostile_files(options.files)
    command = f"python benchmarks/hostile_files.py --files {options.files}"
    rows.append(f"| files changed by chance or made to do harm | {tried} | {missed} | `{command}` |")
    tried, missed = fuzz(options.fuzz_minutes)
    command = f"python scripts/fuzz.py --minutes {options.fuzz_minutes:g}"
    rows.append(f"| fuzzing of readers of strangers' bytes | {tried} | {missed} | `{command}` |")
    tried, missed = soak(options.soak_minutes)
    command = f"python benchmarks/soak.py --minutes {options.soak_minutes:g}"
    what = "use of a portal while builds and servers are killed, sites fail and the disk fills up"
    rows.append(f"| {what} | {tried} | {missed} | `{command}` |")
    tried, missed = check_components()
    command = "python scripts/components.py --lock requirements-dev.lock"
    rows.append(f"| licenses of locked packages | {tried} | {missed} | `{command}` |")
    for what, files in TRIED:
        passed, failed = run_tests(files)
        rows.append(f"| {what} | {passed + failed} cases | {failed} | `pytest {' '.join(files)}` |")
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}{chr(10).join(rows)}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
