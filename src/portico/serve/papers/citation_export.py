"""Exports a paper, a list, a topic or a search as BibTeX, RIS or CSL-JSON."""

from collections.abc import Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from portico.serve.collection import FindEntity
from portico.serve.links import check_outside_url, make_paper_url
from portico.serve.papers import describing
from portico.serve.papers.home_and_results import ask_many, read_search
from portico.serve.portal import ServedPortal
from portico.store.portal_view import Source
from portico.text.citation_formats import FORMATS, Citable
from portico.types.record import AuthorId, Entity, EntityId

MOST_CITED_AT_ONCE = 1_000
"""Maximum number of papers in one file: more than a bibliography has, and quickly written."""

# Fields of BibTeX, in the order in which people write them.
_FIELDS = (
    "title", "journal", "booktitle", "volume", "number", "pages", "publisher", "institution", "year", "doi",
    "issn", "isbn", "language", "abstract", "venue", "tech",
)  # fmt: skip
# The BibTeX field for the venue, by kind of entry, and the fields it may have been read as.
_PLACES = {"article": ("journal", "booktitle"), "inproceedings": ("booktitle", "journal"),
           "incollection": ("booktitle", "journal")}  # fmt: skip


def make_citing_routes(portal: ServedPortal, find: FindEntity) -> list[Route]:
    files = _CitationFiles(portal, find)
    one = [Route(f"/paper/{{id}}.{ending}", files.one, name=f"one-{ending}") for ending in FORMATS]
    many = [Route(f"/cite.{ending}", files.many, name=f"many-{ending}") for ending in FORMATS]
    return [*one, *many]


def make_citable(entity: Entity, sources: Sequence[Source]) -> Citable:
    """What is known of a paper, as reference managers need it. Values that may belong to another paper
    are left out.
    """
    known = {name: value for name in _FIELDS if name not in entity.doubtful and (value := entity.value(name))}
    is_dated = not any(name in entity.doubtful for name in describing.DATE)
    if is_dated and (year := describing.get_year(entity)):
        known["year"] = year
    known |= describing.split_volume(known)
    told_kind = entity.value("publication_type") or ""
    kind = Citable(entity.id, (), known, told_kind).kind
    wanted, other = _PLACES.get(kind, ("howpublished", ""))
    venue = known.pop("venue", "") or (known.get("tech", "") if kind != "techreport" else "")
    if wanted not in known and not (wanted == "howpublished" and known.keys() & {"journal", "booktitle"}):
        known[wanted] = known.pop(other, venue)
    if address := next((url for source in sources if (url := check_outside_url(source.name))), None):
        known["url"] = address
    fields = {name: known[name] for name in (*_FIELDS, "howpublished", "url") if known.get(name)}
    authors = (
        () if any(name in entity.doubtful for name in describing.AUTHOR) else describing.list_authors(entity)
    )
    keywords = tuple(dict.fromkeys(field.value for field in entity.all("keyword")))
    return Citable(entity.id, authors, fields, told_kind, keywords)


def cite(papers: Sequence[Citable], ending: str) -> str:
    return FORMATS[ending][1](papers)


class _CitationFiles:
    """The endpoints for citation files."""

    def __init__(self, portal: ServedPortal, find: FindEntity) -> None:
        self._portal, self._find = portal, find

    def one(self, request: Request) -> Response:
        ending = _get_ending(request)
        entity = self._find(request, lambda name: f"{make_paper_url(name)}.{ending}")
        return self._file([entity], ending, str(entity.id))

    def many(self, request: Request) -> Response:
        named = [EntityId(name) for name in request.query_params.getlist("id")]
        person = request.query_params.get("by", "")
        named += self._portal.view.authors.paper_ids(AuthorId(person)) if person else ()
        search = read_search(request.query_params)
        ids = named or [*ask_many(self._portal, search, most=MOST_CITED_AT_ONCE)]
        known = self._portal.view.entities.many(ids[:MOST_CITED_AT_ONCE])
        papers = [known[name] for name in dict.fromkeys(ids) if name in known]
        if not papers:
            raise HTTPException(404, "There is no paper to cite here.")
        return self._file(papers, _get_ending(request), "papers")

    def _file(self, papers: Sequence[Entity], ending: str, name: str) -> Response:
        documents = [document for entity in papers for document in entity.documents]
        sources: dict[str, list[Source]] = {}
        for source in self._portal.view.sources(documents):
            sources.setdefault(source.document, []).append(source)
        listed = [
            make_citable(
                entity, [source for document in entity.documents for source in sources.get(document, ())]
            )
            for entity in papers
        ]
        disposition = f'inline; filename="{name}.{ending}"'
        return Response(
            cite(listed, ending),
            media_type=FORMATS[ending][0],
            headers={"Content-Disposition": disposition},
        )


def _get_ending(request: Request) -> str:
    return request.url.path.rpartition(".")[2]
