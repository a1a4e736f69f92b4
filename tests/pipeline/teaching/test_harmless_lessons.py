"""Lessons that must not make a portal worse: one marked page of officers, and eight pages of a museum."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from portico.cli.lessons import learn_marked, learn_shown
from portico.cli.progress_lines import ProgressLines
from portico.cli.showing import open_writable
from portico.config.template import InitAnswers
from portico.errors import PortalError
from portico.pipeline.building import build_portal
from portico.pipeline.opening import make_portal, open_for_changes, open_portal
from portico.pipeline.progress import BuildRequest
from portico.pipeline.status import describe_status
from portico.pipeline.teaching.field_marking import FieldMarking
from portico.pipeline.teaching.model_comparing import compare_with_use
from portico.pipeline.teaching.page_viewer import make_page_viewer
from portico.sample.museum import DOMAIN_TOML, MuseumObject, invent_objects, print_objects
from portico.sample.organisations import write_sample_organisations
from portico.sample.server import SampleServer
from portico.serve.builder.pages import list_fates
from portico.types.lesson import FieldMark
from portico.types.page import BodyHash, Url
from portico.types.page_fate import Fate

N_SITES = 3
N_OBJECTS = 24
N_MARKED = 8


def build(folder: Path) -> str:
    return "\n".join(build_portal(folder, BuildRequest(workers=1), ProgressLines(None)).lines())


def mark_values(folder: Path, url: str, values: Iterable[tuple[str, str]]) -> None:
    """Mark the last place where each value stands on a page, as a builder would."""
    with open_for_changes(folder) as portal:
        document = FieldMarking(portal, portal.domain, make_page_viewer(portal)).read(Url(url))
        for label, value in values:
            start = document.text.rindex(value)
            mark = FieldMark(Url(url), BodyHash(document.id), label, start, start + len(value), value)
            portal.store.contributions.marks.add(mark, at=1.0)


def count_things(folder: Path) -> dict[str, int]:
    with open_portal(folder) as portal:
        return dict(portal.collection.count(portal.store)["things"])


@pytest.fixture(scope="module")
def officers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """A web of invented organisations, and a portal that was built of it."""
    folder = tmp_path_factory.mktemp("officers")
    web = write_sample_organisations(folder / "web", n_sites=N_SITES)
    with SampleServer(web.folder) as server:
        portal = folder / "portal"
        portal.mkdir()
        (portal / "portal.toml").write_text(
            f'[portal]\ndomain = "organisations"\n[[source]]\nseeds = {json.dumps(list(web.seeds))}\n'
            f'[fetch]\ncontact = "a@example.org"\ndelay_s = 0\nproxy = "{server.proxy_url}"\n'
        )
        build(portal)
        yield portal, web.folder


def test_one_marked_page_of_officers_loses_nothing(officers: tuple[Path, Path]) -> None:
    portal, web = officers
    before = count_things(portal)
    told = [json.loads(line) for line in (web / "truth.jsonl").read_text("utf-8").splitlines()]
    page = next(each["source"] for each in told if each["kind"] == "officer")
    here = [each["fields"] for each in told if each["source"] == page]
    mark_values(portal, page, ((name, each[name][0]) for each in here for name in ("name", "role")))
    learn_marked(portal)
    learn_shown(portal)
    build(portal)
    after = count_things(portal)
    assert after["organisation"] >= before["organisation"]
    assert after["officer"] >= before["officer"]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_said: object) -> None:
        pass


@pytest.fixture(scope="module")
def museum(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A portal of museum objects as declared, built once, and the address of its site."""
    folder = tmp_path_factory.mktemp("museum")
    (folder / "site").mkdir()
    for name, html in print_objects(invent_objects(N_OBJECTS)):
        (folder / "site" / name).write_text(html, encoding="utf-8")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder / "site")))
    thread = Thread(target=server.serve_forever)
    thread.start()
    site = f"http://127.0.0.1:{server.server_port}/"
    path = make_portal(folder / "portal", InitAnswers(title="Museum", domain="custom", seeds=(site,)))
    text = path.read_text().replace("# allow_private = false", "allow_private = true")
    path.write_text(text.replace("# delay_s = 1.0", "delay_s = 0.0"))
    (folder / "portal" / "domain.toml").write_text(DOMAIN_TOML)
    build(folder / "portal")
    yield folder / "portal", site
    server.shutdown()
    thread.join()
    server.server_close()


