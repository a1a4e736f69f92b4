"""All benchmarks that compare Portico with others or with its own growth, small, in one table.

    python -m benchmarks [--data ../shared] [--peer PYTHON] [--only NAME…] [--keep FOLDER]

Each runs in a process of its own on a small part of its data, so that all of them take some minutes of
processor time; how large the parts are stands in `BENCHMARKS`, and each script measures the whole when it is
run by itself. `--peer` is a Python with Scrapy, splink, scikit-network, scikit-learn and pdfminer.six in it:

    python -m venv /tmp/peer
    /tmp/peer/bin/pip install scrapy splink scikit-network scikit-learn pdfminer.six

Prints what was measured, the peer's figure of the same run, the ratio of the two and the one wanted. What has
no peer is compared with itself: a large frontier with a small one. What needs something that is not here (a
program, the data) is named with the reason. `--keep` keeps what each benchmark printed. Robustness (kills,
hostile files, soaking) is measured by `make trust`, growth by `benchmarks/growth.py`, clusters by
`benchmarks/cluster.py`.
"""

import argparse
import gzip
import lzma
import re
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

HERE = Path(__file__).resolve().parent
MISSING = "–"


@dataclass(frozen=True, slots=True)
class Setting:
    """Where the data is, which Python has the peers, and where small parts of the data are made."""

    data: Path
    peer: Path | None
    work: Path

    @property
    def peer_options(self) -> list[str]:
        return ["--peer", str(self.peer)] if self.peer else []

    @property
    def abstracts(self) -> Path:
        return self.data / "data" / "topics" / "arxiv_cs_pool.jsonl.xz"


