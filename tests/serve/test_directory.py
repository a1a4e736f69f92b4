"""A portal of declared kinds shows things as they are declared, to people and to programs."""

import csv
import html
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from portico.index.writer import write_index
from portico.pipeline.collections.declared.entries import thing_entries
from portico.serve.escaping import make_cell
from portico.store.opening import open_store
from portico.types.declared_display import searched_fields
from portico.types.document import DocumentId
from portico.types.topic import Assignment, Topic
from tests.directory import KINDS
from tests.serve.conftest import Site
from tests.serve.made import STORE_URL
from tests.serve.made_directory import BOARD, HOSTILE, id_of, make_directory, serving_directory

PAGES = (
    "/",
    "/search",
    "/search?q=chair",
    "/search?kind=officer&role=Treasurer",
    "/search?q=nothing-has-this",
    "/search?page=99",
    "/search?q=chair&sort=title",
    "/about",
    "/api",
    "/nowhere",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("directory")
    make_directory(folder)
    return folder


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[Site]:
    with serving_directory(folder) as site:
        yield site


@pytest.fixture(scope="module")
def ids(folder: Path) -> dict[str, str]:
    names = ("Ada Young", "Acme Gardening Society", "Cy Small", HOSTILE)
    return {name: id_of(folder, name) for name in names}


def shown(page: str) -> str:
    """The words of a page as a visitor sees them."""
    without = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", without)).split())


@pytest.mark.parametrize("path", PAGES)
def test_no_page_calls_anything_a_paper(site: Site, path: str) -> None:
    answer = site.ask(path)
    assert answer.status in (200, 404)
    assert "paper" not in shown(answer.text).lower()
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


def test_every_thing_has_a_page(site: Site, folder: Path) -> None:
    store = open_store(STORE_URL, folder, read_only=True)
    for entity in store.catalog.entities.all():
        answer = site.ask(f"/item/{entity.id}")
        assert answer.status == 200
        assert "paper" not in shown(answer.text).lower()
    store.close()


def test_the_front_page_counts_kinds_and_offers_values(site: Site) -> None:
    words = shown(site.ask("/").text)
    assert "organisations 4 officers 33" in words
    assert "Role" in words
    assert "Treasurer 2" in words
    assert "Latest officers" in words


def test_an_officer_leads_to_the_organisation_and_back(site: Site, ids: dict[str, str]) -> None:
    page = site.ask(f"/item/{ids['Ada Young']}").text
    words = shown(page)
    assert "Chair , Acme Gardening Society" in words
    assert "12 Elm Lane, Bad Ems" in words, "how the organisation is reached"
    assert "Other officers of Acme Gardening Society Bo Old Treasurer" in words
    assert 'href="mailto:ada@acme.example"' in page
    assert 'href="/search?q=role%3Achair"' in page, "everybody of that role, however it is spelled"
    assert f'href="/item/{ids["Acme Gardening Society"]}"' in page
    acme = site.ask(f"/item/{ids['Acme Gardening Society']}").text
    assert "Officers 3 Ada Young Chair Bo Old Treasurer Cy Small Secretary" in shown(acme)
    assert 'href="tel:+495550100"' in acme
    assert 'href="http://www.acme.example/"' in acme, "its site as it was found"


def test_values_say_where_they_were_read_and_how_surely(site: Site, ids: dict[str, str]) -> None:
    page = site.ask(f"/item/{ids['Cy Small']}").text
    assert "Cy Small uncertain" in shown(page)
    assert 'href="http://www.acme.example/board.html"' in page
    assert re.search(r"40 % Secretary .*“Cy Small Secretary”", shown(page))


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/api/search?q=role:treasurer", {"Bo Old", "Di Tree"}),
        ("/api/search?q=role:treasurer+place:ems", {"Bo Old"}),
        ("/api/search?q=name:young", {"Ada Young"}),
        ("/api/search?q=organisation:bolt", {"Di Tree"}),
        ("/api/search?kind=organisation&place=Bad+Ems", {"Acme Gardening Society"}),
        ("/api/search?role=Treasurer", {"Bo Old", "Di Tree"}),
        ("/api/search?q=site:bolt.example&kind=organisation", {"Bolt & Nut Ltd"}),
        ("/api/search?q=elm+lane&kind=organisation", {"Acme Gardening Society"}),
    ],
)
def test_role_place_and_name_find_people_and_organisations(site: Site, path: str, found: set[str]) -> None:
    answer = json.loads(site.ask(path).body)
    assert {each["title"] for each in answer["results"]} == found


