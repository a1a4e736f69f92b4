"""A small portal made by hand: real store, real blobs, real index, and a few hostile guests."""

from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from starlette.applications import Starlette

from portico.convert.pictures import encode_png
from portico.index.writer import write_index
from portico.serve.app import create_app
from portico.serve.portal import About
from portico.store.catalog.entities import EXTRACT
from portico.store.codec import encode
from portico.store.documents.folder_blobs import FolderBlobs
from portico.store.documents.pages import PageRow
from portico.store.documents.results import Done
from portico.store.opening import Store, open_store
from portico.store.portal_view import GENERATION_KEY, PICTURE
from portico.types.document import DocumentId, PagePicture, Span
from portico.types.page import BodyHash
from portico.types.record import (
    Author,
    AuthorId,
    Citation,
    Context,
    Edition,
    Entity,
    EntityId,
    Field,
    Person,
    Record,
    RecordId,
    Signature,
)
from portico.types.search import Entry
from portico.types.topic import Assignment, Topic
from tests.graphs import write_graph

STORE_URL = "sqlite:///portico.db"
HERE = Span(0, 1)
TREES = ("Learning", "Trees")
RULES = ("Learning", "Rules")
PARSING = ("Language & Speech", "Parsing")
EMPTY = ("Systems", "Paging")
TOPICS = tuple(Topic(path, (path[-1].lower(),)) for path in (TREES, RULES, PARSING, EMPTY))

SCRIPT = "<script>document.title='owned'</script>"
HOSTILE_TITLE = f'{SCRIPT}"onmouseover="alert(1) {{{{ 7*7 }}}} \x00\x1b\x07\u202egnorw'
LONG_TITLE = "Supercalifragilistic" * 500  # 10,000 characters without a space
HEBREW_TITLE = "על עצי החלטה ולמידה"

FOREST_PDF = b"%PDF-1.4\nforest\n%%EOF\n"
PNG = encode_png(30, 40, bytes(range(240)) * 5, channels=1)
PARSER_PS = b"%!PS-Adobe-2.0\n(parser) show\n"
HOSTILE_BODY = f"<html>{SCRIPT}</html>".encode()


def field(name: str, value: str, confidence: float = 0.95) -> Field:
    return Field(name, value, HERE, confidence)


def document_of(body: bytes) -> DocumentId:
    return DocumentId(sha256(body).hexdigest())


FOREST, PARSER, HOSTILE = map(document_of, (FOREST_PDF, PARSER_PS, HOSTILE_BODY))


def paper(name: str, documents: tuple[DocumentId, ...], *fields: Field, **numbers: float) -> Entity:
    chosen = RecordId(f"{documents[0] if documents else FOREST}#{name}")
    return Entity(
        EntityId(name),
        "paper",
        (chosen,),
        documents,
        fields,
        chosen,
        n_citations=int(numbers.get("n_citations", 0)),
        authority=numbers.get("authority", 0.0),
        hub=numbers.get("hub", 0.0),
    )


def reference(document: DocumentId, number: int, raw: str, *contexts: str) -> Record:
    return Record(
        RecordId(f"{document}#ref-{number}"),
        "reference",
        document,
        raw,
        Span(number * 100, number * 100 + 50),
        (field("title", raw),),
        tuple(Context(context, HERE) for context in contexts),
    )


