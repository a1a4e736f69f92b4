"""The frontier in the store: links in order, nothing twice, nearer paths win."""

import tracemalloc
from itertools import permutations
from typing import Any

import pytest
from sqlalchemy import select, text

from portico.store.crawl import frontier
from portico.store.crawl import link_ranks as ranks
from portico.store.opening import Store
from portico.store.schema import kinship
from portico.types.frontier import (
    FetchOutcome,
    FrontierChange,
    HostNote,
    LinkState,
    Obtained,
    Offer,
    QueuedLink,
    Rank,
)
from portico.types.page import Url

HOST = "a.test"
sqlite_only = pytest.mark.parametrize("store_url", ["sqlite:///portico.db"])


def offer(path: str, **how: object) -> Offer:
    return Offer(Url(f"http://{HOST}/{path}"), HOST, **how)  # type: ignore[arg-type]


def names(links: list[QueuedLink]) -> list[str]:
    return [link.url.rpartition("/")[2] for link in links]


def done(link: QueuedLink, *offers: Offer, body: bytes = b"body") -> FetchOutcome:
    obtained = None if link.kept else Obtained(link.url, 200, "text/html", body)
    return FetchOutcome(link, LinkState.DONE, 1.0, obtained=obtained, offers=offers)


def test_next_is_by_priority_then_depth_then_age(store: Store) -> None:
    store.crawl.frontier.offer(
        [
            offer("late", depth=2),
            offer("early", depth=1),
            offer("early-2", depth=1),
            offer("best", depth=9, priority=2.0),
            offer("good", depth=9, priority=1.0),
            offer("worst", priority=-1.0),
        ]
    )
    expected = ["best", "good", "early", "early-2", "late", "worst"]
    for limit in range(1, 7):
        assert names(store.crawl.frontier.next(HOST, limit=limit)) == expected[:limit]
    first = store.crawl.frontier.next(HOST, limit=2)
    rest = store.crawl.frontier.next(HOST, limit=9, excluding={link.id for link in first})
    assert names(rest) == expected[2:]


@sqlite_only
def test_next_reads_the_index_not_the_table(store: Store) -> None:
    plans: list[str] = []
    query = "SELECT id FROM link WHERE state='queued' AND host='x' {} LIMIT 9"
    with store.engine.connect() as connection:
        for end in ("ORDER BY priority DESC", "AND priority=0.0 ORDER BY depth, id"):
            rows = connection.execute(text("EXPLAIN QUERY PLAN " + query.format(end)))
            plans += [row.detail for row in rows]
    assert all("link_next" in plan for plan in plans)
    assert not any("TEMP B-TREE" in plan for plan in plans)


def test_a_link_is_taken_once(store: Store) -> None:
    assert store.crawl.frontier.offer([offer("x"), offer("x"), offer("y")]) == FrontierChange(
        frozenset({HOST}), 2
    )
    assert store.crawl.frontier.offer([offer("x", depth=3)]) == FrontierChange()
    assert names(store.crawl.frontier.next(HOST, limit=9)) == ["x", "y"]


def test_commit_keeps_page_body_links_and_host_together(store: Store) -> None:
    store.crawl.frontier.offer([offer("x")])
    (link,) = store.crawl.frontier.next(HOST, limit=1)
    change = store.crawl.frontier.commit(
        [done(link, offer("y", depth=1), offer("z", skip="because"))], {HOST: 5.0}
    )
    assert change == FrontierChange(frozenset({HOST}), 0)
    kept = store.crawl.frontier.kept(link.url)
    assert kept is not None
    assert kept.body == b"body"
    assert store.crawl.frontier.standing(Url("http://a.test/z")) == (LinkState.SKIPPED, "because")
    assert names(store.crawl.frontier.next(HOST, limit=9)) == ["y"]
    assert store.crawl.frontier.host(HOST) == HostNote(HOST, asked_at=5.0)
    counts = store.crawl.frontier.counts({"text/html"})
    assert (counts.n_queued, counts.n_done, counts.n_skipped, counts.n_pages, counts.n_bytes) == (
        1,
        1,
        1,
        1,
        4,
    )
    assert counts.n_documents == 1


