"""Stage 5 of declared domains: merges records into things, and finds what is part of what."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from portico.match import GATHERING_VERSION
from portico.match.merging_things import Sites, merge_things
from portico.pipeline.losses import check_lost_things
from portico.pipeline.portal import Portal, is_web
from portico.pipeline.progress import StageProgress, StageReport
from portico.pipeline.runners import BuildRun, CollectionStage, StageWork, fingerprint, run_collection_stage
from portico.store.codec import decode
from portico.store.opening import Store
from portico.text.urls import get_host
from portico.types.document import DocumentId
from portico.types.domain import Kind
from portico.types.page import Url
from portico.types.record import Record
from portico.types.stages import StageName


def match_things(portal: Portal, run: BuildRun, kinds: Sequence[Kind]) -> StageReport:
    """Merge things again if any record, site, declaration or decision changed, in one transaction."""
    store = portal.store
    sites = sites_of(store)
    decided = [f"{each.one} {each.other} {each.same}" for each in store.contributions.corrections.verdicts()]
    parts = (
        GATHERING_VERSION,
        store.documents.results.digest_of(StageName.EXTRACT),
        fingerprint(*(f"{document} {site}" for document, site in sorted(sites.items()))),
        [(kind.name, kind.identity, kind.parent, repr(kind.display)) for kind in kinds],
        *decided,
        *store.contributions.corrections.decided(),
    )

    def merge(meter: StageProgress) -> StageWork:
        found = merge_things(_records(store), kinds, sites, store.contributions.corrections.verdicts())
        check_lost_things(store, Counter(each.kind for each in found.entities), run)
        store.catalog.staleness.note_change()  # the index is stale until its own stage
        store.catalog.things.replace(found.entities, found.belongings)
        meter.advance(len(found.entities))
        return StageWork(len(found.entities))

    stage = CollectionStage(
        StageName.MATCH, parts, (), merge, count_fresh=lambda: store.catalog.counts().n_held
    )
    return run_collection_stage(stage, store, run)


def sites_of(store: Store) -> Sites:
    """The site of each document: the host of its first URL, or the folder of its file."""
    return {DocumentId(row.body): site_of(row.source) for row in store.documents.pages.bodies()}


def site_of(source: str) -> str:
    """The site as people call it, without "www." and port."""
    if not is_web(source):
        return PurePosixPath(source).parent.name
    return get_host(Url(source)).partition(":")[0].removeprefix("www.")


def _records(store: Store) -> Iterator[Record]:
    """Every record except those that a person rejected."""
    others = store.contributions.corrections.not_papers()
    for _, _, payload in store.documents.results.payloads(StageName.EXTRACT):
        yield from (record for record in decode(tuple[Record, ...], payload) if record.id not in others)