def test_spellings_of_one_value_are_counted_together(site: Site) -> None:
    facets = json.loads(site.ask("/api/search").body)["facets"]
    assert {"value": "Treasurer", "count": 2} in facets["role"]


def test_results_can_be_narrowed_and_widened(site: Site) -> None:
    page = site.ask("/search?q=treasurer&role=Treasurer&kind=officer").text
    words = shown(page)
    assert "2 officers" in words
    assert "Role: Treasurer × (remove)" in words
    assert 'href="/search?q=treasurer&amp;role=Treasurer"' in page, "all kinds"
    assert "Organisation" in words, "what else to narrow by"


def test_long_lists_have_pages(site: Site) -> None:
    first, second = site.ask("/search?q=member").text, site.ask("/search?q=member&page=2").text
    assert "Page 1 of 2" in shown(first)
    assert "Page 2 of 2" in shown(second)


def test_one_item_as_json(site: Site, ids: dict[str, str]) -> None:
    ada = json.loads(site.ask(f"/api/item/{ids['Ada Young']}").body)
    assert ada["part_of"] == ids["Acme Gardening Society"]
    assert {"name": "role", "value": "Chair", "confidence": 0.9} in ada["fields"]
    acme = json.loads(site.ask(f"/api/item/{ada['part_of']}").body)
    assert ids["Ada Young"] in acme["parts"]
    kinds = json.loads(site.ask("/api/kinds").body)["kinds"]
    assert [(kind["name"], kind["part_of"]) for kind in kinds] == [
        ("organisation", None),
        ("officer", "organisation"),
    ]


