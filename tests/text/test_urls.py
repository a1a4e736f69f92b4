"""Every address has one spelling, and addresses made alike have one shape."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.text.urls import canonical, get_host, get_path, get_registered_domain, get_shape, resolve
from portico.types.page import Url

ODD_CHARACTERS = "abZ09/.?&=;%#:@\\ [~é\x00\t{|}2fE-_+,'\""


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("HTTP://Example.COM:80/A/../b", "http://example.com/b"),
        ("https://example.com:443", "https://example.com/"),
        ("https://example.com:8443/x", "https://example.com:8443/x"),
        ("http://example.com/a#part", "http://example.com/a"),
        ("http://example.com/%7ejoe/%c3%bc", "http://example.com/~joe/%C3%BC"),
        ("http://example.com/a%2fb", "http://example.com/a%2Fb"),
        ("http://example.com/100%", "http://example.com/100%25"),
        ("http://example.com/%2e%2e/x", "http://example.com/x"),
        ("http://example.com/?", "http://example.com/"),
        ("http://example.com./x", "http://example.com/x"),
        ("http://user:secret@example.com/x", "http://example.com/x"),
        ("http://example.com/ü?q=ü", "http://example.com/%C3%BC?q=%C3%BC"),
        ("http://EXÄMPLE.com/", "http://xn--exmple-cua.com/"),
        ("http:\\\\example.com\\x", "http://example.com/x"),
        ("http://example.com/x?PHPSESSID=a1b2&id=3", "http://example.com/x?id=3"),
        ("http://example.com/x;jsessionid=AB12?id=3", "http://example.com/x?id=3"),
        ("http://example.com/a/..;jsessionid=1/x", "http://example.com/x"),
        ("http://example.com//a/..;jsessionid=1/x", "http://example.com//x"),
        ("http://example.com/x?sid=12", "http://example.com/x?sid=12"),
        ("http://example.com/x?sid=0123456789abcdef01234567", "http://example.com/x"),
        ("http://example.com/x?utm_source=mail&a=1", "http://example.com/x?a=1"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://[::1]:80/", "http://[::1]/"),
        ("ftp://example.com/x", None),
        ("javascript:void(0)", None),
        ("mailto:joe@example.com", None),
        ("http://", None),
        ("http://exa mple.com/", None),
        ("http://a..b/", None),
        ("http://example.com:0/", None),
        ("http://" + "a" * 64 + ".com/", None),
        ("http://example.com/" + "a" * 2000, None),
        ("http://example.com/\ud800", None),
        ("relative", None),
    ],
)
def test_canonical(url: str, expected: str | None) -> None:
    assert canonical(url) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("b.html", "http://example.com/dir/b.html"),
        ("../b.html", "http://example.com/b.html"),
        ("//other.org/b", "http://other.org/b"),
        ("?page=2", "http://example.com/dir/a.html?page=2"),
        ("#top", "http://example.com/dir/a.html"),
        ("  b.html\n", "http://example.com/dir/b.html"),
        ("javascript:void(0)", None),
    ],
)
def test_relative_to_a_page(url: str, expected: str | None) -> None:
    assert canonical(url, "http://example.com/dir/a.html") == expected


@given(
    st.text(alphabet=ODD_CHARACTERS, max_size=60),
    st.sampled_from(["", "http://example.com/", "https://a.b/c?d="]),
)
def test_canonical_twice_is_canonical_once(text: str, start: str) -> None:
    url = canonical(start + text, "http://example.org/x/y")
    if url is not None:
        assert canonical(url) == url
        assert get_host(url)
        assert get_path(url).startswith("/")
        assert get_shape(url) == get_shape(url)


@pytest.mark.parametrize(
    "page",
    ["http://a.test/", "https://a.test:81/x/y.html", "http://a.test/x/?q=/z/", "http://a.test/x//y/z?../q"],
)
@given(
    href=st.text("ab/.-_%?;:# \x85é1", max_size=12)
    | st.from_regex(r"/?(\.\./){0,4}/?(a\.b/|c-d/)*e?(\.html)?(\#[a-z]?)?", fullmatch=True)
)
def test_the_quick_way_gives_the_same(page: str, href: str) -> None:
    assert resolve(href, Url(page)) == canonical(href, page)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("www.cs.example.co.uk", "example.co.uk"),
        ("cs.north.test:8080", "north.test"),
        ("localhost", "localhost"),
        ("127.0.0.1:8000", "127.0.0.1"),
        ("[::1]:8000", "::1"),
    ],
)
def test_registered_domain(host: str, expected: str) -> None:
    assert get_registered_domain(host) == expected


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("http://a.org/calendar/2026/11", "http://a.org/calendar/2027/1", True),
        ("http://a.org/c?month=5&year=2020", "http://a.org/c?year=2021&month=12", True),
        ("http://a.org/c?month=5", "http://a.org/c?day=5", False),
        ("http://a.org/people/joe", "http://a.org/people/ann", False),
        ("http://a.org/1", "http://b.org/1", False),
    ],
)
def test_shape(one: str, other: str, alike: bool) -> None:
    assert (get_shape(Url(one)) == get_shape(Url(other))) is alike
