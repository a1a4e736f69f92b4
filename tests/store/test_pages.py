"""Sources, the bodies behind them, and what tells that a file has changed."""

from dataclasses import replace

import pytest

from portico.store.documents.pages import CATALOGUED, FILE, WEB, BodyRow, FileState, PageCounts, PageRow
from portico.store.opening import Store
from portico.types.page import BodyHash

ONE, TWO, THREE = (BodyHash(letter * 64) for letter in "abc")


def web(source: str, body: BodyHash | None, *, depth: int = 0, media_type: str = "text/html") -> PageRow:
    return PageRow(source, WEB, 1.5, origin=source, body=body, media_type=media_type, n_bytes=7, depth=depth)


def file(source: str, body: BodyHash | None, *, origin: str = "..", n_bytes: int = 7) -> PageRow:
    return PageRow(source, FILE, 1.5, origin=origin, body=body, n_bytes=n_bytes, mtime_ns=2**60)


def test_a_page_comes_back_as_it_was_put(store: Store) -> None:
    row = replace(web("http://a/", ONE), etag='"x"', last_modified="yesterday", status=203, depth=4)
    store.documents.pages.put([row])
    assert store.documents.pages.get("http://a/") == row
    assert store.documents.pages.get("http://b/") is None


def test_putting_again_overwrites(store: Store) -> None:
    store.documents.pages.put([web("http://a/", ONE), web("http://b/", ONE)])
    store.documents.pages.put([web("http://a/", None)])
    assert [row.source for row in store.documents.pages.bodies()] == ["http://b/"]
    assert store.documents.pages.counts() == PageCounts(n_web=2, n_files=0, n_bodies=1)


def test_putting_nothing_is_nothing(store: Store) -> None:
    store.documents.pages.put([])
    assert store.documents.pages.counts() == PageCounts(0, 0, 0)


def test_each_body_is_known_by_its_nearest_then_least_source(store: Store) -> None:
    store.documents.pages.put(
        [
            web("http://z/", TWO, depth=1),
            web("http://deep/", TWO, depth=3),
            web("http://m/", TWO, depth=1, media_type="application/pdf"),
            web("http://only/", ONE, depth=9, media_type="application/pdf"),
            web("http://gone/", None),
            file("../x.pdf", THREE),
        ]
    )
    assert list(store.documents.pages.bodies()) == [
        BodyRow(ONE, "http://only/", "application/pdf", 7),
        BodyRow(TWO, "http://m/", "application/pdf", 7),
        BodyRow(THREE, "../x.pdf", "", 7),
    ]
    store.documents.pages.put([web("record", BodyHash("4"), media_type=CATALOGUED)])
    assert [row.body for row in store.documents.pages.bodies(records=False)] == [ONE, TWO, THREE]
    assert store.documents.pages.sources([TWO, THREE, BodyHash("?")]) == {
        TWO: ("http://m/", "http://z/", "http://deep/"),
        THREE: ("../x.pdf",),
    }


def test_files_of_a_folder_with_what_tells_changes(store: Store) -> None:
    store.documents.pages.put(
        [file("../a.pdf", ONE), file("../b.pdf", None, n_bytes=-1), web("http://a/", ONE)]
    )
    store.documents.pages.put([file("/other/c.pdf", ONE, origin="/other")])
    assert store.documents.pages.files("..") == {
        "../a.pdf": FileState(7, 2**60),
        "../b.pdf": FileState(-1, 2**60),
    }
    assert store.documents.pages.files("elsewhere") == {}
    assert store.documents.pages.origins() == ("..", "/other")
    assert store.documents.pages.counts() == PageCounts(n_web=1, n_files=3, n_bodies=1)


@pytest.mark.parametrize("n_pages", [1, 1_501])
def test_removing_many(store: Store, n_pages: int) -> None:
    names = [f"http://a/{n}" for n in range(n_pages)]
    store.documents.pages.put([*(web(name, ONE) for name in names), web("http://stays/", ONE)])
    store.documents.pages.remove(names)
    assert store.documents.pages.counts().n_web == 1
