"""How fast and how well references are matched at scale, against splink in the same run.

    python -m venv /tmp/peer && /tmp/peer/bin/pip install splink
    python benchmarks/matching.py FOLDER [--peer /tmp/peer/bin/python] [--sample FILE]

FOLDER holds papers.jsonl.gz, references.jsonl.xz and edges.tsv (citing and cited paper). Prints seconds
of processor time from records in memory to clusters, peak memory, and the share of the known edges that
were found; then the same for splink on DuckDB with one thread, which is given the same columns, already
folded. Then hubs and authorities and PageRank on a million edges. `--sample` writes
100 links chosen by chance (seed 0), for reading.
"""

import argparse
import gzip
import json
import lzma
import random
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from portico.learn.hits import hubs_and_authorities, pagerank
from portico.match.matcher import Cluster, group_records
from portico.types.document import DocumentId, Span
from portico.types.record import Field, Record, RecordId

PEERS = Path(__file__).parent / "contestants"
N_SAMPLE = 100
N_NODES, N_EDGES = 100_000, 1_000_000


def read_records(folder: Path) -> list[Record]:
    found = []
    with gzip.open(folder / "papers.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            values = [("title", row["title"]), *(("author", name) for name in row["authors"])]
            found.append(_record(row["id"], "header", [*values, ("year", row["date"][-4:])]))
    with lzma.open(folder / "references.jsonl.xz", "rt", encoding="utf-8") as file:
        for number, line in enumerate(file):
            row = json.loads(line)
            values = [("title", row.get("t") or ""), *(("author", name) for name in row["a"])]
            values += [("venue", row.get("v") or ""), ("year", str(row.get("y") or ""))]
            found.append(_record(row["c"], f"ref-{number}", values))
    return found


def _record(document: str, name: str, values: Sequence[tuple[str, str]]) -> Record:
    raw = ". ".join(value for _, value in values if value)
    whole = Span(0, len(raw))
    fields = tuple(Field(label, value, whole, 1.0) for label, value in values if value.strip())
    kind = "header" if name == "header" else "reference"
    return Record(RecordId(f"{document}#{name}"), kind, DocumentId(document), raw, whole, fields)


def share_found(clusters: Sequence[Cluster], edges: set[tuple[str, str]]) -> float:
    found = {
        (record.document, held.document)
        for cluster in clusters
        for held in cluster.records
        if held.kind == "header"
        for record in cluster.records
        if record.kind == "reference"
    }
    return len(edges & found) / len(edges)


def write_sample(clusters: Sequence[Cluster], path: Path) -> None:
    """Pairs of two records of one cluster that are not letter by letter the same, for a person to read."""
    chance = random.Random(0)
    lines = []
    shared = [cluster for cluster in clusters if len({record.raw for record in cluster.records}) > 1]
    for cluster in chance.sample(shared, min(N_SAMPLE, len(shared))):
        one, other = chance.sample(sorted({record.raw for record in cluster.records}), 2)
        lines += [one, other, ""]
    path.write_text("\n".join(lines), encoding="utf-8")


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def match_at_scale(folder: Path, sample: Path | None) -> None:
    records = sorted(read_records(folder), key=lambda record: record.id)
    edges = {
        (citing, cited)
        for line in (folder / "edges.tsv").read_text(encoding="utf-8").splitlines()
        for citing, cited in [line.split("\t")[:2]]
    }
    started = time.process_time()
    clusters = group_records(records)
    seconds = time.process_time() - started
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_000_000
    say(
        f"portico: {len(records)} records, {len(clusters)} clusters, {seconds:.1f} s, {memory:.2f} GB at most"
    )
    say(f"portico: {share_found(clusters, edges):.4f} of {len(edges)} known edges found")
    if sample is not None:
        write_sample(clusters, sample)


def rank_at_scale() -> None:
    chance = random.Random(0)
    edges = [(chance.randrange(N_NODES), int(N_NODES * chance.random() ** 2)) for _ in range(N_EDGES)]
    for name, method in {"hubs and authorities": hubs_and_authorities, "PageRank": pagerank}.items():
        started = time.process_time()
        method(edges, N_NODES)
        say(f"portico: {name} of {N_EDGES} edges, {time.process_time() - started:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--peer", help="a Python that has splink")
    parser.add_argument("--sample", type=Path, help="where to write 100 links for reading")
    options = parser.parse_args()
    match_at_scale(options.folder, options.sample)
    if options.peer:
        subprocess.run([options.peer, PEERS / "matching_splink.py", options.folder], check=True)
    rank_at_scale()


if __name__ == "__main__":
    main()
