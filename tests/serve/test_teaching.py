"""The teaching pages, asked as a browser would: what is recorded, what is said, and who is turned away."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

from portico.cli.lessons import make_marking
from portico.errors import FetchError, PortalBusy
from portico.pipeline.opening import hold_portal, open_for_changes, open_for_teaching
from portico.pipeline.teaching.page_viewer import make_page_viewer
from portico.types.page import Url
from portico.types.path import Ending
from tests.crawl.web import Web
from tests.serve.conftest import PATIENCE_S, Answer
from tests.serve.taught import PORTAL, SECRET, Taught, publish, teaching

MILL, ORCHARD = "http://mill.test/", "http://orchard.test/"


@dataclass(frozen=True)
class Teacher:
    """Somebody who clicks, without a browser: redirects are followed."""

    taught: Taught

    def ask(self, path: str, *, headers: dict[str, str] | None = None, **form: str) -> Answer:
        method, body = ("POST", urlencode(form)) if form else ("GET", "")
        connection = HTTPConnection("127.0.0.1", self.taught.site.port, timeout=PATIENCE_S)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            answer = Answer(response.status, response.headers, response.read())
        finally:
            connection.close()
        return self.ask(answer.headers["Location"]) if answer.status == 303 else answer

    def click(self, path: str, **form: str) -> str:
        return self.ask(f"/{SECRET}{path}", headers=None, **form).text

    def follow(self, stop: int, url: str) -> str:
        return self.click(f"/go?from={stop}&to={quote(url, safe='')}")

    def open(self, address: str) -> str:
        return self.click("/open", address=address)

    @property
    def at(self) -> int:
        return self.taught.store.contributions.lessons.lesson().at

    @property
    def path(self) -> list[str]:
        lesson = self.taught.store.contributions.lessons.lesson()
        return [stop.url for stop in lesson.way(lesson.at)]


@pytest.fixture
def web() -> Iterator[Web]:
    with Web() as web:
        publish(web)
        yield web


@pytest.fixture
def teacher(tmp_path: Path, web: Web) -> Iterator[Teacher]:
    with teaching(tmp_path, web) as taught:
        yield Teacher(taught)


def test_clicks_make_a_path_that_can_be_named_and_ended(teacher: Teacher) -> None:
    assert "Mill Works" in teacher.open("mill.test")
    assert "Our history and our values" in teacher.follow(teacher.at, f"{MILL}about.html")
    about = teacher.at
    assert '<span class="milestone">about</span>' in teacher.click(f"/stop/{about}/name", name="about")
    teacher.follow(about, f"{MILL}people/board.html")
    assert "this path leads to what you are looking for" in teacher.click(
        f"/stop/{teacher.at}/end", ending="goal"
    )
    lesson = teacher.taught.store.contributions.lessons.lesson()
    (example,) = lesson.examples
    way = lesson.way(example.id)
    assert [stop.url for stop in way] == [MILL, f"{MILL}about.html", f"{MILL}people/board.html"]
    assert [stop.milestone for stop in way] == ["", "about", ""]
    assert example.ending is Ending.GOAL
    assert example.link is not None
    assert example.link.link.anchor == "Board of directors"


def test_every_page_is_fetched_once(teacher: Teacher, web: Web) -> None:
    for _ in range(2):
        teacher.open(MILL)
        teacher.follow(teacher.at, f"{MILL}about.html")
    assert web.fetched() == [MILL, f"{MILL}about.html"]
    assert len(teacher.taught.store.contributions.lessons.lesson().stops) == 2


def test_any_number_of_clicks_is_taken_back(teacher: Teacher) -> None:
    teacher.open(MILL)
    teacher.follow(teacher.at, f"{MILL}about.html")
    teacher.click(f"/stop/{teacher.at}/name", name="about")
    teacher.click(f"/stop/{teacher.at}/end", ending="dead end")
    told = [teacher.click("/undo", x="").partition("Undone: ")[2].partition(".")[0] for _ in range(4)]
    assert told == [
        "your answer for this page",
        "the name of this page",
        "following the link",
        "opening the site",
    ]
    assert teacher.path == []
    assert "There is nothing to undo" in teacher.click("/undo", x="")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"status": 404}, "does not exist (404)"),
        ({"dropped": True}, "closed the connection"),
        ({"status": 302, "headers": {"Location": "mailto:x@y.test"}}, "redirects to something that is no"),
    ],
)
def test_a_page_that_fails_is_said_and_the_path_stays(
    teacher: Teacher, web: Web, how: dict[str, object], said: str
) -> None:
    web.link("http://bad.test/", "broken.html", "good.html")
    web.add("http://bad.test/broken.html", b"", **how)
    teacher.open("http://bad.test/")
    answer = teacher.follow(teacher.at, "http://bad.test/broken.html")
    assert 'role="alert"' in answer
    assert said in answer
    assert "good.html" in answer, "the page one was on is shown"
    assert teacher.path == ["http://bad.test/"]


def test_robots_are_obeyed_and_said(teacher: Teacher, web: Web) -> None:
    web.add("http://shy.test/robots.txt", "User-agent: *\nDisallow: /staff", media_type="text/plain")
    web.link("http://shy.test/", "/staff")
    teacher.open("http://shy.test/")
    assert "robots.txt" in teacher.follow(teacher.at, "http://shy.test/staff")
    assert "http://shy.test/staff" not in web.fetched()


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("not an address", "is not a URL"),
        ("javascript:alert(1)", "is not a URL"),
        ("http://nowhere.test/", "does not exist (404)"),
    ],
)
def test_an_address_that_leads_nowhere_is_said(teacher: Teacher, address: str, said: str) -> None:
    assert said in teacher.open(address)
    assert teacher.path == []


def test_no_path_goes_in_circles(teacher: Teacher) -> None:
    teacher.open(MILL)
    teacher.follow(teacher.at, f"{MILL}about.html")
    assert "already on your path" in teacher.follow(teacher.at, MILL)
    assert len(teacher.taught.store.contributions.lessons.lesson().stops) == 2


@pytest.mark.parametrize(
    ("second", "kept", "offered"),
    [("PEOPLE", "people", False), ("peopel", "peopel", True), ("contact", "contact", False)],
)
def test_a_name_used_before_is_kept_or_offered(
    teacher: Teacher, second: str, kept: str, offered: bool
) -> None:
    teacher.open(MILL)
    teacher.click(f"/stop/{teacher.at}/name", name="people")
    teacher.follow(teacher.at, f"{MILL}about.html")
    answer = teacher.click(f"/stop/{teacher.at}/name", name=second)
    assert ("Call it people" in answer) is offered
    lesson = teacher.taught.store.contributions.lessons.lesson()
    assert lesson.stops[lesson.at].milestone == kept


@pytest.mark.parametrize("name", ["goal", "Dead End", "FAIL"])
def test_the_two_answers_are_no_names(teacher: Teacher, name: str) -> None:
    teacher.open(MILL)
    assert "are not named" in teacher.click(f"/stop/{teacher.at}/name", name=name)
    assert teacher.taught.store.contributions.lessons.lesson().milestones == ()


def test_links_to_other_sites_are_marked(teacher: Teacher, web: Web) -> None:
    web.link("http://here.test/", "/near", "http://www.here.test/too", "http://there.test/far")
    page = teacher.open("http://here.test/")
    marked = [part for part in page.split("<a ") if 'class="elsewhere"' in part]
    assert len(marked) == 1
    assert "(on there.test)" in marked[0]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("<div id=app></div><script src=app.js></script>", "This page needs JavaScript"),
        ("<p>All there is.</p>", "has no links to follow"),
        ("", "an empty page"),
    ],
)
def test_a_page_one_cannot_go_on_from_is_said(teacher: Teacher, web: Web, body: str, said: str) -> None:
    web.add("http://odd.test/", f"<html><body>{body}")
    assert said in teacher.open("http://odd.test/")


def test_a_document_can_be_the_goal(teacher: Teacher, web: Web) -> None:
    web.link("http://doc.test/", "report.pdf")
    web.add("http://doc.test/report.pdf", b"%PDF-1.4\n", media_type="application/pdf")
    teacher.open("http://doc.test/")
    assert "a PDF document" in teacher.follow(teacher.at, "http://doc.test/report.pdf")
    assert "Kept as an example" in teacher.click(f"/stop/{teacher.at}/end", ending="goal")


def test_builds_know_what_the_pages_are_that_were_looked_at(teacher: Teacher) -> None:
    for path in ("", "people/board.html"):
        teacher.open(f"{MILL}{path}")
    board, home = (
        teacher.taught.store.documents.pages.get(f"{MILL}{path}") for path in ("people/board.html", "")
    )
    assert board is not None
    assert home is not None
    assert (board.page_kind, home.page_kind) == ("officers", "")


def test_links_that_are_not_there_are_not_followed(teacher: Teacher, web: Web) -> None:
    teacher.open(MILL)
    assert "no such link" in teacher.follow(teacher.at, "http://169.254.169.254/latest/")
    assert web.fetched() == [MILL]


def test_a_lesson_goes_on_where_it_was_broken_off(tmp_path: Path, web: Web) -> None:
    with teaching(tmp_path, web) as taught:
        first = Teacher(taught)
        first.open(MILL)
        first.follow(first.at, f"{MILL}about.html")
    with teaching(tmp_path, web) as taught:
        again = Teacher(taught)
        assert "Go on at “About us”" in again.click("/")
        assert again.path == [MILL, f"{MILL}about.html"]
        again.follow(again.at, f"{MILL}people/board.html")
        assert len(again.path) == 3


def test_examples_are_needed_before_anything_is_tried(teacher: Teacher) -> None:
    assert "Nothing was tried: no example leads to a goal yet" in teacher.click("/try", address=ORCHARD)
    assert "Nothing was kept" in teacher.click("/keep", x="")


def test_the_spider_stays_on_the_site_it_is_tried_on(teacher: Teacher, web: Web) -> None:
    web.link("http://far.test/", "http://mill.test/jobs.html", "/broken")
    teacher.open(MILL)
    teacher.follow(teacher.at, f"{MILL}about.html")
    teacher.click(f"/stop/{teacher.at}/end", ending="goal")
    answer = wait_for_preview(teacher, "http://far.test/")
    assert "Not fetched: does not exist (404)" in answer
    assert f"{MILL}jobs.html" not in web.fetched()
    assert "There are no more links to follow" in answer


def test_a_site_that_needs_scripts_is_said_when_it_is_tried(teacher: Teacher, web: Web) -> None:
    web.add("http://app.test/", "<div id=app></div><script src=app.js></script>")
    teacher.open(MILL)
    teacher.click(f"/stop/{teacher.at}/end", ending="goal")
    assert "The site needs JavaScript" in wait_for_preview(teacher, "http://app.test/")


def wait_for_preview(teacher: Teacher, site: str) -> str:
    answer = teacher.click("/try", address=site)
    for _ in range(1000):
        if "Look again" not in answer:
            break
        answer = teacher.click("/try")
    return answer


@pytest.mark.parametrize("path", ["/", "/stop/1", "/guess/", "/go?from=1&to=x", "/try"])
def test_whoever_does_not_know_the_address_sees_nothing(teacher: Teacher, path: str) -> None:
    teacher.open(MILL)
    answer = teacher.ask(path)
    assert answer.status == 404
    assert "Mill" not in answer.text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Host": "evil.test"}, 400),
        ({"Host": "localhost"}, 200),
        ({}, 200),
    ],
)
def test_pages_of_other_sites_are_turned_away(teacher: Teacher, headers: dict[str, str], status: int) -> None:
    assert teacher.ask(f"/{SECRET}/", headers=headers).status == status
    if status != 200:
        assert teacher.ask(f"/{SECRET}/open", headers=headers, address=MILL).status == status
        assert teacher.path == []


def test_forms_of_other_sites_change_nothing(teacher: Teacher) -> None:
    sent = teacher.ask(f"/{SECRET}/open", headers={"Origin": "http://evil.test"}, address=MILL)
    assert sent.status == 403
    assert teacher.path == []


def test_every_answer_forbids_what_pages_could_do(teacher: Teacher) -> None:
    teacher.open(MILL)
    for path in ("/", f"/{SECRET}/", f"/{SECRET}/stop/{teacher.at}", "/static/teach.css"):
        policy = teacher.ask(path).headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "form-action 'self'" in policy


def test_what_the_builder_must_mend_is_said(tmp_path: Path, web: Web) -> None:
    nobody = '[portal]\ntitle = "x"\n[fetch]\nproxy = "http://127.0.0.1:1"\n'
    with teaching(tmp_path, web, settings=nobody) as taught:
        said = Teacher(taught).open(MILL)
        assert "the proxy http://127.0.0.1:1 cannot be reached" in said
        assert "correct `proxy` under [fetch]" in said


def test_private_addresses_are_refused(tmp_path: Path, web: Web) -> None:
    with teaching(tmp_path, web, settings='[portal]\ntitle = "x"\n[fetch]\ndelay_s = 0.0\n') as taught:
        teacher = Teacher(taught)
        for address in ("http://127.0.0.1:1/", "http://localhost/", "http://[::1]/", "http://10.0.0.1/"):
            assert "private address" in teacher.open(address)


def test_teaching_gives_way_to_a_build_and_does_not_lock_it_out(tmp_path: Path, web: Web) -> None:
    (tmp_path / "portal.toml").write_text(PORTAL.format(proxy=web.address), encoding="utf-8")
    with open_for_teaching(tmp_path) as portal:
        hold = partial(hold_portal, portal)
        look = make_page_viewer(portal, hold)
        seen = look(Url(MILL))
        with open_for_changes(tmp_path) as built:
            assert built.places == portal.places
            assert look(Url(MILL)).body == seen.body, "what was fetched before is shown all the same"
            with pytest.raises(FetchError, match="it was not fetched yet, and"):
                look(Url(f"{MILL}about.html"))
            marking = make_marking(portal, look, hold)
            with pytest.raises(PortalBusy):
                marking.learn()
        assert look(Url(f"{MILL}about.html")).view.title == "About Mill Works"