@dataclass(frozen=True, slots=True)
class Figure:
    """A line of the table: what is read from the output, and what the ratio of the two should be.

    Patterns find a number each; the ratio is ours over the peer's: of speeds more is better, of seconds less.
    """

    name: str
    unit: str
    ours: str
    peer: str = ""
    peer_name: str = ""
    wanted: str = ""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A script of this folder, how it is called on a small part of the data, and what it tells."""

    script: str
    arguments: Callable[[Setting], list[str]]
    figures: tuple[Figure, ...]
    needs_peer: bool = False


def unpack_site(setting: Setting) -> str:
    """The pages of one real site in a folder."""
    folder = setting.work / "site"
    if not folder.exists():
        with tarfile.open(setting.data / "web" / "sites" / "sottile.tar.xz") as archive:
            archive.extractall(folder, filter="data")
    return str(folder)


def cut_records(setting: Setting, *, n_papers: int = 2_000, n_references: int = 40_000) -> str:
    """The first papers and references of the set that matching is measured on."""
    source, folder = setting.data / "data" / "citations" / "peerread", setting.work / "peerread"
    folder.mkdir(exist_ok=True)
    with gzip.open(source / "papers.jsonl.gz", "rb") as papers:
        (folder / "papers.jsonl.gz").write_bytes(gzip.compress(b"".join(islice(papers, n_papers))))
    with lzma.open(source / "references.jsonl.xz", "rb") as references:
        kept = b"".join(islice(references, n_references))
    (folder / "references.jsonl.xz").write_bytes(lzma.compress(kept, preset=0))
    (folder / "edges.tsv").write_bytes((source / "edges.tsv").read_bytes())
    return str(folder)


_NUMBER = r"([\d.,]+)"
BENCHMARKS: tuple[Benchmark, ...] = (
    Benchmark(
        "crawl.py",
        lambda setting: [unpack_site(setting), "--runs", "1", *setting.peer_options],
        (
            Figure(
                "crawl",
                "pages/s",
                rf"(?m)^portico .* {_NUMBER}$",
                rf"(?m)^scrapy .* {_NUMBER}$",
                "Scrapy",
                "≥ 6",
            ),
            Figure(
                "crawl",
                "pages/s",
                rf"(?m)^portico .* {_NUMBER}$",
                rf"(?m)^bare .* {_NUMBER}$",
                "bare loop",
                "≥ .7",
            ),
            Figure("crawl: scoring links", "% of time", rf"link scoring takes {_NUMBER}%", wanted="≤ 10 %"),
        ),
        needs_peer=True,
    ),
    Benchmark(
        "http1.py",
        lambda _setting: [],
        (
            Figure(
                "read an HTTP answer", "µs", rf"ours +{_NUMBER} µs", rf"httptools +{_NUMBER} µs", "httptools"
            ),
            Figure("read an HTTP answer", "µs", rf"ours +{_NUMBER} µs", rf"h11 +{_NUMBER} µs", "h11"),
        ),
    ),
    Benchmark(
        "frontier.py",
        lambda _setting: ["--links", "10000", "100000", "--pages", "640"],
        (
            Figure(
                "frontier of 100,000: memory",
                "MB",
                rf" 100,000 +{_NUMBER} MB",
                rf" 10,000 +{_NUMBER} MB",
                "10,000",
                "≤ 1.2",
            ),
        ),
    ),
    Benchmark(
        "rollouts.py",
        lambda _setting: ["--links", "5000", "20000"],
        (
            Figure(
                "spider training, growth", "times", rf"roll-outs: a link .* takes {_NUMBER} times", wanted="1"
            ),
        ),
    ),
    Benchmark(
        "convert.py",
        lambda setting: [str(setting.data / "data" / "papers" / "pmlr_pdf"), "--files", "8"],
        (
            Figure(
                "PDF to lines",
                "pages/s",
                rf"with layout: +{_NUMBER} pages",
                rf"plain text: +{_NUMBER} pages",
                "pdfium, text",
            ),
        ),
    ),
    Benchmark(
        "extract.py",
        lambda setting: [str(setting.data / "data" / "papers"), "--files", "12", *setting.peer_options],
        (
            Figure("PDF to record", "/s/core", rf"PDF to records: +{_NUMBER} ", wanted="≥ 7 /s"),
            Figure(
                "PostScript to record", "/s/core", rf"PostScript to records: +{_NUMBER} ", wanted="≥ 3 /s"
            ),
            Figure(
                "pdfminer.six, text alone",
                "times ours",
                rf"pdfminer.six, text: +{_NUMBER} times",
                wanted="≥ 1",
            ),
        ),
    ),
    Benchmark(
        "topics.py",
        lambda setting: [str(setting.abstracts), "--documents", "8000", *setting.peer_options],
        (
            Figure(
                "learn topics",
                "s",
                rf'"learning_s": {_NUMBER}',
                rf'"scikit_learn_s": {_NUMBER}',
                "scikit-learn, one pass",
                "≤ 2",
            ),
        ),
        needs_peer=True,
    ),
    Benchmark(
        "matching.py",
        lambda setting: [cut_records(setting), "--only", "scale", *setting.peer_options],
        (
            Figure(
                "match 42,000 records",
                "s",
                rf"portico: .* clusters, {_NUMBER} s",
                rf"splink: .* clusters, {_NUMBER} s",
                "splink",
                "≤ .5",
            ),
        ),
    ),
    Benchmark(
        "matching.py",
        lambda setting: [str(setting.work), "--only", "ranks", *setting.peer_options],
        (
            Figure(
                "HITS of a million edges",
                "s",
                rf"hubs and authorities in {_NUMBER} s",
                rf"scikit-network: {_NUMBER} s hubs",
                "scikit-network",
                "≤ .15 s",
            ),
            Figure(
                "PageRank of a million edges",
                "s",
                rf"PageRank in {_NUMBER} s",
                rf"hubs and authorities, {_NUMBER} s PageRank",
                "scikit-network",
                "≤ .15 s",
            ),
        ),
    ),
    Benchmark(
        "index.py",
        lambda setting: [str(setting.abstracts), "--documents", "8000", "--runs", "2"],
        (
            Figure(
                "index abstracts",
                "/s",
                rf"portico: {_NUMBER} doc",
                rf"bare tantivy: {_NUMBER} doc",
                "bare tantivy",
                "≥ .7",
            ),
            Figure(
                "index abstracts",
                "/s",
                rf"portico: {_NUMBER} doc",
                rf"sqlite fts5: {_NUMBER} doc",
                "SQLite FTS5",
            ),
        ),
    ),
    Benchmark(
        "ranking.py",
        lambda setting: [str(setting.data / "web"), "alcom", "nitarotaru", "tbrk"],
        (
            Figure(
                "links for 75 % of papers",
                "share",
                rf"mean +in the store +\S+ +\S+ +\S+ +{_NUMBER}",
                rf"mean +in memory +\S+ +\S+ +\S+ +{_NUMBER}",
                "in memory",
                "1",
            ),
        ),
    ),
)


def find_number(pattern: str, output: str) -> float | None:
    """The number that a pattern finds; the last, where there are several."""
    found = re.findall(pattern, output)
    return float(found[-1].replace(",", "")) if found else None


def read_figures(benchmark: Benchmark, output: str) -> list[tuple[str, ...]]:
    """The lines of the table that a benchmark's output gives."""
    rows: list[tuple[str, ...]] = []
    for figure in benchmark.figures:
        ours = find_number(figure.ours, output)
        peer = find_number(figure.peer, output) if figure.peer else None
        ratio = f"{ours / peer:.2f}" if ours is not None and peer else MISSING
        told = MISSING if ours is None else f"{ours:,g} {figure.unit}"
        theirs = MISSING if peer is None else f"{peer:,g} ({figure.peer_name})"
        rows.append((figure.name, told, theirs, ratio, figure.wanted or MISSING))
    return rows


