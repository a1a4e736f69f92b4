"""What programs get: JSON, feeds, OAI-PMH, sitemap, and tags for reference managers."""

import base64
import json
import re
from urllib.parse import quote, urlencode, urlsplit
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from protego import Protego

from tests.serve.conftest import Site

HALF = "\ud800"  # of a character: nothing can be encoded with it
FOREST = "oai:portico.invalid:forest"
OAI = "{http://www.openarchives.org/OAI/2.0/}"


def test_a_search_as_json(site: Site) -> None:
    found = json.loads(site.ask("/api/search?q=forests").body)
    assert [paper["id"] for paper in found["papers"]][:1] == ["forest"]
    assert found["papers"][0]["authors"] == ["Ada Young", "José Nuñez"]
    assert {"value": "Ada Young <young>", "count": 1} in found["facets"]["author"]
    assert found["next"] is None
    assert json.loads(site.ask("/api/search?q=forrests").body)["suggestion"] == "forests"


def test_a_paper_as_json(site: Site) -> None:
    paper = json.loads(site.ask("/api/paper/forest").body)
    assert (paper["year"], paper["venue"], paper["references"]) == (
        1996,
        "Journal of Trees",
        ["cited", "untitled"],
    )
    assert set(paper["cited_by"]) == {"hostile", "parser"}
    assert paper["topics"][0] == {"path": "Learning/Trees", "probability": 0.81}
    moved = site.ask("/api/paper/merged")
    assert (moved.status, moved.headers["Location"]) == (301, "/api/paper/forest")
    missing = site.ask("/api/paper/never")
    assert (missing.status, list(json.loads(missing.body))) == (404, ["error"])


def test_topics_and_suggestions_as_json(site: Site) -> None:
    topics = json.loads(site.ask("/api/topics").body)["topics"]
    assert {"path": "Learning/Trees", "papers": 2} in topics
    assert json.loads(site.ask("/api/suggest?q=hidden+mar").body)["suggestions"] == ["hidden markov"]


def test_facets_and_tree_count_alike(site: Site) -> None:
    tree = {each["path"]: each["papers"] for each in json.loads(site.ask("/api/topics").body)["topics"]}
    facets = json.loads(site.ask("/api/search?q=").body)["facets"]["topic"]
    assert {each["value"]: each["count"] for each in facets} == {path: n for path, n in tree.items() if n}


def test_every_described_address_answers(site: Site) -> None:
    described = json.loads(site.ask("/api/openapi.json").body)
    assert described["openapi"].startswith("3.1")
    for path in described["paths"]:
        name = "young" if "author" in path else "forest"
        assert site.ask(path.replace("{id}", name)).status == 200


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    path=st.sampled_from(["/api/search", "/api/suggest", "/api/paper/x", "/feed", "/oai", "/sitemap.xml"]),
    values=st.dictionaries(
        st.sampled_from(
            [
                "q",
                "sort",
                "topic",
                "author",
                "venue",
                "from",
                "to",
                "page",
                "verb",
                "after",
                "resumptionToken",
            ]
        ),
        st.text(max_size=40) | st.sampled_from(["ListRecords", "0", "-1", "99999999", "oai_dc", "\x00", "*"]),
    ),
)
def test_nothing_a_program_asks_breaks_the_server(site: Site, path: str, values: dict[str, str]) -> None:
    asked = urlencode({name: value.encode("utf-8", "replace") for name, value in values.items()})
    assert site.ask(f"{path}?{asked}").status < 500


def test_a_search_can_be_followed(site: Site) -> None:
    answer = site.ask("/feed?q=trees&topic=Learning")
    assert answer.headers["Content-Type"].startswith("application/atom+xml")
    feed = ElementTree.fromstring(answer.body)
    titles = [each.text for each in feed.iter("{http://www.w3.org/2005/Atom}title")]
    assert "Growing decision forests" in titles
    assert all(each.text for each in feed.iter("{http://www.w3.org/2005/Atom}updated"))
    links = {each.get("type"): each.get("href") for each in feed.findall("{http://www.w3.org/2005/Atom}link")}
    assert links["text/html"] == f"{site.url}/search?q=trees&topic=Learning"


def test_the_sitemap_names_every_page(site: Site) -> None:
    found = re.findall("<loc>([^<]+)</loc>", site.ask("/sitemap.xml").text)
    assert f"{site.url}/paper/forest" in found
    assert f"{site.url}/topic/Language%20%26%20Speech/Parsing" in found
    assert {site.ask(each.removeprefix(site.url), method="HEAD").status for each in found} == {200}
    assert f"Sitemap: {site.url}/sitemap.xml" in site.ask("/robots.txt").text


