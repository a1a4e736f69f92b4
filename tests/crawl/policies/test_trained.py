"""Our own spider: what it looks at, what it follows first, and that it learns on the way."""

from collections.abc import Sequence

import pytest

from portico.crawl.policies.observations import find_families, generalize_name, guess_kind, observe_link
from portico.crawl.policies.trained import STATIC, LearnedSpider, estimate_best_rate, make_link_scorer
from portico.learn.logistic import hash_rows, train_hashed
from portico.types.page import Link, PageLink, Url

HOME = Url("http://a.org/index.html")


def sighting(path: str, anchor: str = "", source: Url = HOME) -> PageLink:
    return PageLink(Link(Url(f"http://a.org/{path}"), source, anchor), tags="a li")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("a.pdf", "document"), ("a.ps.gz", "document"), ("A.PS.Z", "document"), ("a.pdf?x=1", "document"),
        ("", "page"), ("~doe/", "page"), ("a.html", "page"), ("people", "page"), ("x.php?id=3", "page"),
        ("a.gif", "media"), ("a.tar", "other"),
    ],
)  # fmt: skip
def test_kind_by_ending(path: str, kind: str) -> None:
    assert guess_kind(Url(f"http://a.org/{path}")) == kind


@pytest.mark.parametrize(("name", "made"), [("cs-tr99.ps", "a-a0"), ("icml.pdf", "a"), ("", "")])
def test_pattern_of_file_names(name: str, made: str) -> None:
    assert generalize_name(name) == made


def test_observations_are_words_alone_and_with_the_kind() -> None:
    link = Link(Url("http://a.org/pubs/icml99.ps"), HOME, "Webs, 1999", "before … after")
    seen = dict(observe_link(link))
    assert {"kind=document", "ending=ps", "anchor=webs", "anchor,document=<year>", "folder=pubs"} <= set(seen)
    assert {"near=before", "near=after", "relation=below", "file=icml"} <= set(seen)
    assert seen["anchor=webs"] == pytest.approx(2**-0.5)


def test_a_crawl_foresees_what_the_table_of_observations_gives() -> None:
    names = ["a.pdf", "pubs/icml99.ps.gz", "~doe/", "x.php?id=3"]
    links = [sighting(name, f"Paper, 1999 {name} paper") for name in names]
    table = hash_rows(observe_link(one.link) for one in links)
    model = train_hashed([table], [[0.9, 0.8, 0.1, 0.0]], [[1.0] * 4], penalty=0.1)
    assert make_link_scorer(model)(links) == pytest.approx(model.log_odds(table))


def test_like_links_share_families() -> None:
    ours, theirs = (
        find_families(sighting("pubs/tr1.ps", "Paper")),
        find_families(sighting("pubs/tr2.ps", "Other")),
    )
    differing = {one.split()[0] for one, other in zip(ours, theirs, strict=True) if one != other}
    assert differing == {"opening"}


def test_a_seed_has_as_many_families_as_any_link() -> None:
    assert len(find_families(PageLink(Link(Url("http://a.org/"))))) == len(find_families(sighting("a.pdf")))


@pytest.mark.parametrize(
    ("chances", "rate"), [([], 0.0), ([1.0], 0.5), ([1.0, 1.0, 1.0], 0.75), ([1.0, 0.0], 0.5), ([0.2], 0.1)]
)
def test_best_rate_of_a_page(chances: list[float], rate: float) -> None:
    assert estimate_best_rate(chances) == pytest.approx(rate)


def even(sightings: Sequence[PageLink]) -> list[float]:
    return [0.0 for _ in sightings]


def test_what_was_learned_is_foreseen_of_links_like_it() -> None:
    rows = [observe_link(one.link) for one in (sighting("a.pdf", "Paper"), sighting("b.html", "Hobbies"))]
    model = train_hashed([hash_rows(rows)], [[1.0, 0.0]], [[1.0, 1.0]], penalty=0.1)
    paper, hobbies = sighting("x.pdf", "Paper"), sighting("y.html", "Hobbies")
    promising, dull = make_link_scorer(model)([paper, hobbies])
    assert promising > 0 > dull


def test_links_are_given_out_once() -> None:
    spider = LearnedSpider(even)
    spider.offer([sighting("a"), sighting("b"), sighting("a")])
    spider.offer([sighting("b"), sighting("c")])
    assert [spider.next() for _ in range(4)] == [*(f"http://a.org/{name}" for name in "abc"), None]


def test_page_without_new_links_is_worth_nothing() -> None:
    spider = LearnedSpider(even)
    assert spider.offer([sighting("a"), sighting("b")]) == pytest.approx(1 / 3)
    assert spider.offer([sighting("a"), sighting("b")]) == 0.0


def test_after_a_barren_folder_the_other_comes_first() -> None:
    spider = LearnedSpider(even)
    spider.offer([sighting(f"poor/{name}.pdf") for name in "ab"] + [sighting("rich/1.pdf", "Paper")])
    poor = spider.next()
    assert poor is not None
    spider.learn(poor, 0.0)
    assert spider.next() == "http://a.org/rich/1.pdf"


def test_of_links_that_promise_alike_the_nearest_comes_first() -> None:
    spider = LearnedSpider(even)
    spider.offer([sighting("start/page.html")])
    page = spider.next()
    assert page is not None
    spider.offer([PageLink(Link(Url("http://a.org/far/1.html"), page))])
    spider.offer([sighting("near/1.html")])
    assert spider.next() == "http://a.org/near/1.html"


def test_static_spider_keeps_its_order() -> None:
    spider = LearnedSpider(even, STATIC)
    spider.offer([sighting(f"poor/{name}.pdf") for name in "ab"] + [sighting("rich/1.pdf", "Paper")])
    poor = spider.next()
    assert poor is not None
    spider.learn(poor, 0.0)
    assert spider.next() == "http://a.org/poor/b.pdf"
