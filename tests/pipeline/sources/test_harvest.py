"""What breadth-first would have found when, on the web that a crawl has mapped."""

from pathlib import Path

import pytest

from portico.pipeline.sources.harvest import MAX_POINTS, MappedWeb, measure_harvest, replay_breadth_first
from portico.store.crawl.harvest import CrawlRequest, Harvest, HarvestPoint, count_requests_until
from portico.store.documents.folder_blobs import FolderBlobs
from portico.store.opening import open_store
from portico.types.page import Url

A, B, C, D, E = (Url(f"http://a.test/{name}") for name in "abcde")
LINKS = {A: (C, B), B: (D,), C: (E,)}


@pytest.mark.parametrize(
    ("known", "seeds", "order"),
    [
        ((A, B, D, C, E), (A,), [A, C, B, E, D]),
        ((A, B, D), (A,), [A, B, D]),  # what was never asked for does not count
        ((E, A, C), (C,), [C, E, A]),  # what cannot be reached comes last
        ((A, B), (D,), [A, B]),
        ((), (A,), []),
    ],
)
def test_order(known: tuple[Url, ...], seeds: tuple[Url, ...], order: list[Url]) -> None:
    assert replay_breadth_first(known, seeds, lambda url: LINKS.get(url, ())) == order


@pytest.mark.parametrize(
    ("curve", "share", "n_requests"),
    [
        ((HarvestPoint(10, 4),), 0.75, 8),
        ((HarvestPoint(5, 0), HarvestPoint(10, 2), HarvestPoint(20, 4)), 0.75, 15),
        ((HarvestPoint(5, 0),), 0.75, None),
        ((), 0.75, None),
    ],
)
def test_requests_at(curve: tuple[HarvestPoint, ...], share: float, n_requests: int | None) -> None:
    assert count_requests_until(curve, share) == n_requests


def test_harvest_of_kept_pages(tmp_path: Path) -> None:
    blobs = FolderBlobs(tmp_path / "blobs")
    home = blobs.put(b'<a href="/b">photos</a> <a href="/c">papers</a>')
    papers = blobs.put(b'<a href="/d">one</a>')
    requests = [
        CrawlRequest(A, A, "text/html", home, is_target=False),
        CrawlRequest(C, E, "", None, is_target=False),  # a redirect
        CrawlRequest(E, E, "text/html; charset=latin-1", papers, is_target=False),
        CrawlRequest(D, D, "application/pdf", None, is_target=True),
        CrawlRequest(B, B, "", None, is_target=False),  # failed
    ]
    web = MappedWeb(requests, blobs)
    found = measure_harvest(requests, [A], web)
    assert [point.n_targets for point in found.ours] == [0, 0, 0, 1, 1]
    assert [point.n_targets for point in found.breadth_first] == [0, 0, 0, 0, 1]
    seen = web.look(A)
    assert seen is not None
    assert [one.link.anchor for one in seen.sightings] == ["photos", "papers"]


def test_a_long_curve_keeps_its_ends(tmp_path: Path) -> None:
    requests = [
        CrawlRequest(Url(f"http://a.test/{n}"), Url(""), "", None, is_target=True) for n in range(1001)
    ]
    found = measure_harvest(requests, [], MappedWeb([], FolderBlobs(tmp_path)))
    assert len(found.ours) <= MAX_POINTS
    assert found.ours[-1] == HarvestPoint(1001, 1001)
    store = open_store("sqlite:///portico.db", tmp_path, create=True)
    assert store.crawl.harvests.get() is None
    store.crawl.harvests.put(found)
    store.crawl.harvests.put(Harvest(found.ours[:2], ()))
    assert store.crawl.harvests.get() == Harvest(found.ours[:2], ())
    store.close()
