"""Why an address is in a crawl: its path, what was foreseen of it, what it led to; and what was meant."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from portico.crawl.links import view_page
from portico.crawl.policies.family_ranking import FamilyRanking
from portico.crawl.policies.trained import make_learned_policy
from portico.domains.papers import PAPERS
from portico.errors import ConfigError
from portico.pipeline.explain.explaining import explain
from portico.pipeline.opening import open_for_building
from portico.pipeline.portal import Portal
from portico.pipeline.sources.link_order import load_spider
from portico.pipeline.teaching.spider_training import train_portal_spiders
from portico.store.documents.failures import NewFailure
from portico.types.explanation import ExplanationSection
from portico.types.frontier import FetchOutcome, LinkState, Obtained, Offer, QueuedLink
from portico.types.page import Url

HOST = "a.test"
HOME, PAPERS_PAGE, PAPER, GONE = (
    Url(f"http://{HOST}/{path}") for path in ("", "papers.html", "files/webs.pdf", "gone.html")
)
PAGES = {
    HOME: '<h1>Lab</h1><a href="papers.html">Publications</a> <a href="gone.html">Old news</a>',
    PAPERS_PAGE: '<ul><li>Spinning webs. <a href="files/webs.pdf">pdf</a></ul>',
}


def outcome(link: QueuedLink) -> FetchOutcome:
    if link.url == GONE:
        return FetchOutcome(link, LinkState.FAILED, 3.0, reason="does not exist (404)", kind="FetchError")
    if link.url == PAPER:
        obtained = Obtained(link.url, 200, "application/pdf", b"%PDF-1.4")
        return FetchOutcome(link, LinkState.DONE, 2.0, obtained=obtained)
    html = PAGES[link.url]
    seen = view_page(html, link.url)
    offers = tuple(
        Offer(one.link.target, HOST, depth=link.depth + 1, via=link.url, anchor=one.link.anchor)
        for one in seen.sightings
    )
    obtained = Obtained(link.url, 200, "text/html", html.encode())
    return FetchOutcome(link, LinkState.DONE, 1.0, obtained=obtained, offers=offers, view=seen)


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[Portal]:
    (tmp_path / "portal.toml").write_text(f'[[source]]\nseeds = ["{HOME}"]\n')
    with open_for_building(tmp_path) as opened:
        store = opened.store
        ranking = FamilyRanking(
            store.crawl.link_ranks, make_learned_policy(load_spider(opened)), PAPERS.target_types
        )
        store.crawl.frontier.offer([Offer(HOME, HOST, priority=1000.0)])
        while links := store.crawl.frontier.next(HOST, limit=1):
            studied, lesson = ranking.study([outcome(links[0])])
            store.crawl.frontier.commit(studied, {}, lesson)
        yield opened


def section(sections: tuple[ExplanationSection, ...], heading: str) -> ExplanationSection:
    return next(one for one in sections if one.heading == heading)


def test_a_document_has_a_path_a_score_and_words_that_spoke(portal: Portal) -> None:
    told = explain(portal, PAPER)
    assert [row[1:3] for row in section(told, "Path").rows] == [
        (HOME, ""),
        (PAPERS_PAGE, "Publications"),
        (PAPER, "pdf"),
    ]
    foreseen = section(told, "What was foreseen")
    assert ("tags document a li ul", "1.0") in [row[:2] for row in foreseen.rows]
    spoke = section(told, "Evidence for and against it").rows
    assert any("document" in name and added.startswith("+") for name, added in spoke)


def test_a_page_tells_what_it_led_to(portal: Portal) -> None:
    gain = section(explain(portal, HOME), "What it led to").summary
    assert gain.startswith("0 documents among 1 URLs")
    assert "1 among 2 with everything below" in gain


def test_a_failure_says_why(portal: Portal) -> None:
    assert "could not be fetched: does not exist (404)" in section(explain(portal, GONE), "Address").summary


def test_a_file_that_failed_says_why_however_it_is_named(portal: Portal, tmp_path: Path) -> None:
    failures = portal.store.documents.failures
    failures.put(NewFailure("convert", "a", "../cut.pdf", "ConversionError", "is damaged", 0.0))
    failures.put(NewFailure("extract", "b", "../talk.pdf", "NotAPaper", "slides", 0.0))
    cut = tmp_path.parent / "cut.pdf"
    for named in (str(cut), os.path.relpath(cut), "cut.pdf", "../cut.pdf"):
        assert f"{cut}, stage convert: is damaged" in section(explain(portal, named), "Failed").summary
    assert "was read and set aside: slides" in section(explain(portal, "talk.pdf"), "Set aside").summary


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("http://a.test/paper.html", "Did you mean http://a.test/papers.html?"),
        ("http://b.org/", "not a URL this crawl has seen"),
        ("nonsense", "nor a file or paper of this portal"),
        ("", "nor a file or paper of this portal"),
        ("/paper/\x00", "nor a file or paper of this portal"),
    ],
)
def test_what_is_unknown_is_said_with_the_nearest(portal: Portal, asked: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words.replace("?", r"\?")):
        explain(portal, asked)


def test_a_portal_learns_from_its_own_crawl(portal: Portal) -> None:
    shipped = load_spider(portal)
    (path,) = train_portal_spiders([portal.places.folder])
    assert path == portal.places.models / PAPERS.spider
    own = load_spider(portal)
    assert own.bias != shipped.bias
    assert own.weight("file=chapter") == shipped.weight("file=chapter") != 0, "no link of this crawl says so"
    names = [f"file={word}" for word in ("papers", "gone")]
    value = dict(own.shares([(name, 1.0) for name in names]))
    assert value["file=papers"] > value["file=gone"], "one led to a document, the other to nothing"


def test_a_damaged_model_is_named(portal: Portal) -> None:
    path = portal.places.models / PAPERS.spider
    path.parent.mkdir()
    path.write_bytes(b"rubbish")
    with pytest.raises(ConfigError, match=r"spider\.npz: this is no spider model"):
        load_spider(portal)
