"""Signing in, and what only the builder may do: wrong passwords, foreign forms, hostile words."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request

from portico.errors import ConfigError
from portico.serve.contributions.forms import Throttle, identify_visitor, read_form
from portico.serve.contributions.signing_in import hash_password, matches_password
from portico.store.crawl.harvest import Harvest, HarvestPoint
from portico.store.documents.failures import NewFailure
from portico.store.meta import read_kept_sources
from portico.store.opening import open_store
from portico.types.correction import ProposalStatus
from tests.serve.hearing import Clock, Hearing, Visitor, hearing
from tests.serve.made import SCRIPT, STORE_URL, make_empty_portal, make_portal

PAGES = ("", "/corrections", "/submissions", "/topics", "/doubts", "/failures", "/searches")


@pytest.fixture(scope="module")
def heard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hearing]:
    folder = tmp_path_factory.mktemp("heard")
    make_portal(folder)
    with hearing(folder) as heard:
        yield heard


def test_a_password_is_kept_as_a_hash_that_nothing_else_matches() -> None:
    stored = hash_password("correct horse")
    assert "correct" not in stored
    assert stored != hash_password("correct horse")  # salted
    assert matches_password("correct horse", stored)
    assert not matches_password("correct horse ", stored)
    assert not matches_password("correct horse", "scrypt$damaged")
    with pytest.raises(ConfigError, match="at least 8"):
        hash_password("short")


@pytest.mark.parametrize("path", PAGES)
def test_without_signing_in_there_is_nothing_to_see(heard: Hearing, path: str) -> None:
    answer = heard.visitor().get(f"/builder{path}")
    assert answer.status == 303
    assert answer.headers["Location"] == f"/builder/sign-in?next=/builder{path}"


@pytest.mark.parametrize("path", PAGES)
def test_the_builder_sees_every_page_and_no_cache_keeps_it(heard: Hearing, path: str) -> None:
    answer = heard.builder().get(f"/builder{path}")
    assert answer.status == 200
    assert answer.headers["Cache-Control"] == "no-store"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert SCRIPT not in answer.text
    assert "<script>x</script>" not in answer.text


def test_the_cookie_is_for_our_own_pages_alone_and_signing_out_ends_it(heard: Hearing) -> None:
    builder = heard.visitor()
    cookie = builder.sign_in().headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    secret = builder.cookies["portico_session"]
    assert builder.post("/builder/sign-out", token=builder.token()).status == 303
    builder.cookies["portico_session"] = secret
    assert builder.get("/builder").status == 303


def test_a_session_ends_by_itself(heard: Hearing) -> None:
    builder = heard.builder()
    heard.clock.now += 13 * 3600
    assert builder.get("/builder").status == 303


def test_wrong_passwords_are_counted_and_then_refused(heard: Hearing) -> None:
    guesser = heard.visitor()
    heard.clock.now += 3600
    for _ in range(5):
        assert guesser.sign_in("wrong password").status == 403
    answer = guesser.sign_in()
    assert answer.status == 429
    assert 0 < int(answer.headers["Retry-After"]) <= 15 * 60 + 1
    heard.clock.now += 15 * 60 + 1
    assert guesser.sign_in().status == 303


def test_saying_to_be_somebody_else_gives_no_more_guesses(heard: Hearing) -> None:
    heard.clock.now += 3600
    statuses = []
    for number in range(8):
        said = {"X-Forwarded-For": f"10.0.0.{number}", "Forwarded": f"for=10.0.0.{number}"}
        statuses.append(heard.visitor().post("/builder/sign-in", said, password="wrong password").status)
    assert statuses == [403] * 5 + [429] * 3


def test_many_addresses_together_guess_no_faster(heard: Hearing) -> None:
    """From addresses of this machine that are really different ones."""
    heard.clock.now += 3600
    statuses = [
        Visitor(heard.site, address=f"127.0.1.{1 + number // 4}").sign_in("wrong password").status
        for number in range(60)
    ]
    assert statuses == [403] * 50 + [429] * 10
    heard.clock.now += 15 * 60 + 1
    assert heard.visitor().sign_in().status == 303


@pytest.mark.parametrize(
    ("host", "counted_as"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("no address", "no address"),
    ],
)
def test_a_network_of_version_6_is_one_visitor(host: str, counted_as: str) -> None:
    assert identify_visitor(Request({"type": "http", "client": (host, 1)})) == counted_as


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("/builder/doubts", "/builder/doubts"),
        ("https://evil.example/", "/builder"),
        ("//evil.example/builder/", "/builder"),
        ("/builder//evil.example", "/builder"),
        ("/builder/\r\nSet-Cookie: x=y", "/builder"),
    ],
)
def test_signing_in_leads_nowhere_else(heard: Hearing, after: str, expected: str) -> None:
    answer = heard.visitor().post("/builder/sign-in", password="correct horse battery", next=after)
    assert answer.headers["Location"] == expected


def test_without_a_password_the_view_is_off_and_says_so(tmp_path: Path) -> None:
    make_portal(tmp_path)
    with hearing(tmp_path, password=None) as heard:
        page = heard.visitor().get("/builder/sign-in")
        assert "portico password" in page.text
        assert '<form class="form"' not in page.text
        assert heard.visitor().sign_in("anything at all").status == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "null"},
    ],
)
def test_forms_of_other_sites_change_nothing(heard: Hearing, headers: dict[str, str]) -> None:
    builder = heard.builder()
    for path in ("/submit", "/paper/forest/wrong", "/builder/submissions", "/builder/sign-out"):
        answer = builder.post(path, headers, token=builder.token(), url="https://a.example/", title="x")
        assert answer.status == 403, path
    assert heard.store.contributions.submissions.standing(ProposalStatus.PROPOSED) == ()


@pytest.mark.parametrize("path", ["/builder/corrections", "/builder/submissions", "/builder/failures"])
def test_forms_need_the_token_of_the_session(heard: Hearing, path: str) -> None:
    builder = heard.builder()
    assert builder.post(path, token="guess", decision="accept", id="1").status == 403
    assert builder.post(path, decision="accept", id="1").status == 403


def test_a_form_that_never_ends_is_cut_off(heard: Hearing) -> None:
    answer = heard.visitor().post("/submit", url="https://a.example/", note="x" * 200_000)
    assert answer.status == 413


def test_failures_are_due_again_where_the_builder_says_so(heard: Hearing) -> None:
    reason = f"the file ends after 17 bytes {SCRIPT}"
    heard.store.documents.failures.put(
        NewFailure("convert", "a" * 64, "a.pdf", "ConvertError", reason, at=0.0)
    )
    builder = heard.builder()
    page = builder.get("/builder/failures").text
    assert "a.pdf" in page
    assert SCRIPT not in page
    other = reason.replace("17", "9")  # the same reason but for its number
    form = {"stage": "convert", "kind": "ConvertError", "reason": other, "token": builder.token()}
    answer = builder.post("/builder/failures", **form)
    assert answer.headers["Location"] == "/builder/failures?again=1"
    assert "a.pdf" not in builder.get("/builder/failures").text


def test_addresses_that_failed_are_left_out_where_the_builder_says_so(heard: Hearing) -> None:
    heard.store.documents.failures.put(
        NewFailure("crawl", "http://a.example/", "http://a.example/", "FetchError", "gone (410)", at=0.0)
    )
    builder = heard.builder()
    assert "The page is gone. Leave it out" in builder.get("/builder/failures").text
    form = {"stage": "crawl", "kind": "FetchError", "reason": "gone (410)", "token": builder.token()}
    answer = builder.post("/builder/failures", **form, decision="leave")
    assert answer.headers["Location"] == "/builder/failures?left=1"
    assert "a.example" not in builder.get("/builder/failures").text


def test_the_overview_says_what_to_do_next_and_counts_what_failed_apart(heard: Hearing) -> None:
    failures = heard.store.documents.failures
    failures.put(NewFailure("extract", "b" * 64, "http://a.example/1.pdf", "NotAPaper", "slides", at=0.0))
    failures.put(
        NewFailure("crawl", "c", "http://a.example/", "FetchError", "no answer", at=0.0, passing=True)
    )
    page = heard.builder().get("/builder").text
    assert "Check 1 document set aside by the last build" in page
    assert "Retry 1 failure that may have been temporary" in page
    assert '<a href="/builder/failures">failures</a></dt><dd>1</dd>' in page


def test_what_was_taken_for_no_paper_can_be_kept(heard: Hearing) -> None:
    source = "http://a.example/thesis.pdf"
    heard.store.documents.failures.put(
        NewFailure("extract", "b" * 64, source, "NotAPaper", "no reference section", at=0.0)
    )
    builder = heard.builder()
    page = builder.get("/builder/failures").text
    assert source in page
    assert "Keep it" in page
    form = {"source": source, "token": builder.token()}
    answer = builder.post("/builder/left-out", **form, decision="keep")
    assert (answer.status, read_kept_sources(heard.store.meta)) == (303, (source,))
    assert "Set it aside" in builder.get("/builder/failures").text
    builder.post("/builder/left-out", **form, decision="drop")
    assert read_kept_sources(heard.store.meta) == ()
    assert builder.post("/builder/left-out", token=builder.token(), source="x", decision="keep").status == 404
    assert builder.post("/builder/left-out", source=source, decision="keep").status == 403


def test_the_harvest_is_drawn_and_told_in_numbers(heard: Hearing) -> None:
    points = [HarvestPoint(0, 0), HarvestPoint(50, 40), HarvestPoint(100, 50)]
    later = [HarvestPoint(0, 0), HarvestPoint(50, 10), HarvestPoint(100, 50)]
    heard.store.crawl.harvests.put(Harvest(tuple(points), tuple(later)))
    page = heard.builder().get("/builder").text
    assert 'points="0.0,220.0 280.0,44.0 560.0,0.0"' in page
    assert "Half of them were found after 31 requests; breadth-first would have after 69." in page


def test_searches_are_counted_without_saying_who_asked(heard: Hearing) -> None:
    visitor = heard.visitor()
    for query in ("Zebra+Crossing", "zebra++crossing", "trees", SCRIPT.replace("=", "%3D")):
        visitor.get(f"/search?q={query}")
    page = heard.builder().get("/builder/searches").text
    vain, _, most = page.partition('id="most"')
    assert "zebra crossing" in vain
    assert "trees" in most
    assert "trees" not in vain.partition('id="vain"')[2]
    assert SCRIPT not in page
    most_vain = heard.store.contributions.query_log.in_vain(limit=1)[0]
    assert (most_vain.n_asked, most_vain.n_empty) == (2, 2)


def test_a_throttle_forgets_with_time(tmp_path: Path) -> None:
    clock = Clock()
    deeds = make_empty_portal(tmp_path).contributions.rate_events
    throttle = Throttle(deeds, "sent", 2, 10, clock)
    for _ in range(2):
        assert throttle.wait_s("a") == 0
        throttle.count("a")
    assert throttle.wait_s("a") == pytest.approx(10)
    assert throttle.wait_s("b") == 0
    assert Throttle(deeds, "read", 2, 10, clock).wait_s("a") == 0, "another kind of deed"
    clock.now += 10
    assert throttle.wait_s("a") == 0


def test_a_throttle_holds_for_all_processes_and_writes_no_address(tmp_path: Path) -> None:
    clock, address = Clock(), "192.0.2.77"
    one, other = make_empty_portal(tmp_path), open_store(STORE_URL, tmp_path)
    Throttle(one.contributions.rate_events, "sent", 1, 10, clock).count(address)
    elsewhere = Throttle(other.contributions.rate_events, "sent", 1, 10, clock)
    assert elsewhere.wait_s(address) == 10
    elsewhere.forgive(address)
    assert Throttle(one.contributions.rate_events, "sent", 1, 10, clock).wait_s(address) == 0
    elsewhere.count(address)
    one.close()
    other.close()
    assert all(address.encode() not in path.read_bytes() for path in tmp_path.iterdir() if path.is_file())


def test_half_a_form_is_no_surprise() -> None:
    async def leave() -> dict[str, object]:
        return {"type": "http.disconnect"}

    scope = {"type": "http", "method": "POST", "path": "/", "headers": []}
    with pytest.raises(HTTPException, match="incomplete"):
        asyncio.run(read_form(Request(scope, leave)))
