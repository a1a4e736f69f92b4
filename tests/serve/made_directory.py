"""A small portal of organisations and their officers, made by hand, with a few hostile guests."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from portico.index.writer import write_index
from portico.match.merging_things import merge_things
from portico.pipeline.collections.declared.entries import thing_entries
from portico.pipeline.collections.declared.matching import sites_of
from portico.serve.app import create_app
from portico.serve.declared.collection import ServedThings
from portico.serve.portal import About
from portico.store.catalog.entities import EXTRACT
from portico.store.codec import encode
from portico.store.documents.pages import PageRow
from portico.store.documents.results import Done
from portico.store.opening import Store, open_store
from portico.store.portal_view import GENERATION_KEY
from portico.types.declared_display import searched_fields
from portico.types.page import BodyHash
from portico.types.record import Record
from tests.directory import KINDS, record
from tests.serve.conftest import Site, serving
from tests.serve.made import HEBREW_TITLE, LONG_TITLE, SCRIPT, STORE_URL

HOSTILE = f'{SCRIPT}"onmouseover="alert(1) {{{{ 7*7 }}}} \x00\x07\u202egnorw'


def page_of(name: str) -> str:
    return sha256(name.encode()).hexdigest()


BOARD, CONTACT, BOLT, EVIL, STAFF = map(page_of, ("board", "contact", "bolt", "evil", "staff"))
SOURCES = {
    "http://www.acme.example/board.html": BOARD,
    "http://www.acme.example/contact.html": CONTACT,
    "https://bolt.example/people": BOLT,
    "http://evil.example/x": EVIL,
    "javascript:alert(1)//": EVIL,
    "http://choir.example/members": STAFF,
}
RECORDS: tuple[Record, ...] = (
    record(
        "organisation",
        CONTACT,
        0,
        name="Acme Gardening Society",
        address="12 Elm Lane, Bad Ems",
        place="Bad Ems",
        phone="+49 555 0100",
        email=("office@acme.example", 0.55),
    ),
    record("officer", BOARD, 1, name="Ada Young", role="Chair", email="ada@acme.example"),
    record("officer", BOARD, 2, name="Bo Old", role="Treasurer"),
    record("officer", BOARD, 3, name=("Cy Small", 0.6), role=("Secretary", 0.4)),
    record("officer", CONTACT, 4, name="A. Young", role="Chair"),
    record("organisation", BOLT, 0, name="Bolt & Nut Ltd", place="Zürich", phone="+41 555 0199"),
    record("officer", BOLT, 1, name="Di Tree", role="treasurer"),
    record("organisation", EVIL, 0, name=HOSTILE, address=SCRIPT, place=SCRIPT, phone=SCRIPT, email="x@y z"),
    record("officer", EVIL, 1, name=HOSTILE, role=f"</title></style>{SCRIPT}", email="javascript:alert(1)"),
    record("officer", EVIL, 2, name=LONG_TITLE, role=LONG_TITLE),
    record("officer", EVIL, 3, name=HEBREW_TITLE, role="\ud800 chair"),
    *(record("officer", STAFF, n, name=f"Alto Singer{chr(97 + n)}", role="Member") for n in range(26)),
)


def make_directory(folder: Path) -> None:
    """A finished portal in that folder."""
    store = open_store(STORE_URL, folder, create=True)
    rows = [
        PageRow(source, "web", 100.0 + n, body=BodyHash(body), media_type="text/html")
        for n, (source, body) in enumerate(SOURCES.items())
    ]
    store.documents.pages.put(rows)
    by_page = {body: tuple(each for each in RECORDS if each.document == body) for body in SOURCES.values()}
    store.documents.results.put_many(
        EXTRACT, [Done(body, "key", encode(records), 0.1, 0.0) for body, records in by_page.items()]
    )
    found = merge_things(RECORDS, KINDS, sites_of(store))
    store.catalog.things.replace(found.entities, found.belongings)
    index(store, folder)
    store.close()


def index(store: Store, folder: Path) -> None:
    write_index(thing_entries(store, KINDS, {}), folder / "index" / "one", declared=searched_fields(KINDS))
    store.meta.set(GENERATION_KEY, "one")
    shown = {each.id: each.id for each in store.catalog.entities.all()}
    store.catalog.changes.note(shown, (), lambda: 946684800.0)


def id_of(folder: Path, title: str) -> str:
    """The id of the thing that is headed so."""
    store = open_store(STORE_URL, folder, read_only=True)
    try:
        return next(each.id for each in store.catalog.entities.all() if each.value("name") == title)
    finally:
        store.close()


@contextmanager
def serving_directory(
    folder: Path, clock: Callable[[], float] | None = None, *, languages: Sequence[str] = ("en",)
) -> Iterator[Site]:
    store = open_store(STORE_URL, folder, read_only=True)
    app = create_app(
        store,
        index_folder=folder / "index",
        about=About("Who & Where", "Officers of clubs that do not exist.", languages=tuple(languages)),
        collection=ServedThings(KINDS),
        clock=clock or time.monotonic,
    )
    with serving(app) as site:
        yield site
    store.close()
