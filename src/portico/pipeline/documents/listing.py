"""Before stage 3: collects the text around links to documents on web pages."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from portico.engine.work import Job
from portico.pipeline.portal import Portal, is_web
from portico.pipeline.progress import StageReport
from portico.pipeline.runners import BuildRun, ItemInput, ItemStage, MakePayload, fingerprint, run_item_stage
from portico.store.codec import decode, digest, encode
from portico.store.documents.pages import BodyRow
from portico.store.opening import Store
from portico.types.page import BodyHash, ListingContext, Url
from portico.types.stages import StageName

VERSION = "1"
"""Raised when the same page would result in other listings."""

MOST_PAGES = 4
"""Maximum number of pages searched for a document's entry, in order of their URLs: home page, list, archive,
group."""

ITEM_TIMEOUT_S = 60.0  # the largest page a crawl keeps takes about a second
_HTML = "text/html"


def run_list(portal: Portal, run: BuildRun) -> StageReport:
    """Search every web page, if the domain's records can gain by it."""
    store = portal.store
    lends = any(kind.lends for kind in portal.domain.kinds)
    pages: dict[str, BodyRow] = {
        row.body: row for row in store.documents.pages.bodies(records=False) if lends and _is_page(row)
    }

    def inputs() -> Iterator[ItemInput]:
        for body, row in pages.items():
            # The same text on another page links to other documents.
            yield ItemInput(body, fingerprint(body, row.source), row.source)

    def prepare() -> tuple[Job, MakePayload]:
        # Imported here: what workers load takes a third of a second, which a run without work need not spend.
        from portico.pipeline.documents.worker_jobs import ListInput, ListJob

        def make_payload(wanted: ItemInput) -> ListInput:
            row = pages[wanted.subject]
            return ListInput(BodyHash(wanted.subject), Url(row.source), row.media_type)

        return Job(ListJob, store.blobs.location, item_timeout_s=ITEM_TIMEOUT_S), make_payload

    return run_item_stage(ItemStage(StageName.LIST, VERSION, inputs, prepare), store, run)


def group_listings(store: Store) -> Mapping[Url, Sequence[ListingContext]]:
    """What pages say about each document, by URL, in the order of the pages."""
    found: dict[Url, list[ListingContext]] = defaultdict(list)
    telling = [
        body for body, said in store.documents.results.digests(StageName.LIST).items() if said != _NOTHING
    ]
    for _, _, payload in store.documents.results.payloads(StageName.LIST, telling) if telling else ():
        for listing in decode(tuple[ListingContext, ...], payload):
            found[listing.target].append(listing)
    return {target: sorted(said, key=lambda one: one.page) for target, said in found.items()}


def _is_page(row: BodyRow) -> bool:
    return is_web(row.source) and row.media_type.startswith(_HTML)


_NOTHING = digest(encode(()))
