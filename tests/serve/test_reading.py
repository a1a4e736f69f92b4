"""Papers read in the page: where values, references and citations stand, and the viewer that draws them."""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from portico.serve.rendering import PDF_VIEWER
from portico.store.catalog.entities import EXTRACT
from portico.store.codec import encode
from portico.store.documents.folder_blobs import FolderBlobs
from portico.store.documents.pages import PageRow
from portico.store.documents.results import Done
from portico.types.document import Box, Document, Line, PageSize, Span
from portico.types.page import BodyHash
from portico.types.record import Citation, Context, EntityId, Field, Record, RecordId
from portico.types.stages import StageName
from tests.convert.pdfs import draw, text_at
from tests.graphs import write_graph
from tests.serve.browsing import DESK, barriers
from tests.serve.conftest import Site, serving_folder
from tests.serve.made import PDF, document_of, make_empty_portal, paper, serve_index

needs_viewer = pytest.mark.skipif(not PDF_VIEWER, reason="scripts/frontend fetches the viewer, with npm")

PRINTED = (
    "Growing forests",
    "Trees are grown top down [1, 2]. Old (1980) did so first.",
    "[1] B. Old. Inducing trees.",
    "1980.",
    "2. C. New. Pruning trees. 1990.",
)
TEXT = "\n".join(PRINTED)
TOPS = (80.0, 120.0, 200.0, 212.0, 240.0)


def body() -> bytes:
    def page(canvas: object) -> None:
        for top, line in zip(TOPS, PRINTED, strict=True):
            text_at(canvas, 72, top, line, size=12)  # type: ignore[arg-type]

    return draw(page)


def lines() -> Iterator[Line]:
    start = 0
    for top, words in zip(TOPS, PRINTED, strict=True):
        box = Box(72, top - 10, 72 + 6 * len(words), top + 2)
        yield Line(Span(start, start + len(words)), 0, 0, box)
        start += len(words) + 1


def span(words: str) -> Span:
    start = TEXT.index(words)
    return Span(start, start + len(words))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("reading")
    store, content = make_empty_portal(folder), body()
    document = document_of(content)
    FolderBlobs(folder / "blobs").put(content)
    title = Field("title", PRINTED[0], span(PRINTED[0]), 0.9)
    forest = paper("forest", (document,), title, Field("language", "en", span("Trees"), 0.9))
    papers = (forest, *(paper(name, (), Field("title", name, Span(0, 1), 0.9)) for name in ("old", "new")))
    said = (Context(PRINTED[1], span(PRINTED[1])),)
    references = [
        Record(RecordId(f"{document}#ref-{number}"), "reference", document, raw, span(printed), fields, said)
        for number, raw, printed, fields in (
            (1, "B. Old. Inducing trees. 1980.", "\n".join(PRINTED[2:4]), ()),
            (2, "C. New. Pruning trees. 1990.", PRINTED[4], ()),
        )
    ]
    header = Record(forest.chosen, "header", document, PRINTED[0], span(PRINTED[0]), (title,))
    size = (PageSize(612.0, 792.0),)
    read = Document(document, PDF, TEXT, tuple(lines()), size)
    store.documents.pages.put(
        (PageRow("../forest.pdf", "file", 0.0, "", BodyHash(document), PDF, len(content)),)
    )
    store.documents.results.put_many(
        EXTRACT, [Done(document, "key", encode((header, *references)), 0.1, 0.0)]
    )
    store.documents.results.put_many(StageName.CONVERT, [Done(document, "key", encode(read), 0.1, 0.0)])
    citations = [
        Citation(EntityId("forest"), EntityId(cited), record.id, 0.9)
        for cited, record in zip(("old", "new"), references, strict=True)
    ]
    write_graph(store, papers, citations)
    serve_index(store, folder, "one", papers)
    store.close()
    with serving_folder(folder) as site:
        yield site


def test_places_of_values_references_and_citations(site: Site) -> None:
    places = json.loads(site.ask("/paper/forest/read/1.json").text)
    assert places["pages"] == [[612.0, 792.0]]
    (value,) = places["values"]
    assert (value["field"], value["boxes"]) == ("title", [[0, 0.1176, 0.0884, 0.2647, 0.1035]])
    assert [(each["title"], each["label"]) for each in places["references"]] == [("old", "1"), ("new", "2")]
    assert [len(each["boxes"]) for each in places["references"]] == [1, 1], (
        "two lines below each other are one box"
    )
    cited = {mention["reference"]: mention["boxes"][0] for mention in places["mentions"]}
    assert cited[0][1] < cited[1][1], "[1, 2] is two links, side by side"
    assert site.ask("/paper/forest/read/2.json").status == 404
    assert site.ask("/paper/old/read/1").status == 404


@needs_viewer
def test_the_page_of_a_paper_leads_to_where_a_value_was_read(site: Site) -> None:
    page = site.ask("/paper/forest").text
    assert '<a class="action" href="/paper/forest/read/1">Read here</a>' in page
    assert '<a href="/paper/forest/read/1#value-0">the paper itself</a>' in page
    assert "#value-1" not in page, "a language is printed nowhere"
    assert site.ask(f"{PDF_VIEWER}pdf.min.mjs").headers["Content-Type"].startswith("text/javascript")
    assert site.ask(f"{PDF_VIEWER}nothing.mjs").status == 404


@needs_viewer
@pytest.mark.browser
def test_a_citation_in_the_text_shows_and_leads_to_what_is_cited(browser: Browser, site: Site) -> None:
    context = browser.new_context(viewport=DESK, base_url=site.url)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto("/paper/forest/read/1#value-0")
    expect(page.locator(".pdf-page canvas")).to_be_visible()
    expect(page.locator(".pdf-value.chosen")).to_be_in_viewport()
    page.locator(".pdf-mention").first.hover()
    expect(page.locator(".cited-card")).to_contain_text("Known from citations")
    assert page.evaluate("document.querySelector('.textLayer').textContent").startswith("Growing forests")
    assert complaints == []
    page.locator(".pdf-mention").first.click()
    expect(page).to_have_url(f"{site.url}/paper/old")
    context.close()
    context = browser.new_context(viewport=DESK, base_url=site.url, bypass_csp=True)
    page = context.new_page()
    page.goto("/paper/forest/read/1")
    expect(page.locator(".pdf-page canvas")).to_be_visible()
    assert barriers(page) == []
    context.close()
