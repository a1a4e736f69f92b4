"""Change single bits of a portal, one at a time: does `portico verify` find each?

    python benchmarks/damage.py PORTAL [--flips N] [--seed N]

PORTAL is any built portal (`portico demo DIR --no-serve` makes one); a copy of it is damaged. In each part
(the database, the file of small bodies, bodies, models, index) N bits are flipped at random places, each in
the copy as it was, and everything is verified. Some bytes of a database mean nothing: free space, and what
was deleted. A flip there leaves every row as it was; it is counted apart, and finding it is not asked for.
Prints for each part how many flips were found, meant nothing, or were MISSED; exits with 1 if any was.
"""

import argparse
import random
import shutil
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from portico.errors import PorticoError
from portico.pipeline.verify import verify_portal

FOUND, NOTHING, MISSED = "found", "meant nothing", "MISSED"


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def list_parts(portal: Path) -> Iterator[tuple[str, list[Path]]]:
    yield "database", [portal / "portico.db"]
    yield "small bodies", sorted((portal / "blobs").glob("*.db"))
    yield "bodies", sorted((portal / "blobs").glob("*/*.zst"))
    yield "models", sorted((portal / "models").iterdir())
    yield "index", [path for path in sorted((portal / "index").glob("*/*")) if path.suffix != ".lock"]


def digest_rows(path: Path) -> str:
    """Of everything that can be read from a database; of nothing where it cannot be read."""
    whole = sha256()
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
            database.text_factory = bytearray
            for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
                for row in database.execute(f'SELECT * FROM "{name.decode()}"'):  # noqa: S608
                    whole.update(repr(row).encode())
            for row in database.execute("SELECT type, name, sql FROM sqlite_schema"):
                whole.update(repr(row).encode())
            if database.execute("PRAGMA integrity_check").fetchall() != [(bytearray(b"ok"),)]:
                return ""
    except (sqlite3.Error, UnicodeDecodeError):
        return ""
    return whole.hexdigest()


def is_found(portal: Path) -> bool:
    try:
        return verify_portal(portal, repair=False).open_faults > 0
    except PorticoError:
        return True  # it ends with a message that says what is damaged


def flip(portal: Path, path: Path, chance: random.Random) -> str:
    """What became of one flip."""
    body = path.read_bytes()
    if not body:
        return NOTHING
    position = chance.randrange(len(body))
    is_database = path.suffix == ".db"
    before = digest_rows(path) if is_database else ""
    changed = bytearray(body)
    changed[position] ^= 1 << chance.randrange(8)
    path.write_bytes(changed)
    try:
        if is_found(portal):
            return FOUND
        same = is_database and digest_rows(path) == before
        if not same:
            say(f"  missed: byte {position} of {path.relative_to(portal)}")
        return NOTHING if same else MISSED
    finally:
        path.write_bytes(body)
        for beside in ("-wal", "-shm"):
            path.with_name(path.name + beside).unlink(missing_ok=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("portal", type=Path)
    parser.add_argument("--flips", type=int, default=100)
    parser.add_argument("--seed", type=int, default=time.time_ns() & 0xFFFF)
    options = parser.parse_args()
    chance, total = random.Random(options.seed), Counter[str]()
    with tempfile.TemporaryDirectory() as place:
        portal = Path(place) / "portal"
        shutil.copytree(options.portal, portal)
        if is_found(portal):
            raise SystemExit(f"{options.portal} is damaged already: build and verify it first")
        for name, files in list_parts(portal):
            counted = Counter(
                flip(portal, chance.choice(files), chance) for _ in range(options.flips) if files
            )
            total += counted
            words = ", ".join(f"{counted[each]} {each}" for each in (FOUND, NOTHING, MISSED))
            say(f"{name:<13}{sum(counted.values()):>5} flips: {words}")
    words = ", ".join(f"{total[each]} {each}" for each in (FOUND, NOTHING, MISSED))
    say(f"{'all':<13}{sum(total.values()):>5} flips: {words}")
    if total[MISSED]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
