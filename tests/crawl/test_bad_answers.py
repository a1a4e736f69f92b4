"""Whatever a server sends, it costs one failure with a reason or a clipped page, and the crawl goes on."""

import gzip
from dataclasses import replace

import pytest

from portico.crawl.options import FetchOptions
from tests.crawl.conftest import Crawl
from tests.crawl.web import Reply, Web

FINE = "http://a.test/fine"
BAD = "http://a.test/bad"


def headers(**fields: str) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in fields.items()}


BOMB = gzip.compress(b"<html>" + bytes(50_000_000), 9, mtime=0)

CLIPPED = [
    (Reply(BOMB, headers=headers(Content_Encoding="gzip")), "a page that is a gzip bomb"),
    (Reply(b"<html>" + b"words " * 9_000_000), "HTML of 54 MB"),
    (Reply(b"<html>" + b"<div>" * 10_000 + b"deep"), "10,000 nested elements"),
    (Reply(b"<html>" + b"<b><i>" * 2_000 + b"<p>x" * 3_000), "formatting without end"),
    (Reply(b"<html>\xff\xfe\x80 broken \xc3", headers=headers(X="1")), "broken characters"),
    (Reply(b"<html>hello", media_type="text/html; charset=klingon"), "unknown character set"),
    (Reply(b"\x89PNG\r\n\x1a\n" + b"x" * 9_000, media_type="text/html"), "a picture that says it is a page"),
    (Reply(b"<html>x" * 20_000, endless=True), "a body without end"),
    (Reply(b"<html>", headers=headers(Set_Cookie="a=" + "b" * 4_000)), "a huge cookie"),
    (Reply(b"<html><base href='http://[::1'><a href='//'>x"), "addresses that are none"),
]

FAILURES = [
    (Reply(b"<html>", headers=headers(X_Long="y" * 100_000)), "not valid HTTP"),
    (Reply(b"zz\r\nnot chunks", headers=headers(Transfer_Encoding="chunked", Content_Length="")), ""),
    (Reply(b"<html>", headers=headers(Content_Length="minus one")), "not valid HTTP"),
    (
        Reply(b"<html>", headers=headers(Content_Encoding="zstd")),
        "is compressed in a way that was not requested",
    ),
    (Reply(b"<html>", headers=headers(Content_Encoding="br")), "in a way that was not requested (br)"),
    (Reply(b"<html>", takes_s=9.0), "timed out after 1 s"),
    (Reply(b"<html>" * 100, dripping=True), "timed out after 1 s"),
]


@pytest.mark.parametrize(("reply", "what"), CLIPPED, ids=[what for _, what in CLIPPED])
def test_what_can_be_used_is_kept(web: Web, crawled: Crawl, reply: Reply, what: str) -> None:
    web.link("http://a.test/", BAD, FINE)
    web.link(FINE)
    web.replies[BAD] = [reply]
    crawled("http://a.test/")
    assert crawled.failures() == {}
    assert crawled.state(BAD) == crawled.state(FINE) == ("done", None)
    kept = crawled.store.documents.pages.get(BAD)
    assert kept is not None
    assert kept.n_bytes <= crawled.options.fetch.max_html_bytes


@pytest.mark.parametrize(("reply", "reason"), FAILURES, ids=[reason for _, reason in FAILURES])
def test_what_cannot_be_used_is_one_failure_with_a_reason(
    web: Web, crawled: Crawl, reply: Reply, reason: str
) -> None:
    web.link("http://a.test/", BAD, FINE)
    web.link(FINE)
    web.replies[BAD] = [reply]
    politeness = replace(crawled.options.politeness, max_attempts=1)
    timeout_s = 1.0 if reply.takes_s or reply.dripping else 20.0
    crawled(
        "http://a.test/", politeness=politeness, fetch=replace(crawled.options.fetch, timeout_s=timeout_s)
    )
    assert list(crawled.failures()) == [BAD]
    assert reason in crawled.failures()[BAD]
    assert "an unexpected error" not in crawled.failures()[BAD]
    assert crawled.state(FINE) == ("done", None)


def test_a_host_without_proper_encryption_is_a_failure_with_a_reason(web: Web, crawled: Crawl) -> None:
    seed = web.address.replace("http:", "https:") + "/"  # where plain HTTP is spoken
    crawled(seed, fetch=FetchOptions(allow_private=True, timeout_s=5.0))
    assert "no secure connection" in crawled.failures()[seed]