def test_the_api_describes_itself(site: Site, ids: dict[str, str]) -> None:
    description = json.loads(site.ask("/api/openapi.json").body)
    for path, methods in description["paths"].items():
        answer = json.loads(site.ask(path.replace("{id}", ids["Ada Young"])).body)
        schema = methods["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        assert set(schema["required"]) <= answer.keys(), path


def test_people_and_organizations_speak_schema_org(site: Site, ids: dict[str, str]) -> None:
    def described(name: str) -> dict[str, object]:
        page = site.ask(f"/item/{ids[name]}").text
        block = page.partition('application/ld+json">')[2].partition("</script>")[0]
        return dict(json.loads(block))

    ada, acme = described("Ada Young"), described("Acme Gardening Society")
    assert (ada["@type"], ada["jobTitle"]) == ("Person", "Chair")
    assert (acme["@type"], acme["telephone"]) == ("Organization", "+49 555 0100")
    assert isinstance(acme["member"], list)
    assert len(acme["member"]) == 3


def test_feeds_and_sitemap_are_well_formed(site: Site) -> None:
    feed = ElementTree.fromstring(site.ask("/feed?q=chair").body)
    titles = [each.text for each in feed.iter("{http://www.w3.org/2005/Atom}title")]
    assert "Ada Young" in titles
    sitemap = ElementTree.fromstring(site.ask("/sitemap.xml").body)
    addresses = [each.text for each in sitemap.iter() if each.tag.endswith("}loc")]
    assert len(addresses) == len(set(addresses)) == 37 + 2
    assert "Disallow: /search" in site.ask("/robots.txt").text
    assert json.loads(site.ask("/healthz").body) == {"status": "ok", "things": 37, "searchable": 37}


@pytest.mark.parametrize("path", ["/search?q=", "/", "/feed", "/api/search?q=alert"])
def test_hostile_values_stay_words(site: Site, ids: dict[str, str], path: str) -> None:
    for each in (path, f"/item/{ids[HOSTILE]}", f"/api/item/{ids[HOSTILE]}"):
        answer = site.ask(each)
        assert answer.status == 200
        if answer.headers["Content-Type"] != "application/json":
            assert "<script>document" not in answer.text
            assert "javascript:alert(1)" not in re.sub(r">[^<]*<", "><", answer.text), "never an address"
        assert "\u202e" not in answer.text
        assert "\x07" not in answer.text


def test_a_shouted_id_is_led_to_its_page_and_an_unknown_one_is_said_to_be(
    site: Site, ids: dict[str, str]
) -> None:
    answer = site.ask(f"/item/{ids['Ada Young'].upper()}")
    assert (answer.status, answer.headers["Location"]) == (301, f"/item/{ids['Ada Young']}")
    missing = site.ask("/item/nobody")
    assert missing.status == 404
    assert "knows nothing of this id" in missing.text


def test_pages_of_papers_are_not_there(site: Site) -> None:
    for path in ("/topics", "/paper/forest", "/author/Ada", "/cite.bib?q=x"):
        assert site.ask(path).status == 404, path


def test_an_index_of_an_older_declaration_answers(tmp_path: Path) -> None:
    make_directory(tmp_path)
    write_index([], tmp_path / "index" / "two")
    store = open_store(STORE_URL, tmp_path)
    store.meta.set("index_generation", "two")
    store.close()
    with serving_directory(tmp_path) as site:
        for path in ("/", "/search?q=role:chair", "/search?kind=officer", "/feed"):
            assert site.ask(path).status == 200, path


def test_topics_narrow_where_a_domain_has_them(tmp_path: Path) -> None:
    make_directory(tmp_path)
    store = open_store(STORE_URL, tmp_path)
    store.catalog.topics.replace_tree([Topic(("Clubs", "Gardens"), ("elm",)), Topic(("Trade",), ("bolt",))])
    store.catalog.topics.replace_assignments([Assignment(DocumentId(BOARD), ("Clubs", "Gardens"), 0.8)])
    places = {DocumentId(BOARD): (0.8, ("Clubs", "Gardens"))}
    write_index(
        thing_entries(store, KINDS, places), tmp_path / "index" / "two", declared=searched_fields(KINDS)
    )
    store.meta.set("index_generation", "two")
    store.close()
    with serving_directory(tmp_path) as site:
        assert "Topics Clubs 3 Gardens 3" in shown(site.ask("/").text)
        clubs, gardens = (shown(site.ask(f"/topic/{path}").text) for path in ("Clubs", "Clubs/Gardens"))
        assert "Clubs Gardens 3" in clubs
        assert "3 results" in clubs
        assert "Clubs Gardens All Organisations" in gardens
        assert "Bo Old" in gardens
        assert "Nothing has been placed in this topic yet" in shown(site.ask("/topic/Trade").text)
        assert "3 results" in shown(site.ask("/search?topic=Clubs").text)
        assert "Topic: Clubs" in shown(site.ask("/search?topic=Clubs").text)
        assert "Clubs › Gardens 80 %" in shown(site.ask(f"/item/{id_of(tmp_path, 'Bo Old')}").text)
        assert site.ask("/topic/Nowhere").status == 404


def test_an_empty_portal_says_so(tmp_path: Path) -> None:
    open_store(STORE_URL, tmp_path, create=True).close()
    with serving_directory(tmp_path) as site:
        assert "Nothing here yet" in site.ask("/").text
        assert site.ask("/search?q=x").status == 503


def test_the_kinds_of_the_test_are_those_that_are_shown() -> None:
    assert [kind.name for kind in KINDS] == ["organisation", "officer"]


def test_lists_are_tables_and_cards(site: Site, ids: dict[str, str]) -> None:
    page = site.ask("/search?kind=officer").text
    assert 'href="/list.csv?kind=officer"' in page
    assert 'href="/list.vcf?kind=officer"' in page
    table = site.ask("/list.csv?kind=officer")
    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(table.text.removeprefix("\ufeff"))))
    assert {row["kind"] for row in rows} == {"officer"}
    total = json.loads(site.ask("/api/search?kind=officer").body)["total"]
    assert len(rows) == len({row["id"] for row in rows}) == total
    assert "Ada Young" in {row["title"] for row in rows}
    assert not any(cell.startswith(("=", "@")) for row in rows for cell in row.values())
    cards = site.ask("/list.vcf?kind=officer").text
    assert cards.count("BEGIN:VCARD\r\n") == cards.count("END:VCARD\r\n") == len(rows)
    assert all(len(line.encode()) <= 75 for line in cards.split("\r\n"))
    assert "FN:Ada Young\r\nN:Young;Ada;;;\r\nORG:Acme Gardening Society\r\n" in cards


def test_a_thing_is_a_card(site: Site, ids: dict[str, str]) -> None:
    place = f"/item/{ids['Ada Young']}"
    assert f'href="{place}.vcf"' in site.ask(place).text
    card = site.ask(f"{place}.vcf")
    assert card.headers["content-type"] == "text/vcard; charset=utf-8"
    assert card.text.startswith("BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada Young\r\n")
    assert site.ask(f"/item/{ids[HOSTILE]}.vcf").text.count("\r\nEND:VCARD") == 1


def test_a_list_of_nothing_is_no_file(site: Site) -> None:
    assert site.ask("/list.csv?q=nothing-has-this").status == 404


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+cmd|x", "'+cmd|x"),
        ("+49 (231) 397-21", "+49 (231) 397-21"),
        ("a\nb", "a b"),
    ],
)
def test_no_cell_is_a_formula(value: str, cell: str) -> None:
    assert make_cell(value) == cell
