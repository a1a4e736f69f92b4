"""How fast and how well references are matched at scale, against splink in the same run.

    python -m venv /tmp/peer && /tmp/peer/bin/pip install splink scikit-network
    python benchmarks/matching.py FOLDER [--peer /tmp/peer/bin/python] [--sample FILE]

FOLDER holds papers.jsonl.gz, references.jsonl.xz and edges.tsv (citing and cited paper). Prints seconds
of processor time from records in memory to clusters, peak memory, and the share of the known edges that
were found; then the same for splink on DuckDB with one thread, which is given the same columns, already
folded. Then hubs and authorities and PageRank on a million edges, beside scikit-network if the peer has it.
Then 10,000 of the papers become a portal in a temporary folder, ten more are added one by one, and the
graph is compared with that of a full matching. `--only` runs one of the parts; `--sample` writes 100 links
chosen by chance (seed 0), for reading.
"""

import argparse
import gc
import gzip
import json
import lzma
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np

from portico.cli.progress_lines import ProgressLines
from portico.engine.local import LocalEngine
from portico.learn.ranked_graph import make_matrix, score_hits, score_nodes, score_pagerank
from portico.match.clustering import Cluster
from portico.match.matcher import group_records, make_entities
from portico.pipeline.collections.papers.matching import match_papers
from portico.pipeline.opening import open_for_building
from portico.pipeline.progress import StageProgress
from portico.pipeline.runners import BuildRun
from portico.store.codec import encode
from portico.store.documents.results import Done
from portico.store.opening import Store
from portico.types.document import DocumentId, Span
from portico.types.record import Field, Record, RecordId

PEERS = Path(__file__).parent / "contestants"
N_SAMPLE = 100
N_NODES, N_EDGES = 100_000, 1_000_000
N_ADDED = 10


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


def rank_at_scale(peer: str | None) -> None:
    chance = random.Random(0)
    drawn = ((chance.randrange(N_NODES), int(N_NODES * chance.random() ** 2)) for _ in range(N_EDGES))
    edges = sorted(set(drawn))
    ends = np.array(edges, dtype=np.int32)
    links = make_matrix(ends[:, 0], ends[:, 1], N_NODES)
    started = time.process_time()
    score_hits(links)
    halfway = time.process_time()
    score_pagerank(links)
    ended = time.process_time()
    say(
        f"portico: {len(edges)} edges, hubs and authorities in {halfway - started:.3f} s,"
        f" PageRank in {ended - halfway:.3f} s"
    )
    _, authorities, hubs, visits = (score_nodes(ends, N_NODES, digits=15) / N_NODES).T.tolist()
    say(f"portico: both, counts, and rounding: {time.process_time() - ended:.3f} s")
    if peer is None:
        return
    packed = array("i", chain.from_iterable(edges)).tobytes()
    script = PEERS / "ranks_scikit_network.py"
    answer = subprocess.run([peer, script, str(N_NODES)], input=packed, stdout=subprocess.PIPE, check=True)
    for name, ours, theirs in zip(
        ("hubs", "authorities", "PageRank"),
        (hubs, authorities, visits),
        json.loads(answer.stdout),
        strict=True,
    ):
        apart = max(abs(one - other) for one, other in zip(ours, theirs, strict=True))
        say(f"portico and scikit-network: {name} differ by {apart:.1e} at most")


def add_one_by_one(folder: Path, n_papers: int) -> None:
    """Papers added to a large portal: seconds for each, and whether the graph is that of a full matching."""
    documents: dict[str, list[Record]] = {}
    for record in read_records(folder):
        documents.setdefault(record.document, []).append(record)
    names = sorted(documents)[: n_papers + N_ADDED]
    watch = StopWatch(None)
    run = BuildRun(LocalEngine(1), watch, clock=time.time)
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "portal.toml").write_text('[[source]]\nseeds = ["http://a.test/"]\n')
        with open_for_building(Path(place)) as portal:
            put = partial(put_papers, portal.store, documents)
            put(names[:n_papers])
            started = time.process_time()
            report = match_papers(portal, run)
            say(f"portico: {n_papers} papers, {report.n_done} entities, {_since(started)} s in full")
            # A build does not hold the records of all papers, as this script does to compare in the end: the
            # search for garbage among them is not the portal's.
            gc.freeze()
            relinked, whole = [], []
            for name in names[n_papers:]:
                put([name])
                watch.started = time.process_time()
                match_papers(portal, run)
                relinked.append(watch.relinked - watch.started)
                whole.append(time.process_time() - watch.started)
            for part, times in (("relinked", relinked), ("relinked and all ranked anew", whole)):
                median = statistics.median(times)
                say(f"portico: one paper more, {part}: median {median:.2f} s, at most {max(times):.2f} s")
            records = sorted((r for name in names for r in documents[name]), key=lambda record: record.id)
            same = (
                tuple(portal.store.catalog.entities.all())
                == make_entities(records, group_records(records)).entities
            )
            say(f"portico: {'the same graph as' if same else 'NOT the graph of'} a full matching")


class StopWatch(ProgressLines):
    """Notes when the matching begins to rank: the papers are linked by then."""

    started = relinked = 0.0

    @contextmanager
    def stage(self, name: str, total: int | None) -> Iterator[StageProgress]:
        with super().stage(name, total) as meter:
            yield _Splits(self, meter)


class _Splits:
    def __init__(self, watch: StopWatch, meter: StageProgress) -> None:
        self._watch = watch
        self.advance, self.expect = meter.advance, meter.expect

    def status(self, words: str) -> None:
        if words == "ranking":
            self._watch.relinked = time.process_time()


def put_papers(store: Store, documents: dict[str, list[Record]], names: Sequence[str]) -> None:
    rows = [Done(name, "key", encode(tuple(documents[name])), 0.0, 0.0) for name in names]
    store.documents.results.put_many("extract", rows)


def _since(started: float) -> str:
    return f"{time.process_time() - started:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--peer", help="a Python that has splink and scikit-network")
    parser.add_argument("--only", choices=("scale", "ranks", "one-by-one"), help="run one part")
    parser.add_argument("--papers", type=int, default=10_000, help="papers of the portal that grows")
    parser.add_argument("--sample", type=Path, help="where to write 100 links for reading")
    options = parser.parse_args()
    if options.only in (None, "scale"):
        match_at_scale(options.folder, options.sample)
        if options.peer:
            subprocess.run([options.peer, PEERS / "matching_splink.py", options.folder], check=True)
    if options.only in (None, "ranks"):
        rank_at_scale(options.peer)
    if options.only in (None, "one-by-one"):
        add_one_by_one(options.folder, options.papers)


if __name__ == "__main__":
    main()
