"""How robots.txt is read: the cases of RFC 9309 and of Google's published specification, as facts."""

import pytest

from portico.crawl import robots
from portico.types.frontier import HostNote
from portico.types.page import Url

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
