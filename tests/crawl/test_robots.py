"""RFC 9309, case by case."""

import pytest

from portico.crawl import robots
from portico.store.opening import Store
from portico.types.frontier import HostNote
from portico.types.page import Url
from tests.crawl.conftest import Crawl
from tests.crawl.web import Web

NOW = 1_000_000.0


@pytest.mark.parametrize(
    ("text", "path", "allowed"),
    [
        ("", "/x", True),
        ("user-agent: *\ndisallow: /", "/x", False),
        ("user-agent: *\ndisallow:", "/x", True),
        ("user-agent: other\ndisallow: /", "/x", True),
        ("User-Agent: Portico\nDisallow: /x", "/x", False),
        ("user-agent: portico\nallow: /x\n\nuser-agent: *\ndisallow: /", "/x", True),
        ("user-agent: *\ndisallow: /\n\nuser-agent: portico\ndisallow: /y", "/x", True),
        ("user-agent: a\nuser-agent: portico\ndisallow: /x", "/x", False),
        ("user-agent: portico\ndisallow: /x\nuser-agent: portico\ndisallow: /y", "/y", False),
        ("user-agent: *\ndisallow: /x/page.html\nallow: /x/", "/x/page.html", False),
        ("user-agent: *\ndisallow: /x/\nallow: /x/page.html", "/x/page.html", True),
        ("user-agent: *\ndisallow: /x\nallow: /x", "/x", True),
        ("user-agent: *\ndisallow: /*.pdf$", "/a.pdf", False),
        ("user-agent: *\ndisallow: /*.pdf$", "/a.pdf?x", True),
        ("user-agent: *\ndisallow: /a%3cd.html", "/a%3Cd.html", False),
        ("user-agent: *\ndisallow: /caf%C3%A9", "/caf%C3%A9/x", False),
        ("user-agent: *\ndisallow: /X", "/x", True),
        ("<html><body>Not found</body></html>", "/x", True),
        ("user-agent: *\ndisallow: /x # a comment", "/x", False),
        ("sitemap: http://a.test/map\nuser-agent: *\ndisallow: /x", "/x", False),
    ],
)
def test_rules(text: str, path: str, allowed: bool) -> None:
    note = HostNote("a.test", robots=text, robots_status=200, robots_at=NOW)
    rules = robots.recall_rules(note, NOW + 10)
    assert rules is not None
    assert rules.allows(Url(f"http://a.test{path}")) is allowed


@pytest.mark.parametrize(
    ("note", "known"),
    [
        (HostNote("a.test"), False),
        (HostNote("a.test", robots_status=404, robots_at=NOW), True),
        (HostNote("a.test", robots="", robots_status=200, robots_at=NOW - 23 * 3600), True),
        (HostNote("a.test", robots="", robots_status=200, robots_at=NOW - 25 * 3600), False),
    ],
)
def test_rules_are_remembered_for_a_day(note: HostNote, known: bool) -> None:
    assert (robots.recall_rules(note, NOW) is not None) is known


def blocked_after(n_bytes: int) -> bytes:
    return b"user-agent: *\n" + b"#" * n_bytes + b"\ndisallow: /"


