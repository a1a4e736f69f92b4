"""Every page of a small portal says what it should."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote

import pytest

from portico.serve.papers.citation_export import cite, make_citable
from portico.serve.papers.describing import describe_issue, link_counted_author, show_capitals
from portico.serve.papers.home_and_results import read_search
from portico.store.opening import open_store
from portico.text.reference_styles import write_apa
from tests.graphs import write_graph
from tests.serve.conftest import Site, serving_folder
from tests.serve.made import FOREST_PDF, PAPERS, PARSER_PS, PNG, STORE_URL, field, make_portal, paper

PAGES = [
    "/author/young",
    "/author?name=B.+Old",
    "/author/hostile",
    "/author/hebrew",
    "/author?name=%3Cscript%3Edocument.title%3D%27owned%27%3C%2Fscript%3E",
    "/",
    "/search?q=trees",
    "/search?q=",
    "/search?q=zebra",
    "/search?q=trees&sort=citations&topic=Learning&from=1990&to=1999",
    "/topics",
    "/reading-list",
    "/map",
    "/venue?name=Journal+of+Trees",
    "/year/1996?sort=title",
    "/map?paper=forest",
    "/topic/Learning",
    "/topic/Learning/Trees?sort=survey",
    "/topic/Systems/Paging",
    "/paper/forest",
    "/paper/parser",
    "/paper/cited",
    "/paper/hostile",
    "/paper/long",
    "/paper/hebrew",
    "/paper/untitled",
    "/about",
    "/api",
]


class Outline(HTMLParser):
    """Addresses and headings of a page; complains of tags that do not nest."""

    VOID = frozenset({"meta", "link", "img", "input", "br", "line", "rect"})

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.open: list[str] = []
        self.n_main_headings = 0
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        self.links += [value for name in ("href", "src", "action") if (value := values.get(name))]
        assert "style" not in values
        assert not any(name.startswith("on") for name in values)
        self.n_main_headings += tag == "h1"
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_well_formed_and_every_link_leads_somewhere(site: Site, path: str) -> None:
    answer = site.ask(path)
    assert answer.status == 200
    outline = Outline(answer.text)
    assert outline.n_main_headings == 1
    assert "<script>document" not in answer.text
    inside = {link for link in outline.links if link.startswith("/")}
    outside = set(outline.links) - inside
    assert all(
        link.startswith(("http://cs.example.edu/", "http://mirror.example.org/", "#", f"{site.url}/paper/"))
        for link in outside
    )
    broken = [link for link in inside if site.ask(link.split("#")[0], method="HEAD").status not in (200, 302)]
    assert broken == []


@pytest.mark.parametrize(
    "path", [*PAGES, "/nothing", "/paper/parser/file/1", "/static/portico.css", "/robots.txt"]
)
def test_every_answer_is_guarded(site: Site, path: str) -> None:
    headers = site.ask(path).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "script-src" not in policy or "script-src 'self';" in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/", ["Ada Young and José Nuñez<"]),
        ("/", ["Trees &amp; Words", "A portal for tests.", ">Learning<", "Growing decision forests"]),
        ("/search?q=trees", ["<mark>trees</mark>", "known only from citations"]),
        ("/search?q=zebra", ["Nothing found", "Browse the topic tree"]),
        (
            "/search?q=zebra&topic=Learning",
            ['href="/search?q=zebra">Search everything</a>'],
        ),
        ("/search?q=trees&from=2030", ['href="/search?q=trees">Search everything</a>']),
        ("/search?q=%22lone", ["had no partner"]),
        ("/search?q=chart+zebra", ["some of them"]),
        ("/search?q=parsing+models+trees&show=all", ["only some of these words"]),
        ("/search?q=forests&topic=Learning/Trees", ["in Trees", "(remove)"]),
        ("/topics", ["3 topics have no papers yet", ">Learning › Rules<", "Systems › Paging"]),
        ("/topic/Systems", ["1 topic has no papers yet", ">Paging<"]),
        ("/topic/Learning", ["2 papers", "Growing decision forests", "Rules"]),
        ("/topic/Language%20%26%20Speech", ["Language &amp; Speech", "Parsing with hidden Markov models"]),
        ("/topic/Systems/Paging", ["No papers have been assigned to this topic yet"]),
        ("/paper/forest", ["Growing decision forests", "Journal of Trees", "1996", "412 kB", "81 %"]),
        ("/paper/forest", ["Forests vote [1].", "Growing decison forests.", "@article{young1996growing"]),
        (
            "/paper/forest",
            ['href="http://cs.example.edu/~young/forest.pdf"', "http://mirror.example.org/a/forest.pdf"],
        ),
        ("/paper/parser", ["<span>papers/parser.ps</span>", "Read the PostScript"]),
        ("/paper/cited", ["does not have the paper itself", "2 citations", "Trees are grown top down [1]."]),
        ("/paper/untitled", ["Anon. Ibid."]),
        ("/about", ["3 papers", "7 citation links", "year:1995..1999"]),
    ],
)
def test_what_a_page_says(site: Site, path: str, words: list[str]) -> None:
    text = site.ask(path).text
    assert [word for word in words if word not in text] == []


def test_doubt_is_shown_where_there_is_doubt(site: Site) -> None:
    forest, parser = site.ask("/paper/forest").text, site.ask("/paper/parser").text
    assert re.search(r"José Nuñez</a>\s*<span class=\"doubt\"", forest)  # an author read with 40 %
    assert re.search(
        r"Parsing with hidden Markov models</a>\s*<span class=\"doubt\"", forest
    )  # a link of 55 %
    cited = site.ask("/paper/cited").text
    assert re.search(
        r"Annals of Trees</a></cite> <span class=\"doubt\"[^>]*>uncertain</span>, <a[^>]*><time[^>]*>1980",
        cited,
    )
    head = parser[: parser.index("Abstract")]
    assert 'class="doubt"' not in head


def test_javascript_addresses_are_never_links(site: Site) -> None:
    text = site.ask("/paper/hostile").text
    assert "javascript:alert(1)//" in text
    assert 'href="javascript' not in text


def test_hostile_text_is_shown_as_text(site: Site) -> None:
    for path in ["/", "/paper/hostile", "/search?q=wrong", "/paper/forest", "/topic/Learning"]:
        text = site.ask(path).text
        assert "<script>" not in text
        assert 'onmouseover="' not in text
        assert not {"\x00", "\x1b", "\x07", "\x0b", "\u202e"} & set(text)
    assert "&lt;script&gt;" in site.ask("/paper/hostile").text
    assert "{{ 7*7 }}" in site.ask("/paper/hostile").text


def test_bibtex_is_a_file(site: Site) -> None:
    answer = site.ask("/paper/forest.bib")
    assert answer.headers["Content-Type"].startswith("application/x-bibtex")
    assert answer.text.startswith("@article{young1996growing,\n")
    assert "journal = {Journal of Trees}" in answer.text
    assert "url = {http://cs.example.edu/~young/forest.pdf}" in answer.text


@pytest.mark.parametrize(
    ("told", "venue"),
    [("book", "booktitle"), ("incollection", "booktitle"), ("", "booktitle"), ("", "venue")],
)
def test_a_chapter_is_cited_as_part_of_its_book(told: str, venue: str) -> None:
    values = {
        "title": "Ageing",
        venue: "Handbook of Life",
        "publisher": "Old Press",
        "publication_type": told,
    }
    chapter = make_citable(paper("one", (), *(field(*pair) for pair in values.items() if pair[1])), ())
    assert "@incollection{" in cite([chapter], "bib")
    assert "TY  - CHAP" in cite([chapter], "ris")
    assert write_apa(chapter) == "Ageing. (n.d.). In Handbook of Life."


@pytest.mark.parametrize(
    ("fields", "kind", "venues"),
    [
        ({"journal": "IEEE Trans. on Crowds", "booktitle": "Crowds"}, "article", ["journal"]),
        ({"journal": "Crowds", "booktitle": "Workshop on Crowds"}, "inproceedings", ["booktitle"]),
        ({"booktitle": "Crowds", "publisher": "Old Press"}, "incollection", ["booktitle", "publisher"]),
        ({"publisher": "Old Press"}, "book", ["publisher"]),
        ({"institution": "Old College"}, "misc", ["institution"]),
        ({"tech": "Technical Report 7", "publisher": "Press"}, "techreport", ["number", "publisher"]),
        ({"tech": "Memo 7"}, "misc", ["howpublished"]),
        ({"booktitle": "Journal of Crowds", "volume": "vol. 19, no. 4"}, "article", ["journal", "number"]),
        ({"journal": "Workshop on Crowds"}, "inproceedings", ["booktitle"]),
    ],
)
def test_a_bibtex_entry_names_each_place_once(fields: dict[str, str], kind: str, venues: list[str]) -> None:
    entity = paper("one", (), *(field(name, value) for name, value in fields.items()))
    text = cite([make_citable(entity, ())], "bib")
    named = re.findall(
        r"^  (journal|booktitle|number|publisher|howpublished|institution) =", text, re.MULTILINE
    )
    assert text.startswith(f"@{kind}{{")
    assert sorted(named) == venues


def test_what_may_be_of_another_paper_is_not_cited() -> None:
    found = paper("one", (), field("title", "Crowds"), field("year", "1999"), field("journal", "Old"))
    assert {"year", "journal"} <= make_citable(found, ()).fields.keys()
    doubted = replace(found, doubtful=("year", "journal"))
    assert make_citable(doubted, ()).fields == {"title": "Crowds"}


@pytest.mark.parametrize(
    ("printed", "volume", "number"),
    [
        ("19", "19", None),
        ("vol. 19, no. 4", "19", "4"),
        ("Volume 19, Number 3-4", "19", "3-4"),
        ("19(4)", "19", "4"),
        ("19(4):244–252", "19", "4"),
        ("XIV (2)", "XIV", "2"),
        ("Suppl. 3 of 19", "Suppl. 3 of 19", None),
    ],
)
def test_volume_and_number_are_told_apart(printed: str, volume: str, number: str | None) -> None:
    entity = paper("one", (), field("journal", "Journal of Crowds"), field("volume", printed))
    fields = make_citable(entity, ()).fields
    assert (fields["volume"], fields.get("number")) == (volume, number)


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        (("19(1):102–113", "102-113"), "19(1), 102–113"),
        (("19(1):102–113", ""), "19(1), 102–113"),
        (("19", "102-113"), "19, 102–113"),
        (("", "102-113"), "102–113"),
        (("Suppl. 3", ""), "Suppl. 3"),
    ],
)
def test_pages_printed_with_the_volume_are_shown_once(printed: tuple[str, str], shown: str) -> None:
    values = [field(*each) for each in zip(("volume", "pages"), printed, strict=True) if each[1]]
    assert describe_issue(paper("one", (), *values)) == shown


@pytest.mark.parametrize(
    ("path", "first", "n_papers"),
    [
        ("/paper/forest.ris", "TY  - ", 1),
        ("/paper/forest.json", "[", 1),
        ("/cite.bib?q=trees", "@", 1),
        ("/cite.bib?topic=Learning", "@", 1),
        ("/cite.bib?id=parser&id=forest&id=nobody", "@", 2),
    ],
)
def test_papers_and_lists_can_be_cited_in_every_format(
    site: Site, path: str, first: str, n_papers: int
) -> None:
    answer = site.ask(path)
    assert answer.status == 200
    assert answer.text.startswith(first)
    assert len(re.findall(r"^@|^TY  - |^ \{", answer.text, re.MULTILINE)) >= n_papers


def test_an_author_has_papers_topics_and_companions(site: Site) -> None:
    page = site.ask("/author/young").text
    assert "Growing decision forests" in page
    assert 'href="/topic/Learning/Trees"' in page
    assert '<a href="/author/nunez" dir="auto">José Nuñez</a>' in page
    assert 'Also printed as <span dir="auto">A. Young</span>' in page
    assert "Institute of Trees, Oakville" in page
    assert '<a href="/author/youth" dir="auto">Abe Young</a>' in page
    assert "Knuth" not in page, "another surname"


@pytest.mark.parametrize(
    ("path", "status", "leads_to"),
    [
        ("/author/nobody", 404, None),
        ("/author/formerly", 301, "/author/young"),  # was merged
        ("/author?name=Ada+Young", 302, "/author/young"),
        ("/author?name=A.+Young", 200, None),  # two people are printed so
        ("/author?name=B.+Old", 200, None),  # only cited: nobody is known by this name
        ("/author?name=Nobody+Here", 404, None),
        ("/author", 404, None),
        ("/author/young?page=9", 404, None),
        ("/api/author/young", 200, None),
        ("/api/author/formerly", 301, "/api/author/young"),
        ("/api/author/nobody", 404, None),
    ],
)
def test_names_and_ids_lead_to_people(site: Site, path: str, status: int, leads_to: str | None) -> None:
    answer = site.ask(path)
    assert (answer.status, answer.headers["Location"]) == (status, leads_to)


def test_a_name_of_several_people_leads_to_all_of_them(site: Site) -> None:
    page = site.ask("/author?name=A.+Young").text
    assert "People with this name" in page
    assert 'href="/author/young"' in page
    assert 'href="/author/youth"' in page


@pytest.mark.parametrize("path", ["/paper/forest", "/search?q=forests", "/topic/Learning/Trees"])
def test_names_on_papers_lead_to_people(site: Site, path: str) -> None:
    assert '<a href="/author/young" dir="auto">Ada Young</a>' in site.ask(path).text


def test_all_papers_of_an_author_can_be_cited(site: Site) -> None:
    assert "Growing decision forests" in site.ask("/cite.bib?by=young").text


def test_a_paper_tells_its_versions(site: Site) -> None:
    page = " ".join(site.ask("/paper/forest").text.split())
    assert 'Versions <span class="count">2</span>' in page
    assert '<span class="when">1994</span> <span class="what"><cite dir="auto">Oak TR-12</cite>' in page
    assert "technical report" in page
    assert '1 citation of this version</span><a href="/paper/forest/file/1">Read it</a>' in page
    assert "Versions" not in site.ask("/paper/parser").text


def test_a_paper_shows_its_first_page_and_leaves_room_for_it(site: Site) -> None:
    address = "/paper/forest/first-page.png"
    assert (
        f'<img src="{address}" width="30" height="40" alt="The first page, small"'
        in site.ask("/paper/forest").text
    )
    answer = site.ask(address)
    assert (answer.status, answer.headers["Content-Type"], answer.body) == (200, "image/png", PNG)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert site.ask("/paper/merged/first-page.png").headers["Location"] == address
    for name in ("hostile", "cited", "nothing"):
        assert site.ask(f"/paper/{name}/first-page.png").status == 404


def test_mail_addresses_are_not_there_to_be_harvested(site: Site) -> None:
    for path in ("/paper/forest", "/api/paper/forest", "/author/young", "/paper/forest.bib"):
        assert "young@" not in site.ask(path).text
    assert "…@oak.example" in site.ask("/paper/forest").text


def test_a_topic_names_its_authors(site: Site) -> None:
    page = site.ask("/topic/Learning").text
    assert "<h2>Authors</h2>" in page
    assert 'href="/author/young"' in page


def test_a_list_of_nothing_cannot_be_cited(site: Site) -> None:
    assert site.ask("/cite.ris?q=zzzzzz").status == 404


def test_names_are_said_as_people_say_them_wherever_they_are_printed_otherwise(site: Site) -> None:
    for path in ("/paper/parser", "/search?q=parsing", "/topic/Language%20%26%20Speech"):
        page = site.ask(path).text
        assert ">Donald Knuth</a>" in page, path
        assert ">Knuth, Donald</a>" not in page.partition("<aside")[0], path


@pytest.mark.parametrize(
    ("counted", "shown"),
    [
        ("PETR KOPECKÝ <p1>", "Petr Kopecký"),
        ("KOPECKÝ, PETR", "Petr Kopecký"),
        ("Donald Knuth", "Donald Knuth"),
    ],
)
def test_lists_of_authors_show_names_like_the_entries_do(counted: str, shown: str) -> None:
    assert link_counted_author(counted).text == shown


def test_what_cannot_be_a_title_or_a_name_fills_no_page(site: Site) -> None:
    page = site.ask("/paper/long").text.partition("<article>")[2]
    assert len(page.partition("</h1>")[0]) < 1_200
    (name,) = re.findall(r'class="people"><a [^>]*>([^<]*)</a>', page)
    assert name == "X" * 120 + "…"


def test_the_citation_map_leads_on_and_says_what_it_shows(site: Site) -> None:
    page = site.ask("/paper/forest").text
    picture = page[page.index('class="map"') : page.index("</svg>")]
    assert "each from old to new" in picture
    assert re.findall(r'<a href="(/paper/[^"]+)#map">', picture)


@pytest.mark.parametrize(
    ("path", "body", "media_type", "disposition"),
    [
        ("/paper/forest/file/1", FOREST_PDF, "application/pdf", 'inline; filename="young1996growing.pdf"'),
        (
            "/paper/parser/file/1",
            PARSER_PS,
            "application/postscript",
            'attachment; filename="knuth1999parsing.ps"',
        ),
    ],
)
def test_copies_are_served_safely(
    site: Site, path: str, body: bytes, media_type: str, disposition: str
) -> None:
    answer = site.ask(path)
    assert answer.body == body
    assert answer.headers["Content-Type"] == media_type
    assert answer.headers["Content-Disposition"] == disposition


def test_a_pdf_opens_in_the_viewer_of_the_browser(site: Site) -> None:
    headers = site.ask("/paper/forest/file/1").headers
    assert headers["Content-Security-Policy"] == "frame-ancestors 'none'"  # viewers do not start in a sandbox
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_a_copy_of_unknown_type_is_only_ever_saved(site: Site) -> None:
    answer = site.ask("/paper/hostile/file/1")
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"].startswith("attachment;")
    assert "sandbox" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize("path", ["/paper/forest/file/0", "/paper/forest/file/2", "/paper/cited/file/1"])
def test_copies_we_do_not_have(site: Site, path: str) -> None:
    answer = site.ask(path)
    assert answer.status == 404
    assert "no copy" in answer.text


@pytest.mark.parametrize("suffix", ["", ".bib", "/file/1"])
def test_merged_ids_lead_on(site: Site, suffix: str) -> None:
    answer = site.ask(f"/paper/merged{suffix}")
    assert answer.status == 301
    assert answer.headers["Location"] == f"/paper/forest{suffix}"


def test_searches_follow_merged_ids_too(site: Site) -> None:
    cards = [
        re.findall(r'<a href="(/paper/[^"]+)" dir="auto">', site.ask(f"/search?q={query}").text)
        for query in ("cites%3Aforest", "CITES%3AMerged")
    ]
    assert cards[0]
    assert cards[0] == cards[1]


@pytest.mark.parametrize(
    ("path", "leads_to"),
    [
        ("/paper/FOREST", "/paper/forest"),
        ("/paper/Forest.bib", "/paper/forest.bib"),
        ("/paper/MERGED/file/1", "/paper/forest/file/1"),
        ("/topics/", "/topics"),
        ("/search/?q=trees&page=2", "/search?q=trees&page=2"),
        ("//evil.test/", "/evil.test"),
        ("/%5Cevil.test/", "/%5Cevil.test"),
    ],
)
def test_addresses_that_are_nearly_right_lead_on(site: Site, path: str, leads_to: str) -> None:
    answer = site.ask(path, headers={"Host": "evil.test"})
    assert (answer.status, answer.headers["Location"]) == (301, leads_to)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/nothing", "no page at this address"),
        ("/paper/never", "no paper of this id"),
        ("/topic/Never/Was", "no such topic"),
        ("/paper/%00%ff", "no paper of this id"),
        ("/search?q=trees&page=99", "No page 99"),
        ("/topic/Learning?page=99", "This topic has 1 page"),
        ("/static/../app.py", "no page"),
    ],
)
def test_what_is_not_there_gets_a_page_that_helps(site: Site, path: str, words: str) -> None:
    answer = site.ask(path)
    assert answer.status == 404
    assert words in answer.text
    assert 'action="/search"' in answer.text


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nothing_can_be_sent(site: Site, method: str) -> None:
    answer = site.ask("/", method=method)
    assert answer.status == 405
    assert "GET" in answer.headers["Allow"]
    assert "accepts no data" in answer.text


@pytest.mark.parametrize(
    "path", ["/", "/search?q=trees", "/paper/forest", "/paper/forest/file/1", "/paper/forest.bib"]
)
def test_head_is_get_without_the_body(site: Site, path: str) -> None:
    head, get = site.ask(path, method="HEAD"), site.ask(path)
    assert (head.status, head.body) == (200, b"")
    assert head.headers["Content-Length"] == get.headers["Content-Length"]


@pytest.mark.parametrize(
    "parameters",
    [
        "q=" + "x+" * 20_000,
        "q=" + "%2Ba+" * 1_000,
        "q=%22",
        "q=*",
        "q=%00%ff%ed%a0%80",
        "q=trees&sort=luck",
        "q=trees&page=-1",
        "q=trees&page=99999999999999999999",
        "q=trees&page=%D9%A3",
        "q=trees&from=soon&to=%F0%9F%98%80",
        "q=trees&topic=../../etc",
        "q=trees&q=forests&unknown=1",
    ],
)
def test_absurd_searches_are_answered(site: Site, parameters: str) -> None:
    answer = site.ask(f"/search?{parameters}")
    assert answer.status in (200, 404)
    Outline(answer.text)


def test_years_narrow_a_search(site: Site) -> None:
    text = site.ask("/search?q=trees&from=1990&to=1997").text
    assert "Growing decision forests" in text
    assert "Parsing with hidden" not in text
    assert "1990–1997" in text


def test_the_front_page_is_small(site: Site) -> None:
    page, style, icon = (site.ask(path) for path in ("/", "/static/portico.css", "/static/portico.svg"))
    assert sum(len(answer.body) for answer in (page, style, icon)) < 60_000
    assert site.ask("/", headers={"Accept-Encoding": "gzip"}).headers["Content-Encoding"] == "gzip"


def test_the_style_sheet_is_kept_by_the_browser_and_changes_its_address(site: Site) -> None:
    address = re.search(r'href="(/static/portico.css\?v=\w+)"', site.ask("/").text)
    assert address is not None
    assert "immutable" in site.ask(address[1]).headers["Cache-Control"]


def test_health_and_robots(site: Site) -> None:
    assert json.loads(site.ask("/healthz").body) == {"status": "ok", "papers": 3, "searchable": 7}
    assert "Disallow: /search" in site.ask("/robots.txt").text
    assert site.ask("/favicon.ico").headers["Content-Type"] == "image/svg+xml"


def test_results_lead_to_the_papers_themselves(site: Site) -> None:
    """Where they were found, or to our copy; never to what a lying address would run."""
    body = site.ask("/search?q=").text
    assert '<a class="source" href="http://cs.example.edu/~young/forest.pdf"' in body
    assert "PDF at cs.example.edu</a>" in body
    assert '<a class="source" href="/paper/parser/file/1" rel="nofollow">PostScript</a>' in body
    assert "javascript:" not in body


def test_a_bar_of_the_year_chart_narrows_to_its_year(site: Site) -> None:
    body = site.ask("/search?q=trees&sort=citations").text
    found = re.search(r'<a href="([^"]+)" tabindex="-1"[^>]*><path', body)
    assert found is not None
    address = found[1].replace("&amp;", "&")
    assert address.startswith("/search?q=trees&sort=citations&from=")
    years = re.findall(r"(?:from|to)=(\d+)", address)
    assert years[0] == years[1]
    assert '<p class="filters">' in site.ask(address).text


@pytest.mark.parametrize(
    ("asked", "light"),
    [
        ({"q": "decision trees"}, True),
        ({}, True),
        ({"q": "tr*"}, False),
        ({"q": "a " * 60}, False),
        ({"q": "trees", "page": "11"}, False),
    ],
)
def test_searches_that_may_take_long_are_not_light(asked: dict[str, str], light: bool) -> None:
    assert read_search(asked).is_light is light


def test_where_nothing_cites_anything_papers_of_the_same_words_are_related(tmp_path: Path) -> None:
    make_portal(tmp_path)
    store = open_store(STORE_URL, tmp_path)
    write_graph(store, PAPERS, ())
    store.close()
    with serving_folder(tmp_path) as site:
        related = site.ask("/paper/cited").text.partition("Related papers")[2]
    assert 'href="/paper/forest"' in related.partition("</ul>")[0]


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        (
            "FINANCIAL DEVELOPMENT AND GROWTH: A META-ANALYSIS",
            "Financial Development and Growth: A Meta-Analysis",
        ),
        ("GÖDEL’S PROOF OF 1931 (PART II)", "Gödel’s Proof of 1931 (Part II)"),
        ("TRATAMIENTO DE LA FOBIA EN LA INFANCIA", "Tratamiento de la Fobia en la Infancia"),
        ("DNA REPAIR", "DNA REPAIR"),
        ("On the DNA of a cell", "On the DNA of a cell"),
    ],
)
def test_titles_in_capitals_are_shown_in_title_case(printed: str, shown: str) -> None:
    assert show_capitals(printed) == shown


def test_papers_to_read_come_alone_unless_all_are_asked_for(site: Site) -> None:
    stub, held = "/paper/cited", "/paper/forest"
    everything = site.ask("/search?q=").text
    assert (held in everything, f'href="{stub}"' in everything) == (True, False)
    assert 'aria-current="true">To read' in everything
    whole = site.ask("/search?q=&show=all").text
    assert (held in whole, f'href="{stub}"' in whole) == (True, True)
    assert 'aria-current="true">All' in whole
    n_held = int(json.loads(site.ask("/api/search?q=").body)["total"])
    n_all = int(json.loads(site.ask("/api/search?q=&show=all").body)["total"])
    assert n_held < n_all
    assert f'All <span class="count">{n_all}' in everything


def test_where_only_citations_tell_of_it_they_are_listed_at_once(site: Site) -> None:
    (stub,) = [each for each in PAPERS if each.id == "cited"]
    answer = site.ask(f"/search?q={quote(stub.value('title') or '')}").text
    assert 'href="/paper/cited"' in answer
    assert "known only from citations" in answer


def test_venues_and_years_have_pages_with_what_is_beside_them(site: Site) -> None:
    paper = site.ask("/paper/forest").text
    assert '<a href="/venue?name=Journal%20of%20Trees">Journal of Trees</a>' in paper
    venue = site.ask("/venue?name=Journal+of+Trees").text
    assert "Growing decision forests" in venue
    assert 'href="/author/young"' in venue
    year = site.ask("/year/1996").text
    assert "Growing decision forests" in year
    assert 'href="/venue?name=Journal+of+Trees"' in year
    for nothing in ("/venue", "/year/1066", "/venue?name=Journal+of+Trees&page=9"):
        assert site.ask(nothing).status == 404, nothing
    elsewhere = site.ask("/venue?name=Trees").headers["Location"]
    assert elsewhere == "/search?q=venue%3A%22Trees%22", "a part of a name is searched for"