FOREST_PAPER = paper(
    "forest",
    (FOREST,),
    field("title", "Growing decision forests"),
    field("author", "Ada Young"),
    field("author", "José Nuñez", 0.4),
    field("abstract", "We grow many decision trees on random samples and let them vote."),
    field("journal", "Journal of Trees"),
    field("year", "1996"),
    field("affiliation", "Institute of Trees, Oakville"),
    field("email", "young@oak.example"),
    n_citations=2,
    authority=0.1,
    hub=0.9,
)
FOREST_PAPER = replace(
    FOREST_PAPER,
    editions=(
        Edition((RecordId(f"{PARSER}#ref-1"),), (), 1994, "Oak TR-12", "report"),
        Edition(
            (FOREST_PAPER.chosen, RecordId(f"{HOSTILE}#ref-1")),
            (FOREST,),
            1996,
            "Journal of Trees",
            "journal",
        ),
    ),
)
PARSER_PAPER = paper(
    "parser",
    (PARSER,),
    field("title", "Parsing with hidden Markov models"),
    field("author", "Knuth, Donald"),
    field("abstract", "A hidden Markov model tags words before a chart parser builds trees."),
    field("year", "1999"),
    n_citations=0,
    authority=0.8,
)
CITED_PAPER = paper(
    "cited",
    (),
    field("title", "Inducing trees top down"),
    field("author", "B. Old"),
    field("journal", "Annals of Trees", 0.5),
    field("year", "1980"),
    n_citations=2,
)
HOSTILE_PAPER = paper(
    "hostile",
    (HOSTILE,),
    field("title", HOSTILE_TITLE),
    field("author", SCRIPT),
    field("author", HEBREW_TITLE),
    field("abstract", f"{SCRIPT}\x0b <img src=x onerror=alert(1)> \ud800 trees"),
    field("venue", "</title></style>" + SCRIPT),
)
LONG_PAPER = paper("long", (), field("title", LONG_TITLE), field("author", "X" * 3000), n_citations=1)
HEBREW_PAPER = paper("hebrew", (), field("title", HEBREW_TITLE), n_citations=1)
UNTITLED = paper("untitled", (), n_citations=1)
PAPERS = (FOREST_PAPER, PARSER_PAPER, CITED_PAPER, HOSTILE_PAPER, LONG_PAPER, HEBREW_PAPER, UNTITLED)

# Two people are printed "A. Young"; one of them was two authors before.
AUTHORS = (
    Author(
        AuthorId("young"),
        "Ada Young",
        (Signature(EntityId("forest"), 0, "Ada Young", 1996), Signature(EntityId("hostile"), 7, "A. Young")),
    ),
    Author(AuthorId("nunez"), "José Nuñez", (Signature(EntityId("forest"), 1, "José Nuñez", 1996),)),
    Author(AuthorId("youth"), "Abe Young", (Signature(EntityId("parser"), 7, "A. Young", 1999),)),
    Author(AuthorId("hostile"), SCRIPT + "\u202e" + "W" * 300, (Signature(EntityId("hostile"), 0, SCRIPT),)),
    Author(AuthorId("hebrew"), HEBREW_TITLE, (Signature(EntityId("hostile"), 1, HEBREW_TITLE),)),
    Author(AuthorId("knuth"), "Donald Knuth", (Signature(EntityId("parser"), 0, "Knuth, Donald", 1999),)),
)
PEOPLE = {(each.paper, each.name): author.id for author in AUTHORS for each in author.signatures}

RECORDS = {
    FOREST: (
        Record(
            FOREST_PAPER.chosen,
            "header",
            FOREST,
            "Growing decision forests",
            Span(0, 24),
            (),
            people=(
                Person("Ada Young", "Ada", "Young", ("Institute of Trees, Oakville",), "young@oak.example"),
            ),
        ),
        reference(FOREST, 1, "B. Old. Inducing trees top down. 1980.", "Trees are grown top down [1]."),
        Record(RecordId(f"{FOREST}#untitled"), "reference", FOREST, "Anon. Ibid.", Span(900, 910), ()),
    ),
    PARSER: (
        reference(
            PARSER, 1, "A. Young and J. Nunez. Growing decison forests. J. Trees, 1996.", "Forests vote [1]."
        ),
        reference(PARSER, 2, "Old, B.: Inducing trees top-down (1980)", "See [2].", SCRIPT),
    ),
    HOSTILE: (
        reference(HOSTILE, 1, f"{SCRIPT} Growing decision forests", SCRIPT),
        reference(HOSTILE, 2, LONG_TITLE),
        reference(HOSTILE, 3, HEBREW_TITLE),
    ),
}
CITATIONS = (
    Citation(EntityId("forest"), EntityId("cited"), RecordId(f"{FOREST}#ref-1"), 0.99),
    Citation(EntityId("forest"), EntityId("untitled"), RecordId(f"{FOREST}#untitled"), 0.9),
    Citation(EntityId("parser"), EntityId("forest"), RecordId(f"{PARSER}#ref-1"), 0.55),
    Citation(EntityId("parser"), EntityId("cited"), RecordId(f"{PARSER}#ref-2"), 0.97),
    Citation(EntityId("hostile"), EntityId("forest"), RecordId(f"{HOSTILE}#ref-1"), 0.9),
    Citation(EntityId("hostile"), EntityId("long"), RecordId(f"{HOSTILE}#ref-2"), 0.9),
    Citation(EntityId("hostile"), EntityId("hebrew"), RecordId(f"{HOSTILE}#ref-3"), 0.9),
)
ASSIGNMENTS = (
    Assignment(FOREST, TREES, 0.81),
    Assignment(FOREST, RULES, 0.12),
    Assignment(PARSER, PARSING, 0.6),
    Assignment(HOSTILE, TREES, 0.5),
)
PDF, POSTSCRIPT = "application/pdf", "application/postscript"
PAGES = (
    PageRow("http://cs.example.edu/~young/forest.pdf", "web", 0.0, "", BodyHash(FOREST), PDF, 412_345),
    PageRow("http://mirror.example.org/a/forest.pdf", "web", 0.0, "", BodyHash(FOREST), PDF, 412_345),
    PageRow("../papers/parser.ps", "file", 0.0, "", BodyHash(PARSER), POSTSCRIPT, 30),
    PageRow("javascript:alert(1)//", "web", 0.0, "", BodyHash(HOSTILE), PDF, 50),  # it lies
)