def test_browsers_and_programs_learn_how_to_search(site: Site) -> None:
    linked = re.search(r'<link rel="search" type="([^"]*)" title="[^"]*" href="([^"]*)"', site.ask("/").text)
    assert linked is not None
    answer = site.ask(linked[2])
    assert answer.headers["Content-Type"].partition(";")[0] == linked[1]
    described = ElementTree.fromstring(answer.body)
    for url in described.iter("{http://a9.com/-/spec/opensearch/1.1/}Url"):
        found = site.ask(url.attrib["template"].removeprefix(site.url).replace("{searchTerms}", "forests"))
        assert (found.status, url.attrib["type"]) == (200, found.headers["Content-Type"].partition(";")[0])


def token(**place: str) -> str:
    return quote(base64.urlsafe_b64encode(json.dumps(place).encode()).decode())


def harvest(site: Site, asked: str) -> ElementTree.Element:
    answer = site.ask(f"/oai?{asked}")
    assert answer.status == 200
    return ElementTree.fromstring(answer.body)


@pytest.mark.parametrize(
    ("asked", "tag", "text"),
    [
        ("verb=Identify", "repositoryName", "Trees & Words"),
        ("verb=Identify", "adminEmail", "builder@example.org"),
        ("verb=ListMetadataFormats", "metadataPrefix", "oai_dc"),
        ("verb=ListIdentifiers&metadataPrefix=oai_dc", "identifier", FOREST),
        (
            "verb=ListRecords&metadataPrefix=oai_dc&from=1970-01-01",
            "identifier",
            FOREST,
        ),
        (
            f"verb=GetRecord&metadataPrefix=oai_dc&identifier={FOREST}",
            "datestamp",
            "2000-01-01T00:00:02Z",
        ),
    ],
)
def test_harvesters_are_answered(site: Site, asked: str, tag: str, text: str) -> None:
    found = [each.text or "" for each in harvest(site, asked).iter(f"{OAI}{tag}")]
    assert any(value.endswith(text) for value in found)


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ("", "badVerb"),
        ("verb=Steal", "badVerb"),
        ("verb=Identify&verb=Identify", "badVerb"),
        ("verb=Identify&set=x", "badArgument"),
        ("verb=ListRecords", "badArgument"),
        ("verb=ListRecords&metadataPrefix=oai_dc&from=soon", "badArgument"),
        ("verb=ListRecords&metadataPrefix=oai_dc&from=2001-99-99", "badArgument"),
        ("verb=ListRecords&metadataPrefix=oai_dc&from=2002-01-01&until=2001-01-01", "badArgument"),
        ("verb=ListRecords&metadataPrefix=marc", "cannotDisseminateFormat"),
        ("verb=ListRecords&metadataPrefix=oai_dc&set=x", "noRecordsMatch"),
        ("verb=ListSets&resumptionToken=x", "badResumptionToken"),
        ("verb=ListRecords&metadataPrefix=oai_dc&from=2300-01-01", "noRecordsMatch"),
        ("verb=ListRecords&resumptionToken=rubbish", "badResumptionToken"),
        ("verb=ListRecords&resumptionToken=W10%3D", "badResumptionToken"),
        (f"verb=ListRecords&resumptionToken={token()}", "badResumptionToken"),
        (f"verb=ListRecords&resumptionToken={token(low='', high='', after='')}", "badResumptionToken"),
        (f"verb=ListRecords&resumptionToken={token(low='soon', high='', after='a')}", "badResumptionToken"),
        (
            f"verb=ListRecords&resumptionToken={token(low='', high='', after=HALF)}",
            "badResumptionToken",
        ),
        ("verb=GetRecord&metadataPrefix=oai_dc&identifier=never", "idDoesNotExist"),
    ],
)
def test_harvesters_are_told_what_is_wrong(site: Site, asked: str, code: str) -> None:
    (error,) = harvest(site, asked).iter(f"{OAI}error")
    assert error.get("code") == code


@pytest.mark.parametrize(
    ("asked", "echoed"),
    [
        (
            "verb=ListIdentifiers&metadataPrefix=oai_dc",
            {"verb": "ListIdentifiers", "metadataPrefix": "oai_dc"},
        ),
        ("verb=ListSets", {"verb": "ListSets"}),
        ("verb=GetRecord&metadataPrefix=%22%3C", {}),
        ("verb=%3Csteal%3E", {}),
    ],
)
def test_harvesters_may_post_what_they_ask(site: Site, asked: str, echoed: dict[str, str]) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    posted = ElementTree.fromstring(site.ask("/oai", method="POST", headers=form, body=asked).body)
    (request,) = posted.iter(f"{OAI}request")
    assert request.attrib == echoed
    answers = (ElementTree.tostring(each[2]) for each in (posted, harvest(site, asked)))
    assert len(set(answers)) == 1


