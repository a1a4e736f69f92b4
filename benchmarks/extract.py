"""How fast files become records, against pdfminer.six reading the text of the same PDFs in the same run.

    python benchmarks/extract.py PAPERS [--files N] [--peer PYTHON]

PAPERS is a folder with pmlr_pdf/ and ps_papers/. Prints documents per second of processor time (of this
process, its worker and Ghostscript together; without the sandbox, since bubblewrap hides from its parent what
its children used), the same by the clock on the wall with the sandbox, the ratio, the most memory any of the
processes held, and header words tagged per second. The peer runs in a Python of its own:

    python -m venv /var/tmp/peer && /var/tmp/peer/bin/pip install pdfminer.six
    python benchmarks/extract.py PAPERS --peer /var/tmp/peer/bin/python

pdfminer.six gives text in blocks, no fields. GROBID's authors report one PDF per second and core with CRFs,
on machines of theirs; that is no figure of this run.
"""

import argparse
import contextlib
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from portico.convert.converter import DEFAULT_LIMITS, Converter, ConvertLimits
from portico.domains.registry import find_domain
from portico.errors import InputError
from portico.extract.extractor import Extractor, load_extractor, make_header_rows
from portico.types.document import Document, DocumentId

PEER = """
import sys
from pdfminer.high_level import extract_text
for path in sys.argv[1:]:
    extract_text(path)
"""
PEER_FILES = 5  # the peer takes seconds for each
# Enough to measure, and few enough to wait for: headers are tagged again and again for this long.
TAGGING_S = 3.0


@dataclass(frozen=True, slots=True)
class Speed:
    """What reading some files has cost."""

    n_files: int
    n_records: int
    seconds: float  # of processor time, children included
    wall_s: float  # by the clock on the wall, sandbox included
    memory_mb: float  # the most that one process held

    def __str__(self) -> str:
        return (
            f"{self.n_files / self.seconds:7.2f} documents/s/core"
            f" ({self.n_files / self.wall_s:.2f} a second of wall clock, sandboxed),"
            f" {self.n_records} records, at most {self.memory_mb:.0f} MB"
        )


def speed_of(paths: Sequence[Path], extract: Extractor) -> Speed:
    """Every file from bytes to records, one after the other, without the sandbox and with it."""
    bare = ConvertLimits(sandbox="none")
    n_records = 0

    def run() -> None:
        nonlocal n_records
        n_records = count_records(paths, extract, bare)

    seconds = processor_seconds(run)
    start = time.perf_counter()
    count_records(paths, extract, DEFAULT_LIMITS)
    wall_s = time.perf_counter() - start
    return Speed(len(paths), n_records, seconds, wall_s, most_memory_mb())


def count_records(paths: Sequence[Path], extract: Extractor, limits: ConvertLimits) -> int:
    n_records = 0
    with Converter(limits) as converter:
        for path in paths:
            document = readable(path, converter)
            with contextlib.suppress(InputError):  # slides and the like
                n_records += len(extract(document)) if document is not None else 0
    return n_records


def readable(path: Path, converter: Converter) -> Document | None:
    try:
        return converter(path.read_bytes(), media_type="", name=path.name, document_id=DocumentId(path.name))
    except InputError:
        return None


def peer_seconds(python: Path, paths: Sequence[Path]) -> float:
    """Processor seconds that the peer takes for the same files, without its start."""
    command = [str(python), "-W", "ignore", "-c", PEER]
    start = processor_seconds(lambda: subprocess.run(command, check=True, capture_output=True))
    whole = processor_seconds(
        lambda: subprocess.run([*command, *map(str, paths)], check=True, capture_output=True)
    )
    return whole - start


def words_per_second(paths: Sequence[Path], extract: Extractor) -> float:
    """Words of headers labelled in a second of processor time."""
    with Converter() as converter:
        documents = [document for path in paths if (document := readable(path, converter)) is not None]
    headers = [make_header_rows(document, extract.find_zones(document).header) for document in documents]
    n_words = 0
    start = time.process_time()
    while time.process_time() - start < TAGGING_S:
        for rows in headers:
            extract.tag_header(rows)
            n_words += sum(len(row.words) for row in rows)
    return n_words / (time.process_time() - start)


def processor_seconds(run: Callable[[], object]) -> float:
    start = _processor_time()
    run()
    return _processor_time() - start


def _processor_time() -> float:
    """Of this process and of all children that have ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def most_memory_mb() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return max(usage.ru_maxrss for usage in usages) / 1024


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("papers", type=Path)
    parser.add_argument("--files", type=int, default=1000, help="at most so many files of each kind")
    parser.add_argument("--peer", type=Path, help="a Python that has pdfminer.six")
    options = parser.parse_args()
    extract = load_extractor(find_domain("papers"))
    pdfs = sorted((options.papers / "pmlr_pdf").rglob("*.pdf"))[: options.files]
    postscripts = sorted((options.papers / "ps_papers").rglob("*.ps*"))[: options.files]
    say(f"PDF to records:        {speed_of(pdfs, extract)}")
    say(f"PostScript to records: {speed_of(postscripts, extract)}")
    say(f"headers tagged:        {words_per_second(pdfs[:20], extract):7.0f} words/s/core")
    if options.peer is not None:
        few = pdfs[:PEER_FILES]
        ratio = peer_seconds(options.peer, few) / speed_of(few, extract).seconds
        say(f"pdfminer.six, text:    {ratio:7.2f} times the processor time of records, on {len(few)} PDFs")


if __name__ == "__main__":
    main()
