"""Queries the catalogs named in [enrich] about every document, and stores their answers."""

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from portico.config.serve_settings import EnrichSettings
from portico.crawl.fetching.fetcher import Fetcher
from portico.crawl.revisiting import DAY_S
from portico.errors import FetchError, InputError
from portico.match.catalog_answers import compute_agreement, is_known, lend_fields
from portico.match.mention import PAPERS
from portico.pipeline.collections.papers.imported_papers import read_paper
from portico.pipeline.documents.catalog_answers import STAGE, join_answers, make_subject
from portico.pipeline.enrichment.asking import CatalogClient, CatalogPaused, hide_contact
from portico.pipeline.enrichment.catalogs import BY_NAME, CatalogService, Query
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageProgress
from portico.pipeline.runners import BuildRun, fingerprint
from portico.pipeline.sources.crawling import make_crawl_options
from portico.store.codec import decode, encode
from portico.store.documents.results import Done, Failed
from portico.types.document import Span
from portico.types.enrichment import UNPAYWALL, CatalogAnswer
from portico.types.record import Field, Record
from portico.types.stages import StageName

VERSION = "1"
"""Raised when the same response would be read differently."""

LEAST_PROBABLE = 0.5
"""Responses less likely to be about the paper are discarded."""

_NOWHERE = Span(0, 0)  # a catalog is not part of the document
_KEPT = frozenset(name for group in (
    ("title", "author", "year", "published", "venue", "journal", "booktitle", "volume", "number", "pages"),
    ("publisher", "institution", "doi", "issn", "isbn", "abstract", "keyword", "language"),
    ("publication_type", "open_access"),
) for name in group)  # fmt: skip


@dataclass(frozen=True, slots=True)
class EnrichCounts:
    """How many queries succeeded and failed in a run."""

    n_done: int = 0
    n_failed: int = 0
    notes: tuple[str, ...] = ()

    def __add__(self, other: "EnrichCounts") -> "EnrichCounts":
        return EnrichCounts(
            self.n_done + other.n_done, self.n_failed + other.n_failed, self.notes + other.notes
        )


@dataclass(frozen=True, slots=True)
class _Question:
    """A query about one document to one catalog."""

    subject: str
    header: Record
    path: str
    key: str
    known: CatalogAnswer | None  # the last answer to the same question
    source: str


def ask_catalogs(portal: Portal, run: BuildRun, meter: StageProgress) -> EnrichCounts:
    """Queries the catalogs named in [enrich] about every document; Unpaywall last, since it needs DOIs."""
    settings = portal.settings.enrich
    first = [name for name in settings.sources if name != UNPAYWALL]
    counts = asyncio.run(_ask(portal, run, meter, first))
    if UNPAYWALL in settings.sources:
        counts += asyncio.run(_ask(portal, run, meter, [UNPAYWALL]))
    return counts


async def _ask(portal: Portal, run: BuildRun, meter: StageProgress, names: Sequence[str]) -> EnrichCounts:
    settings = portal.settings.enrich
    headers = dict(_list_headers(portal))
    async with Fetcher(make_crawl_options(portal.settings, []).fetch) as http:
        asking = []
        for name in names:
            catalog = BY_NAME[name]
            questions = list(_list_questions(portal, catalog, headers, run))
            client = CatalogClient(
                catalog,
                http,
                _find_base_url(catalog, settings),
                portal.settings.fetch.contact,
                max(settings.delay_s, 0.0 if settings.server else catalog.least_delay_s),
                meter.status,
            )
            asking.append(_ask_one(portal, run, meter, client, questions))
        return sum(await asyncio.gather(*asking), EnrichCounts())


def _find_base_url(catalog: CatalogService, settings: EnrichSettings) -> str:
    return f"{settings.server.rstrip('/')}/{catalog.name}" if settings.server else catalog.url


def _list_headers(portal: Portal) -> Iterator[tuple[str, Record]]:
    """Yield the header of every document with enough information, completed by earlier answers."""
    others = portal.store.contributions.corrections.not_papers()
    rows = portal.store.documents.results.payloads(StageName.EXTRACT)
    for subject, payload, answers in join_answers(portal.store, rows):
        for record in decode(tuple[Record, ...], payload):
            if record.kind == PAPERS.anchor and is_known(record) and not {subject, record.id} & others:
                yield subject, lend_fields(record, answers)


