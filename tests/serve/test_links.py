"""Which addresses outside the portal may be linked to, and how their hosts are called."""

import pytest

from portico.serve.links import check_outside_url, get_shown_host


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://arxiv.org/abs/1234.5678v1", "arxiv.org"),
        ("http://www.cs.example.edu/~young/a%20b.pdf?x=1#page", "cs.example.edu"),
        ("http://example.org", "example.org"),
        (" https://example.org:8080/ ", "example.org:8080"),
        ("https://user@www.example.org/", "example.org"),
        ("ftp://example.org/a.ps", "example.org"),
        ("HTTP://Example.ORG/ü", "Example.ORG"),
        ("javascript:alert(1)//http://x/", None),
        ("data:text/html,x", None),
        ("//example.org/", None),
        ("http://", None),
        ("http://[::1", None),
    ],
)
def test_where_visitors_may_be_sent(address: str, host: str | None) -> None:
    url = check_outside_url(address)
    assert (url and get_shown_host(url)) == host
    assert url in (None, address.strip())
