"""What a store knows of the last complete build, read without loading what opens a store.

Every command that holds the portal first overwrites `NOTE` in `meta`, so that a note is found only after a
complete build since which nothing was written. People contribute at any time: their rows are compared.
"""

import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

NOTE = "build_note"
"""The key in `meta` of the digest of the note that a complete build left; of anything else while one runs."""

KEPT_SOURCES = "kept_sources"
"""The key in `meta` of the sources that the builder decided to keep."""

# Apart from what visitors do, which no stage reads.
_WRITTEN = "SELECT 1 FROM touched WHERE part NOT IN ('query_log', 'deed') LIMIT 1"
_BY_PEOPLE = (
    "SELECT * FROM correction ORDER BY id",
    "SELECT * FROM submission ORDER BY url",
    "SELECT * FROM verdict ORDER BY one, other",
    "SELECT * FROM mark ORDER BY id",
    "SELECT * FROM lesson_act ORDER BY id",
)
_NAMED = "SELECT value FROM meta WHERE key = ?"


def read_build_note(database: Path) -> str | None:
    """The digest of the note of the last complete build; None if anything was written since."""
    try:
        with closing(_connect(database)) as connection:
            if connection.execute(_WRITTEN).fetchone():
                return None
            found = connection.execute(_NAMED, (NOTE,)).fetchone()
    except sqlite3.Error:  # no store, one of an older version, or a damaged one: opening it says which
        return None
    return str(found[0]) if found else None


def digest_contributions(database: Path) -> str:
    """A digest of everything that people decided; "" if it cannot be read."""
    whole = sha256()
    try:
        with closing(_connect(database)) as connection:
            for query in _BY_PEOPLE:
                for row in connection.execute(query):
                    whole.update(f"{query} {row}\n".encode("utf-8", "backslashreplace"))
            kept = connection.execute(_NAMED, (KEPT_SOURCES,)).fetchone()
            whole.update(f"{kept}".encode("utf-8", "backslashreplace"))
    except sqlite3.Error:
        return ""
    return whole.hexdigest()


def _connect(database: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(database))}?mode=ro", uri=True)
