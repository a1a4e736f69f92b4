"""Marking fields: what is marked is exactly what was meant, and what is learned from it is read elsewhere."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from portico.config.template import format_domain_toml
from portico.pipeline.teaching.field_marking import find_marked
from portico.types.document import Document, DocumentId, Span
from portico.types.lesson import FieldMark
from portico.types.page import BodyHash, Url
from tests.crawl.web import Web
from tests.serve.browsing import DESK, PHONE, barriers, width_of
from tests.serve.taught import PORTAL, Taught, publish, teaching
from tests.serve.test_teaching import MILL, Teacher

BOARD, MANAGEMENT = "http://mill.test/people/board.html", "http://harbor.test/management.htm"
WIDE = "http://wide.test/"
MARKS = [
    ("Ada Miller", "name"),
    ("Chief executive officer", "role"),
    ("Bo Karlsen", "name"),
    ("Chair of the board", "role"),
    ("Cem Aksoy", "name"),
    ("Treasurer", "role"),
]
FIND = """words => {
  const walker = document.createTreeWalker(document.getElementById("lines"), NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    const at = node.data.indexOf(words);
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + words.length);
    const box = range.getBoundingClientRect();
    return [box.left, box.right, (box.top + box.bottom) / 2];
  }
}"""


@pytest.fixture
def web() -> Iterator[Web]:
    with Web() as web:
        publish(web)
        web.add(
            WIDE, "<p>𝔄𝔡𝔞 🙂 Müller \u2066hidden\u2069 and\u00a0Søren\n<b>Ågård</b>, <i>presi</i>dent</p>"
        )
        yield web


@pytest.fixture
def taught(tmp_path: Path, web: Web) -> Iterator[Taught]:
    with teaching(tmp_path, web) as taught:
        yield taught


@pytest.fixture
def teacher(taught: Taught) -> Teacher:
    return Teacher(taught)


def open_page(browser: Browser, taught: Taught, url: str, **options: object) -> Page:
    page = browser.new_context(**{"viewport": DESK, **options}).new_page()  # type: ignore[arg-type]
    page.goto(f"{taught.root}/fields?page={quote(url, safe='')}")
    return page


def select(page: Page, words: str) -> None:
    """As a person does: press at the first letter, drag to the last, let go."""
    page.wait_for_load_state("load")  # before its style sheet is there, everything stands elsewhere
    left, right, middle = page.evaluate(FIND, words)
    page.mouse.move(left + 0.5, middle)
    page.mouse.down()
    page.mouse.move(right - 0.5, middle, steps=4)
    page.mouse.up()


def marked(taught: Taught) -> list[tuple[str, str]]:
    return [(mark.text, mark.label) for mark in taught.store.contributions.marks.all()]


@pytest.mark.browser
def test_words_selected_with_the_mouse_become_fields_read_elsewhere(browser: Browser, taught: Taught) -> None:
    page = open_page(browser, taught, BOARD)
    page.evaluate("window.isSamePage = true")
    for words, label in MARKS:
        select(page, words)
        expect(page.get_by_label("Words")).to_have_value(words)
        page.get_by_role("button", name=label, exact=True).click()
        expect(page.locator("#lines mark", has_text=words)).to_have_attribute("title", label)
    assert marked(taught) == MARKS
    assert page.evaluate("window.isSamePage"), "marks are sent without leaving the page"
    page.get_by_role("button", name="Learn from the marks").click()
    expect(page.get_by_role("status")).to_contain_text("Nothing changes yet, from 6 passages on 1 page")
    page.get_by_label("Read another page").fill(MANAGEMENT)
    page.get_by_role("button", name="Read", exact=True).click()
    page.wait_for_url("**/fields?page=*management*")
    expect(page.get_by_role("heading", name="What is read from this page")).to_be_visible()
    expect(page.locator(".read")).to_have_count(2)
    expect(page.locator(".read").first).to_contain_text("Dana Petrov")


@pytest.mark.browser
@pytest.mark.parametrize("words", ["𝔄𝔡𝔞 🙂", "Søren", "dent"])
def test_characters_are_counted_as_the_document_counts_them(
    browser: Browser, taught: Taught, words: str
) -> None:
    page = open_page(browser, taught, WIDE)
    for _ in range(2):  # the second time through a mark that stands there already
        page.evaluate(
            """words => {
              const line = document.querySelector("#lines .line"), all = line.textContent;
              const at = all.indexOf(words), range = document.createRange();
              const place = offset => {
                const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
                for (let node; (node = walker.nextNode()); offset -= node.length)
                  if (offset <= node.length) return [node, offset];
              };
              range.setStart(...place(at));
              range.setEnd(...place(at + words.length));
              document.getSelection().removeAllRanges();
              document.getSelection().addRange(range);
            }""",
            words,
        )
        expect(page.get_by_label("Words")).to_have_value(words)
        page.get_by_role("button", name="name", exact=True).click()
        expect(page.locator("#lines mark")).to_have_count(1)
    assert marked(taught) == [(words, "name")]


@pytest.mark.browser
def test_the_keyboard_alone_is_enough_without_scripts(browser: Browser, taught: Taught) -> None:
    page = open_page(browser, taught, BOARD, java_script_enabled=False)
    number = page.locator("#lines li", has_text="Bo Karlsen").get_attribute("value") or ""
    page.get_by_label("Line", exact=True).fill(number)
    page.get_by_label("Words").fill("Karlsen")
    page.get_by_role("button", name="name", exact=True).press("Enter")
    expect(page.locator("#lines mark")).to_have_text("Karlsen")
    page.get_by_label("Line", exact=True).fill(number)
    page.get_by_role("button", name="role", exact=True).press("Enter")
    expect(page.locator("#lines mark")).to_have_attribute("title", "role")  # the later mark wins
    assert marked(taught) == [("Bo Karlsen", "role")]
    page.get_by_role("button", name="Undo last mark").press("Enter")
    expect(page.locator("#lines mark")).to_have_count(0)


@pytest.mark.browser
@pytest.mark.parametrize(
    ("scheme", "viewport"), [("light", DESK), ("dark", PHONE)], ids=["light-writable", "dark-phone"]
)
def test_everyone_can_use_it(
    browser: Browser, taught: Taught, teacher: Teacher, scheme: str, viewport: ViewportSize
) -> None:
    mark(teacher, BOARD, "Ada Miller", "name")
    page = open_page(browser, taught, BOARD, viewport=viewport, color_scheme=scheme, bypass_csp=True)
    found = {}
    for address in (f"/fields?page={BOARD}&read=yes", "/fields", "/fields?page=nowhere.test"):
        page.goto(f"{taught.root}{address}")
        serious = barriers(page)
        width = width_of(page)
        if serious or width > viewport["width"]:
            found[address] = (serious, width)
    assert found == {}


def mark(teacher: Teacher, page: str, words: str, label: str) -> str:
    lines = teacher.click(f"/fields?page={quote(page, safe='')}").split("<li value=")[1:]
    number = next(number for number, line in enumerate(lines, start=1) if words in line)
    return teacher.click("/fields/mark", page=page, line=str(number), words=words, label=label)


def test_marks_are_listed_and_removed(teacher: Teacher, taught: Taught) -> None:
    mark(teacher, BOARD, "Ada Miller", "name")
    assert "2 marks on 1 page" in mark(teacher, BOARD, "Treasurer", "role")
    teacher.click("/fields/remove", page=BOARD, mark="1")
    assert marked(taught) == [("Treasurer", "role")]


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"line": "4", "words": "nowhere"}, "These words are not there"),
        ({"line": "0"}, "These words are not there"),
        ({"line": "99999999999999999999"}, "These words are not there"),
        ({"start": "5", "end": "5"}, "These words are not there"),
        ({"start": "3", "end": "999999"}, "These words are not there"),
        ({"line": "4", "label": "salary"}, "Choose a field"),
        ({"line": "4", "label": ""}, "Choose a field"),
    ],
)
def test_a_mark_that_cannot_be_is_refused(
    teacher: Teacher, taught: Taught, form: dict[str, str], said: str
) -> None:
    assert said in teacher.click("/fields/mark", **{"page": BOARD, "label": "name", **form})
    assert marked(taught) == []


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("http://mill.test/missing", "does not exist (404)"),
        ("no address", "is not a URL"),
        ("http://script.test/", "needs JavaScript"),
    ],
)
def test_a_page_that_cannot_be_read_is_said(teacher: Teacher, web: Web, page: str, said: str) -> None:
    web.add("http://script.test/", "<div id=app></div><script>go()</script>")
    assert said in teacher.click(f"/fields?page={quote(page, safe='')}")


def test_nothing_is_learned_from_nothing(teacher: Teacher) -> None:
    assert "Nothing was learned: nothing is marked yet" in teacher.click("/fields/learn", page=BOARD)


COURSES = (
    ("CS 101", "Introduction to Programming", "Ada Miller", "Fall 1996"),
    ("CS 214", "Data Structures and Sorting", "Bo Karlsen", "Spring 1997"),
    ("CS 330", "Operating Systems in Practice", "Cem Aksoy", "Fall 1997"),
    ("CS 415", "Compilers for Small Machines", "Dana Petrov", "Winter 1998"),
)
FIELDS = ("number", "title", "instructor", "term")


def test_a_domain_of_ones_own_is_learned_from_three_marked_pages(tmp_path: Path, web: Web) -> None:
    (tmp_path / "domain.toml").write_text(format_domain_toml(), encoding="utf-8")
    for number, (code, title, name, term) in enumerate(COURSES):
        html = f"<h1>Northfield</h1><p>{code}</p><p>{title}</p><p>Instructor: {name}</p><p>{term}</p>"
        rest = "<p>Bring a pencil.</p><p>Homework is due on Fridays before class.</p>"
        web.add(f"http://course.test/{number}", html + rest)
    custom = PORTAL.replace("organisations", "custom")
    with teaching(tmp_path, web, settings=custom) as taught:
        teacher = Teacher(taught)
        for number, course in enumerate(COURSES[:3]):
            for words, label in zip(course, FIELDS, strict=True):
                mark(teacher, f"http://course.test/{number}", words, label)
        learned = teacher.click("/fields/learn", page="http://course.test/0")
        assert "Learned title from 12 passages on 3 pages" in learned
        assert "<td>0 of 3</td><td>3 of 3</td>" in learned
        read = teacher.click("/fields?page=http://course.test/3&read=yes").partition('id="read"')[2]
    for value in COURSES[3]:
        assert value in read.partition('id="marks"')[0]


def test_a_portal_of_papers_has_nothing_to_mark(tmp_path: Path, web: Web) -> None:
    with teaching(tmp_path, web, settings='[portal]\ndomain = "papers"\n') as taught:
        teacher = Teacher(taught)
        assert "there is nothing to mark" in teacher.click("/fields")
        assert "Mark fields" not in teacher.click("/")


def test_goals_are_offered_to_be_marked_and_dead_ends_are_not(teacher: Teacher) -> None:
    for page, ending in (("people/board.html", "goal"), ("news.html", "dead end")):
        teacher.open(f"{MILL}{page}")
        teacher.click(f"/stop/{teacher.at}/end", ending=ending)
    offered = teacher.click("/fields").partition("Pages you called goals")[2]
    assert "people/board.html" in offered
    assert "news.html" not in offered


def test_a_hostile_page_is_lines_of_text(teacher: Teacher, web: Web) -> None:
    web.add(
        "http://bad.test/", "<p>a &lt;script&gt;alert(1)&lt;/script&gt; <b onclick=x>b</b></p>" + "word " * 20
    )
    shown = teacher.click("/fields?page=http://bad.test/")
    assert "&lt;script&gt;alert(1)" in shown
    assert "onclick" not in shown


@pytest.mark.parametrize(
    ("text", "start", "found"),
    [
        ("Ada Miller, Ada Miller", 0, Span(0, 3)),
        ("x Ada Miller", 0, Span(2, 5)),
        ("Ada here and Ada there", 12, Span(13, 16)),
        ("nobody", 0, None),
    ],
)
def test_marked_words_are_found_again(text: str, start: int, found: Span | None) -> None:
    body = "0" * 64
    marked_words = FieldMark(Url("http://a.test/"), BodyHash(body), "name", start, start + 3, "Ada")
    document = Document(DocumentId(body), "text/html", text, (), ())
    assert find_marked(marked_words, document) == found