def test_a_link_that_came_nearer_while_it_was_fetched_is_looked_at_again(store: Store) -> None:
    store.crawl.frontier.offer([offer("x", depth=4)])
    (link,) = store.crawl.frontier.next(HOST, limit=1)
    store.crawl.frontier.offer([offer("x", depth=2)])
    store.crawl.frontier.commit([done(link)], {})
    (again,) = store.crawl.frontier.next(HOST, limit=1)
    assert (again.depth, again.kept) == (2, True)
    store.crawl.frontier.commit([done(again)], {})
    assert store.crawl.frontier.next(HOST, limit=1) == []
    page = store.documents.pages.get(link.url)
    assert page is not None
    assert page.depth == 2


@pytest.mark.parametrize("order", list(permutations([(3, 9), (9, 0), (5, 4)])))
def test_the_best_of_every_figure_wins_in_whatever_order_paths_are_found(
    store: Store, order: tuple[tuple[int, int], ...]
) -> None:
    for depth, chain in order:
        store.crawl.frontier.offer([offer("x", depth=depth, chain=chain)])
    (link,) = store.crawl.frontier.next(HOST, limit=1)
    assert (link.depth, link.chain) == (3, 0)


@pytest.mark.parametrize(
    ("state", "skip", "queued"),
    [
        (LinkState.DONE, None, True),
        (LinkState.SKIPPED, None, True),
        (LinkState.SKIPPED, "out of scope", False),
        (LinkState.FAILED, None, False),
    ],
)
def test_which_links_are_looked_at_again_when_nearer(
    store: Store, state: LinkState, skip: str | None, queued: bool
) -> None:
    store.crawl.frontier.offer([offer("x", depth=4)])
    (link,) = store.crawl.frontier.next(HOST, limit=1)
    store.crawl.frontier.commit([FetchOutcome(link, state, 1.0, reason="reason")], {})
    assert store.crawl.frontier.offer([offer("x", depth=5)]) == FrontierChange()
    change = store.crawl.frontier.offer([offer("x", depth=1, skip=skip)])
    assert bool(change.hosts) is queued
    assert bool(store.crawl.frontier.next(HOST, limit=1)) is queued


def test_failure_is_a_row_until_it_is_tried_again(store: Store) -> None:
    store.crawl.frontier.offer([offer("x")])
    (link,) = store.crawl.frontier.next(HOST, limit=1)
    failure = FetchOutcome(
        link, LinkState.FAILED, 7.0, reason="gone", retryable=True, attempts=3, kind="FetchError"
    )
    store.crawl.frontier.commit([failure], {})
    (row,) = store.documents.failures.all()
    assert (row.stage, row.source, row.kind, row.reason, row.passing) == (
        "crawl",
        link.url,
        "FetchError",
        "gone",
        True,
    )
    assert store.crawl.frontier.requeue_failed() == 1
    assert list(store.documents.failures.all()) == []
    assert names(store.crawl.frontier.next(HOST, limit=9)) == ["x"]


def test_other_rules_bring_skipped_links_back(store: Store) -> None:
    store.crawl.frontier.reconsider("old")
    store.crawl.frontier.offer([offer("x", skip="out of scope")])
    assert store.crawl.frontier.reconsider("old") is False
    assert store.crawl.frontier.next(HOST, limit=1) == []
    assert store.crawl.frontier.reconsider("new") is True
    assert names(store.crawl.frontier.next(HOST, limit=1)) == ["x"]


def test_redirects_are_remembered_step_by_step(store: Store) -> None:
    store.crawl.frontier.offer([offer("1")])
    for step in (1, 2, 3):
        (link,) = store.crawl.frontier.next(HOST, limit=1)
        target = offer(str(step + 1), via=link.url)
        moved = FetchOutcome(link, LinkState.DONE, 1.0, obtained=Obtained(target.url, 302), offers=(target,))
        store.crawl.frontier.commit([moved], {})
    url = [Url(f"http://a.test/{step}") for step in range(5)]
    assert store.crawl.frontier.redirects(url[1], limit=9) == url[2:5]
    assert store.crawl.frontier.redirects(url[1], limit=2) == url[2:4]
    assert store.crawl.frontier.redirects(url[4], limit=9) == []
    assert [store.crawl.frontier.n_redirects_before(each, limit=9) for each in url[1:]] == [0, 1, 2, 3]
    assert store.crawl.frontier.counts(()).n_pages == 0


