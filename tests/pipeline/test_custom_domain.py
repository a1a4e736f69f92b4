"""A domain declared in TOML: from course pages of our own invention to records, before and after marking."""

from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from portico.cli.lessons import learn_marked
from portico.cli.progress_lines import ProgressLines
from portico.config.template import InitAnswers
from portico.convert.converter import Converter
from portico.errors import ConfigError
from portico.pipeline.building import BuildSummary, build_portal
from portico.pipeline.opening import make_portal, open_for_changes, open_portal
from portico.pipeline.progress import BuildRequest
from portico.pipeline.teaching.page_teaching import learn_pages
from portico.store.codec import decode
from portico.types.document import DocumentId
from portico.types.lesson import FieldMark
from portico.types.page import Url
from portico.types.record import Record

COURSES = [
    ("CS 101", "Soil and Seeds", "Anna Miller", "Fall 2023"),
    ("CS 204", "Applied Weather", "Robert Smith", "Spring 2024"),
    ("CS 310", "Growing Mushrooms", "Linda Johnson", "Fall 2023"),
    ("CS 322", "Theory of Hedges", "David Brown", "Spring 2024"),
    ("CS 415", "Advanced Composting", "Maria Garcia", "Fall 2024"),
    ("CS 427", "The Biology of Lawns", "James Wilson", "Fall 2024"),
]
MARKED = COURSES[:4]
COURSE = """<html><title>{number}: {title}</title><h1>{number}: {title}</h1><h3>{teacher}</h3><p>{term}</p>
<h2>Course information</h2><p>This course is about what grows, what does not, and what can be done about it in
the time between the last frost and the first one, week by week.</p><h2>Homework</h2><p>Due on Fridays.</p>"""
NEWS = """<html><title>News of week {n}</title><h1>Week {n}</h1><p>The garden was open on Sunday. There was
cake and rain, and nobody minded either, as the pictures show that were taken of it all afternoon.</p>"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("site")
    names = [*(f"course{n}.html" for n in range(len(COURSES))), *(f"news{n}.html" for n in range(12))]
    for n, (number, title, teacher, term) in enumerate(COURSES):
        html = COURSE.format(number=number, title=title, teacher=teacher, term=term)
        (folder / f"course{n}.html").write_text(html)
    for n in range(12):
        (folder / f"news{n}.html").write_text(NEWS.format(n=n))
    links = "".join(f"<li><a href={name}>{name}</a>" for name in names)
    (folder / "index.html").write_text(f"<title>School of Gardens</title><ul>{links}</ul>")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_said: object) -> None:
        pass


@pytest.fixture(scope="module")
def portal(site: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A portal as `portico init --domain custom` makes it, allowed to visit this machine, and built once."""
    folder = tmp_path_factory.mktemp("courses") / "portal"
    path = make_portal(folder, InitAnswers(title="Courses", domain="custom", seeds=(site,)))
    text = path.read_text().replace("# allow_private = false", "allow_private = true")
    path.write_text(text.replace("# delay_s = 1.0", "delay_s = 0.0"))
    build(folder)
    return folder


def build(folder: Path) -> BuildSummary:
    return build_portal(folder, BuildRequest(workers=1), ProgressLines(None))


def records(folder: Path) -> list[Record]:
    with open_portal(folder) as opened:
        payloads = list(opened.store.documents.results.payloads("extract"))
    return [record for _, _, payload in payloads for record in decode(tuple[Record, ...], payload)]


def read(folder: Path, field: str) -> set[str]:
    return {one.value for record in records(folder) for one in record.all(field)}


def mark_pages(folder: Path, site: str) -> None:
    with open_for_changes(folder) as opened, Converter() as convert:
        pages = {row.source: row for row in opened.store.documents.pages.web_pages("text/html")}
        for n, (number, title, teacher, _) in enumerate(MARKED):
            url = f"{site}course{n}.html"
            row = pages[url]
            page = convert.page(
                opened.store.blobs.get(row.body),
                media_type=row.media_type,
                name=url,
                document_id=DocumentId(row.body),
            )
            for label, value in (("number", number), ("title", title), ("instructor", teacher)):
                start = page.text.rindex(value)
                mark = FieldMark(Url(url), row.body, label, start, start + len(value), value)
                opened.store.contributions.marks.add(mark, at=float(n))


def test_before_any_marks_patterns_and_headings_are_read(portal: Path) -> None:
    assert read(portal, "number") == {number for number, *_ in COURSES}
    assert read(portal, "term") == {term for *_, term in COURSES}
    assert read(portal, "title") == {title for _, title, *_ in COURSES}  # headings, without the number


def test_only_sought_pages_become_documents(portal: Path, site: str) -> None:
    with open_portal(portal) as opened:
        sought = {row.source for row in opened.store.documents.pages.sought()}
        assert set(opened.store.documents.results.digests("convert")) == {
            row.body for row in opened.store.documents.pages.sought()
        }
    assert sought == {f"{site}course{n}.html" for n in range(len(COURSES))}


def test_nothing_can_be_learned_before_anything_was_shown(portal: Path) -> None:
    with open_for_changes(portal) as opened, pytest.raises(ConfigError, match="no page was shown yet"):
        learn_pages(opened, at=0.0)


def test_marks_teach_titles_of_pages_that_were_not_marked(portal: Path, site: str) -> None:
    mark_pages(portal, site)
    assert "from 12 passages on 4 pages" in learn_marked(portal).summary
    with open_for_changes(portal) as opened:
        taught = learn_pages(opened, at=0.0)
    assert taught.summary == "Nothing changes: of 4 pages shown all are recognized already."
    build(portal)
    unseen = COURSES[len(MARKED) :]
    assert {title for _, title, *_ in unseen} <= read(portal, "title")
    assert {teacher for _, _, teacher, _ in unseen} <= read(portal, "instructor")
    assert all(record.kind == "course" for record in records(portal))


@pytest.mark.parametrize(
    ("before", "after"),
    [('form = "names"', 'form = "name"'), ("once = true", "once = false")],
)
def test_whatever_is_declared_otherwise_reads_every_page_again(portal: Path, before: str, after: str) -> None:
    declared = portal / "domain.toml"
    text = declared.read_text()
    build(portal)
    assert not [report for report in build(portal).reports if report.worked]
    try:
        declared.write_text(text.replace(before, after))
        (report,) = (each for each in build(portal).reports if each.stage == "extract")
        assert report.n_done == len(COURSES)
    finally:
        declared.write_text(text)
        build(portal)


def test_a_mistake_in_the_declaration_ends_the_build_with_its_line(portal: Path) -> None:
    declared = portal / "domain.toml"
    text = declared.read_text()
    try:
        declared.write_text(text.replace('title = "title"', 'title = "titel"'))
        with pytest.raises(ConfigError, match=r'domain.toml:\d+: title: there is no field "titel"'):
            build(portal)
    finally:
        declared.write_text(text)


TOPICS = """
[[topic]]
path = "Ground/Soil"
keywords = ["soil", "composting"]

[[topic]]
path = "Sky/Weather"
keywords = ["weather"]
"""


def test_records_are_placed_in_the_tree_of_the_same_file(portal: Path) -> None:
    declared = portal / "domain.toml"
    declared.write_text(declared.read_text() + TOPICS)
    build(portal)
    with open_portal(portal) as opened:
        assert opened.store.catalog.counts().n_assigned > 0
