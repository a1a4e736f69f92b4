"""Stage 3: extracts records from documents."""

from collections.abc import Iterator

from portico.engine.work import Job
from portico.extract import VERSION
from portico.pipeline.documents.listing import MOST_PAGES, group_listings
from portico.pipeline.portal import Portal
from portico.pipeline.portal_domain import digest_reading, pack_own_files
from portico.pipeline.progress import StageReport
from portico.pipeline.runners import BuildRun, ItemInput, ItemStage, MakePayload, fingerprint, run_item_stage
from portico.store.codec import digest, encode
from portico.store.meta import read_kept_sources
from portico.store.opening import Store
from portico.types.page import ListingContext, Url
from portico.types.stages import StageName

_OWN = "own"  # makes a file due again that was refused when it was known only from the web
ITEM_TIMEOUT_S = 120.0  # a long thesis takes a few seconds


def run_extract(portal: Portal, run: BuildRun) -> StageReport:
    """Extract records from every converted document; a new model or conversion makes it due again.

    So do new words about it on a page that links to it, and the builder's decision to keep it, paper or not.
    """
    store = portal.store
    reading = digest_reading(portal.domain, portal.places)
    sources: dict[str, str] = {row.body: row.source for row in store.documents.pages.bodies(records=False)}
    listings = _group_by_body(store)
    kept = store.documents.pages.bodies_of(read_kept_sources(store.meta)).values()
    own = store.documents.pages.file_bodies() | frozenset(kept)

    def inputs() -> Iterator[ItemInput]:
        for subject, converted in store.documents.results.digests(StageName.CONVERT, records=False).items():
            said = listings.get(subject)
            whole = fingerprint(converted, digest(encode(said))) if said else converted
            whole = fingerprint(whole, _OWN) if subject in own else whole
            yield ItemInput(subject, whole, sources.get(subject, subject))

    def prepare() -> tuple[Job, MakePayload]:
        # Imported here: what workers load takes a third of a second, which a run without work need not spend.
        from portico.pipeline.documents.worker_jobs import ExtractInput, ExtractJob, ExtractOptions

        def make_payload(wanted: ItemInput) -> ExtractInput:
            document = store.documents.results.get(StageName.CONVERT, wanted.subject)
            assert document is not None, "digests() names only finished documents"
            return ExtractInput(document, listings.get(wanted.subject, ()), wanted.subject in own)

        options = ExtractOptions(portal.settings.portal.domain, pack_own_files(portal.domain, portal.places))
        return Job(ExtractJob, options, item_timeout_s=ITEM_TIMEOUT_S), make_payload

    stage = ItemStage(
        name=StageName.EXTRACT,
        maker=f"{VERSION} {reading}",
        inputs=inputs,
        prepare=prepare,
        leaves_records=True,
    )
    return run_item_stage(stage, store, run)


def _group_by_body(store: Store) -> dict[str, tuple[ListingContext, ...]]:
    """What pages say about each document, under any of its URLs."""
    by_target = group_listings(store)
    bodies = store.documents.pages.bodies_of(by_target)
    found: dict[str, dict[Url, ListingContext]] = {}
    for target, body in sorted(bodies.items()):
        said = found.setdefault(body, {})
        for listing in by_target[Url(target)]:
            said.setdefault(listing.page, listing)
    return {body: tuple(said[page] for page in sorted(said)[:MOST_PAGES]) for body, said in found.items()}