def test_what_is_harvested_names_the_schema_it_can_be_checked_with(site: Site) -> None:
    found = harvest(site, "verb=ListRecords&metadataPrefix=oai_dc")
    where = "{http://www.w3.org/2001/XMLSchema-instance}schemaLocation"
    schemas = {(each.tag, each.attrib[where].split()[1]) for each in found.iter() if where in each.attrib}
    dublin_core = "{http://www.openarchives.org/OAI/2.0/oai_dc/}dc"
    assert schemas == {
        (f"{OAI}OAI-PMH", "http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd"),
        (dublin_core, "http://www.openarchives.org/OAI/2.0/oai_dc.xsd"),
    }


def test_reference_managers_recognize_a_paper(site: Site) -> None:
    text = site.ask("/paper/forest").text
    assert '<meta name="citation_title" content="Growing decision forests">' in text
    assert f'<meta name="citation_pdf_url" content="{site.url}/paper/forest/file/1">' in text
    for tag in (
        'name="citation_journal_title" content="Journal of Trees"',
        'name="citation_publication_date" content="1996"',
        'name="DC.creator" content="Ada Young"',
        'property="og:title" content="Growing decision forests"',
    ):
        assert f"<meta {tag}>" in text, tag
    assert "rft.atitle=Growing+decision+forests" in text
    found = re.search(r'<script type="application/ld\+json">(.*?)</script>', text)
    assert found is not None
    paper = json.loads(found[1])
    assert (paper["@type"], paper["datePublished"]) == ("ScholarlyArticle", "1996")
    hostile = re.search(r'ld\+json">(.*?)</script>', site.ask("/paper/hostile").text)
    assert hostile is not None
    assert json.loads(hostile[1])["headline"].startswith("<script>")


def test_robots_may_fetch_every_file_that_pages_name(site: Site) -> None:
    rules = Protego.parse(site.ask("/robots.txt").text)
    pdf = re.search(r'"citation_pdf_url" content="([^"]*)"', site.ask("/paper/forest").text)
    assert pdf is not None
    assert rules.can_fetch(pdf[1], "Googlebot")
    assert site.ask(urlsplit(pdf[1]).path).status == 200
    assert not rules.can_fetch(f"{site.url}/search?q=forests", "Googlebot")


@pytest.mark.parametrize(
    ("accept", "media_type", "begins"),
    [
        ("application/x-bibtex", "application/x-bibtex", "@article{young1996growing"),
        ("application/x-research-info-systems", "application/x-research-info-systems", "TY  - JOUR"),
        ("application/vnd.citationstyles.csl+json;q=1", "application/vnd.citationstyles.csl+json", "["),
        ("application/ld+json, application/json;q=.5", "application/ld+json", "{"),
        ("text/html,application/xhtml+xml,*/*;q=.8", "text/html", "<!doctype html>"),
        ("*/*", "text/html", "<!doctype html>"),
        ("application/pdf", "text/html", "<!doctype html>"),
    ],
)
def test_a_paper_is_given_in_the_form_that_is_asked_for(
    site: Site, accept: str, media_type: str, begins: str
) -> None:
    answer = site.ask("/paper/forest", headers={"Accept": accept})
    assert answer.headers["Content-Type"].partition(";")[0] == media_type
    assert answer.text.lstrip().startswith(begins)
    assert "Accept" in answer.headers["Vary"]


def test_signposts_lead_to_everything_that_belongs_to_a_paper(site: Site) -> None:
    links = site.ask("/paper/forest").headers["Link"]
    followed = re.findall(r'<([^>]*)>; rel="(describedby|item)"', links)
    assert {relation for _, relation in followed} == {"describedby", "item"}
    for address, _ in followed:
        assert site.ask(urlsplit(address).path).status == 200


def test_what_is_typed_may_mean_a_paper_an_author_or_a_topic(site: Site) -> None:
    def kinds(typed: str) -> list[tuple[str, str]]:
        pages = json.loads(site.ask(f"/api/suggest?q={typed}").text)["pages"]
        return [(page["kind"], page["url"]) for page in pages]

    assert kinds("decision+for") == [("paper", "/paper/forest")]
    assert kinds("ada+you") == [("author", "/author/young")]
    assert ("topic", "/topic/Learning/Trees") in kinds("tree")
    assert kinds("tr") == kinds("author:young") == kinds("%22%5C%27(%3C*") == []
