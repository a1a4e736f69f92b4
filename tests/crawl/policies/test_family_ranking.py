"""A crawl that learns: from the store it makes the choices it would make with everything in memory."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from portico.crawl.policies import family_ranking as tuning
from portico.crawl.policies.family_ranking import FamilyRanking
from portico.crawl.policies.policy import Policy
from portico.crawl.policies.trained import ADAPTIVE, LearnedSpider
from portico.store.opening import Store, open_store
from portico.types.frontier import FetchOutcome, LearnedRanks, LinkState, Obtained, Offer, QueuedLink
from portico.types.page import Link, PageLink, PageView, Url

HOST = "a.test"
START = Url(f"http://{HOST}/")
N_PEOPLE = 6
PDF = "application/pdf"


def url(path: str) -> Url:
    return Url(f"http://{HOST}/{path}")


def linked(source: Url, paths: Sequence[tuple[str, str]]) -> PageView:
    sightings = (PageLink(Link(url(path), source, anchor), tags="a li ul") for path, anchor in paths)
    return PageView(source, sightings=tuple(sightings))


def site() -> dict[Url, PageView | str | None]:
    """Only people whose number is even have papers; their pages and files look alike."""
    pages: dict[Url, PageView | str | None] = {
        START: linked(START, [(f"people/p{n}.html", f"Person {n}") for n in range(N_PEOPLE)])
    }
    for person in range(N_PEOPLE):
        home = url(f"people/p{person}.html")
        folder, ending = ("papers", "pdf") if person % 2 == 0 else ("photos", "html")
        files = [(f"{folder}/{person}-{n}.{ending}", f"{folder} {n}") for n in range(4)]
        pages[home] = linked(home, files)
        pages |= {url(path): PDF if ending == "pdf" else None for path, _ in files}
    return pages


def odds(sightings: Sequence[PageLink]) -> list[float]:
    """Foresees nothing well: photos look a little better than papers. Files are two clicks from the start."""
    known = {"people": -1.0, "photos": -0.5 + math.log(2)}
    return [known.get(one.link.target.split("/")[3], -0.6 + math.log(2)) for one in sightings]


POLICY = Policy(
    "tested",
    lambda links: odds([sighting for _, sighting in links]),
    model_weight=ADAPTIVE.model_weight,
    family_weight=ADAPTIVE.family_weight,
    trust=ADAPTIVE.trust,
    is_near_first=True,
)


def outcome(link: QueuedLink, found: PageView | str | None) -> FetchOutcome:
    if found is None:
        return FetchOutcome(link, LinkState.FAILED, 1.0, reason="does not exist (404)")
    if isinstance(found, str):
        return FetchOutcome(link, LinkState.DONE, 1.0, obtained=Obtained(link.url, 200, found))
    targets = [sighting.link.target for sighting in found.sightings]
    offers = tuple(Offer(target, HOST, depth=link.depth + 1, via=link.url) for target in targets)
    return FetchOutcome(
        link,
        LinkState.DONE,
        1.0,
        obtained=Obtained(link.url, 200, "text/html"),
        offers=offers,
        view=found,
    )


def crawled(store: Store, *, limit: int | None = None) -> list[Url]:
    """The addresses asked for, one at a time, best first."""
    store.crawl.frontier.offer([Offer(START, HOST, priority=1000.0)])
    ranking = FamilyRanking(store.crawl.link_ranks, POLICY, {PDF})
    order: list[Url] = []
    while len(order) != limit and (links := store.crawl.frontier.next(HOST, limit=1)):
        order.append(links[0].url)
        studied, lesson = ranking.study([outcome(links[0], site()[links[0].url])])
        store.crawl.frontier.commit(studied, {}, lesson)
    return order


def walked() -> list[Url]:
    """The same with everything in memory, ordered anew before every link."""
    spider = LearnedSpider(odds)
    pages = site()
    start = pages[START]
    assert isinstance(start, PageView)
    spider.offer(start.sightings)
    order = [START]
    while (at := spider.next()) is not None:
        order.append(at)
        found = pages[at]
        worth = spider.offer(found.sightings) if isinstance(found, PageView) else 0.0
        spider.learn(at, 1.0 if found == PDF else worth)
    return order


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[str], Store]:
    return lambda name: open_store(f"sqlite:///{name}.db", tmp_path, create=True)


def papers_at(order: Sequence[Url]) -> list[int]:
    return [place for place, at in enumerate(order) if at.endswith(".pdf")]


def test_it_finds_out_where_the_papers_are(opened: Callable[[str], Store]) -> None:
    order = crawled(opened("one"))
    assert sorted(order) == sorted(site())
    photos = [place for place, at in enumerate(order) if "photos" in at]
    assert papers_at(order)[-1] < photos[-4], "photos were foreseen better, but papers came"


def test_it_chooses_as_it_would_in_memory(opened: Callable[[str], Store]) -> None:
    # A queue this short is ordered anew by both before every link or two.
    ours, theirs = papers_at(crawled(opened("one"))), papers_at(walked())
    assert max(abs(a - b) for a, b in zip(ours, theirs, strict=True)) <= 3


@pytest.mark.parametrize("n_requests", [1, 2, 7, 16])
def test_stopped_anywhere_it_goes_on_as_if_it_had_not_been(
    opened: Callable[[str], Store], n_requests: int
) -> None:
    undisturbed = crawled(opened("undisturbed"))
    begun = crawled(opened("stopped"), limit=n_requests)
    assert begun + crawled(opened("stopped")) == undisturbed


def test_nothing_waits_in_a_family_when_the_queue_is_empty(opened: Callable[[str], Store]) -> None:
    store = opened("one")
    crawled(store)
    families = {one for rank in store.crawl.link_ranks.ranks(range(1, 99)).values() for one in rank.families}
    assert families
    assert store.crawl.link_ranks.similar_links(families, limit=9) == []
    assert any(record.observed for record in store.crawl.link_ranks.records(families).values())


def test_work_does_not_grow_with_the_queue(
    opened: Callable[[str], Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "MAX_KIN", 2)
    monkeypatch.setattr(tuning, "MAX_HEAD", 3)
    monkeypatch.setattr(tuning, "MAX_FAMILIES", 1)
    store = opened("one")
    crawled(store, limit=3)
    ranking = FamilyRanking(store.crawl.link_ranks, POLICY, {PDF})
    link = store.crawl.frontier.next(HOST, limit=1)[0]
    _, lesson = ranking.study([outcome(link, site()[link.url])])
    assert 0 < len(lesson.moved) <= 2 + 3


def test_links_of_an_earlier_crawl_are_ranked_when_it_begins_to_learn(opened: Callable[[str], Store]) -> None:
    store = opened("one")
    store.crawl.frontier.offer([Offer(START, HOST, priority=1000.0)])
    start = store.crawl.frontier.next(HOST, limit=1)[0]
    store.crawl.frontier.commit([outcome(start, site()[START])], {})
    ranking = FamilyRanking(store.crawl.link_ranks, POLICY, {PDF})
    ranking.adopt()
    waiting = store.crawl.frontier.next(HOST, limit=9)
    assert {link.priority for link in waiting} == {-1.0 * ADAPTIVE.model_weight}
    assert len(store.crawl.link_ranks.head(HOST, limit=99)) == N_PEOPLE
    store.crawl.link_ranks.forget()
    assert {link.priority for link in store.crawl.frontier.next(HOST, limit=9)} == {0.0}
    assert store.crawl.link_ranks.head(HOST, limit=99) == []


def test_documents_that_are_no_papers_bring_nothing(opened: Callable[[str], Store]) -> None:
    store = opened("one")
    ranking = FamilyRanking(store.crawl.link_ranks, POLICY, {PDF}, judge=lambda got: got.body == b"a paper")
    home = linked(START, [(f"{kind}/{n}.pdf", kind) for kind in ("slides", "papers") for n in range(3)])
    store.crawl.frontier.offer([Offer(START, HOST, priority=1000.0)])
    seen = outcome(store.crawl.frontier.next(HOST, limit=1)[0], home)
    store.crawl.frontier.commit(*_reordered(ranking, [seen]))
    waiting = store.crawl.frontier.next(HOST, limit=6)
    one_of_each = [link for link in waiting if link.url.endswith("/0.pdf")]
    fetched = [
        FetchOutcome(
            link,
            LinkState.DONE,
            1.0,
            obtained=Obtained(link.url, 200, PDF, b"a paper" if "papers" in link.url else b"slides"),
        )
        for link in one_of_each
    ]
    store.crawl.frontier.commit(*_reordered(ranking, fetched))
    order = [link.url for link in store.crawl.frontier.next(HOST, limit=6)]
    assert ["papers" in one for one in order] == [True, True, False, False]


def test_only_some_documents_of_a_batch_are_looked_into(opened: Callable[[str], Store]) -> None:
    store = opened("one")
    looked: list[Url] = []

    def refuse(got: Obtained) -> bool:
        looked.append(got.final)
        return False

    ranking = FamilyRanking(store.crawl.link_ranks, POLICY, {PDF}, judge=refuse)
    home = linked(START, [(f"files/{n}.pdf", "file") for n in range(3 * tuning.JUDGED_AT_ONCE)])
    store.crawl.frontier.offer([Offer(START, HOST, priority=1000.0)])
    seen = outcome(store.crawl.frontier.next(HOST, limit=1)[0], home)
    store.crawl.frontier.commit(*_reordered(ranking, [seen]))
    links = store.crawl.frontier.next(HOST, limit=100)
    ranking.study(
        [
            FetchOutcome(link, LinkState.DONE, 1.0, obtained=Obtained(link.url, 200, PDF, b"%PDF"))
            for link in links
        ]
    )
    assert len(looked) == tuning.JUDGED_AT_ONCE < len(links)


def _reordered(
    ranking: FamilyRanking, outcomes: list[FetchOutcome]
) -> tuple[list[FetchOutcome], dict[str, float], LearnedRanks]:
    studied, lesson = ranking.study(outcomes)
    return studied, {}, lesson