@pytest.mark.parametrize(
    ("how", "state"),
    [
        ({"status": 404}, "done"),
        ({"status": 403}, "done"),
        ({"status": 401}, "done"),
        ({"status": 500}, "failed"),
        ({"status": 503}, "failed"),
        ({"status": 429}, "failed"),
        ({"dropped": True}, "failed"),
        ({"body": b"user-agent: *\ndisallow: /"}, "skipped"),
        ({"body": blocked_after(100_000)}, "skipped"),
        ({"body": blocked_after(10_000_000)}, "done"),
        ({"body": b"\xff\xfe\x00user-agent: *\ndisallow: /"}, "done"),
        ({"body": b"\xef\xbb\xbfuser-agent: *\ndisallow: /"}, "skipped"),
        ({"body": b"x" * 65536, "endless": True}, "done"),
        ({"status": 301, "headers": {"Location": "/elsewhere"}}, "skipped"),
        ({"status": 302, "headers": {"Location": "http://b.test/elsewhere"}}, "skipped"),
        ({"status": 302, "headers": {"Location": "/robots.txt"}}, "done"),
        ({"status": 302, "headers": {"Location": "mailto:x"}}, "done"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_what_a_robots_answer_means(web: Web, crawled: Crawl, how: dict[str, object], state: str) -> None:
    web.add("http://a.test/robots.txt", media_type="text/plain", **how)  # type: ignore[arg-type]
    for url in ("http://a.test/elsewhere", "http://b.test/elsewhere"):
        web.add(url, "user-agent: *\ndisallow: /", media_type="text/plain")
    web.link("http://a.test/")
    crawled("http://a.test/")
    standing = crawled.state("http://a.test/")
    assert standing is not None
    assert standing[0] == state
    assert ("http://a.test/" in web.fetched()) == (state == "done")


def test_robots_that_failed_is_asked_again_and_then_believed(web: Web, crawled: Crawl) -> None:
    web.add("http://a.test/robots.txt", status=503)
    web.add("http://a.test/robots.txt", "user-agent: *\ndisallow: /x", media_type="text/plain")
    web.link("http://a.test/", "/x", "/y")
    crawled("http://a.test/")
    assert web.fetched() == ["http://a.test/", "http://a.test/y"]


def test_robots_is_asked_once_a_day_over_all_runs(web: Web, crawled: Crawl, store: Store) -> None:
    web.link("http://a.test/", "/1")
    crawled("http://a.test/", max_depth=0)
    crawled("http://a.test/")
    assert web.fetched(robots=True).count("http://a.test/robots.txt") == 1


def test_robots_can_be_disregarded(web: Web, crawled: Crawl) -> None:
    web.add("http://a.test/robots.txt", "user-agent: *\ndisallow: /", media_type="text/plain")
    web.link("http://a.test/")
    crawled("http://a.test/", politeness=crawled.options.politeness.__class__(delay_s=0.0, obey_robots=False))
    assert web.fetched(robots=True) == ["http://a.test/"]


FACTS = [
    ("user-agent: portico\nallow: /\n\nuser-agent: *\ndisallow: /\n", "/x", True),
    ("foo: portico\nallow: /\nbar: x\ndisallow: /", "/x", True),
    ("user-agent portico\ndisallow /", "/x", False),
    ("user-agent: portico\ndisallow: /\n", "/x/y", False),
    ("user-agent: PORTICO\nallow: /x/\ndisallow: /", "/x/y", True),
    ("user-agent: portico bot\ndisallow: /x", "/x", False),
    ("user-agent: portico/2.1\ndisallow: /x", "/x", False),
    ("user-agent: porticobot\ndisallow: /x", "/x", True),
    ("user-agent: por\ndisallow: /x", "/x", True),
    ("user-agent: *foo\ndisallow: /x", "/x", True),
    ("user-agent: * baz\ndisallow: /x", "/x", False),
    ("user-agent: foo\ndisallow: /x\n\nuser-agent: *\ndisallow: /y", "/x", True),
    ("user-agent: foo\nuser-agent: portico\n\n\ndisallow: /x", "/x", False),
    ("disallow: /x\nuser-agent: portico\ndisallow: /y", "/x", True),
    (
        "user-agent: portico\ndisallow: /x\n\nuser-agent: bar\nallow: /\n\nuser-agent: portico\ndisallow: /z",
        "/z",
        False,
    ),
    ("user-agent: portico\ndisallow: /x", "/X", True),
    ("USER-AGENT: portico\nDISALLOW: /x", "/x", False),
    ("user-agent: portico\ndisallow: /x/page.html\nallow: /x/", "/x/page.html", False),
    ("user-agent: portico\nallow: /x/page.html\ndisallow: /x/", "/x/page.html", True),
    ("user-agent: portico\nallow: /x/page.html\ndisallow: /x/", "/x/", False),
    ("user-agent: portico\ndisallow: \nallow: ", "/x", True),
    ("user-agent: portico\ndisallow: /\nallow: /", "/x", True),
    ("user-agent: portico\ndisallow: /x\nallow: /x/", "/x", False),
    ("user-agent: portico\ndisallow: /x\nallow: /x/", "/x/", True),
    ("user-agent: portico\ndisallow: *.html\nallow: /x.html", "/x.html", True),
    ("user-agent: portico\ndisallow: /*.html\nallow: /x", "/x.html", False),
    ("user-agent: portico\ndisallow: /\nallow: /x", "/x", True),
    ("user-agent: portico\ndisallow: /foo/bar/baz.php*sid=", "/foo/bar/baz.php?sid=1", False),
    (
        "user-agent: portico\nallow: /\ndisallow: /foo/bar?qux=taz&baz=http://a.test?x",
        "/foo/bar?qux=taz&baz=http://a.test?x",
        False,
    ),
    ("user-agent: portico\ndisallow: /\nallow: /foo/bar/ツ", "/foo/bar/%E3%83%84", True),
    ("user-agent: portico\ndisallow: /\nallow: /foo/bar/%E3%83%84", "/foo/bar/%E3%83%84", True),
    ("user-agent: portico\ndisallow: /\nallow: /foo/bar/%62%61%7A", "/foo/bar/baz", True),
    ("user-agent: portico\ndisallow: /foo/bar/quz\nallow: /foo/*/qux", "/foo/bar/quz", False),
    ("user-agent: portico\ndisallow: /foo/bar$\n", "/foo/bar/qux", True),
    ("user-agent: portico\ndisallow: /foo/bar$\n", "/foo/bar", False),
    ("user-agent: portico\ndisallow: /foo$bar", "/foo$bar", False),
    ("user-agent: portico\nallow: /allowed-slash/index.html\ndisallow: /", "/allowed-slash/", True),
    ("user-agent: portico\ndisallow: /foo\r\nallow: /foo/bar\r", "/foo/bar", True),
    ("user-agent: portico\ndisallow: /x#comment", "/x", False),
    ("user-agent: portico #c\ndisallow : /x", "/x", False),
    ("user-agent: portico\ndissallow: /x", "/x", False),
    ("user-agent: portico\ndissalow: /x", "/x", False),
    ("useragent: portico\ndisallow: /x", "/x", False),
    ("user agent: portico\ndisallow: /x", "/x", False),
    ("user-agent: portico\ndisallow: /fish*", "/fish.html", False),
    ("user-agent: portico\ndisallow: /fish/", "/fish", True),
    ("user-agent: portico\ndisallow: /*.php", "/windows.PHP", True),
    ("user-agent: portico\ndisallow: /*.php$", "/f.php5", True),
    ("user-agent: portico\ndisallow: /fish*.php", "/fishheads/catfish.php?p", False),
    ("user-agent: portico\nallow: /p\ndisallow: /", "/page", True),
    ("user-agent: portico\nallow: /$\ndisallow: /", "/", True),
    ("user-agent: portico\nallow: /$\ndisallow: /", "/page.htm", False),
    ("user-agent: portico\nallow: /page\ndisallow: /*.htm", "/page.htm", False),
    ("user-agent: portico\nallow: /page\ndisallow: /*.ph", "/page.php5", True),
    ("user-agent: portico\nallow: /folder\ndisallow: /folder", "/folder/page", True),
    ("user-agent: portico\ndisallow: /\n", "/robots.txt", True),
]


@pytest.mark.parametrize(("text", "path", "allowed"), FACTS)
def test_rules_mean_what_everybody_takes_them_to_mean(text: str, path: str, allowed: bool) -> None:
    note = HostNote("a.test", robots=text, robots_status=200, robots_at=0.0)
    rules = robots.recall_rules(note, 1.0)
    assert rules is not None
    assert rules.allows(Url(f"http://a.test{path}")) is allowed


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        ("Portico (+http://a.test)", "portico"),
        ("cora_bot-x/2.0", "cora_bot-x"),
        ("2000", "portico"),
    ],
)
def test_the_name_the_spider_gives_itself_is_the_one_it_listens_to(user_agent: str, name: str) -> None:
    assert robots.find_product_name(user_agent) == name


@pytest.mark.parametrize(("group", "allowed"), [("cora_bot-x", False), ("portico", False), ("cora", True)])
def test_rules_for_the_builders_own_name_or_for_the_software_are_obeyed(group: str, allowed: bool) -> None:
    text = f"user-agent: {group}\ndisallow: /"
    rules = robots.recall_rules(
        HostNote("a.test", robots=text, robots_status=200, robots_at=0.0), 1.0, "cora_bot-x"
    )
    assert rules is not None
    assert rules.allows(Url("http://a.test/x")) is allowed


@pytest.mark.parametrize(
    ("text", "delay_s"),
    [
        ("user-agent: *\ncrawl-delay: 2.5", 2.5),
        ("user-agent: portico\ncrawl-delay: 3\n\nuser-agent: *\ncrawl-delay: 9", 3.0),
        ("user-agent: *\ncrawl-delay: soon", 0.0),
        ("user-agent: other\ncrawl-delay: 9", 0.0),
    ],
)
def test_crawl_delay(text: str, delay_s: float) -> None:
    rules = robots.recall_rules(HostNote("a.test", robots=text, robots_status=200, robots_at=0.0), 1.0)
    assert rules is not None
    assert rules.delay_s == delay_s


def test_http_and_https_have_rules_of_their_own() -> None:
    plain, secure = Url("http://a.test/x"), Url("https://a.test/x")
    assert robots.find_authority(plain) != robots.find_authority(secure)
    assert {robots.find_authority(plain), robots.find_authority(secure)} == set(
        robots.list_authorities("a.test")
    )
    assert robots.find_authority(Url("http://a.test:81/x")) != robots.find_authority(plain)
