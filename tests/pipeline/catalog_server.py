"""A server of this machine that answers as Crossref, OpenAlex, arXiv and Unpaywall document it."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

FOREST_DOI, WRONG_DOI, LOST_DOI = "10.1000/forest", "10.1000/wrong", "10.1000/lost"
FOREST_WORK: dict[str, Any] = {
    "DOI": FOREST_DOI, "prefix": "10.1000", "type": "journal-article", "title": ["Growing decision forests"],
    "author": [{"given": "Ada", "family": "Young"}, {"given": "José", "family": "Nuñez"}],
    "container-title": ["Journal of Trees"], "issued": {"date-parts": [[1996, 2]]}, "volume": "3",
    "issue": "4", "page": "12-34", "publisher": "Oak Press", "abstract": "<jats:p>Trees vote.</jats:p>",
}  # fmt: skip
OTHER_WORK = {
    "DOI": WRONG_DOI, "prefix": "10.1000", "type": "journal-article", "title": ["The history of porcelain"],
    "author": [{"given": "Carla", "family": "Rossi"}], "issued": {"date-parts": [[2011]]},
}  # fmt: skip
PARSER_WORK = {
    "id": "https://openalex.org/W7", "title": "Parsing with hidden Markov models", "publication_year": 1999,
    "type": "article", "doi": "https://doi.org/10.1000/parser", "language": "en",
    "authorships": [{"author": {"display_name": "Donald Knuth"}}],
    "primary_location": {"source": {"display_name": "Computational Trees"}},
    "abstract_inverted_index": {"Words": [0], "are": [1], "tagged.": [2]},
}  # fmt: skip
ARXIV = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom"><title>results</title>
<entry><id>http://arxiv.org/abs/cs/9901001v1</id><published>1999-01-04T00:00:00Z</published>
<title>Parsing with hidden
 Markov models</title><summary>  A tagger and a parser. </summary><author><name>Donald Knuth</name></author>
<link title="pdf" href="http://arxiv.org/pdf/cs/9901001v1" rel="related"/></entry></feed>"""
UNPAYWALL = {
    "doi": FOREST_DOI, "title": "Growing decision forests", "year": 1996, "journal_name": "J. Trees",
    "publisher": "Oak Press", "z_authors": [{"given": "Ada", "family": "Young"}],
    "best_oa_location": {"url_for_pdf": "https://oak.example/forest.pdf"},
}  # fmt: skip


@dataclass
class Catalogs:
    """What was asked, and how it is answered: the next `faults` requests with these instead."""

    url: str = ""
    asked: list[str] = field(default_factory=list)
    agents: set[str] = field(default_factory=set)
    conditions: list[str] = field(default_factory=list)
    faults: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list)

    def answer(self, path: str) -> tuple[int, object]:
        parts = urlsplit(path)
        catalog, _, rest = unquote(parts.path).strip("/").partition("/")
        query = parse_qs(parts.query)
        if catalog == "crossref":
            return _answer_crossref(rest.removeprefix("works").strip("/"))
        if catalog == "openalex":
            parser = "hidden Markov" in query.get("filter", [""])[0]
            return 200, {"results": [OTHER_WORK, PARSER_WORK] if parser else []}
        if catalog == "arxiv":
            return 200, ARXIV if "Parsing" in query.get("search_query", [""])[0] else ARXIV.split("<entry>")[
                0
            ] + "</feed>"
        return (200, UNPAYWALL) if rest == f"v2/{FOREST_DOI}" else (404, {"error": True})


def _answer_crossref(doi: str) -> tuple[int, object]:
    found = {FOREST_DOI: FOREST_WORK, WRONG_DOI: OTHER_WORK}.get(doi)
    if doi and found is None:
        return 404, "Resource not found."
    return 200, {
        "status": "ok",
        "message": found or {"items": [OTHER_WORK, {"DOI": "10.1/x", "prefix": "10.1"}]},
    }


@contextmanager
def serve_catalogs() -> Iterator[Catalogs]:
    """The server on a free port until the block ends."""
    catalogs = Catalogs()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            catalogs.asked.append(self.path)
            catalogs.agents.add(self.headers.get("User-Agent", ""))
            tag = self.headers.get("If-None-Match")
            if tag:
                catalogs.conditions.append(tag)
            status, headers, body = self._choose(tag)
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def _choose(self, tag: str | None) -> tuple[int, dict[str, str], bytes]:
            if catalogs.faults:
                return catalogs.faults.pop(0)
            if tag:
                return 304, {}, b""
            status, answer = catalogs.answer(self.path)
            body = answer if isinstance(answer, str) else json.dumps(answer)
            return status, {"ETag": '"one"'}, body.encode()

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    catalogs.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield catalogs
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
