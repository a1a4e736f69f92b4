"""Writes to a store batch by batch; run as a process of its own by tests that kill it.

Arguments: the portal's folder, a name for what it writes, and how many batches in all. It says the
number of every finished batch, and goes on after the last one that is whole in the store.
"""

import sys
from pathlib import Path

from portico.store.codec import encode
from portico.store.documents.pages import WEB, PageRow
from portico.store.documents.results import Done, Failed
from portico.store.opening import Store, open_store

BATCH = 5


def write_batch(store: Store, name: str, number: int) -> None:
    bodies = [f"{name} {number} {position} ".encode() * 200 for position in range(BATCH)]
    names = [store.blobs.put(body) for body in bodies]
    rows = [PageRow(f"http://{name}/{number}/{body}", WEB, 1.0, body=body) for body in names]
    store.documents.pages.put(rows)
    done = [
        Done(f"{name}-{number:04}-{body}", str(number), encode((body,) * 50), 0.1, 1.0) for body in names[1:]
    ]
    failed = Failed(
        f"{name}-{number:04}-{names[0]}", str(number), rows[0].source, "Unreadable", "no text", 0.1, 1.0
    )
    store.documents.results.put_many("convert", [*done, failed])


def write_all(folder: Path, name: str, n_batches: int) -> None:
    store = open_store("sqlite:///portico.db", folder, create=True)
    own = [
        key
        for subject, key in store.documents.results.keys("convert").items()
        if subject.startswith(f"{name}-")
    ]
    for number in range(1 + max(map(int, own), default=-1), n_batches):
        write_batch(store, name, number)
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()
    store.close()


if __name__ == "__main__":
    write_all(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