def count_right(folder: Path, objects: Iterable[MuseumObject]) -> Counter[str]:
    """Right values of each field, on the pages of these objects."""
    with open_portal(folder) as portal:
        things = [*portal.collection.export(portal, cited=False)]
    said = {thing["source"].rpartition("/")[2]: thing["fields"] for thing in things}
    return Counter(
        name
        for each in objects
        for name, value in each.values().items()
        if said.get(each.file, {}).get(name) == [value]
    )


def test_eight_marked_pages_of_a_museum_lose_no_date(museum: tuple[Path, str]) -> None:
    portal, site = museum
    objects = invent_objects(N_OBJECTS)
    unmarked = objects[N_MARKED:]
    before = count_right(portal, unmarked)
    assert before["date"] == len(unmarked)
    for each in objects[:N_MARKED]:
        mark_values(portal, f"{site}{each.file}", each.values().items())
    learn_marked(portal)
    build(portal)
    after = count_right(portal, unmarked)
    assert after["title"] > before["title"]
    assert all(after[name] >= before[name] for name in objects[0].values()), (before, after)
    with open_portal(portal) as opened:
        compared = "\n".join(compare_with_use(opened, "fields@shipped"))
    assert f"object maker: {N_OBJECTS} → 0" in compared
    assert f"object date: {N_OBJECTS} → {N_OBJECTS}" in compared


def test_a_build_that_would_lose_much_asks_and_keeps_what_was_there(museum: tuple[Path, str]) -> None:
    portal, _ = museum
    declared = portal / "domain.toml"
    before = count_things(portal)
    text = declared.read_text()
    asked: list[str] = []

    def answer(question: str) -> bool:
        asked.append(question)
        return True

    try:
        declared.write_text(text.replace('identity = ["number", "site"]', 'identity = ["material", "site"]'))
        with pytest.raises(PortalError, match=rf"leave only \d of {N_OBJECTS} \(object\).*--yes"):
            build(portal)
        assert count_things(portal) == before
        build_portal(portal, BuildRequest(workers=1, confirm=answer), ProgressLines(None))
        assert count_things(portal)["object"] < 10
        assert len(asked) == 1
        with open_portal(portal) as opened:
            fates = [*opened.collection.tell_pages(opened)]
            said = "\n".join(describe_status(opened))
        merged = [each for each in fates if each.fate is Fate.MERGED]
        assert len(merged) + count_things(portal)["object"] == N_OBJECTS
        assert all(each.reason.startswith("the same material and site as “") for each in merged)
        assert f"{len(merged)} × the same material and site" in said
    finally:
        declared.write_text(text)
        build_portal(portal, BuildRequest(workers=1, confirm=answer), ProgressLines(None))


def test_every_fetched_page_is_counted(museum: tuple[Path, str]) -> None:
    portal, _ = museum
    said = build(portal)
    n_others = 13  # twelve pages of news, and the one that links to everything
    assert (
        f"{N_OBJECTS + n_others} pages fetched: {N_OBJECTS} a thing, {n_others} not of this domain (" in said
    )


def test_the_builder_sees_what_became_of_every_page(museum: tuple[Path, str]) -> None:
    portal, site = museum
    with open_portal(portal) as opened:
        writable = open_writable(opened)
        assert writable is not None
        lines = {line.fate: line for line in list_fates(writable)}
        writable.store.close()
    assert lines["a thing"].n_pages == N_OBJECTS
    assert f"{site}news-0.html" in {source for source, _, _ in lines["not of this domain"].examples}