def _list_questions(
    portal: Portal, catalog: CatalogService, headers: Mapping[str, Record], run: BuildRun
) -> Iterator[_Question]:
    """Yield queries that were not sent so far, or not recently."""
    results = portal.store.documents.results
    keys, times = results.keys(STAGE), results.times(STAGE)
    refresh_s = portal.settings.enrich.refresh_days * DAY_S
    for document, header in headers.items():
        # Only Unpaywall uses what other catalogs added, because it knows papers only by DOI.
        own = header if catalog.name == UNPAYWALL else _strip_lent(header)
        path = catalog.make_path(Query.from_header(own), portal.settings.fetch.contact)
        if path is None:
            continue
        subject = make_subject(document, catalog.name)
        key = fingerprint(STAGE, VERSION, catalog.name, path)
        is_old = refresh_s and run.clock() - times.get(subject, 0.0) > refresh_s
        if keys.get(subject) == key and not is_old:
            continue
        payload = results.get(STAGE, subject) if keys.get(subject) == key else None
        known = decode(CatalogAnswer, payload) if payload is not None else None
        yield _Question(subject, own, path, key, known, (portal.sources(document) or (document,))[0])


def _strip_lent(header: Record) -> Record:
    return replace(header, fields=tuple(field for field in header.fields if not field.listed_on))


async def _ask_one(
    portal: Portal,
    run: BuildRun,
    meter: StageProgress,
    client: CatalogClient,
    questions: Collection[_Question],
) -> EnrichCounts:
    """Send all queries to one catalog; each answer is stored at once, so that a kill loses nothing."""
    n_done = n_failed = 0
    for question in questions:
        started = run.clock()
        try:
            row = await _answer(client, question, started)
        except CatalogPaused as pause:
            n_left = len(questions) - n_done - n_failed
            return EnrichCounts(n_done, n_failed, (f"{pause}; {n_left} papers wait for the next build",))
        portal.store.documents.results.put_many(STAGE, [replace(row, seconds=run.clock() - started)])
        is_done = isinstance(row, Done)
        n_done, n_failed = n_done + is_done, n_failed + (not is_done)
        meter.advance(is_done, n_failed=not is_done)
    return EnrichCounts(n_done, n_failed)


async def _answer(client: CatalogClient, question: _Question, now: float) -> Done | Failed:
    """Return the catalog's answer, or why there is none; temporary failures are retried in later builds."""
    try:
        answer = await client.ask(question.path, question.known.etag if question.known else "")
        if answer.status == 304 and question.known is not None:
            return Done(question.subject, question.key, encode(question.known), 0.0, now)
        body = answer.body if answer.status != 404 else None
        found = _choose(client.catalog, question, client.catalog.read(body) if body else [])
    except InputError as error:
        passing = isinstance(error, FetchError) and error.retryable
        key = "" if passing else question.key
        return Failed(
            question.subject,
            key,
            question.source,
            type(error).__name__,
            str(error),
            0.0,
            now,
            passing=passing,
        )
    kept = replace(found, asked=hide_contact(question.path), etag=answer.etag or "")
    return Done(question.subject, question.key, encode(kept), 0.0, now)


def _choose(
    catalog: CatalogService, question: _Question, told: Sequence[Mapping[str, object]]
) -> CatalogAnswer:
    """Return the record most likely to be about the document, if that is more likely than not."""
    best = CatalogAnswer(catalog.name)
    for each in told:
        try:
            read = read_paper(each, catalog=catalog.name)
        except InputError:
            continue  # empty or too large
        if read is None:
            continue
        record = read.records[0]
        probability = round(compute_agreement(question.header, record), 6)
        if probability >= max(LEAST_PROBABLE, best.probability):
            fields = tuple(
                _place(field, catalog.find_address(each)) for field in record.fields if field.name in _KEPT
            )
            best = CatalogAnswer(catalog.name, probability, fields)
    return best


def _place(field: Field, address: str) -> Field:
    return replace(field, span=_NOWHERE, runner_up="", listed_on=address)
