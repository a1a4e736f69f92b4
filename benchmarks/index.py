"""How many documents a second of one core become searchable, against SQLite's FTS5 and the bare engine.

    python benchmarks/index.py papers.jsonl.xz [--documents 45000] [--runs 3]

The file has one JSON object a line with `title`, `abstract` and, where known, `authors` (`portico export
jsonl` writes such files). All three write the same titles, authors and abstracts to disk, one after another,
and are measured by the processor time of this process and all its threads, which holds better than the clock
on a busy machine; the best of the runs counts. Portico also keeps what lists show, numbers to count and
order by, and titles and names a second time to rank by; the bare engine is the same tantivy with the three
texts and nothing else, and FTS5 indexes the same words with its own tokenizer. What Portico cannot save is
measured apart: the engine given all our fields at once, without the time that making documents of them takes.
"""

import argparse
import gzip
import json
import lzma
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import tantivy

from portico.index.schema import build_schema, register_tokenizer
from portico.index.writer import FRESH_WRITER_BYTES, make_document, write_index
from portico.types.record import EntityId
from portico.types.search import Entry

_OPENERS = {".xz": lzma.open, ".gz": gzip.open}


def read_entries(path: Path, most: int) -> list[Entry]:
    entries = []
    with _OPENERS.get(path.suffix, open)(path, "rt", encoding="utf-8") as lines:
        for number, line in zip(range(most), lines, strict=False):
            row = json.loads(line)
            authors = row.get("authors") or ()
            names = tuple(authors.split(", ")) if isinstance(authors, str) else tuple(authors)
            entries.append(Entry(EntityId(str(number)), row["title"], names, row.get("abstract") or ""))
    return entries


def with_portico(entries: list[Entry], folder: Path) -> None:
    write_index(entries, folder / "index")


def with_tantivy(entries: list[Entry], folder: Path) -> None:
    builder = tantivy.SchemaBuilder()
    for field in ("title", "authors", "abstract"):
        builder.add_text_field(field, stored=field != "authors")
    (folder / "bare").mkdir()
    writer = tantivy.Index(builder.build(), str(folder / "bare")).writer(FRESH_WRITER_BYTES, 1)
    for entry in entries:
        document = tantivy.Document()
        document.add_text("title", entry.title)
        document.add_text("authors", ", ".join(entry.authors))
        document.add_text("abstract", entry.abstract)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()


def measure_parts(entries: list[Entry], folder: Path) -> tuple[float, float]:
    """Seconds for making our documents, and for the engine to index them."""
    started = time.process_time()
    documents = [make_document(entry) for entry in entries]
    made = time.process_time()
    index = register_tokenizer(tantivy.Index(build_schema(), str(folder)))
    writer = index.writer(FRESH_WRITER_BYTES, 1)
    for document in documents:
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    return made - started, time.process_time() - made


def with_fts5(entries: list[Entry], folder: Path) -> None:
    rows = ((entry.title, ", ".join(entry.authors), entry.abstract) for entry in entries)
    with sqlite3.connect(folder / "rows.db") as database:
        database.execute("CREATE VIRTUAL TABLE papers USING fts5(title, authors, abstract)")
        database.executemany("INSERT INTO papers VALUES (?, ?, ?)", rows)


CONTESTANTS: dict[str, Callable[[list[Entry], Path], None]] = {
    "portico": with_portico,
    "sqlite fts5": with_fts5,
    "bare tantivy": with_tantivy,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--documents", type=int, default=45_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    entries = read_entries(options.file, options.documents)
    best = dict.fromkeys(CONTESTANTS, float("inf"))
    for _ in range(options.runs):
        for name, write in CONTESTANTS.items():
            folder = Path(tempfile.mkdtemp())
            started = time.process_time()
            write(entries, folder)
            best[name] = min(best[name], time.process_time() - started)
            shutil.rmtree(folder)
    sys.stdout.write(f"{len(entries):,} documents, best of {options.runs} runs\n")
    for name, seconds in best.items():
        speed, ratio = len(entries) / seconds, best[name] / best["portico"]
        sys.stdout.write(f"{name}: {speed:,.0f} documents a second of processor time ({ratio:.2f} of ours)\n")
    folder = Path(tempfile.mkdtemp())
    making, indexing = measure_parts(entries, folder)
    shutil.rmtree(folder)
    each, speed = 1e6 * making / len(entries), len(entries) / indexing
    sys.stdout.write(
        f"portico's fields: {each:.0f} µs to make a document, the engine alone {speed:,.0f} a second\n"
    )


if __name__ == "__main__":
    main()