def run_benchmark(benchmark: Benchmark, setting: Setting) -> tuple[str, str]:
    """What it printed, and why it failed, if it did."""
    if benchmark.needs_peer and setting.peer is None:
        return "", "needs --peer"
    try:
        arguments = benchmark.arguments(setting)
    except OSError as error:
        return "", str(error)
    command = [sys.executable, str(HERE / benchmark.script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    output = done.stdout + done.stderr
    # A benchmark ends with an error, too, when a promise is not kept: then its figures are there.
    lines = output.strip().splitlines()
    return output, "" if done.returncode == 0 or not lines else lines[-1]


def format_table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Columns as wide as what stands in them."""
    head = ("", "ours", "peer, same run", "ratio", "wanted")
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in (head, *rows)]  # fmt: skip


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Runs what is asked for, one after the other, and prints the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared")
    parser.add_argument("--peer", type=Path, help="a Python that has the peers")
    parser.add_argument("--only", nargs="+", default=(), help="scripts, without .py")
    parser.add_argument("--keep", type=Path, help="a folder for what each of them prints")
    options = parser.parse_args()
    rows: list[tuple[str, ...]] = []
    failures = []
    with tempfile.TemporaryDirectory(prefix="portico-benchmarks-") as work:
        Path(work).chmod(0o755)  # nginx reads from it as somebody else
        setting = Setting(options.data, options.peer, Path(work))
        for number, benchmark in enumerate(BENCHMARKS):
            name = benchmark.script.removesuffix(".py")
            if options.only and name not in options.only:
                continue
            started = time.monotonic()
            output, failure = run_benchmark(benchmark, setting)
            say(f"{name}: {time.monotonic() - started:.0f} s" + (f"; {failure}" if failure else ""))
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{number:02}-{name}.txt").write_text(output, encoding="utf-8")
            rows += read_figures(benchmark, output)
            failures += [f"{name}: {failure}"] if failure else []
    say("")
    for line in format_table(rows):
        say(line)
    if failures:
        say("\nnot whole: " + "; ".join(failures))


if __name__ == "__main__":
    main()