def make_portal(folder: Path) -> None:
    """A finished portal in that folder."""
    store = make_empty_portal(folder)
    blobs = FolderBlobs(folder / "blobs")
    for body in (FOREST_PDF, PARSER_PS, HOSTILE_BODY):
        blobs.put(body)
    store.documents.pages.put(PAGES)
    store.documents.results.put_many(
        EXTRACT, [Done(document, "key", encode(records), 0.1, 0.0) for document, records in RECORDS.items()]
    )
    picture = PagePicture(30, 40, b64encode(PNG).decode())
    store.documents.results.put_many(
        PICTURE,
        [
            Done(FOREST, "key", encode(picture), 0.1, 0.0),
            Done(HOSTILE, "key", encode(PagePicture(0, 0)), 0.1, 0.0),  # could not be drawn
        ],
    )
    store.catalog.topics.replace_tree(TOPICS)
    store.catalog.topics.replace_assignments(ASSIGNMENTS)
    # "merged" was an id of its own once; the records moved to the forest.
    write_graph(store, [*PAPERS[1:], rename(FOREST_PAPER, "merged")], ())
    write_graph(store, PAPERS, CITATIONS)
    formerly = replace(AUTHORS[0], id=AuthorId("formerly"))
    store.catalog.authors.replace([formerly, *AUTHORS[1:]])
    store.catalog.authors.replace(AUTHORS)
    serve_index(store, folder, "one", PAPERS)
    store.close()


def make_empty_portal(folder: Path) -> Store:
    """A store with nothing in it."""
    return open_store(STORE_URL, folder, create=True)


VISIBLE_AT = 946684800.0
"""When visitors first saw these papers: the first second of 2000."""


def serve_index(store: Store, folder: Path, generation: str, papers: tuple[Entity, ...]) -> None:
    """Write a new index generation and have it served."""
    write_index([entry(each) for each in papers], folder / "index" / generation)
    store.meta.set(GENERATION_KEY, generation)
    store.catalog.changes.note({each.id: each.id for each in papers}, (), lambda: VISIBLE_AT)


def rename(entity: Entity, name: str) -> Entity:
    return Entity(
        EntityId(name),
        entity.kind,
        entity.records,
        entity.documents,
        entity.fields,
        entity.chosen,
        n_citations=2,
    )


def entry(entity: Entity) -> Entry:
    topics = [
        each.path for each in ASSIGNMENTS if each.document in entity.documents and each.probability >= 0.5
    ]
    year = entity.value("year")
    documents = {*map(str, entity.documents)}
    place = next((row for row in PAGES if row.body in documents), None)
    return Entry(
        entity.id,
        entity.value("title") or "",
        tuple(each.value for each in entity.all("author")),
        entity.value("abstract") or "",
        entity.value("journal") or "",
        int(year) if year else None,
        topics=tuple(topics),
        cites=tuple(each.cited for each in CITATIONS if each.citing == entity.id),
        n_citations=entity.n_citations,
        authority=entity.authority,
        hub=entity.hub,
        held=bool(entity.documents),
        source=place.source if place else "",
        media_type=place.media_type if place else "",
        people=tuple(PEOPLE.get((entity.id, each.value), "") for each in entity.all("author")),
    )


def app_of(folder: Path) -> Starlette:
    """The portal in that folder as an app."""
    store = open_store(STORE_URL, folder, read_only=True)
    return create_app(store, index_folder=folder / "index", about=About("Trees"))
