"""Read files that were changed by chance or made to do harm: does each become a document or a reason?

    python benchmarks/hostile_files.py [--files N] [--seed N]

N files (300 unless told otherwise) of every kind that is read, catalogs included, are made from good ones;
those of tests/convert/hostile.py that were made by hand are read before. After every tenth, a good file is
read: it must become a document. Prints how many became documents and how many got a reason, and the slowest;
exits with 1 if any did neither.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.convert.hostile import FILES, GOOD, is_catalog, make_hostile_variants

from portico.convert.converter import Converter, ConvertLimits
from portico.errors import ConfigError, InputError
from portico.pipeline.catalogs.formats import read_catalog, recognize_format
from portico.types.document import DocumentId

LIMITS = ConvertLimits(timeout_s=5.0, max_memory_mb=512, max_pages=100, max_expanded_bytes=100_000_000)


def list_files(n_files: int, seed: int) -> Iterator[tuple[str, bytes]]:
    for hostile in FILES:
        yield hostile.name, hostile.make()
    yield from make_hostile_variants(n_files, seed=seed)


def read_hostile_catalog(name: str, body: bytes) -> str:
    """As `portico import` reads it, without a portal."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, name)
        file.write_bytes(body)
        items = list(read_catalog(file, recognize_format(file)))
    return "reason" if any(item.error for item in items) else "document"


def judge(converter: Converter, name: str, body: bytes) -> str:
    convert = converter.page if name.endswith(".html") else converter
    try:
        if is_catalog(name):
            return read_hostile_catalog(name, body)
        convert(body, media_type="", name=name, document_id=DocumentId("0"))
    except (InputError, ConfigError):
        return "reason"
    except Exception as fault:  # noqa: BLE001 this is what is looked for
        sys.stdout.write(f"  {name}: {fault!r}\n")
        return "NEITHER"
    return "document"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    counted, slowest = Counter[str](), (0.0, "")
    with Converter(LIMITS) as converter:
        for number, (name, body) in enumerate(list_files(options.files, options.seed)):
            started = time.monotonic()
            counted[judge(converter, name, body)] += 1
            slowest = max(slowest, (time.monotonic() - started, name))
            if number % 10 == 0 and judge(converter, "good.pdf", GOOD) != "document":
                sys.stdout.write(f"  after {name} a good file is no longer read\n")
                counted["NEITHER"] += 1
    words = ", ".join(f"{counted[each]} {each}" for each in ("document", "reason", "NEITHER"))
    sys.stdout.write(f"{sum(counted.values())} files: {words}; slowest {slowest[1]}, {slowest[0]:.1f} s\n")
    if counted["NEITHER"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