def test_waiting_hosts(store: Store) -> None:
    hosts = [f"host-{n:03}.test" for n in range(120)]
    store.crawl.frontier.offer([Offer(Url(f"http://{host}/"), host, skip=None) for host in hosts])
    store.crawl.frontier.offer([Offer(Url("http://skipped.test/"), "skipped.test", skip="out of scope")])
    assert store.crawl.frontier.waiting_hosts() == hosts


def test_a_family_gives_its_best_waiting_links_however_many_better_ones_are_settled(store: Store) -> None:
    links = [(f"{n:02}", 100.0 - n) for n in range(30)]
    store.crawl.frontier.offer([offer(name, priority=odds, rank=Rank(odds, (7, 8))) for name, odds in links])
    taken = store.crawl.frontier.next(HOST, limit=20)
    store.crawl.frontier.commit([done(link) for link in taken], {})
    for _ in range(2):  # the first time settled links are met, the second time they have left
        found = store.crawl.link_ranks.similar_links([7, 8], limit=3)
        assert [(each.rank.odds, each.rank.families) for each in found] == [
            (odds, (7, 8)) for _, odds in links[20:23]
        ]
    with store.engine.connect() as connection:
        left = connection.execute(select(kinship.c.link).where(kinship.c.family == 7)).all()
    assert len(left) == 10


def test_nothing_of_a_commit_stays_when_it_fails(store: Store) -> None:
    store.crawl.frontier.offer([offer("x")])
    (link,) = store.crawl.frontier.next(HOST, limit=1)
    impossible = Offer(Url("http://a.test/y"), HOST, depth=None)  # type: ignore[arg-type]
    with pytest.raises(Exception, match=r"(?i)not.null"):
        store.crawl.frontier.commit([done(link, impossible)], {})
    assert store.documents.pages.get(link.url) is None
    assert store.crawl.frontier.standing(link.url) == (LinkState.QUEUED, None)


@sqlite_only
@pytest.mark.parametrize(
    ("statement", "index"),
    [
        (frontier._BEST_PRIORITIES, "link_next (state=? AND host=?"),
        (frontier._ABOVE, "link_next (state=? AND host=? AND priority>?)"),
        (frontier._LEVEL, "link_next (state=? AND host=? AND priority=?)"),
        (frontier._NEXT_HOST, "link_next (state=? AND host>?)"),
        (ranks._HEAD, "link_next (state=? AND host=?)"),
        (ranks._KIN, "kinship USING PRIMARY KEY (family=?)"),
    ],
    ids=("best", "above", "level", "next host", "head", "kin"),
)
def test_every_question_of_the_crawl_reads_an_index(store: Store, statement: Any, index: str) -> None:
    """What the next links are costs the same however many wait: no question reads the table."""
    compiled = statement.compile(store.engine)
    values = tuple(
        5 if name == "wanted" else compiled.params[name] or 1 for name in compiled.positiontup or ()
    )
    with store.engine.connect() as connection:
        plan = [row.detail for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled}", values)]
    assert any(index in line for line in plan)
    assert not [line for line in plan if line.startswith(("SCAN link", "SCAN page", "SCAN kinship"))]


def test_a_longer_queue_takes_no_more_memory(store: Store) -> None:
    peaks = []
    for n_links in (1_000, 20_000):
        store.crawl.frontier.offer([offer(str(number), depth=number % 7) for number in range(n_links)])
        store.crawl.frontier.next(HOST, limit=32)  # what is kept for all later questions is made here
        tracemalloc.start()
        store.crawl.frontier.next(HOST, limit=32, excluding=range(10))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0] + 50_000  # bytes; 20,000 links take megabytes
